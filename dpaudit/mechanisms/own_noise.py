"""Somebody's own mechanism given by code with ideal noise, ``sample(x, noise: dpaudit.Noise)``.

Finitely many outputs become an exact table, as any other mechanism's. Real outputs have densities: epsilon is their
largest ratio, in closed form where algebra has it, and delta an integral.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from dpaudit.mechanisms.own import OwnMechanism
from dpaudit.mechanisms.user_code import guarded, no_exit
from dpaudit.noise import losses
from dpaudit.noise.constraints import Cyclic
from dpaudit.noise.densities import Part, parts, reals
from dpaudit.noise.explore import Explored, explore
from dpaudit.noise.law import IDEAL, FiniteLaw, NotFollowed, entry, expression, finite_law, kind_of, order_of
from dpaudit.noise.losses import Peak, shape_text
from dpaudit.noise.paths import TooComplex
from dpaudit.noise.symbols import Refused
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, Champion
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Witness, Worst, pairs
from dpaudit.privacy.protocols import Algebra, ClosedLoss, Dataset, Law, Output, text

class NoiseLaws:
    """The laws of sample(x, noise), each computed once."""

    def __init__(self, target: Any, reference: str, name: str) -> None:
        self.target, self.reference, self.name = target, reference, name
        self._paths: dict[Dataset, Explored] = {}
        self._laws: dict[Dataset, FiniteLaw] = {}

    def _error(self, rule: str) -> InputError:
        return InputError("mech", self.reference, f"{self.name} {rule}")

    def explored(self, x: Dataset) -> Explored:
        """The ways that sample(x, noise) takes."""
        if x not in self._paths:
            self._paths[x] = self.careful(x, lambda: self._explore(x))
        return self._paths[x]

    def _explore(self, x: Dataset) -> Explored:
        sample = self.target.sample
        with no_exit():
            return explore(lambda noise: sample(x, noise), lambda: vars(self.target))

    def careful(self, x: Dataset, compute: Callable[[], Any]) -> Any:
        """What ``compute`` returns; what goes wrong becomes one line with the data set, the file and the line."""
        try:
            return guarded(self.reference, _caught, compute)
        except InputError as reason:
            at = "" if " line " in reason.rule else self._start()
            raise self._error(f"sample({text(x)}, noise): {at}{reason.rule}") from None

    def _start(self) -> str:
        """The file and the first line of the code."""
        code = getattr(getattr(self.target, "function", self.target.sample), "__code__", None)
        return "" if code is None else f"{Path(code.co_filename).name} line {code.co_firstlineno}: "

    def has_reals(self, datasets: Sequence[Dataset]) -> bool:
        """Whether an output has a real part."""
        return any(reals(path.output) for x in datasets for path in self.explored(x).paths)

    def law(self, x: Dataset) -> FiniteLaw:
        """The law of sample(x, noise), whose outputs have no real part."""
        if x not in self._laws:
            self._laws[x] = self.careful(x, lambda: finite_law(self.explored(x)))
        return self._laws[x]

    def outputs(self, datasets: Sequence[Dataset], listed: Sequence[Output] | None) -> tuple[Output, ...]:
        """Those listed, or all that occur: numbers first, in order."""
        laws = [(x, self.law(x)) for x in datasets]
        found = {kind: (x, output) for x, law in laws for kind, (output, _) in law.values.items()}
        rest = (NotFollowed(),) if any(law.residual for _, law in laws) else ()
        if listed is None:
            return (*sorted((output for _, output in found.values()), key=order_of), *rest)
        known = {kind_of(output) for output in listed}
        for kind, (x, output) in found.items():
            if kind not in known:
                raise self._error(f"sample({text(x)}, noise) gives {text(output)}, which outputs() does not list")
        return (*listed, *rest)

    @staticmethod
    def has_rest(outputs: Sequence[Output]) -> bool:
        """Whether the last output stands for what was not followed."""
        return isinstance(outputs[-1], NotFollowed)

    def entries(self, x: Dataset, outputs: Sequence[Output]) -> list[Any]:
        """The probabilities: rationals, expressions, or pairs (lower, upper)."""
        law = self.law(x)
        values = {kind: value for kind, (_, value) in law.values.items()}
        return [entry(values.get(kind_of(output)), law.residual) for output in outputs]

    def real_law(self, x: Dataset) -> dict[Any, Part]:
        """The law of sample(x, noise), whose outputs have real parts."""
        explored = self.explored(x)
        if not explored.complete:
            raise self._error(f"sample({text(x)}, noise): {explored.cut_at}too many forks for an output with real parts")
        return cast(dict[Any, Part], self.careful(x, lambda: parts(explored.paths)))

    def caveats(self, datasets: Sequence[Dataset], listed: bool) -> dict[str, Any]:
        """What the answer rests on: "assumptions"; and "residual", the largest probability not followed."""
        del listed
        laws = [self.law(x) for x in datasets]
        residual = max(law.residual for law in laws)
        cut = next((self.explored(x).cut_at for x in datasets if not self.explored(x).complete), "")
        notes = {"notes": [f"{cut}the ways beyond this fork are not followed, residual {at_most(residual, 3)}"]}
        return {"assumptions": [IDEAL], "residual": at_most(residual, 3), **(notes if residual else {})}


def _caught(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except (Refused, Cyclic, TooComplex) as reason:
        raise InputError("mech", "", str(reason)) from None


# ------------------------------------------------------------------ real outputs


class RealMechanism(OwnMechanism):
    """A mechanism whose outputs have real parts; its "outputs" are their shapes, a dot for every real part."""

    tabular = False

    @cached_property
    def _laws(self) -> dict[Dataset, dict[Any, Part]]:
        laws = cast(NoiseLaws, self._sampled)
        return {x: laws.real_law(x) for x in self._datasets}

    @cached_property
    def _outputs(self) -> tuple[Output, ...]:
        return tuple(sorted({shape_text(key) for law in self._laws.values() for key in law}))

    def peaks(self, x: Dataset, y: Dataset) -> list[Peak]:
        """The suprema of the losses of (x, y), shape by shape, at the precision in force."""
        laws, key = cast(NoiseLaws, self._sampled), (x, y, balls.working_bits())
        if key not in self._peaks:
            self._peaks[key] = laws.careful(x, lambda: losses.peaks(self._laws[x], self._laws[y]))
        return self._peaks[key]

    @cached_property
    def _peaks(self) -> dict[tuple[Dataset, Dataset, int], list[Peak]]:
        return {}

    def algebra(self) -> RealAlgebra:  # type: ignore[override]
        """The suprema."""
        return RealAlgebra(self)

    def law(self) -> Law:
        """Refuses: there is no table of probabilities."""
        raise self._error("releases real numbers, so it has no table; ask for epsilon, delta, profile or judge")

    @property
    def refinable(self) -> bool:  # type: ignore[override]
        """Densities are known to every precision."""
        return True

    def memory(self) -> int:
        """The bytes for the densities, about."""
        return len(self._datasets) * len(self._outputs) * 10_000

    def direct_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
        """delta at every point, by integrals of the densities."""
        return [self._delta(at, effort) for at in points]

    def _delta(self, at: Fraction, effort: Effort) -> Worst:
        laws = cast(NoiseLaws, self._sampled)

        def attempt() -> tuple[Enclosure, Witness] | None:
            champion: Champion[Witness] = Champion()
            for x, y in pairs(self, effort):
                for a, b in ((x, y), (y, x)):
                    value = laws.careful(a, lambda a=a, b=b: losses.delta(self._laws[a], self._laws[b], at))
                    champion.offer([value], lambda _, a=a, b=b: Witness(a, b, None))  # type: ignore[misc]
            value, witness = champion.result()
            found = balls.told(value, effort.digits, 1)
            return None if found is None else (found, witness)

        first, cap = balls.bits_for(effort.digits)
        (value, witness), bits = balls.refine(attempt, 2 * first, 8 * cap)
        return Worst(value, witness, bits)

    def caveats(self) -> dict[str, Any]:
        """What the answer rests on; and delta(infinity) where it is not 0."""
        found: dict[str, Any] = {"assumptions": [IDEAL]}
        witness = self.algebra().infinite()
        if witness is None:
            return found
        x, y, _ = witness
        with balls.precision(128):
            mass = losses.infinite_mass(self._laws[x], self._laws[y])
            never = balls.ends(mass)[1]
        note = f"δ(∞) = {at_most(never, 6)} for this pair: the probability of outputs that are impossible for x′"
        return {**found, "notes": [note]} if never > Fraction(1, 1 << 60) else found


@dataclass(frozen=True)
class RealAlgebra(Algebra):
    """The suprema of the losses of a mechanism with real outputs."""

    mechanism: RealMechanism

    def infinite(self) -> tuple[Dataset, Dataset, Output] | None:
        """A pair with an unbounded loss, and where, if there is one."""
        with balls.precision(128):
            for x, y in pairs(self.mechanism):
                for a, b in ((x, y), (y, x)):
                    for peak in self.mechanism.peaks(a, b):
                        if peak.infinite:
                            return a, b, peak.where
        return None

    def worst(self) -> ClosedLoss | None:
        """The largest supremum; None where it is infinite."""
        if self.infinite() is not None:
            return None
        with balls.precision(128):
            x, y, peak = self._largest()
        return Supremum(x, y, peak.where, self, peak)

    def _largest(self) -> tuple[Dataset, Dataset, Peak]:
        champion: Champion[tuple[Dataset, Dataset, Peak]] = Champion()
        for x, y in pairs(self.mechanism):
            for a, b in ((x, y), (y, x)):
                found = self.mechanism.peaks(a, b)
                champion.offer([p.loss for p in found], lambda i, a=a, b=b, f=found: (a, b, f[i]))  # type: ignore[misc]
        value, (x, y, peak) = champion.result()
        rivals = [tag[2] for v, tag in champion.alive if balls.overlap(v, value)]
        same = len({rival.known for rival in rivals}) == 1
        return x, y, Peak(value, peak.where, peak.known if same else None, ratio=peak.ratio if same else None)


@dataclass(frozen=True)
class Supremum(ClosedLoss):
    """The worst-case loss of densities: sup of ln h(v)/h'(v)."""

    algebra: RealAlgebra
    peak: Peak

    def ball(self) -> Ball:
        """A ball around the supremum, at the precision in force."""
        return self.algebra._largest()[2].loss

    def rational(self) -> Fraction | None:
        """The supremum where algebra knows it to be rational."""
        return self.peak.known

    def text(self) -> str:
        """The value in closed form; where there is none, what it is the supremum of."""
        if self.peak.known is not None:
            return str(self.peak.known)
        if self.peak.ratio is None or max(len(side) for side in self.peak.ratio) > 8:
            return f"sup of ln h(v)/h′(v) at {self.peak.where}"
        return f"ln({expression(self.peak.ratio)})"

    def symbolic(self) -> str:
        """Nothing: there is no form for every epsilon."""
        return ""


def made(mechanism: OwnMechanism) -> OwnMechanism:
    """The mechanism of code with noise: as it is where its outputs are finitely many, else one with densities."""
    laws = cast(NoiseLaws, mechanism._sampled)
    if not laws.has_reals(mechanism.datasets()):
        return mechanism
    real = RealMechanism(
        mechanism._target,
        mechanism.reference,
        mechanism.epsilon,
        mechanism._settings,
        mechanism._other_adjacency,
        sha256=mechanism.sha256,
    )
    vars(real)["_sampled"] = laws
    return real

