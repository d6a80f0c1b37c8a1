"""One run of somebody's code along a path of decisions, and the draws that it makes.

A draw is a whole number m, uniform on an interval. Whatever the code asks of it cuts the interval: one piece is
followed, the others are noted and followed in later runs. A run is determined by the pieces that it takes.
"""

from __future__ import annotations

import inspect
import sys
import sysconfig
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from dpaudit.code.watch import Watch

LONG = 1 / 4
MOST_CAUGHT = 6
"""So often code may catch the end of its run before it goes on with pseudo-random numbers, to end by itself."""
KEPT = (
    "it keeps draws from one run to the next (a cache, a counter, an attribute): it is not a function of its draws; "
    "draw anew at every call"
)
ASKED_INSIDE = (
    "a sub-sampler asks for a draw that was made outside of it and is not known yet: hand it over as an argument, or "
    "make it known before, with int(...)"
)
HERE = str(Path(__file__).resolve().parents[1])
EXPLORER = str(Path(__file__).with_name("explore.py"))
OWN_LOOP = str(Path(__file__).with_name("until.py"))
LIBRARIES = ("numpy", "scipy", "typeguard", "typing_extensions.py")


class Refused(BaseException):
    """The code does what cannot be followed; the message says what, and where. No ``except Exception`` stops it."""


class Halted(BaseException):
    """The run is ended on purpose: at a state that is met again, or where it leads too far."""


class Changed(Refused):
    """A second run of the same decisions goes another way: the code is not a function of its draws."""


class Again(Refused):
    """What was followed so far does not hold, since less may be merged than was thought: begin anew."""


class Piece(NamedTuple):
    """One side of a cut: draw number ``draw`` lies in [lo, hi) from here on, with this share of where it lay before."""

    sign: Hashable
    draw: int
    lo: int
    hi: int
    share: Fraction
    stride: int = 1
    offset: int = 0

    @property
    def is_half(self) -> bool:
        """Whether it is a half of a draw that decides together with others."""
        return isinstance(self.sign, tuple) and self.sign[-1:] == ("half",)


class Draw:
    """The number m = offset + stride * a, a uniform on [lo, hi)."""

    __slots__ = ("hi", "lo", "number", "offset", "run", "size", "stride")

    def __init__(self, run: Run, number: int, size: int) -> None:
        self.run, self.number, self.size = run, number, size
        self.lo, self.hi, self.stride, self.offset = 0, size, 1, 0

    @property
    def width(self) -> int:
        """How many numbers are left."""
        return self.hi - self.lo

    def cut(self, sign: Hashable, bounds: Callable[[], Sequence[tuple[int, int]]]) -> None:
        """Takes one of the intervals that ``bounds`` gives, a partition of [lo, hi)."""

        def pieces() -> Iterable[Piece]:
            for lo, hi in bounds():
                share = Fraction(hi - lo, self.width)
                yield Piece(sign, self.number, lo, hi, share, self.stride, self.offset)

        self.take(self.run.choose(sign, self.number, pieces))

    def repeat(self, sign: Hashable) -> None:
        """Takes the piece of the script."""
        self.take(self.run.choose(sign, self.number, tuple))

    def cut_residues(self, sign: Hashable, modulus: int) -> None:
        """Takes one of the classes of m modulo ``modulus``."""

        def pieces() -> Iterable[Piece]:
            step = modulus  # a runs over r, r + step, ... in [lo, hi)
            for start in range(self.lo, min(self.hi, self.lo + step)):
                count = (self.hi - start + step - 1) // step
                offset, share = self.offset + self.stride * start, Fraction(count, self.width)
                yield Piece(sign, self.number, 0, count, share, self.stride * step, offset)

        self.take(self.run.choose(sign, self.number, pieces))

    def take(self, piece: Piece) -> None:
        """Leaves only the piece."""
        self.lo, self.hi, self.stride, self.offset = piece.lo, piece.hi, piece.stride, piece.offset

    def m(self, a: int) -> int:
        """The number that a stands for."""
        return self.offset + self.stride * a

    def state(self) -> tuple[int, ...]:
        """All that is known of it."""
        return self.size, self.lo, self.hi, self.stride, self.offset


class Past(Draw):
    """A draw of a run that is over. Code that still has it keeps it from one run to the next."""

    __slots__ = ()

    lo = hi = property(lambda self: refuse(KEPT))


