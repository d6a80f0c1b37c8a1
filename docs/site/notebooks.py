"""Runs the notebooks again: ``python -m docs.site.notebooks`` executes them and keeps the outputs of their cells."""

import os
import re
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

from docs.site.contents import DOCS, ROOT

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
TIME = re.compile(r"\b\d+\.\d+ s\b|SHA-256 [0-9a-f]+")
"""What differs from run to run, or from one edit of a comment to the next."""


def executed(path: Path, folder: Path) -> Any:
    """Returns the notebook with the outputs of its cells, run in the folder; an exception of a cell ends it."""
    import nbformat
    from nbclient import NotebookClient

    notebook = deepcopy(nbformat.read(path, as_version=4))
    start = {"PYTHONPATH": str(ROOT), "DPAUDIT_PROGRESS": "off", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env={**os.environ, **start})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def outputs_of(notebook: Any) -> list[Any]:
    """Returns what the cells show, without the times that it took."""
    return [
        TIME.sub("…", str(output.get("data", {}).get("text/html") or output.get("text") or output.get("data")))
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    ]


def main() -> int:
    """Executes every notebook and writes it where its outputs have changed."""
    from tempfile import TemporaryDirectory

    import nbformat

    for path in NOTEBOOKS:
        with TemporaryDirectory() as folder:
            fresh = executed(path, Path(folder))
        if outputs_of(fresh) != outputs_of(nbformat.read(path, as_version=4)):
            nbformat.write(fresh, path)
            print(f"written: {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
