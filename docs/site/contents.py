"""The pages of the site and their order."""

import re
from collections.abc import Iterable
from pathlib import Path

from dpaudit import version

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

MOUNTS = {
    "docs/README.md": "index.md",
    "docs/search.md": "counterexample.md",
    "dpaudit/forall/EVERY_EPSILON.md": "theory/every-epsilon.md",
    "dpaudit/forall/EVERY_N.md": "theory/every-n.md",
    "dpaudit/forall/PRIOR_BOXES.md": "theory/prior-boxes.md",
    "dpaudit/privacy/fast/ERROR_BOUND.md": "theory/error-bound.md",
    "dpaudit/privacy/fast/CURVES.md": "theory/curves.md",
    "dpaudit/privacy/fast/LARGE_N.md": "theory/large-n.md",
    "dpaudit/code/SOUND.md": "theory/sound.md",
    "dpaudit/accounting/FLOATS.md": "theory/accounting-floats.md",
    "dpaudit/noise/suite/ALL_INPUTS.md": "theory/all-inputs.md",
    "proofs_checks/README.md": "claims-decided.md",
    "reports/libraries/README.md": "gallery/libraries.md",
    "reports/field/README.md": "gallery/field.md",
    "reports/accountants/README.md": "gallery/accountants.md",
    "tests/README.md": "tests.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages that live elsewhere in the tree, next to the code they describe, and their place on the site."""

PLACES = {"README.md": "index.md", "reports": "gallery/index.md", "reports/README.md": "gallery/index.md"}
"""Where links to paths without a page of their own lead on the site."""

API = {
    "forall": "the true ε of one setting, or of all n, ε or priors",
    "audit": "the other questions about a mechanism or a pipeline",
    "accounting": "the releases of a pipeline",
    "studies": "compare, calibrate, search, sample",
    "sweeps": "many audits",
    "claims": "the claims of papers",
    "evidence": "certificates and Coq",
    "reports": "reports",
    "mechanisms": "mechanisms by name, and your own",
    "code": "samplers as code",
    "noise": "code with ideal noise",
    "numbers": "exact numbers, enclosures, verdicts",
    "pytest_plugin": "privacy tests",
}
"""The pages of the Python reference, one for each module that public names come from, and what each is for."""

CONTENTS = {
    "Tutorial": (
        *("tutorial/1-audit", "tutorial/2-your-own", "tutorial/3-compose", "tutorial/4-refute"),
        *("tutorial/5-ci", "tutorial/6-report"),
    ),
    "Notebooks": (
        *("notebooks/first-audit", "notebooks/refuting-ehdl", "notebooks/your-own-mechanism"),
        *("notebooks/ideal-noise", "notebooks/dp-sgd"),
    ),
    "How to audit": (
        *("how-to", "audit", "own-mechanism", "code", "noise", "local", "profile", "account", "release", "fast"),
        "sweep",
    ),
    "How to prove": ("forall", "counterexample", "claims", "certificates", "coq"),
    "How to choose": ("compare", "calibrate", "accuracy"),
    "How to publish": ("reports", "ci"),
    "How to teach": ("teaching",),
    "Reference": ("reference/commands", "reference/api", "mechanisms", "privacy-notions", "json", "guarantees"),
    "Explanation": ("what-epsilon-means", "why-exact", "enclosures", "two-bounds", "trust"),
    "Proofs": (
        *("theory/every-epsilon", "theory/every-n", "theory/prior-boxes"),
        *("theory/error-bound", "theory/curves", "theory/large-n", "theory/sound", "theory/accounting-floats"),
        "theory/all-inputs",
    ),
    "Results": ("gallery/index", "gallery/libraries", "gallery/field", "gallery/accountants", "claims-decided"),
    "Project": ("architecture", "tests", "benchmarks", "changelog"),
}
"""The pages of the site by kind, in order; ``tests/system/test_site.py`` checks that none is missing."""


PROMISE = (version.__doc__ or "").partition("\n\n")[2].replace("``", "`")
"""What will not change from 0.3.0 on."""

INSTEAD = {
    "index.md": {
        "`dpaudit COMMAND --help`": "[Commands](reference/commands.md)",
        "`help(dpaudit)`": "[Python API](reference/api.md)",
    },
    "guarantees.md": {
        'It is the docstring of [`dpaudit.version`](../dpaudit/version.py): `help("dpaudit.version")`.': re.sub(
            r"`docs/([\w-]+)\.md`", r"[\1](\1.md)", PROMISE
        ),
    },
}
"""Words of a page that the site replaces: by links to generated pages, and by the promise itself."""


def toctrees() -> str:
    """Returns the table of contents for the index."""
    return "\n" + "\n".join(toctree(pages, f":caption: {caption}\n") for caption, pages in CONTENTS.items())


def toctree(pages: Iterable[str], options: str = "") -> str:
    """Returns a part of the table of contents."""
    names = "\n".join(pages)
    return f"```{{toctree}}\n:hidden:\n{options}\n{names}\n```\n"