class Run:
    """Follows ``script``, then the likeliest piece of every cut; notes the pieces not taken."""

    def __init__(
        self, script: Sequence[Piece], owner: Any = None, bits: int = 53, plain: Sequence[int] | None = None
    ) -> None:
        self.script, self.owner, self.bits = script, owner, bits
        self.taken: list[Piece] = []
        self.draws: list[Draw] = []
        self.alternatives: list[tuple[int, list[Piece]]] = []
        self.assumptions: set[str] = set()
        self.refused: Refused | KeyboardInterrupt | None = None
        self.boxed: str | None = None
        self.caught, self.is_adrift = 0, False
        """How often code has caught the end of the run, and whether it goes on all the same."""
        self.halted = False
        self.follower: Any = None
        """Finds the states that the run comes to; none in a run with plain numbers."""
        self.clean, self.unclean_at = True, ""
        """Whether all that it has executed lies on the closed list; else the line and what was there."""
        self.fresh: dict[int, Any] = {}
        """The lists, iterators and objects that this run has made, by address: it alone may change them."""
        self.calls: list[bool] = []
        """Of each call of a function: whether it was drawn at once. A run with plain numbers is told."""
        self.plan: Sequence[bool] = ()
        self.steps, self.watch = 0, Watch()
        self.form: Any = None
        """Of which containers its output is made."""
        self.mass, self.least = 1.0, 0.0
        self.plain = plain is not None
        self.numbers = list(plain or ())
        """The numbers m of a run with plain numbers, draw by draw."""

    def draw(self, size: int) -> Draw:
        """A new draw, uniform on 0 .. size - 1."""
        self.check()
        self.draws.append(Draw(self, len(self.draws), size))
        return self.draws[-1]

    def next_plain(self, size: int) -> int:
        """The next number of a run with plain numbers."""
        self.check()
        number = len(self.draws)
        self.draws.append(Draw(self, number, size))
        if self.is_adrift:
            return int.from_bytes(sha256(f"{number}".encode()).digest(), "big") % size
        if number >= len(self.numbers) or self.numbers[number] >= size:
            self.stop(Changed(f"{where()}it draws otherwise in a second run: it is not a function of its draws"))
        return self.numbers[number]

    def choose(self, sign: Hashable, draw: int, pieces: Callable[[], Iterable[Piece]]) -> Piece:
        """The piece to follow: that of the script, or the likeliest."""
        self.check()
        if self.is_adrift:
            return next(iter(pieces()))
        if RUNS and RUNS[-1] is not self:
            refuse(ASKED_INSIDE)
        place = len(self.taken)
        if place < len(self.script):
            piece = self.script[place]
            if (piece.sign, piece.draw) != (sign, draw):
                self.stop(Changed(f"{where()}it goes another way in a second run: it is not a function of its draws"))
        else:
            found = list(pieces())
            best = max(range(len(found)), key=lambda i: found[i].share)
            piece = found.pop(best)
            if found:
                self.alternatives.append((place, found))
        self.taken.append(piece)
        if place >= len(self.script):
            self.mass *= float(piece.share)
            if self.mass < self.least:
                self.halt()
        return piece

    @property
    def is_repeating(self) -> bool:
        """Whether what it does now was followed before: it has a script to go through, or plain numbers."""
        return self.plain or len(self.taken) < len(self.script)

    def repeats(self, sign: Hashable) -> bool:
        """Whether the next decision of the script is this one."""
        place = len(self.taken)
        return place < len(self.script) and self.script[place].sign == sign and not self.is_adrift

    def leave_the_list(self, what: str) -> None:
        """Notes that the run does something outside the closed list: from here on nothing is merged."""
        if self.clean:
            self.clean, self.unclean_at = False, f"{where()}{what}"
            if self.follower is not None:
                self.follower.left_the_list()

    def draws_calls(self) -> bool:
        """Whether the next call of a function may be drawn at once."""
        if not self.plain:
            return True
        return len(self.calls) < len(self.plan) and self.plan[len(self.calls)]

    def step(self) -> None:
        """Counts a turn of a loop; ends the run where it leads too far."""
        self.steps += 1
        if self.owner is not None and not self.is_adrift:
            if self.steps > self.owner.budget.steps:
                self.follower.is_endless(where()) if self.follower is not None else None
                self.halt()
            if not self.steps % 64:
                self.check()
                if self.owner.is_late and not self.plain:
                    self.out_of_time()

    def out_of_time(self) -> None:
        """Ends the run with the seconds of the budget; one that has taken a good part of them may have no end."""
        if self.follower is not None and self.watch.seconds >= LONG * self.owner.budget.seconds:
            self.follower.is_endless(where())
        self.halt()

    def check(self) -> None:
        """Ends a run that was ended before and has been caught."""
        if self.refused is None and not self.halted:
            return
        self.caught += 1
        if self.caught > MOST_CAUGHT:
            self.is_adrift = self.plain = True
            return
        raise self.refused or Halted(where())

    def halt(self) -> None:
        """Ends the run."""
        self.halted = True
        raise Halted(where())

    def stop(self, reason: Refused) -> None:
        """Ends everything: the code cannot be followed."""
        self.refused = self.refused or reason
        raise reason


