"""Audits the mechanisms of installed libraries and writes result.json and README.md beside this file.

python -m reports.implementations                       # everything that is installed here
python -m reports.implementations mechanisms:Binary 1   # one row; the others stay as they are
"""

from __future__ import annotations

import json
import platform
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import dpaudit
from dpaudit.code.explore import Raised
from reports.implementations.page import page

HERE = Path(__file__).parent
CLASSES = ("Binary", "Geometric", "GeometricTruncated", "GeometricFolded", "Exponential", "PermuteAndFlip")
ROWS = (
    *((f"mechanisms:{name}", eps) for name in CLASSES for eps in ("1", "1/10")),
    ("mechanisms:GaussianDiscrete", "1"),
    ("mechanisms:GaussianDiscrete", "1/10"),
    ("mechanisms:GaussianDiscreteCoarse", "1"),
    ("mechanisms:GaussianDiscreteCoarse", "1/10"),
    ("mechanisms:Binary", "40"),
    ("mechanisms:Geometric", "40"),
    ("tumult:DiscreteLaplace", "1"),
    ("tumult:DiscreteLaplace", "1/10"),
)
LIBRARIES = {"mechanisms": "diffprivlib", "tumult": "tmlt.core"}


def audited(row: str, eps: str) -> dict[str, Any]:
    """Returns what the audit of one class at one nominal ε says: ε, δ, holes, crashes, what it rests on."""
    start = time.process_time()
    file, name = row.split(":")
    reference = f"reports/implementations/{file}.py:{name}"
    mechanism = dpaudit.mechanism(reference, eps=eps)
    true, delta = dpaudit.epsilon(mechanism).to_dict(), dpaudit.delta(mechanism, at=eps).to_dict()
    shown = f"--mech {reference} --eps {eps}"
    return {
        "file": file,
        "library": f"{LIBRARIES[file]} {metadata.version(LIBRARIES[file])}",
        "class": name,
        "nominal_epsilon": eps,
        "nominal_delta": true["claimed_delta"],
        "epsilon": true["epsilon"],
        "witness": true["witness"],
        "delta": delta["delta"],
        "verdict": true["verdict"],
        **support(mechanism, float(delta["residual"]) == 0),
        "residual": delta["residual"],
        "assumptions": delta["assumptions"],
        "versions": {"python": platform.python_version(), "numpy": metadata.version("numpy")},
        "cpu_seconds": round(time.process_time() - start, 1),
        "commands": [f"dpaudit epsilon {shown}", f"dpaudit delta {shown} --at {eps}"],
    }


def support(mechanism: Any, exact: bool) -> dict[str, Any]:
    """Returns the largest probability of outputs that a neighbour cannot give, and of each exception."""
    laws = {x: dpaudit.pmf(mechanism, x) for x in mechanism.datasets()}
    likely = {x: dict(zip(mechanism.outputs(), law.probabilities, strict=True)) for x, law in laws.items()}
    holes = [
        [p.upper for r, p in law.items() if p.lower > 0 and likely[y][r].upper == 0]
        for x, law in likely.items()
        for y in mechanism.neighbours(x)
    ]
    crashes = {
        str(r): f"{float(max(law[r].upper for law in likely.values())):.3g}"
        for r in mechanism.outputs()
        if isinstance(r, Raised)
    }
    if not exact:
        return {"holes": None, "hole_probability": None, "crashes": crashes}
    return {
        "holes": max(map(len, holes)),
        "hole_probability": f"{float(max(map(sum, holes))):.3g}",
        "crashes": crashes,
    }


def written(row: dict[str, Any]) -> None:
    """Puts the row in its place in result.json, and writes the page anew."""
    path, order = HERE / "result.json", [(*name.split(":"), eps) for name, eps in ROWS]
    found = json.loads(path.read_text())["rows"] if path.exists() else []
    known = {(r["file"], r["class"], r["nominal_epsilon"]): r for r in [*found, row]}
    rows = [known[key] for key in order if key in known]
    path.write_text(json.dumps({"rows": rows}, indent=1, ensure_ascii=False) + "\n")
    (HERE / "README.md").write_text(page(rows))


def main(wanted: list[tuple[str, str]]) -> None:
    """Audits the rows whose library is installed; the others stay as they are."""
    for name, eps in wanted:
        file = name.split(":")[0]
        try:
            metadata.version(LIBRARIES[file])
        except metadata.PackageNotFoundError:
            print(f"{name}: {LIBRARIES[file]} is not installed; its row stays as it is", file=sys.stderr)
            continue
        row = audited(name, eps)
        written(row)
        print(name, eps, row["cpu_seconds"], "s", flush=True)


if __name__ == "__main__":
    main([(sys.argv[1], sys.argv[2])] if len(sys.argv) == 3 else list(ROWS))
