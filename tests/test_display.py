"""Results in a notebook."""

import sys
from types import SimpleNamespace

import pytest

import dpaudit
from dpaudit.audit.display import Shown, flatten


def test_results_show_themselves():
    page = dpaudit.epsilon("EHDS", n=4)._repr_html_()
    assert "<th>epsilon_lower</th>" in page
    assert "EHDS" in page
    assert page.count("<table>") == 1
    assert dpaudit.pmf("LSHist", x="2,2")._repr_html_().count("<table>") == 2


def test_hostile_text_is_escaped():
    class Bad(Shown):
        def to_dict(self):
            return {"<script>": "<script>", "rows": [{"<b>": "<b>"}]}

    assert "<script>" not in Bad()._repr_html_()
    assert "<b>" not in Bad()._repr_html_()


def test_rows_are_flat_and_exact():
    result = dpaudit.pmf("LSHist", x="2,2")
    rows = result.rows()
    assert [row["output"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert rows[0]["probability_lower"] == result.probabilities[0].to_dict()["lower"]
    (row,) = dpaudit.epsilon("EHDS", n=4).rows()
    assert row["witness_x"].count(",") == 1
    assert flatten({"a": {"b": {"c": 1}}, "d": [1, 2]}) == {"a_b_c": 1, "d": "1,2"}


def test_frames_come_from_what_is_installed(monkeypatch):
    result = dpaudit.epsilon("EHDS", n=4)
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=lambda rows: ("polars", rows)))
    assert result.to_frame() == ("polars", result.rows())
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows: ("pandas", rows)))
    assert result.to_frame()[0] == "pandas"
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(dpaudit.InputError, match="pandas or polars"):
        result.to_frame()