RUNS: list[Run] = []
"""The runs under way; the last is the innermost."""


def current() -> Run | None:
    """The run under way."""
    return RUNS[-1] if RUNS else None


INTERRUPTS: list[KeyboardInterrupt] = []
"""The interrupts that came from the keyboard, or from SIGTERM; others are raised by the code."""


def interrupted(reason: KeyboardInterrupt) -> KeyboardInterrupt:
    """The reason, noted as one from outside; it ends the runs under way, whatever the code does or catches."""
    INTERRUPTS.append(reason)
    for run in RUNS:
        run.refused = run.refused or reason
    return reason


def refuse(what: str) -> Any:
    """Ends everything: the code does something that cannot be followed; names the line of it."""
    return end(f"{where()}{what}")


def end(what: str) -> Any:
    """Ends everything, for a reason that has no line of the code."""
    reason = Refused(what)
    run = current()
    if run is not None:
        run.stop(reason)
    raise reason


_FILES = "hooks values keys context draws source lazy steps vectors until"
ACTING = frozenset(str(Path(__file__).with_name(f"{name}.py")) for name in _FILES.split())
"""The files of ours in which an exception is one of the code: they do what it would have done."""


def fault(error: BaseException) -> str:
    """Words for an exception that is a fault of dpaudit, and none of the code that is followed; else nothing."""
    file = innermost(error)
    ours = isinstance(error, Exception) and file.startswith(str(Path(__file__).parent)) and file not in ACTING
    return f"a fault of dpaudit, please report it ({type(error).__name__}: {error})" if ours else ""


@lru_cache(maxsize=4096)
def is_theirs(filename: str) -> bool:
    """Whether the file is somebody's own code: not dpaudit, nor the standard library, numpy or scipy."""
    if filename.startswith("<"):  # "<string>" is made by named tuples and data classes, also by ours
        return not filename.startswith(("<frozen", "<string", "<__array_function__"))
    parts = Path(filename).parts
    if filename.startswith(HERE):
        return not is_ours(filename)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return parts[parts.index(folder) + 1] not in LIBRARIES
    return not filename.startswith(sysconfig.get_paths()["stdlib"])


def is_ours(filename: str) -> bool:
    """Whether the file is dpaudit's own engine; the examples, and the loop that we offer, are followed as theirs."""
    return filename.startswith(HERE) and "examples" not in Path(filename).parts and filename != OWN_LOOP


def where() -> str:
    """ "file.py line 12: " for the innermost line of somebody's own code; nothing where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_theirs(frame.f_code.co_filename):
        frame = None if frame.f_code.co_filename == EXPLORER else frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name} line {frame.f_lineno}: "


def defined_at(function: Any) -> str:
    """The same for the line where the function is defined; nothing if that is unknown."""
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    return "" if code is None else f"{Path(code.co_filename).name} line {code.co_firstlineno}: "


def _passed(error: BaseException) -> list[tuple[str, int]]:
    """The files and lines that the exception went through, the innermost last."""
    found, trace = [("", 0)], error.__traceback__
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found


def raised_at(error: BaseException) -> str:
    """The same for the innermost line of their code that the exception went through."""
    lines = [f"{Path(file).name} line {line}: " for file, line in _passed(error) if file and is_theirs(file)]
    return lines[-1] if lines else ""


def innermost(error: BaseException) -> str:
    """The file of the innermost code that the exception went through: theirs, where they call sys.exit()."""
    return _passed(error)[-1][0]
