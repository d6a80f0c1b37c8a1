"""Collecting: the audits of one model as sections of a report. Everything certified is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import sub
from typing import Any

from dpaudit import audit, balls
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism, lookup, make_mechanism
from dpaudit.model import make_model, show
from dpaudit.report.document import Section
from dpaudit.verdict import Verdict

Progress = Callable[[str], None]
DIGITS = 12
MAP_DIGITS = 6
MAP_LARGEST = 40
"""The map of all pairs is drawn for n up to this."""


@dataclass(frozen=True)
class Setting:
    """What one audit section is about: mechanisms, a range of n, one prior, one epsilon."""

    mechs: tuple[str, ...]
    ns: tuple[int, ...]
    k: int
    prior: tuple[Fraction, ...]
    eps: Fraction
    gamma: Fraction | None = None
    delta_param: Fraction = Fraction(1, 10**8)

    def to_dict(self) -> dict[str, Any]:
        """Returns the setting as exact text."""
        return {
            "mechanisms": list(self.mechs),
            "n": [self.ns[0], self.ns[-1]],
            "k": self.k,
            "prior": [str(alpha) for alpha in self.prior],
            "eps": str(self.eps),
            "gamma": str(self.gamma or 1),
            "delta_param": str(self.delta_param),
        }

    def mechanism(self, name: str, n: int) -> PosteriorMechanism:
        """Returns the mechanism of this setting for n records."""
        own: dict[str, Any] = {"gamma": self.gamma, "delta": self.delta_param}
        known = {p.name for p in lookup(name).parameters}
        values = {key: value for key, value in own.items() if key in known}
        return make_mechanism(name, make_model(n, prior=self.prior), self.eps, values)

    def options(self, name: str) -> str:
        """Returns the options of the command line that give this mechanism, without --n."""
        own = {"gamma": self.gamma, "delta": self.delta_param}
        known = {p.name for p in lookup(name).parameters}
        text = f"--mech {name} --prior {show(self.prior)} --eps {self.eps}"
        if "gamma" in known and self.gamma:
            text += f" --gamma {self.gamma}"
        return text + (f" --delta-param {own['delta']}" if "delta" in known else "")


def mechanism_names(mech: str | Sequence[str]) -> tuple[str, ...]:
    """Returns the checked names; "all" is the whole registry."""
    parts = mech.split(",") if isinstance(mech, str) else list(mech)
    if [part.strip().lower() for part in parts] == ["all"]:
        return tuple(REGISTRY)
    return tuple(dict.fromkeys(lookup(part).name for part in parts))


def audit_sections(setting: Setting, progress: Progress) -> Iterator[Section]:
    """Yields the sections of one setting: epsilon by n, delta curves, worst pairs, loss maps, sensitivities."""
    yield epsilon_by_n(setting, progress)
    yield delta_curves(setting, progress)
    yield worst_pairs(setting, progress)
    yield sensitivities(setting, progress)
    yield from loss_maps(setting, progress)


def section(
    kind: str, title: str, question: str, command: str, setting: Setting, rows: list[Any], **more: Any
) -> Section:
    """Returns a section of the document."""
    return {
        "kind": kind,
        "title": title,
        "question": question,
        "command": command,
        "setting": setting.to_dict(),
        "rows": rows,
        **more,
    }


def epsilon_by_n(setting: Setting, progress: Progress) -> Section:
    """Returns the true epsilon of every mechanism at every n, with claim, verdict and witness."""
    rows = []
    for name in setting.mechs:
        progress(f"{name}: true ε for n = {setting.ns[0]}…{setting.ns[-1]}")
        for n in setting.ns:
            found = audit.epsilon(setting.mechanism(name, n), digits=DIGITS)
            rows.append(
                {
                    "mechanism": name,
                    "n": n,
                    "epsilon": found.epsilon.to_dict(),
                    "closed_form": found.closed_form,
                    **found.claim.to_dict(),
                    "witness": found.witness.to_dict(),
                    "precision_bits": found.precision_bits,
                }
            )
    options = setting.options(setting.mechs[0])
    return section(
        "epsilon-by-n",
        "True ε against n",
        "How much privacy is really spent, and does it stay below the claim?",
        f"dpaudit epsilon {options} --n {setting.ns[-1]}",
        setting,
        rows,
        finding=_finding(rows),
    )


def _finding(rows: list[dict[str, Any]]) -> str:
    """Returns in words which mechanism exceeds its claim, or how little of the claims is used at the most."""
    broken = sorted({row["mechanism"] for row in rows if row["verdict"] == Verdict.REFUTED.value})
    if broken:
        return f"exceeds its claim somewhere: {', '.join(broken)}"
    claimed = [row for row in rows if row["claimed"] and Fraction(row["claimed"])]
    shares: dict[str, Fraction] = {}
    for row in claimed:
        share = Fraction(row["epsilon"]["upper"]) / Fraction(row["claimed"])
        shares[row["mechanism"]] = max(share, shares.get(row["mechanism"], share))
    return "no claim is exceeded; largest share of the claim used: " + ", ".join(
        f"{name} {float(share):.0%}" for name, share in shares.items()
    )


def delta_curves(setting: Setting, progress: Progress) -> Section:
    """Returns delta(epsilon) of every mechanism at the largest n, on a grid of epsilon."""
    n, rows = setting.ns[-1], []
    for name in setting.mechs:
        progress(f"{name}: δ(ε) at n = {n}")
        mechanism = setting.mechanism(name, n)
        for step in range(26):
            at = setting.eps * Fraction(step, 20)
            found = audit.delta(mechanism, at=at, digits=DIGITS)
            rows.append({"mechanism": name, "at": str(at), "delta": found.delta.to_dict()})
    return section(
        "delta-curves",
        f"δ(ε) at n = {n}",
        "What δ is left over at each ε?",
        f"dpaudit delta {setting.options(setting.mechs[0])} --n {n} --at {setting.eps / 2}",
        setting,
        rows,
        n=n,
    )


def worst_pairs(setting: Setting, progress: Progress) -> Section:
    """Returns the two output distributions of the worst pair, mechanism by mechanism, at the largest n (k = 2)."""
    n = setting.ns[-1]
    rows, pairs = [], {}
    for name in setting.mechs:
        mechanism = setting.mechanism(name, n)
        if mechanism.count_outputs() > 400:
            continue
        progress(f"{name}: worst pair at n = {n}")
        witness = audit.epsilon(mechanism, digits=DIGITS).witness
        pairs[name] = witness.to_dict()
        for label, x in (("x", witness.x), ("x_prime", witness.x_prime)):
            found = audit.pmf(mechanism, x=x, digits=DIGITS)
            for output, probability in zip(found.outputs, found.probabilities, strict=True):
                rows.append(
                    {"mechanism": name, "data": label, "output": list(output), "probability": probability.to_dict()}
                )
    return section(
        "worst-pairs",
        f"Output distributions of the worst pair, n = {n}",
        "Which two data sets are told apart best, and by which outputs?",
        f"dpaudit pmf {setting.options(setting.mechs[0])} --x "
        + show(tuple(next(iter(pairs.values()), {"x": (n, 0)})["x"] or ())),
        setting,
        rows,
        n=n,
        pairs=pairs,
    )


def loss_maps(setting: Setting, progress: Progress) -> Iterator[Section]:
    """Yields for k = 2 the loss of every adjacent pair (x, x+1) at every output, mechanism by mechanism."""
    n = min(setting.ns[-1], MAP_LARGEST)
    if setting.k != 2:
        return
    for name in setting.mechs:
        mechanism = setting.mechanism(name, n)
        if mechanism.count_outputs() != n + 1:
            continue
        progress(f"{name}: loss map at n = {n}")
        yield section(
            "loss-map",
            f"Privacy loss of every pair: {name}, n = {n}",
            "Where does the loss come from? A row is a pair (x, x+1), a column an output.",
            f"dpaudit epsilon {setting.options(name)} --n {n}",
            setting,
            _losses(mechanism),
            n=n,
            mechanism=name,
            folded=True,
        )


def _losses(mechanism: PosteriorMechanism) -> list[dict[str, Any]]:
    def attempt() -> list[dict[str, Any]] | None:
        law, rows = mechanism.law(), []
        histograms = mechanism.model.histograms
        for x, y in pairwise(histograms):
            losses = map(sub, law.log_probabilities(x), law.log_probabilities(y))
            for output, loss in zip(mechanism.outputs(), losses, strict=True):
                shown = balls.enclosure(loss, MAP_DIGITS)
                if shown is None:
                    return None
                rows.append({"x": x[0], "output": output[0], "loss": shown.to_dict()})
        return rows

    return balls.refine(attempt, *balls.bits_for(MAP_DIGITS, mechanism.count_outputs()))[0]


def sensitivities(setting: Setting, progress: Progress) -> Section:
    """Returns LS, S and GS over the data sets of the largest n."""
    n = setting.ns[-1]
    progress(f"sensitivities at n = {n}")
    found = audit.sensitivity(n, prior=setting.prior, gamma=setting.gamma or 1, digits=DIGITS)
    return section(
        "sensitivity",
        f"Sensitivities of the Hellinger score, n = {n}",
        "How much does one record move the posterior, data set by data set?",
        f"dpaudit sensitivity --n {n} --prior {show(setting.prior)} --gamma {setting.gamma or 1}",
        setting,
        found.to_dict()["datasets"],
        n=n,
        gs=found.gs.to_dict(),
    )
