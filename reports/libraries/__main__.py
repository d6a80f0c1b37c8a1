"""Audits the mechanisms of installed libraries and writes result.json, README.md and report.html beside this file.

python -m reports.libraries                       # every row whose library is installed here, in this version
python -m reports.libraries mechanisms:Binary 1   # one row; the others stay as they are
python -m reports.libraries page                  # the pages alone, from result.json
python -m reports.libraries.opendp_rows           # OpenDP's constructors, which are called and not followed
"""

from __future__ import annotations

import json
import platform
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import dpaudit
from dpaudit.code.explore import Raised
from reports.libraries.page import write_pages

HERE = Path(__file__).parent
BOTH = ("1", "1/10")
LOCAL = (
    *("DEClient", "UEClient", "UEClientOptimised", "HadamardResponseClient", "HadamardMechClient", "CMSClient"),
    *("CMSClientHadamard", "RAPPORClient"),
)
MULTI = (
    *("GRR_Client", "UE_Client", "UE_ClientSymmetric", "SS_Client", "SS_ClientSorted", "dBitFlipPM_Client"),
    *("L_GRR_Client", "L_SUE_Client", "L_OUE_Client", "L_OSUE_Client", "L_SOUE_Client", "RSpFD_GRR_Client"),
    *("RSpFD_GRR_ClientOneAttribute", "RSpFD_UE_zero_Client", "RSpFD_UE_rnd_Client", "SPL_GRR_Client"),
    "SMP_GRR_Client",
)
CLASSES = (
    *("Geometric", "GeometricTruncated", "GeometricFolded", "Exponential", "ExponentialCategorical"),
    *("ExponentialHierarchical", "PermuteAndFlip", "GaussianDiscrete", "GaussianDiscreteCoarse"),
)
PLAN = (
    ("diffprivlib 0.6.6", "mechanisms", ("Binary",), (*BOTH, "40")),
    ("diffprivlib 0.6.6", "mechanisms", CLASSES[:1], (*BOTH, "40")),
    ("diffprivlib 0.6.6", "mechanisms", CLASSES[1:], BOTH),
    ("pure-ldp 1.2.0", "pure", LOCAL, BOTH),
    ("pure-ldp 1.1.2", "pure", LOCAL[1:3], BOTH),
    ("multi-freq-ldpy 0.2.5", "multi", MULTI, BOTH),
    ("tmlt.core 0.20.0", "tumult", ("DiscreteLaplace",), BOTH),
    ("tmlt.core 0.20.0", "tumult", ("DiscreteGaussian",), ("1",)),
)


class Row(NamedTuple):
    """What is audited: a class of one of the files beside this one, at a nominal ε, with a library in a version."""

    library: str
    file: str
    name: str
    eps: str

    @property
    def is_installed(self) -> bool:
        """Returns whether the library is installed in this version."""
        library, version = self.library.split()
        try:
            return metadata.version(library) == version
        except metadata.PackageNotFoundError:
            return False


ROWS = [Row(library, file, name, eps) for library, file, names, values in PLAN for name in names for eps in values]


def audited(row: Row) -> dict[str, Any]:
    """Returns what the audit of one row says: ε, δ, holes, crashes, what it rests on."""
    start = time.process_time()
    reference = f"reports/libraries/{row.file}.py:{row.name}"
    mechanism = dpaudit.mechanism(reference, eps=row.eps)
    true, delta = dpaudit.epsilon(mechanism).to_dict(), dpaudit.delta(mechanism, at=row.eps).to_dict()
    return {
        "file": row.file,
        "library": row.library,
        "class": row.name,
        "nominal_epsilon": row.eps,
        "nominal_delta": true["claimed_delta"],
        "epsilon": true["epsilon"],
        "witness": true["witness"],
        "delta": delta["delta"],
        "verdict": true["verdict"]["word"],
        **support(mechanism, float(delta["residual"]) == 0),
        "residual": delta["residual"],
        "assumptions": delta["assumptions"],
        "versions": {"python": platform.python_version(), "numpy": metadata.version("numpy")},
        "cpu_seconds": round(time.process_time() - start, 1),
    }


def support(mechanism: Any, exact: bool) -> dict[str, Any]:
    """Returns the outputs that a neighbor cannot give, for the worst pair, and the largest share of each exception."""
    laws = {x: dpaudit.pmf(mechanism, x) for x in mechanism.datasets()}
    likely = {x: dict(zip(law.outputs, law.probabilities, strict=True)) for x, law in laws.items()}
    possible = {x: {r for r, p in law.items() if p.upper > 0} for x, law in likely.items()}
    holes = [
        [p.upper for r, p in law.items() if p.lower > 0 and r not in possible[y]]
        for x, law in likely.items()
        for y in mechanism.neighbors(x)
    ]
    raised = dict.fromkeys(r for law in likely.values() for r in law if isinstance(r, Raised))
    largest = {str(r): max(law[r].upper for law in likely.values() if r in law) for r in raised}
    worst = max(holes, key=sum)
    return {
        "holes": len(worst) if exact else None,
        "hole_probability": f"{float(sum(worst)):.3g}" if exact else None,
        "crashes": {name: f"{float(p):.3g}" for name, p in largest.items()},
    }


def written(found: dict[str, Any]) -> None:
    """Puts the row in its place in result.json, and writes its pages again."""
    path = HERE / "result.json"
    before = json.loads(path.read_text())["rows"] if path.exists() else []
    known = {Row(r["library"], r["file"], r["class"], r["nominal_epsilon"]): r for r in [*before, found]}
    rows = [known[row] for row in ROWS if row in known]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text(f'{{"rows": [\n{lines}\n]}}\n')
    write_pages()


def main(wanted: list[Row]) -> None:
    """Audits the rows whose library is installed; the others stay as they are."""
    for library in dict.fromkeys(row.library for row in wanted if not row.is_installed):
        print(f"{library} is not installed: its rows stay as they are", file=sys.stderr)
    for row in wanted:
        if row.is_installed:
            found = audited(row)
            written(found)
            print(row.library, row.name, row.eps, found["verdict"], found["cpu_seconds"], "s", flush=True)


if __name__ == "__main__":
    asked = tuple(sys.argv[1:3])
    if asked == ("page",):
        write_pages()
    else:
        main([row for row in ROWS if not asked or (f"{row.file}:{row.name}", row.eps) == asked])
