"""The notebooks, one a study: run again from the first cell, they say what stands in them."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tiltmeter.studies import published_studies

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


def read(path: Path) -> nbformat.NotebookNode:
    found: nbformat.NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return found


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """What each cell prints; numbers of models that a cell trains differ from machine to machine."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and "train_language_model" not in cell.source]
    return [out.text for cell in cells for out in cell.outputs if out.output_type == "stream" and out.name == "stdout"]


def pictures(notebook: nbformat.NotebookNode) -> int:
    return sum("image/png" in out.get("data", {}) for cell in notebook.cells for out in cell.get("outputs", []))


def test_there_is_one_of_each_study() -> None:
    assert tuple(sorted(path.stem for path in FOLDER.glob("*.ipynb"))) == published_studies()


@pytest.mark.parametrize("name", published_studies())
def test_it_runs_and_says_the_same_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")
    stored, again = (read(FOLDER / f"{name}.ipynb") for _ in range(2))
    NotebookClient(again, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert len(printed(stored)) > 0
    assert printed(again) == printed(stored)
    assert pictures(again) == pictures(stored) > 0
