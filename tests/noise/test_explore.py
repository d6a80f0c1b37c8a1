"""The paths of code with noise: the same questions must lead to the same answers."""

from itertools import cycle

import pytest

from dpaudit.noise.explore import explore
from dpaudit.noise.linear import Refused


@pytest.mark.parametrize(
    "code",
    [
        lambda turn, noise: next(turn) if noise.laplace(1) > 0 else 2,
        lambda turn, noise: noise.laplace(1) > next(turn),
        lambda turn, noise: noise.laplace(1 + next(turn)),
    ],
    ids=["another output", "another question", "another draw"],
)
def test_code_that_does_not_repeat_itself_is_refused(code):
    """What it keeps is out of sight."""
    turn = cycle((0, 1))
    with pytest.raises(Refused, match="must not keep state"):
        explore(lambda noise: code(turn, noise), dict)
