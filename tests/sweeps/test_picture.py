"""The picture of a sweep: what it ranges over, its lines, and what has none."""

from pathlib import Path

import pytest

from dpaudit.charts.style import new_axes
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.picture import MOST_LINES, draw
from dpaudit.sweeps.sweep import sweep
from tests.sweeps.sweeping import rows, swept


def table(folder, text):
    plan = folder / "p.toml"
    plan.write_text(text)
    store = swept(folder / "p.db", plan)
    try:
        return rows(store)
    finally:
        store.close()


@pytest.mark.parametrize(
    ("plan", "label", "title", "lines"),
    [
        (
            'mech = ["EHDS", "MH"]\nn = [5, 6, 7]\neps = [1, 2]\nquantities = ["epsilon", "delta at 1"]',
            "n", "MH, ε = 2: ", [[5, 6, 7]] * 4,
        ),
        ('mech = ["EHDS", "EHDL"]\nn = [5, 6]', "n", "EHDL: ", [[5, 6]] * 2),
        ('mech = "EHDS"\nn = 5\neps = ["1/2", 2]', "ε", "EHDS: ", [[0.5, 2]]),
        ('mech = "EHDL"\nn = 4\nk = [2, 3]\nprior = ["1", "1/2"]', "k", "prior = 1: ", [[2, 3], [2, 3]]),
        ('mech = "MH"\nn = 5\ngamma = ["1/2", 1]', "γ", "MH: ", [[0.5, 1]]),
        ('mech = "LSDim"\nn = [4, 8]\nquantities = ["mean error"]', "n", "LSDim: ", [[4, 8]]),
        ('mech = "EHDS"\nn = [5, 6, "all"]', "n", "EHDS: ", [[5, 6]]),
    ],
)  # fmt: skip
def test_a_picture_has_a_line_for_everything_that_varies_besides_its_axis(tmp_path, plan, label, title, lines):
    found = table(tmp_path, plan)
    axes = new_axes()
    draw(axes, found)
    drawn = [line for line in axes.get_lines() if len(line.get_xdata()) > 1]
    assert [list(line.get_xdata()) for line in drawn] == lines
    assert axes.get_xlabel() == label
    words = axes.get_title(loc="left")
    assert words.startswith(title)
    assert words.endswith(f"the largest of {sum(map(len, lines))}")
    shown = sorted(y for line in drawn for y in line.get_ydata())
    quantity = found[0]["quantity"]
    known = [row for row in found if row["quantity"] == quantity and row["n"] is not None]
    assert shown == pytest.approx(sorted(row["midpoint"] for row in known))
    assert axes.get_ylabel() == {"epsilon": "true ε"}.get(quantity, quantity)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ('mech = "EHDS"\nn = 5', "1 such rows: a picture needs finished, finite rows for two values of n"),
        (f'mech = "EHDS"\nn = [4, 5]\neps = "1..{MOST_LINES + 1}..1"', "13 lines: 12 can be distinguished"),
    ],
)
def test_what_has_no_picture_says_why(tmp_path, plan, said):
    with pytest.raises(InputError, match=said):
        draw(new_axes(), table(tmp_path, plan))


def test_the_command_draws_a_store_that_is_there(here, capsys):
    swept("s.db", "family.toml").close()
    assert main(["sweep", "--out", "s.db", "--plot", "s.svg"]) == 0
    assert "written: s.svg" in capsys.readouterr().err
    assert "EHDS" in Path("s.svg").read_text()
    assert main(["sweep", "--out", "s.db"]) == 2
    assert "give a plan, --status, --export or --plot" in capsys.readouterr().err
    assert sweep(out="s.db").plot(new_axes()).get_xlabel() == "n"
