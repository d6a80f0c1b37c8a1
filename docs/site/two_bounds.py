"""The picture of docs/two-bounds.md: ``python -m docs.site.two_bounds`` draws it."""

import sys
from fractions import Fraction

from docs.site.contents import DOCS
from dpaudit.accounting.grid import ANY, Grid, Question
from dpaudit.accounting.reading import Gaussian
from dpaudit.charts import style

STEPS = (200, 300, 400, 600, 800, 1200, 2000, 3000)
QUESTION = Question(epsilon=Fraction(3))


def bounds() -> list[tuple[int, float, float]]:
    """1/h, and both bounds of δ(3) on that grid alone."""
    found = []
    for inverse in STEPS:
        grid = Grid([Gaussian(sigma="4/5", rate="1/100") * 1000], 1e-9)
        grid.state.known[QUESTION] = ANY
        grid.refine_to(Fraction(1, inverse), [QUESTION])
        known = grid.state.known[QUESTION]
        found.append((inverse, float(known.lower), float(known.upper)))
    return found


def short(value: float) -> str:
    """1.75e-5 for 0.0000175."""
    return f"{value * 1e5:.2f}e-5"


def main() -> int:
    """Draws and writes the picture."""
    rows = bounds()
    with style.styled():
        axes = style.new_axes()
        places, lower, upper = (list(column) for column in zip(*rows, strict=True))
        axes.fill_between(places, lower, upper, color=style.GOOD, alpha=0.25)
        axes.plot(places, upper, color=style.GOOD, marker="v", markersize=4, label="upper bound, by domination")
        axes.plot(places, lower, color=style.BAD, marker="^", markersize=4, label="lower bound, by post-processing")
        axes.set_xscale("log")
        axes.set_xticks(places, [str(place) for place in places])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter(lambda value, _: short(value))
        axes.set_xlabel("cells per unit of loss, 1/h")
        axes.set_ylabel("δ(3)")
        axes.set_title("Both certified bounds close in on δ(3) as the grid gets finer", loc="left")
        axes.legend(frameon=False, labelcolor="linecolor")
    style.save(axes, "picture", str(DOCS / "pictures/two-bounds.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
