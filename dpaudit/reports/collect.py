"""Collecting: the audits of one model as sections of a report. Everything certified is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from operator import sub
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism, lookup, make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram, make_model, show
from dpaudit.privacy.loss import worst_deltas
from dpaudit.reports.document import Section

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
            "n": range_text(self.ns),
            "k": self.k,
            "prior": [str(alpha) for alpha in self.prior],
            "eps": str(self.eps),
            "gamma": str(self.gamma or 1),
            "delta_param": str(self.delta_param),
        }

    def reproduce(self, names: Sequence[str], each: Callable[[str], str]) -> str:
        """Returns the commands: the whole figure first, then its numbers at the largest n, mechanism by mechanism."""
        own = f" --gamma {self.gamma}" if self.gamma else ""
        whole = (
            f"dpaudit report --mech {','.join(self.mechs)} --n {range_text(self.ns)} --prior {show(self.prior)} "
            f"--eps {self.eps}{own} --delta-param {self.delta_param}"
        )
        return "\n".join([whole, *(each(name) for name in names)])

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


def range_text(ns: Sequence[int]) -> str:
    """Returns "1..60", "10..200..10" or "5,7,20": what --n takes to give these numbers.

    >>> range_text((1, 2, 3)), range_text((10, 20, 30)), range_text((5, 7, 20))
    ('1..3', '10..30..10', '5,7,20')
    """
    steps = {b - a for a, b in pairwise(ns)}
    if len(steps) != 1:
        return ",".join(map(str, ns))
    step = steps.pop()
    return f"{ns[0]}..{ns[-1]}" + (f"..{step}" if step > 1 else "")


def mechanism_names(mech: str | Sequence[str]) -> tuple[str, ...]:
    """Returns the checked names; "all" is the whole registry."""
    parts = mech.split(",") if isinstance(mech, str) else list(mech)
    if [part.strip().lower() for part in parts] == ["all"]:
        return tuple(REGISTRY)
    return tuple(dict.fromkeys(lookup(part).name for part in parts))


def audit_sections(setting: Setting, progress: Progress, maps: bool = True) -> Iterator[Section]:
    """Yields the sections of one setting: epsilon by n, delta curves, worst pairs, loss maps, sensitivities."""
    yield epsilon_by_n(setting, progress)
    yield delta_curves(setting, progress)
    pairs = worst_pairs(setting, progress)
    yield pairs
    if setting.k == 2:
        yield worst_loss(pairs)
    yield sensitivities(setting, progress)
    if maps:
        yield from loss_maps(setting, progress)
    elif setting.k == 2:
        yield maps_left_out(setting)


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
    return section(
        "epsilon-by-n",
        "True ε against n",
        "How much privacy is really spent, and does it stay below the claim?",
        setting.reproduce(setting.mechs, lambda name: f"dpaudit epsilon {setting.options(name)} --n {setting.ns[-1]}"),
        setting,
        rows,
        finding=_finding(rows),
    )


def _finding(rows: list[dict[str, Any]]) -> str:
    """Returns in words which mechanism exceeds its claim, how much of the claims is used, and what has no claim."""
    broken = sorted({row["mechanism"] for row in rows if row["verdict"] == Verdict.REFUTED.value})
    parts = [f"exceeds its claim somewhere: {', '.join(broken)}" if broken else "no claim is exceeded"]
    shares: dict[str, Fraction] = {}
    unclaimed: dict[str, Fraction] = {}
    for row in rows:
        upper = Fraction(row["epsilon"]["upper"])
        held = shares if row["claimed"] else unclaimed
        size = upper / Fraction(row["claimed"]) if row["claimed"] else upper
        held[row["mechanism"]] = max(size, held.get(row["mechanism"], size))
    if shares:
        used = ", ".join(f"{name} {float(share):.0%}" for name, share in shares.items())
        parts.append(f"largest share of the claimed ε that is used: {used}")
    parts += [f"{name} claims nothing, its true ε reaches {float(size):.4g}" for name, size in unclaimed.items()]
    return "; ".join(parts)


def delta_curves(setting: Setting, progress: Progress) -> Section:
    """Returns delta(epsilon) of every mechanism at the largest n, on a grid of epsilon."""
    n, rows = setting.ns[-1], []
    for name in setting.mechs:
        progress(f"{name}: δ(ε) at n = {n}")
        points = [setting.eps * Fraction(step, 20) for step in range(26)]
        found = worst_deltas(setting.mechanism(name, n), points, DIGITS)
        rows += [
            {"mechanism": name, "at": str(at), "delta": worst.value.to_dict()}
            for at, worst in zip(points, found, strict=True)
        ]
    return section(
        "delta-curves",
        f"δ(ε) at n = {n}",
        "What δ is left over at each ε?",
        setting.reproduce(
            setting.mechs, lambda name: f"dpaudit delta {setting.options(name)} --n {n} --at {setting.eps / 2}"
        ),
        setting,
        rows,
        n=n,
    )


MOST_OUTPUTS = 400
"""A mechanism with more outputs is left out of the charts that show every output."""


def worst_pairs(setting: Setting, progress: Progress) -> Section:
    """Returns both output distributions of the worst pair and the loss at every output, at the largest n."""
    n = setting.ns[-1]
    rows, pairs, left_out = [], {}, []
    for name in setting.mechs:
        mechanism = setting.mechanism(name, n)
        if mechanism.count_outputs() > MOST_OUTPUTS:
            left_out.append(name)
            continue
        progress(f"{name}: worst pair at n = {n}")
        witness = audit.epsilon(mechanism, digits=DIGITS).witness
        pairs[name] = witness.to_dict()
        (losses,) = _loss_rows(mechanism, [(witness.x, witness.x_prime)])
        here, there = (audit.pmf(mechanism, x=x, digits=DIGITS) for x in (witness.x, witness.x_prime))
        for output, p, p_prime, loss in zip(here.outputs, here.probabilities, there.probabilities, losses, strict=True):
            rows.append(
                {
                    "mechanism": name,
                    "output": list(output),
                    "p": p.to_dict(),
                    "p_prime": p_prime.to_dict(),
                    "loss": loss.to_dict(),
                }
            )
    note = f"Left out, with more than {MOST_OUTPUTS} outputs: {', '.join(left_out)}." if left_out else ""
    return section(
        "worst-pairs",
        f"Output distributions of the worst pair, n = {n}",
        "Which two data sets are told apart best, and by which outputs?",
        setting.reproduce(
            list(pairs), lambda name: f"dpaudit pmf {setting.options(name)} --x {show(tuple(pairs[name]['x'] or ()))}"
        ),
        setting,
        rows,
        n=n,
        pairs=pairs,
        text=note,
    )


def worst_loss(pairs: Section) -> Section:
    """Returns the loss of the worst pairs at every output, from the section of the pairs."""
    rows = [{key: row[key] for key in ("mechanism", "output", "loss")} for row in pairs["rows"]]
    return {
        **pairs,
        "kind": "worst-loss",
        "title": f"Privacy loss of the worst pair, n = {pairs['n']}",
        "question": "At which outputs is the loss ln P_x/P_x′ large?",
        "rows": rows,
        "text": "",
    }


def _loss_rows(mechanism: PosteriorMechanism, pairs: Sequence[tuple[Histogram, Histogram]]) -> list[list[Enclosure]]:
    """Returns for every pair (x, y) enclosures of ln P_x(r) - ln P_y(r), output by output."""

    def attempt(left: list[tuple[Histogram, Histogram]]) -> dict[tuple[Histogram, Histogram], list[Enclosure]]:
        law, found = mechanism.law(), {}
        for x, y in left:
            losses = map(sub, law.log_probabilities(x), law.log_probabilities(y))
            shown = [balls.enclosure(loss, MAP_DIGITS) for loss in losses]
            known = [loss for loss in shown if loss is not None]
            if len(known) == len(shown):
                found[x, y] = known
        return found

    found = balls.refine_all(pairs, attempt, *balls.bits_for(MAP_DIGITS, mechanism.count_outputs()))
    return [found[pair][0] for pair in pairs]


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
            "Where does the loss come from? A row is a pair (x, x+1), a column an output. Drawn for n up to 40.",
            setting.reproduce([name], lambda name: f"dpaudit epsilon {setting.options(name)} --n {n}"),
            setting,
            _losses(mechanism),
            n=n,
            mechanism=name,
            folded=True,
        )


def maps_left_out(setting: Setting) -> Section:
    """Returns the section that stands for the loss maps where the plan leaves them out."""
    n = min(setting.ns[-1], MAP_LARGEST)
    return section(
        "loss-map",
        f"Privacy loss of every pair, n = {n}",
        "Where does the loss come from?",
        replace(setting, ns=(n,)).reproduce([], str),
        setting,
        [],
        n=n,
        text="The maps of all pairs and outputs are left out here for their size; this command draws them.",
    )


def _losses(mechanism: PosteriorMechanism) -> list[dict[str, Any]]:
    pairs = list(pairwise(mechanism.model.histograms))
    return [
        {"x": x[0], "output": output[0], "loss": loss.to_dict()}
        for (x, _), losses in zip(pairs, _loss_rows(mechanism, pairs), strict=True)
        for output, loss in zip(mechanism.outputs(), losses, strict=True)
    ]


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
