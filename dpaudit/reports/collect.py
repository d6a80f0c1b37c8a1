"""Collecting: the audits of one model as sections of a report. Everything certified is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from operator import sub
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.setting import Setting, command_line
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_deltas
from dpaudit.reports.document import Section
from dpaudit.utility.accuracy import posterior

Progress = Callable[[str], None]
DIGITS = 12
MAP_DIGITS = 6
MAP_LARGEST = 40
"""The map of all pairs is drawn for n up to this."""


@dataclass(frozen=True)
class Block:
    """What one group of sections is about: mechanisms of the family, one prior and epsilon, over a range of n."""

    settings: tuple[Setting, ...]
    """At the largest n; the labels tell variants apart: EHD, EHD/exact."""
    ns: tuple[int, ...]

    @staticmethod
    def read(mechs: Any, ns: tuple[int, ...], parameters: Mapping[str, Any], **shape: Any) -> Block:
        """Returns the checked block; a parameter goes to the mechanisms that have it."""
        return Block(tuple(Setting.read_each(mechs, shared=parameters, n=ns[-1], **shape)), ns)

    @property
    def model(self) -> Model:
        """Returns the model at the largest n."""
        model = self.settings[0].model
        if model is None:
            raise InputError("mech", self.settings[0].label, f"must be of the posterior family: {', '.join(REGISTRY)}")
        return model

    @property
    def eps(self) -> Fraction:
        """Returns the nominal epsilon."""
        return self.settings[0].epsilon

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns the names of the mechanisms."""
        return tuple(setting.label for setting in self.settings)

    def parameters(self) -> dict[str, str]:
        """Returns the parameters in force, by name."""
        return {name: value for setting in self.settings for name, value in setting.mechanism.settings().items()}

    def shared(self) -> dict[str, Any]:
        """Returns the parameters that differ from their defaults and are not in the labels, by name."""
        choices = {p.name for setting in self.settings for p in setting.mechanism.parameters if p.choices}
        given = {name: value for setting in self.settings for name, value in setting.parameters}
        return {name: value for name, value in given.items() if name not in choices}

    def to_dict(self) -> dict[str, Any]:
        """Returns the block as exact text."""
        return {
            "mechanisms": list(self.labels),
            "n": range_text(self.ns),
            "k": self.model.k,
            "prior": [str(alpha) for alpha in self.model.prior],
            "eps": str(self.eps),
            "parameters": self.parameters(),
        }

    def reproduce(self, each: Callable[[Setting], str | None]) -> str:
        """Returns the commands: the whole figure first, then its numbers at the largest n, mechanism by mechanism."""
        shape = {"n": range_text(self.ns), "prior": self.model.prior, "eps": self.eps}
        whole = command_line("report", mech=self.labels, **shape, **self.shared())
        return "\n".join([whole, *filter(None, map(each, self.settings))])

    def mechanism(self, setting: Setting, n: int) -> PosteriorMechanism:
        """Returns the mechanism for n records."""
        return posterior(setting.at(n=n))


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


def audit_sections(block: Block, progress: Progress, maps: bool = True) -> Iterator[Section]:
    """Yields the sections of one setting: epsilon by n, delta curves, worst pairs, loss maps, sensitivities."""
    yield epsilon_by_n(block, progress)
    yield delta_curves(block, progress)
    pairs = worst_pairs(block, progress)
    yield pairs
    if block.model.k == 2:
        yield worst_loss(pairs)
    yield sensitivities(block, progress)
    if maps:
        yield from loss_maps(block, progress)
    elif block.model.k == 2:
        yield maps_left_out(block)


def section(kind: str, title: str, question: str, command: str, block: Block, rows: list[Any], **more: Any) -> Section:
    """Returns a section of the document."""
    return {
        "kind": kind,
        "title": title,
        "question": question,
        "command": command,
        "setting": block.to_dict(),
        "rows": rows,
        **more,
    }


def epsilon_by_n(block: Block, progress: Progress) -> Section:
    """Returns the true epsilon of every mechanism at every n, with claim, verdict and witness."""
    rows = []
    for setting in block.settings:
        name = setting.label
        progress(f"{name}: true ε for n = {block.ns[0]}…{block.ns[-1]}")
        for n in block.ns:
            found = audit.epsilon(block.mechanism(setting, n), digits=DIGITS)
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
        block.reproduce(lambda setting: setting.command_line("epsilon")),
        block,
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


def delta_curves(block: Block, progress: Progress) -> Section:
    """Returns delta(epsilon) of every mechanism at the largest n, on a grid of epsilon."""
    n, rows = block.ns[-1], []
    for setting in block.settings:
        name = setting.label
        progress(f"{name}: δ(ε) at n = {n}")
        points = [block.eps * Fraction(step, 20) for step in range(26)]
        found = worst_deltas(block.mechanism(setting, n), points, Effort(DIGITS))
        rows += [
            {"mechanism": name, "at": str(at), "delta": worst.value.to_dict()}
            for at, worst in zip(points, found, strict=True)
        ]
    return section(
        "delta-curves",
        f"δ(ε) at n = {n}",
        "What δ is left over at each ε?",
        block.reproduce(lambda setting: setting.command_line("delta", at=block.eps / 2)),
        block,
        rows,
        n=n,
    )


MOST_OUTPUTS = 400
"""A mechanism with more outputs is left out of the charts that show every output."""


def worst_pairs(block: Block, progress: Progress) -> Section:
    """Returns both output distributions of the worst pair and the loss at every output, at the largest n."""
    n = block.ns[-1]
    rows, pairs, left_out = [], {}, []
    for setting in block.settings:
        name = setting.label
        mechanism = block.mechanism(setting, n)
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
        block.reproduce(lambda s: s.command_line("pmf", x=pairs[s.label]["x"]) if s.label in pairs else None),
        block,
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


def loss_maps(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields for k = 2 the loss of every adjacent pair (x, x+1) at every output, mechanism by mechanism."""
    n = min(block.ns[-1], MAP_LARGEST)
    if block.model.k != 2:
        return
    for setting in block.settings:
        name = setting.label
        mechanism = block.mechanism(setting, n)
        if mechanism.count_outputs() != n + 1:
            continue
        progress(f"{name}: loss map at n = {n}")
        yield section(
            "loss-map",
            f"Privacy loss of every pair: {name}, n = {n}",
            "Where does the loss come from? A row is a pair (x, x+1), a column an output. Drawn for n up to 40.",
            setting.at(n=n).command_line("epsilon") or "",
            block,
            _losses(mechanism),
            n=n,
            mechanism=name,
            folded=True,
        )


def maps_left_out(block: Block) -> Section:
    """Returns the section that stands for the loss maps where the plan leaves them out."""
    n = min(block.ns[-1], MAP_LARGEST)
    return section(
        "loss-map",
        f"Privacy loss of every pair, n = {n}",
        "Where does the loss come from?",
        replace(block, ns=(n,)).reproduce(lambda setting: None),
        block,
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


def sensitivities(block: Block, progress: Progress) -> Section:
    """Returns LS, S and GS over the data sets of the largest n."""
    n = block.ns[-1]
    progress(f"sensitivities at n = {n}")
    found = audit.sensitivity(n, prior=block.model.prior, gamma=block.parameters().get("gamma"), digits=DIGITS)
    return section(
        "sensitivity",
        f"Sensitivities of the Hellinger score, n = {n}",
        "How much does one record move the posterior, data set by data set?",
        found.command,
        block,
        found.to_dict()["datasets"],
        n=n,
        gs=found.gs.to_dict(),
    )
