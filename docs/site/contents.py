"""What the site holds, in the order of its contents."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

MOUNTS = {
    "docs/README.md": "index.md",
    "docs/search.md": "counterexample.md",
    "dpaudit/forall/EVERY_EPSILON.md": "theory/every-epsilon.md",
    "dpaudit/forall/EVERY_N.md": "theory/every-n.md",
    "dpaudit/forall/PRIOR_BOXES.md": "theory/prior-boxes.md",
    "dpaudit/privacy/fast/ERROR_BOUND.md": "theory/error-bound.md",
    "dpaudit/privacy/fast/LARGE_N.md": "theory/large-n.md",
    "dpaudit/code/SOUND.md": "theory/sound.md",
    "dpaudit/accounting/FLOATS.md": "theory/accounting-floats.md",
    "proofs_checks/README.md": "claims-decided.md",
    "reports/implementations/README.md": "gallery/implementations.md",
    "reports/field/README.md": "gallery/field.md",
    "reports/accountants/README.md": "gallery/accountants.md",
    "tests/README.md": "tests.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages that stand elsewhere in the tree, beside what they speak of, and where the site has them."""

PLACES = {"README.md": "index.md", "reports": "gallery/index.md", "reports/README.md": "gallery/index.md"}
"""What a link leads to on the site where it has no page of its own."""

CONTENTS = {
    "Tutorial": ("tutorial/1-audit", "tutorial/2-refute", "tutorial/3-your-own", "tutorial/4-ci"),
    "Notebooks": (
        "notebooks/first-audit",
        "notebooks/refuting-ehdl",
        "notebooks/your-own-mechanism",
        "notebooks/ideal-noise",
        "notebooks/dp-sgd",
    ),
    "How to": (
        *("audit", "privacy-notions", "profile", "account", "forall", "own-mechanism", "code", "noise", "release"),
        "accuracy",
        *("calibrate", "compare", "counterexample", "claims", "certificates", "coq", "fast", "sweep", "reports", "ci"),
    ),
    "Explanation": ("what-epsilon-means", "mechanisms", "enclosures", "two-bounds", "trust", "guarantees"),
    "Theory": (
        *("theory/every-epsilon", "theory/every-n", "theory/prior-boxes"),
        *("theory/error-bound", "theory/large-n", "theory/sound", "theory/accounting-floats"),
    ),
    "Reference": ("reference/commands", "reference/api"),
    "Gallery": ("gallery/index", "gallery/implementations", "gallery/field", "gallery/accountants", "claims-decided"),
    "Project": ("architecture", "tests", "benchmarks", "changelog"),
}
"""The pages of the site by kind, in order; ``tests/system/test_site.py`` holds that none is missing."""


INDEX = {"the pages Commands and Python API": "[Commands](reference/commands.md) and [Python API](reference/api.md)"}
"""Words of docs/README.md that are links on the site, to pages that are only there."""


def toctrees() -> str:
    """Returns the contents as the index has them."""
    blocks = []
    for caption, pages in CONTENTS.items():
        names = "\n".join(pages)
        blocks.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n:maxdepth: 1\n\n{names}\n```\n")
    return "\n" + "\n".join(blocks)
