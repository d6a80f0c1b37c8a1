"""Judges the constructors and conversions of OpenDP, and writes opendp.json beside this file.

python -m reports.libraries.opendp_rows             # all; needs opendp 0.16.0
python -m reports.libraries.opendp_rows NoisyMax    # some; the others stay as they are
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

import dpaudit
from dpaudit.audit.judgement import Judgement, Margin, Whose
from dpaudit.mechanisms.load import find_class
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.codec import encode
from reports.libraries.opendp_constructor import Constructor, library
from reports.libraries.page import write_pages

HERE = Path(__file__).parent
VERSION = "0.16.0"
DRAWS = 20000
SELECTING = (
    *("NoisyMax", "NoisyMaxMonotonic", "NoisyMaxZcdp", "NoisyMaxZcdpMonotonic", "NoisyMaxGumbel"),
    *("NoisyMaxGumbelAsRun", "NoisyTopTwo", "NoisyTopTwoPure", "PrivateQuantile"),
)
"""The classes in opendp_selection.py; the others are in opendp_laws.py."""
CLASSES = (
    *("RandomizedResponseBool", "RandomizedResponse", "RandomizedResponseBitvec"),
    *("Laplace", "LaplaceTwoSteps", "LaplaceTenth", "LaplaceGrid", "LaplaceVector", "Geometric", "GeometricBounded"),
    *("LaplaceThreshold", "LaplaceThresholdGrid", "LaplaceThresholdCoarse"),
    *SELECTING,
    *("CanonicalNoise", "FixedProfile", "Amplified"),
)
NOISE = {"G": "dp.m.make_gaussian(*INT, scale=1.0)", "L": "dp.m.make_laplace(*INT, scale=1.0)"}
PIPELINES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("dp.c.make_composition([L, L, L]).map(1)", "discrete-laplace:eps=1 x 3", ("",)),
    ("dp.c.make_approximate(L).map(1)", "discrete-laplace:eps=1", ("",)),
    (
        "dp.c.make_adaptive_composition(*INT, dp.max_divergence(), d_in=1, d_mids=[1.0, 0.5]).map(1)",
        "discrete-laplace:eps=1 + discrete-laplace:eps=1/2",
        ("",),
    ),
    (
        "dp.c.make_zCDP_to_approxDP(G).map(1)",
        "discrete-gaussian:sigma=1",
        ("delta 1/2", "delta 1", "delta 2", "delta 4", "epsilon 1e-3", "epsilon 1e-6", "epsilon 1e-9"),
    ),
    (
        "dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(dp.c.make_composition([G] * 10)), 1e-6).map(1)",
        "discrete-gaussian:sigma=1 x 10",
        ("",),
    ),
)
"""What a combinator reports of a pipeline: its call, its events for ``dpaudit account``, what is asked of a profile."""


def reference_of(name: str) -> str:
    """The class as the command line takes it."""
    return f"reports/libraries/opendp_{'selection' if name in SELECTING else 'laws'}.py:{name}"


def judged(name: str) -> dict[str, Any]:
    """The row of a constructor: the documented law against its map, and both against real outputs."""
    reference = reference_of(name)
    kind: type[Constructor] = find_class(reference)
    setting = dpaudit.Setting.read(reference)
    result = dpaudit.judge(setting)
    return {
        "class": name,
        "code": kind.code,
        "law": kind.law,
        "about": (kind.__doc__ or "").strip(),
        "d_in": str(kind.d_in),
        "judgement": encode(result.judgement),
        "witness": {"x": str(result.witness.x), "x_prime": str(result.witness.x_prime)} if result.witness else None,
        **(counted(kind, setting, result) if kind.draw is not None else {}),
        "commands": [f"dpaudit judge --mech {reference}"],
    }


def counted(kind: type[Constructor], setting: dpaudit.Setting, result: Any) -> dict[str, Any]:
    """What real outputs of the compiled code say: of the documented law, and of the claim alone."""
    pair = kind.pair or [str(result.witness.x), str(result.witness.x_prime)]
    event = [str(r) for r in setting.mechanism.outputs() if r != "nothing"] if kind.pair else None
    stated = result.judgement.guarantee
    claim = stated if isinstance(stated, EpsilonDelta) else None
    found = dpaudit.samples(law=setting, draw=DRAWS, pair=pair, event=event, claim=claim)
    fits = [{"x": fit.x, "verdict": fit.verdict.value, "output": fit.output, "why": fit.why} for fit in found.fit]
    return {
        "draws": DRAWS,
        "fit": fits,
        "counts_verdict": None if found.verdict is None else found.verdict.value,
        "shown": {"x": found.shown.x, "count": found.shown.count, "of": found.shown.of} if found.shown else None,
    }


def reported(code: str, asked: str) -> EpsilonDelta:
    """The (ε, δ) that the library states, exactly the floats that it returns."""
    dp = library()
    whole = {"dp": dp, "INT": (dp.atom_domain(T=int), dp.absolute_distance(T=int))}
    found = eval(code, {**whole, **{name: eval(call, whole) for name, call in NOISE.items()}})
    kind, _, at = asked.partition(" ")
    if kind == "delta":
        return EpsilonDelta(Fraction(at), Fraction(found.delta(float(Fraction(at)))))
    if kind == "epsilon":
        return EpsilonDelta(Fraction(found.epsilon(float(at))), Fraction(float(at)))
    both = found if isinstance(found, tuple) else (found, 0)
    return EpsilonDelta(Fraction(both[0]), Fraction(both[1]))


def pipeline(code: str, events: str, asked: str) -> dict[str, Any]:
    """The row of one statement about a pipeline, beside the certified bounds of its composition."""
    stated = reported(code, asked)
    found = dpaudit.account(events.split(" + "), claim=stated, delta=[stated.delta] if stated.delta else ())
    if found.claimed is None or found.claim.verdict is None:
        raise SystemExit(f"{events}: the account has no answer")
    judgement = Judgement(
        *(stated, found.claim.verdict, Whose.ASKED, events, None, None),
        *(f"δ({stated.epsilon})", found.claimed, stated.delta, Margin.between(found.claimed, stated.delta)),
    )
    return {
        "class": "",
        "code": code,
        "law": f"the composition of {events}",
        "about": asked,
        "d_in": "1",
        "judgement": encode(judgement),
        **({"true_epsilon": encode(found.epsilons[0][1])} if stated.delta else {}),
        "commands": [found.command],
    }


def zcdp(code: str, law: str, mech: str, **given: str) -> dict[str, Any]:
    """The row of a ρ that is reported, beside that of the noise itself."""
    rho = reported(code, "").epsilon
    found = dpaudit.judge(dpaudit.Setting.read(mech, **given), claim=f"rho={rho}")
    return {
        "class": "",
        "code": code,
        "law": law,
        "about": "",
        "d_in": "1",
        "judgement": encode(found.judgement),
        "commands": [found.command],
    }


RHOS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    (
        "dp.c.make_pureDP_to_zCDP(L).map(1)",
        "x + discrete Laplace noise, P(v) ∝ e^(−|v|/scale)",
        reference_of("Laplace"),
        {},
    ),
    ("G.map(1)", "x + discrete Gaussian noise, P(v) ∝ e^(−v²/(2·scale²))", "discrete-gaussian", {"sigma": "1"}),
)
"""What is reported in zCDP: its call, the law, and the mechanism that has it."""


def main(wanted: list[str]) -> None:
    """Writes all rows, or those of some classes; then the pages."""
    if metadata.version("opendp") != VERSION:
        sys.exit(f"opendp {VERSION} is needed: pip install opendp=={VERSION}")
    path = HERE / "opendp.json"
    if wanted:
        before = json.loads(path.read_text())["rows"]
        known = {row["class"]: row for row in before} | {name: judged(name) for name in wanted}
        rows = [*(known[name] for name in CLASSES if name in known), *(row for row in before if not row["class"])]
    else:
        rows = [*map(judged, CLASSES), *(pipeline(c, e, asked) for c, e, many in PIPELINES for asked in many)]
        rows += [zcdp(code, law, mech, **given) for code, law, mech, given in RHOS]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text(f'{{"version": "{VERSION}", "rows": [\n{lines}\n]}}\n')
    write_pages()


if __name__ == "__main__":
    main(sys.argv[1:])
