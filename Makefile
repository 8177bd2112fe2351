# Each target makes .venv when it is missing.
BIN := .venv/bin
EXTRAS := models,corpus,web,report,ray,dev

NO_MKDOCS_2_WARNING := 1
export NO_MKDOCS_2_WARNING

.PHONY: setup audit test check bench docs
setup: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	python3 -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	touch $@

audit: setup
	$(BIN)/tiltmeter audit --out report.html

test: setup
	$(BIN)/pytest -n auto --durations=20

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m bench

docs: setup
	$(BIN)/mkdocs build --strict
