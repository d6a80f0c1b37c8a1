"""The committed notebooks show what their cells give; ``python -m docs.site.notebooks`` writes them anew."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

from docs.site.notebooks import NOTEBOOKS, executed, shown  # noqa: E402


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["first-audit", "refuting-ehdl", "your-own-mechanism"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_what_the_cells_give(path, tmp_path):
    assert shown(nbformat.read(path, as_version=4)) == shown(executed(path, tmp_path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_verdict_and_picture_are_there_without_scripts(path):
    text = path.read_text()
    assert 'class=\\"verdict' in text
    assert "<svg" in text
    assert "<script" not in text


def test_times_are_not_compared():
    cell = nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("stream", text="effort 128 bits, 0.017 s")])
    assert shown(nbformat.v4.new_notebook(cells=[cell])) == ["effort 128 bits, …"]
    assert not re.search(r"\d\.\d+ s", shown(nbformat.v4.new_notebook(cells=[cell]))[0])
