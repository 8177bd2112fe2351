"""The reference subjects measured again: what agrees, what a changed weight does, what cannot be tested."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tiltmeter
from support import Command
from tiltmeter.calibration import references as making
from tiltmeter.calibration import selftest as testing
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import all_instruments
from tiltmeter.packs import load_pack
from tiltmeter.store.files import sha256_of
from tiltmeter.subjects import known_references, references
from tiltmeter.subjects.references import reference

ASKED = {"vectors": "vectors", "masked": "fill", "causal": "fill", "nli": "entail"}


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """English vectors with one of them turned round, listed with their new checksums."""
    shutil.copytree(references.PLACE / "references" / "en-vectors", tmp_path / "references" / "en-vectors")
    shutil.copy(references.PLACE / "references" / "values.json", tmp_path / "references")
    folder = tmp_path / "references" / "en-vectors"
    words = (folder / "words.txt").read_text("utf-8").splitlines()
    matrix = np.load(folder / "vectors.npy")
    matrix[words.index("algebra")] *= -1
    np.save(folder / "vectors.npy", matrix)
    files = {path.name: sha256_of(path) for path in folder.iterdir()}
    making.write_table([replace(reference("en-vectors"), files=files)], tmp_path / "references.toml")
    for module in (references, testing):
        monkeypatch.setattr(module, "PLACE", tmp_path)
    return tmp_path


def test_every_instrument_that_applies_is_recorded_in_every_language() -> None:
    values = testing.read_values(references.PLACE)
    for one in known_references().values():
        pack = load_pack(one.lang)
        applicable = {
            tool.name
            for tool in all_instruments()
            if tool.capability == ASKED[one.kind] and not tool.wanted() and not pack.missing(tool.lists)
        }
        assert set(values[one.subject]) == applicable
        assert all(any(row[0] is not None for row in rows.values()) for rows in values[one.subject].values())


def test_what_is_measured_here_agrees_with_what_was_recorded() -> None:
    found = tiltmeter.selftest(["en-vectors", "ref:zh-nli"])
    assert [one.sentence() for one in found.checked if not one.agrees] == []
    assert {one.subject for one in found.checked} == {"ref:en-vectors", "ref:zh-nli"}


def test_a_changed_weight_is_found(changed: Path) -> None:
    found = testing.selftest(["en-vectors"])
    weat = next(one for one in found.checked if one.instrument == "weat")
    assert not found.agrees
    assert not weat.agrees
    # By hand: a difference is told where the recorded value is missed by more than either tolerance.
    recorded = testing.read_values(changed)["ref:en-vectors"]["weat"]
    for row in weat.differences:
        if row.measured is not None and row.recorded is not None:
            assert abs(row.measured - row.recorded) > max(1e-4, 1e-3 * abs(row.recorded))
        assert row.recorded == recorded[row.estimate][("value", "p_value", "p_two_sided").index(row.number)]
    assert weat.sentence().startswith("differs: ")
    assert "was recorded as" in weat.sentence()


def test_an_instrument_that_nothing_was_recorded_of_does_not_pass(
    changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (changed / "references" / "values.json").write_text(json.dumps({"ref:en-vectors": {"slgu": {}}}), "utf-8")
    found = {one.instrument: one.sentence() for one in testing.selftest().checked}
    assert found["weat"] == "nothing is recorded of it"
    assert found["slgu"].startswith("not measured: it asks how probable words are")


@pytest.mark.parametrize(
    ("now", "then", "agree"),
    [(1.0009, 1, True), (1.002, 1, False), (9e-5, 0, True), (2e-4, 0, False), (None, None, True), (None, 0, False)],
)
def test_numbers_agree_within_a_thousandth_or_a_ten_thousandth(
    now: float | None, then: float | None, agree: bool
) -> None:
    assert (not list(testing._differences({"d": (now, None, None)}, {"d": (then, None, None)}))) == agree


def test_a_damaged_reference_is_refused(changed: Path) -> None:
    (changed / "references" / "en-vectors" / "words.txt").write_text("", "utf-8")
    with pytest.raises(TiltmeterError, match="ref:en-vectors is not as it was made"):
        testing.selftest()


def test_damaged_values_are_refused(changed: Path) -> None:
    (changed / "references" / "values.json").write_text("[", "utf-8")
    with pytest.raises(TiltmeterError, match=r"values.json, cannot be read"):
        testing.selftest()


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(TiltmeterError, match="there is no reference subject 'ref:xx-vectors'"):
        testing.selftest(["xx-vectors"])


def test_the_command_says_a_line_an_instrument(tilt: Command) -> None:
    done = tilt("selftest", "--only", "ref:eu-vectors")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "all 6 measurements are as recorded"
    assert "ref:eu-vectors weat: " in done.stdout


def test_without_the_extra_vectors_alone_are_tested() -> None:
    code = (
        "import sys; sys.modules['transformers'] = None; import tiltmeter, json; "
        "print(json.dumps(tiltmeter.selftest(['en-vectors', 'en-masked']).to_json()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert {row["subject"] for row in found["checked"]} == {"ref:en-vectors"}
    assert "pip install 'tiltmeter[models]'" in found["not_tested"]["ref:en-masked"]


def test_making_vectors_again_gives_what_was_recorded(tmp_path: Path) -> None:
    making.make_references(tmp_path, ["en"], ["vectors"])
    again = testing.read_values(tmp_path)["ref:en-vectors"]
    recorded = testing.read_values(references.PLACE)["ref:en-vectors"]
    assert [*testing._differences(again["weat"], recorded["weat"])] == []
    assert [*references.references_in(tmp_path)] == ["en-vectors"]


def test_a_packed_model_packed_again_has_the_same_bytes(tmp_path: Path) -> None:
    shipped = reference("en-causal")
    making.pack_model(shipped.folder, tmp_path / "again")
    for path in (tmp_path / "again").iterdir():
        assert sha256_of(path) == shipped.files[path.name]
