"""What only a caller's value stack holds: a called function changes it, takes it out of every variable, and loops."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source

RARE = Fraction(1, 1024)


def rare(rng):
    return rng.randrange(1024) == 0


def spin(rng):
    while rng.randrange(2):
        pass


class Box:
    """Notes something rare in a list that it then drops."""

    def __init__(self):
        self.q = [0]

    def flush(self, rng):
        if rare(rng):
            self.q.append(1)
        self.q = []
        spin(rng)
        return []

    def handle(self, rng):
        if self.q and rare(rng):
            self.q.append(1)
        self.q = []
        spin(rng)
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        LOG.append(len(self.q) > 1)


LOG, STACK = [], []


def in_an_expression(rng):
    box = Box()
    return 1 in box.q + box.flush(rng)


def as_an_argument(rng):
    box = Box()

    def report(entries, _):
        return 1 in entries

    return report(box.q, box.flush(rng))


def a_method_of_it(rng):
    STACK.append(Box())

    def close():
        box = STACK.pop()
        if rare(rng):
            box.q.append(1)
        del box
        spin(rng)

    return STACK[-1].q.count(1 if close() is None else 0) > 0


def a_double_buffer(rng):
    class Double:
        """Two arrays that take turns."""

        a = np.zeros(1)

        def swap(self):
            self.a[0] = rare(rng)
            self.a = np.zeros(1)
            spin(rng)
            return self.a

    double = Double()
    double.a = np.zeros(1)
    return bool((double.a + double.swap())[0])


def by_map(rng):
    box = Box()
    box.q = [0]
    return sum(map(lambda v: v + box.handle(rng), box.q)) > 0  # noqa: C417


def in_a_for_loop(rng):
    box, found = Box(), 0
    for v in box.q:
        found += v
        box.handle(rng)
    return found > 0


def a_global_list(rng):
    global QUEUE
    QUEUE, found = [0], 0
    for v in QUEUE:
        found += v
        drop(rng)
    return found > 0


QUEUE = []


def drop(rng):
    global QUEUE
    here = QUEUE
    if here and rare(rng):
        here.append(1)
    QUEUE, here = [], None
    spin(rng)


def popped_by_a_helper(rng):
    todo, found = [[0]], 0

    def helper():
        if todo:
            last = todo.pop()
            if rare(rng):
                last.append(1)
            del last
            spin(rng)

    for v in todo[-1]:
        found += v
        helper()
    return found > 0


def in_a_helper_of_a_helper(rng):
    box, found = Box(), 0

    def helper():
        box.handle(rng)

    for v in box.q:
        found += v
        helper()
    return found > 0


def in_a_with_block(rng):
    LOG.clear()
    boxes = [Box()]

    def close():
        box = boxes.pop()
        if rare(rng):
            box.q.append(1)
        del box
        spin(rng)

    with boxes[-1]:
        close()
    return LOG[0]


def in_a_tree(rng):
    tree = {"children": [{"children": [], "v": 0}], "v": 0}

    def visit(node):
        found = node["v"]
        for child in node["children"]:
            change()
            found += visit(child)
        return found

    def change():
        children = tree["children"]
        if rare(rng):
            children[0]["v"] = 1
            children.append({"children": [], "v": 1})
        tree["children"], children = [], None
        spin(rng)

    return visit(tree) > 0


def in_a_pending_return(rng):
    box = Box()

    def out():
        try:
            return box.q
        finally:
            box.flush(rng)

    return 1 in out()


def in_a_tuple(rng):
    box = Box()
    found, _ = (box.q, box.flush(rng))
    return 1 in found


def in_a_comprehension(rng):
    box = Box()
    return sum([v + box.handle(rng) for v in box.q]) > 0


def in_a_generator(rng):
    box = Box()
    return sum(v + box.handle(rng) for v in box.q) > 0


def in_a_reduction(rng):
    box = Box()
    return reduce(lambda all_of_it, v: all_of_it + v + box.handle(rng), box.q, 0) > 0


def in_an_index(rng):
    box = Box()
    return box.q[len(box.flush(rng)) - 1] == 1


def in_a_comparison(rng):
    box = Box()
    return box.q > [0, *box.flush(rng)]


def in_a_keyword(rng):
    box = Box()
    return dict(a=box.q, b=box.flush(rng))["a"][-1] == 1  # noqa: C408


def in_starred_arguments(rng):
    box = Box()

    def report(entries, *_):
        return 1 in entries

    return report(*[box.q, *box.flush(rng)])


def in_a_maximum(rng):
    box = Box()
    return 1 in max(box.q, box.flush(rng), key=len)


def by_a_property(rng):
    class Owner:
        """Reads its box by a property that loops."""

        box = Box()

        @property
        def noise(self):
            self.box.flush(rng)
            return []

    owner = Owner()
    owner.box = Box()
    return 1 in owner.box.q + owner.noise


def by_an_operator(rng):
    class Noise:
        """Loops when it is added."""

        def __radd__(self, other):
            box.flush(rng)
            return other

    box = Box()
    return 1 in box.q + Noise()


SAMPLES = [value for name, value in sorted(globals().items()) if name.startswith(("in_", "by_", "as_", "a_", "popped"))]


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_a_stack_holds_belongs_to_the_state(sample):
    rng = Source()
    law = Session(Budget(residual=Fraction(1, 1 << 14))).law(lambda: sample(rng))
    found = dict(zip(law.outputs, law.lower, strict=True))
    plain = {bool(output) for output in found}
    assert plain <= {True, False}
    assert found.get(True, 0) <= RARE <= found.get(True, 0) + law.residual, (sample, found, law.residual)
    assert law.residual <= Fraction(1, 1 << 14)
