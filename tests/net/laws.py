"""The agreements: what two paths through dpaudit, or a path and plain mpmath, must not contradict.

Each is a function of a View. It returns if all is well and raises Disagreement if not; whatever the API refuses is
passed on. None of them knows how the engine works inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

import dpaudit
from dpaudit import Verdict
from dpaudit.reference import definitions as reference

from . import truth
from .settings import Family, Own
from .truth import number
from .view import Disagreement, NotApplicable, Undecided, View, agree, contains, least

WIDTH = Fraction(1, 10**15)


@dataclass(frozen=True)
class Law:
    """An agreement by name; an occasional one is checked where the setting draws it."""

    name: str
    check: Callable[[View], None]
    kind: type[Any] = object
    occasional: str | None = None

    def applies(self, case: Any) -> bool:
        """Whether it is checked for this setting."""
        return isinstance(case, self.kind) and self.occasional in (None, case.occasional)


LAWS: list[Law] = []


def law(
    name: str, kind: type[Any] = object, occasional: str | None = None
) -> Callable[[Callable[[View], None]], Callable[[View], None]]:
    """Registers an agreement under its name."""

    def register(check: Callable[[View], None]) -> Callable[[View], None]:
        LAWS.append(Law(name, check, kind, occasional))
        return check

    return register


def _narrow(view: View, what: str, found: Any) -> None:
    if view.narrow and not found.is_infinite and found.width > WIDTH:
        raise Disagreement(what, found, "asked for", "15 digits")


# ------------------------------------------------------------------ one curve


@law("profile δ = delta")
def curve(view: View) -> None:
    for at, found in view.profile.deltas:
        single = view.delta(at)
        agree(f"profile, δ({at})", found, f"delta at {at}", single)
        _narrow(view, f"profile, δ({at})", found)
        _narrow(view, f"delta at {at}", single)


@law("total variation = δ(0)")
def variation(view: View) -> None:
    agree("profile, total variation", view.profile.total_variation, "delta at 0", view.delta(Fraction(0)))
    _narrow(view, "total variation", view.profile.total_variation)


@law("δ = 0 from ε on, and not before")
def least_epsilon(view: View) -> None:
    found = view.epsilon.epsilon
    _narrow(view, "epsilon", found)
    agree("epsilon", found, "profile, epsilon", view.profile.epsilon)
    if not found.is_infinite:
        beyond = view.delta(found.upper)
        if beyond.lower > 0 or (view.narrow and beyond.upper > WIDTH):
            raise Disagreement("epsilon", found, f"delta at {found.upper}, not 0", beyond)
    if found.lower > 0:
        for what, value in (("delta", view.delta(view.below)), ("profile, δ", view.profile.deltas[-1][1])):
            if value.upper == 0:
                raise Disagreement("epsilon", found, f"{what} at {view.below}", value)


@law("the curve's segments give δ")
def segments(view: View) -> None:
    found = view.profile.segments
    last = found[-1]
    if last.end is not None or last.alpha.lower > 0:
        raise Disagreement("last segment", f"ends at {last.end}, alpha = {last.alpha}", "a curve", "ends flat")
    if not view.epsilon.epsilon.is_infinite and len(found) > 1:
        agree("last breakpoint", last.start, "epsilon", view.epsilon.epsilon)
    ends = [part.end.upper for part in found[:-1]]
    points = [(a + b) / 2 for a, b in pairwise([Fraction(0), *ends])][:6]
    with mp.workdps(60):
        for at in [*points, ends[-1] + 1 if ends else Fraction(1)]:
            factor = mp.exp(number(at))
            low = max(number(part.power.lower) - factor * number(part.alpha.upper) for part in found)
            high = max(number(part.power.upper) - factor * number(part.alpha.lower) for part in found)
            slack = number(view.profile.slack.upper) + mpf(10) ** -40
            contains(f"delta at {at}", view.delta(at), "segments", low - slack, max(high, mpf(0)) + slack)


@law("Rényi divergences rise to ε")
def renyi(view: View) -> None:
    top, found = view.epsilon.epsilon, view.profile.renyi
    for (a, one), (b, other) in pairwise(found):
        least(f"Rényi divergence of order {a}", one, f"of order {b}", other)
    for order, value in found:
        if value.is_infinite != top.is_infinite:
            raise Disagreement(f"Rényi divergence of order {order}", value, "epsilon", top)
        least(f"Rényi divergence of order {order}", value, "epsilon", top)
        least(f"Rényi divergence of order {order}, divided by it", _scaled(value, order), "ρ", view.profile.rho)
    if top.is_infinite or top.upper == 0:
        return
    witness = view.epsilon.witness
    row = view.row(witness.x, 400)
    order, value = found[-1]
    with mp.workdps(60):
        mass = number(row.probabilities[row.outputs.index(witness.output)].lower) if witness.output is not None else 0
        if mass > 0:
            bound = number(top.lower) + mp.log(mass) / number(order - 1)
            if number(value.upper) < bound - mpf(10) ** -40:
                raise Disagreement(
                    f"Rényi divergence of order {order}", value, "at least: ε + ln p / (order - 1)", bound
                )
        square = number(top.upper) ** 2 / 2
        if number(view.profile.rho.lower) > square * (1 + mpf(10) ** -40):
            raise Disagreement("ρ", view.profile.rho, "at most: ε²/2", square)


@dataclass(frozen=True)
class _Ends:
    lower: Any
    upper: Any

    def __str__(self) -> str:
        return f"[{float(self.lower)}, {float(self.upper)}]"


def _scaled(value: Any, order: Fraction) -> Any:
    return value if value.is_infinite else _Ends(value.lower / order, value.upper / order)


# ------------------------------------------------------------------ verdicts


@law("verdicts do not contradict")
def verdicts(view: View) -> None:
    result = view.epsilon
    claim, found = result.claim, result.epsilon
    if claim.verdict is None:
        return
    proved, refuted = Verdict.PROVED, Verdict.REFUTED
    if claim.delta == 0:
        if claim.verdict is proved and found.lower > claim.epsilon:
            raise Disagreement("verdict", f"{claim.epsilon}-DP is PROVED", "epsilon", found)
        if claim.verdict is refuted and found.upper <= claim.epsilon:
            raise Disagreement("verdict", f"{claim.epsilon}-DP is REFUTED", "epsilon", found)
    undecided = claim.verdict is Verdict.UNDECIDED
    for at in [claim.epsilon, *view.points]:
        other = view.call("delta", at=at)
        undecided = undecided or other.claim.verdict is Verdict.UNDECIDED
        if {claim.verdict, other.claim.verdict} == {proved, refuted}:
            raise Disagreement(
                f"epsilon = {found}", claim.verdict, f"delta at {at} = {other.delta}", other.claim.verdict
            )
    if undecided:
        raise Undecided("a verdict is UNDECIDED")


# ------------------------------------------------------------------ brute force


@law("pmf sums to 1")
def sums(view: View) -> None:
    for x in view.datasets:
        row = view.row(x).probabilities
        low, high = sum(p.lower for p in row), sum(p.upper for p in row)
        if not low <= 1 <= high:
            raise Disagreement(f"sum of pmf of {x}", f"[{float(low)}, {float(high)}]", "a distribution", "1")
        if view.narrow and high - low > len(row) * Fraction(1, 10**29):
            raise Disagreement(f"width of the sum of pmf of {x}", float(high - low), "asked for", "30 digits")


@law("ε and δ from pmf, by brute force")
def brute_force(view: View) -> None:
    rows, dust = view.rows, mpf(10) ** -50
    with mp.workdps(80):
        logs = [[tuple(mp.log(end) if end else mp.ninf for end in p) for p in row] for row in rows]
        losses = [_loss(p, q) for i, j in view.pairs for p, q in zip(logs[i], logs[j], strict=True)]
        low, high = (max(mpf(0), *ends) for ends in zip(*losses, strict=True))
        contains("epsilon", view.epsilon.epsilon, "from pmf", low, high)
        for at in view.points:
            factor = mp.exp(number(at))
            both = [list(zip(rows[i], rows[j], strict=True)) for i, j in view.pairs]
            low = max(mp.fsum(max(mpf(0), p[0] - factor * q[1]) for p, q in row) for row in both)
            high = max(mp.fsum(max(mpf(0), p[1] - factor * q[0]) for p, q in row) for row in both)
            contains(f"delta at {at}", view.delta(at), "from pmf", low - dust, high + dust)


def _loss(p: tuple[mpf, mpf], q: tuple[mpf, mpf]) -> tuple[mpf, mpf]:
    """The ends of ln p/q from those of ln p and ln q; minus infinity where p is 0, infinity where only q is."""
    low = mp.ninf if mp.isinf(p[0]) else p[0] - q[1]
    high = mp.ninf if mp.isinf(p[1]) else p[1] - q[0]
    return low, high


@law("own mechanisms: the truth as it was written", Own)
def written_truth(view: View) -> None:
    case = view.case
    assert isinstance(case, Own)
    with mp.workdps(truth.DPS):
        rows = truth.rows(case)
        problem = truth.wrong(rows)
        if problem is not None:
            raise Disagreement("epsilon", view.epsilon.epsilon, "no mechanism", problem)
        real = truth.epsilon(rows, case.pairs)
        contains("epsilon", view.epsilon.epsilon, "truth", real)
        claim = view.epsilon.claim
        if claim.verdict in (Verdict.PROVED, Verdict.REFUTED):
            spent = truth.delta(rows, case.pairs, claim.epsilon) if claim.delta else real
            holds = spent <= number(claim.delta or claim.epsilon) + truth.NOTHING
            if holds is not (claim.verdict is Verdict.PROVED):
                raise Disagreement("verdict", claim.verdict, f"truth: ({claim.epsilon}, {claim.delta})-DP is", holds)
        for at in view.points:
            contains(f"delta at {at}", view.delta(at), "truth", truth.delta(rows, case.pairs, at))


def _reference(case: Family) -> dict[str, Any]:
    """The setting as the slow reference takes it."""
    options = dict(case.options)
    if options.pop("score", "hellinger") != "hellinger" or case.mech not in reference.MECHANISMS:
        raise NotApplicable
    exact = {name: Fraction(options[name]) for name in options if name in RATIONAL}
    rest = {"gs": options["gs"]} if "gs" in options else {}
    return {"mech": case.mech, "n": int(options["n"]), "prior": case.prior, **exact, **rest, "dps": 80}


RATIONAL = ("eps", "gamma", "delta")
REFERENCE_ERROR = mpf(10) ** -40


@law("the slow reference", Family)
def slow_reference(view: View) -> None:
    assert isinstance(view.case, Family)
    setting, found = _reference(view.case), view.epsilon.epsilon
    with mp.workdps(80):
        real, _ = reference.epsilon(**setting)
        contains("epsilon", found, "reference", real, error=REFERENCE_ERROR)
        for at in view.points:
            real = reference.delta(**setting, at=at)
            contains(f"delta at {at}", view.delta(at), "reference", real - REFERENCE_ERROR, real + REFERENCE_ERROR)


@law("mean error from pmf", Family, "accuracy")
def accuracy(view: View) -> None:
    case = view.case
    assert isinstance(case, Family)
    setting = _reference(case)
    options = {name: value for name, value in case.options.items() if name != "n"}
    for x in (view.datasets[0], view.datasets[len(view.datasets) // 2]):
        found = dpaudit.accuracy(case.mech, x=x, **options)
        row = view.row(x)
        with mp.workdps(80):
            real = mpf(0)
            for output, p in zip(row.outputs, row.probabilities, strict=True):
                released = reference.released_cells(case.mech, setting["n"], output)
                real += number(p.lower) * reference.distance(case.prior, x, released, 80)
            contains(f"accuracy, mean at {x}", found.mean, "from pmf", real, real + mpf(len(row.outputs)) / 10**30)
        for bound in found.bounds:
            if bound.verdict is Verdict.UNDECIDED:
                raise Undecided(f"the bound {bound.claim} is UNDECIDED")


# ------------------------------------------------------------------ other ways to the same result


@law("exact tier = fast tier", Family)
def tiers(view: View) -> None:
    for name, more in (("epsilon", {}), ("delta", {"at": view.points[0]})):
        slow = view.call(name, **more, tier="exact")
        try:
            fast = view.call(name, **more, tier="fast")
        except dpaudit.InputError as error:
            if error.rule.startswith("is for exponential mechanisms"):
                raise NotApplicable from None
            raise
        agree(f"{name}, exact tier", getattr(slow, name), "fast tier", getattr(fast, name))
        _narrow(view, f"{name}, fast tier", getattr(fast, name))
        if slow.claim.verdict is not fast.claim.verdict:
            raise Disagreement(f"{name}, exact tier", slow.claim, "fast tier", fast.claim)


@law("verify --full accepts what is certified", occasional="verify")
def certificates(view: View) -> None:
    from certificates import certificate, outcome

    from dpaudit.evidence.certificate import Contradicted

    for name, more in (("epsilon", {}), ("delta", {"at": view.points[0]}), ("delta", {"at": view.points[-1]})):
        result = view.call(name, **more)
        try:
            reason = outcome(certificate(result), full=True)
        except Contradicted as error:  # the writer has asked the verifier already
            reason = error.rule
        if reason is not None and reason.startswith(("too large", "undecided with")):
            raise Undecided(f"verify: {reason}")
        if reason is not None:
            raise Disagreement(name, getattr(result, name), "verify --full", reason)


@law("JSON = text = API", occasional="faces")
def faces(view: View) -> None:
    from .cli import enclosure_of, output_of, without_effort

    for name, more in _questions(view):
        api = _spelt_out(view, name, more)
        words = [word for key, value in more.items() for word in (f"--{key}", value)]
        json_ = output_of(view, name, *words, as_json=True)
        if without_effort(json_) != without_effort(api.to_dict()):
            raise Disagreement(f"{name} --json", json_, "API", api.to_dict())
        if name in ("epsilon", "delta"):
            found = getattr(api, name)
            shown = enclosure_of(output_of(view, name, *words), "true ε" if name == "epsilon" else "δ(")
            if not _rounds_outward(shown, found):
                raise Disagreement(f"{name}, text", shown, "API", repr(found))


def _rounds_outward(shown: tuple[Any, Any] | None, found: Any) -> bool:
    """Whether the text encloses what was found, and is at most a unit of its sixth digit wider at each end."""
    if shown is None or shown == (found.lower, found.upper):
        return shown is not None
    low, high = Fraction(found.lower), Fraction(found.upper)
    unit = Fraction(10) ** int(mp.floor(mp.log10(mpf(high.numerator) / high.denominator)) - 5) if high else Fraction(0)
    return low - unit <= shown[0] <= low <= high <= shown[1] <= high + unit


def _questions(view: View) -> Iterator[tuple[str, dict[str, str]]]:
    yield "epsilon", {}
    yield "delta", {"at": str(view.points[0])}
    x = view.datasets[0]
    yield "pmf", {"x": ",".join(map(str, x)) if isinstance(x, tuple) else str(x)}
    yield "profile", {"at": ",".join(map(str, view.points)), "orders": "2"}


def _spelt_out(view: View, name: str, more: dict[str, str]) -> Any:
    """The API's answer for the mechanism as the command line names it."""
    if isinstance(view.case, Family):
        return view.call(name, **more)
    return getattr(dpaudit, name)(view.written, **more)
