"""Builds the documentation site: ``python -m docs [FOLDER]``, by default into build/site. A warning is an error.

Intermediate files go to a temporary folder. Only the files of an earlier site are removed from FOLDER.
"""

import argparse
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.site.api import api
from docs.site.contents import DOCS, INSTEAD, MOUNTS, ROOT, toctrees
from docs.site.gallery import gallery
from docs.site.pages import Linked
from docs.site.reference import commands

NEEDED = ("sphinx", "furo", "myst_nb", "sphinx_copybutton", "latex2mathml")
"""The modules that the extra "docs" installs."""
MADE = ".made-by-docs"
"""The list of the files of a site, in its folder."""


def lay_out(folder: Path) -> None:
    """Puts the pages of the site into the folder: those of docs/, those next to the code, and the generated ones."""
    linked = Linked()
    written = {str(path.relative_to(ROOT)): str(path.relative_to(DOCS)) for path in sorted(DOCS.rglob("*.md"))}
    pages = written | MOUNTS
    for source, page in pages.items():
        text = completed(page, (ROOT / source).read_text(encoding="utf-8"))
        put(folder / page, linked.page(text, source, page))
    put(folder / "reference/commands.md", commands())
    for name, text in api().items():
        put(folder / f"reference/{name}.md", text)
    put(folder / "gallery/index.md", linked.page(gallery(), "reports/README.md", "gallery/index.md"))
    for kind in ("*.svg", "*.png", "*.ipynb", "conf.py", "site.css"):
        for path in DOCS.rglob(kind):
            copy(path, folder / path.relative_to(DOCS))
    for name in linked.pictures:
        copy(ROOT / name, folder / "pictures" / name)
    for name in linked.files:
        copy(ROOT / name, folder / "_extra/files" / name)


def completed(page: str, text: str) -> str:
    """Returns the text of a page with what only the site has; the landing page has the table of contents."""
    for words, found in INSTEAD.get(page, {}).items():
        if words not in text:
            raise ValueError(f"{page} does not contain: {words}")
        text = text.replace(words, found)
    return text + toctrees() if page == "index.md" else text


def put(path: Path, text: str) -> None:
    """Writes a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(path: Path, to: Path) -> None:
    """Copies a file."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)


def deliver(site: Path, target: Path) -> None:
    """Copies the site into the target and removes the files that only the earlier site had."""
    made = sorted(str(path.relative_to(site)) for path in site.rglob("*") if path.is_file())
    target.mkdir(parents=True, exist_ok=True)
    earlier = (target / MADE).read_text(encoding="utf-8").splitlines() if (target / MADE).is_file() else []
    for name in set(earlier) - set(made):
        if ".." not in Path(name).parts:
            (target / name).unlink(missing_ok=True)
    for name in made:
        copy(site / name, target / name)
    put(target / MADE, "\n".join(made) + "\n")


def main(folder: str = "build/site") -> int:
    """Lays out the pages and runs Sphinx; returns its exit code, or 2 if it is not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(f"docs: {', '.join(missing)} not installed; in the clone: pip install -e '.[docs]'", file=sys.stderr)
        return 2
    from sphinx.cmd.build import main as build

    with TemporaryDirectory(prefix="dpaudit-docs-") as between:
        pages, site = Path(between) / "pages", Path(between) / "out" / "site"
        lay_out(pages)
        options = ["-q", "-W", "--keep-going", "-n", "-E", "-b", "html", "-d", str(Path(between) / "doctrees")]
        code = int(build([*options, str(pages), str(site)]))
        deliver(site, Path(folder).resolve())
    return code


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m docs", description="Build the documentation site.")
    parser.add_argument("folder", nargs="?", default="build/site", help="target folder (default: build/site)")
    sys.exit(main(parser.parse_args().folder))
