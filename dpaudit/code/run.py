"""One run of a user's code along a path of decisions, and the draws that it makes.

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
"""How often code may catch the end of its run before pseudo-random numbers let it run to its own end."""
KEPT = (
    "it keeps draws from one run to the next (a cache, a counter, an attribute): it is not a function of its draws; "
    "draw again at every call"
)
ASKED_INSIDE = (
    "a sub-sampler uses a draw made outside it whose value is still open: pass it as an argument, or fix its value "
    "first, with int(...)"
)
HERE = str(Path(__file__).resolve().parents[1])
EXPLORER = str(Path(__file__).with_name("explore.py"))
OWN_LOOP = str(Path(__file__).with_name("until.py"))
LIBRARIES = ("numpy", "scipy", "typeguard", "typing_extensions.py")


class Refused(BaseException):
    """The code cannot be followed; the message says what it does and where. No ``except Exception`` catches this."""


class Halted(BaseException):
    """The run is ended on purpose: at a known state, or where it would take too long."""


class Changed(Refused):
    """A second run with the same decisions takes another path: the code is not a function of its draws."""


class Again(Refused):
    """What was explored so far is invalid, as fewer states may be merged than assumed: start again."""


class Piece(NamedTuple):
    """One side of a cut: draw number ``draw`` lies in [lo, hi) from here on, with this share of its interval before."""

    sign: Hashable
    draw: int
    lo: int
    hi: int
    share: Fraction
    stride: int = 1
    offset: int = 0

    @property
    def is_half(self) -> bool:
        """Whether it is a half of a draw that decides jointly with others."""
        return isinstance(self.sign, tuple) and self.sign[-1:] == ("half",)


class Draw:
    """The number m = offset + stride * a, a uniform on [lo, hi)."""

    __slots__ = ("hi", "lo", "number", "offset", "run", "size", "stride")

    def __init__(self, run: Run, number: int, size: int) -> None:
        self.run, self.number, self.size = run, number, size
        self.lo, self.hi, self.stride, self.offset = 0, size, 1, 0

    @property
    def width(self) -> int:
        """The number of values left."""
        return self.hi - self.lo

    def cut(self, sign: Hashable, bounds: Callable[[], Sequence[tuple[int, int]]]) -> None:
        """Restricts the draw to one of the intervals that ``bounds`` gives, a partition of [lo, hi)."""

        def pieces() -> Iterable[Piece]:
            for lo, hi in bounds():
                share = Fraction(hi - lo, self.width)
                yield Piece(sign, self.number, lo, hi, share, self.stride, self.offset)

        self.take(self.run.choose(sign, self.number, pieces))

    def repeat(self, sign: Hashable) -> None:
        """Restricts the draw to the piece in the script."""
        self.take(self.run.choose(sign, self.number, tuple))

    def cut_residues(self, sign: Hashable, modulus: int) -> None:
        """Restricts the draw to one of the classes of m modulo ``modulus``."""

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
        """The number that belongs to ``a``."""
        return self.offset + self.stride * a

    def state(self) -> tuple[int, ...]:
        """All that is known of it."""
        return self.size, self.lo, self.hi, self.stride, self.offset


class Past(Draw):
    """A draw of a finished run. Code that still has it keeps state from one run to the next."""

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
        """How often code has caught the end of the run, and whether it continues all the same."""
        self.halted = False
        self.follower: Any = None
        """Finds the states that the run reaches; None in a run with plain numbers."""
        self.clean, self.unclean_at = True, ""
        """Whether everything executed so far is on the closed list; if not, the line and what is there."""
        self.fresh: dict[int, Any] = {}
        """The lists, iterators and objects that this run has made, by address: it alone may change them."""
        self.calls: list[bool] = []
        """For each call of a function, whether it was drawn at once; a run with plain numbers is given this."""
        self.plan: Sequence[bool] = ()
        self.steps, self.watch = 0, Watch()
        self.form: Any = None
        """The containers that its output is made of."""
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
            self.stop(Changed(f"{where()}it draws differently in a second run: it is not a function of its draws"))
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
                self.stop(Changed(f"{where()}it takes another path in a second run: it is not a function of its draws"))
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
        """Whether it repeats a known path: it has a script left, or plain numbers."""
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
        """Counts an iteration of a loop; ends the run where it takes too long."""
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
        """Ends the run at the time limit; a run that took much of it may be endless."""
        if self.follower is not None and self.watch.seconds >= LONG * self.owner.budget.seconds:
            self.follower.is_endless(where())
        self.halt()

    def check(self) -> None:
        """Ends again a run whose end the code has caught."""
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
"""The runs in progress; the last is the innermost."""


def current() -> Run | None:
    """The run in progress."""
    return RUNS[-1] if RUNS else None


INTERRUPTS: list[KeyboardInterrupt] = []
"""The interrupts from the keyboard or SIGTERM; others were raised by the code."""


def interrupted(reason: KeyboardInterrupt) -> KeyboardInterrupt:
    """The reason, marked as one from outside; it ends the runs in progress, whatever the code does or catches."""
    INTERRUPTS.append(reason)
    for run in RUNS:
        run.refused = run.refused or reason
    return reason


def refuse(what: str) -> Any:
    """Ends everything: the code does something that cannot be followed; the message names the line."""
    return end(f"{where()}{what}")


def end(what: str) -> Any:
    """Ends everything, for a reason without a line in the code."""
    reason = Refused(what)
    run = current()
    if run is not None:
        run.stop(reason)
    raise reason


_FILES = "hooks values keys context draws source lazy steps vectors until"
ACTING = frozenset(str(Path(__file__).with_name(f"{name}.py")) for name in _FILES.split())
"""Our files in which an exception belongs to the user's code: they do what it would have done."""


def fault(error: BaseException) -> str:
    """A message for an exception that is a fault of dpaudit, not of the code that is followed; else ""."""
    file = innermost(error)
    ours = isinstance(error, Exception) and file.startswith(str(Path(__file__).parent)) and file not in ACTING
    return f"a fault of dpaudit, please report it ({type(error).__name__}: {error})" if ours else ""


@lru_cache(maxsize=4096)
def is_theirs(filename: str) -> bool:
    """Whether the file is the user's own code: not dpaudit, the standard library, numpy or scipy."""
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
    """Whether the file belongs to dpaudit's engine; the examples and ``until`` are followed as user code."""
    return filename.startswith(HERE) and "examples" not in Path(filename).parts and filename != OWN_LOOP


def where() -> str:
    """The place, "file.py line 12: ", of the innermost line of user code; "" where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_theirs(frame.f_code.co_filename):
        frame = None if frame.f_code.co_filename == EXPLORER else frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name} line {frame.f_lineno}: "


def defined_at(function: Any) -> str:
    """The same for the line where the function is defined; "" if that is unknown."""
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
    """The same for the innermost line of user code that the exception passed through."""
    lines = [f"{Path(file).name} line {line}: " for file, line in _passed(error) if file and is_theirs(file)]
    return lines[-1] if lines else ""


def innermost(error: BaseException) -> str:
    """The file of the innermost code that the exception passed through: user code, where it calls sys.exit()."""
    return _passed(error)[-1][0]
