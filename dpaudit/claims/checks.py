"""A check decides one claim. It stays in its own module until a catalogue, or ``--from``, collects it from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from dpaudit.claims.claim import Claim
from dpaudit.claims.grid import Grid
from dpaudit.claims.outcome import Outcome
from dpaudit.claims.proof import Proof

KEPT = "__dpaudit_checks__"
"""Where a module keeps its checks."""


@dataclass(frozen=True)
class Context:
    """The argument of a check: the grid to decide on, whether it is the wide one, the status of the cited claims."""

    grid: Grid
    wide: bool = False
    cited: Mapping[str, str] = field(default_factory=dict)

    def proof(self) -> Proof:
        """A proof that may cite the claims that the check uses."""
        return Proof(self.cited)


Function = Callable[[Context], Outcome]
Audit = tuple[str, Mapping[str, str]]
"""A mechanism with its options besides n, k, prior and ε, which a claim's instance audits."""


@dataclass(frozen=True)
class Check:
    """The check of one claim. ``weight`` is a rough cost: heavy checks are started first."""

    identifier: str
    run: Function
    grid: Grid | str
    wide: Grid | str
    weight: int = 1
    uses: tuple[str, ...] = ()
    audits: Audit | None = None
    claim: Claim | None = None

    def outcome(self, wide: bool = False, cited: Mapping[str, str] | None = None) -> Outcome:
        """The outcome on the default or the wide grid, with the words for that grid."""
        grid = self.wide if wide else self.grid
        context = Context(grid if isinstance(grid, Grid) else Grid(grid), wide, cited or {})
        found: object = self.run(context)
        if not isinstance(found, Outcome):
            kind = type(found).__name__
            raise TypeError(f"a check returns an Outcome, from scan, search, a Proof or measured, not {kind}")
        return found if found.grid else found.on(str(grid))


def check(
    identifier: str,
    *,
    grid: Grid | str,
    wide: Grid | str | None = None,
    weight: int = 1,
    uses: Sequence[str] = (),
    audits: Audit | None = None,
    claim: Claim | None = None,
) -> Callable[[Function], Function]:
    """Makes the decorated function the check of the claim ``identifier``.

    ``grid`` is where it decides: a Grid, or words if there is nothing to list (algebra). ``wide`` is for --wide, if it
    is not the grid's own wide twin. ``uses`` are the claims that its proofs cite; they are decided before it.
    ``audits`` is the mechanism whose true ε or δ its instance is, for a certificate. A claim that is not in a
    catalogue is passed as ``claim=Claim(...)``.
    """

    def keep(function: Function) -> Function:
        twin = wide or (grid.wide if isinstance(grid, Grid) else grid)
        entry = Check(identifier, function, grid, twin, weight, tuple(uses), audits, claim)
        function.__globals__.setdefault(KEPT, []).append(entry)
        return function

    return keep


def checks_of(module: ModuleType) -> list[Check]:
    """The checks of a module, in their order."""
    return list(vars(module).get(KEPT, ()))
