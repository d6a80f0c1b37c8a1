"""Makes the documentation site: ``python -m docs [FOLDER]``, by default into build/site. A warning is an error."""

import argparse
import shutil
import sys
from pathlib import Path

from docs.site.contents import DOCS, MOUNTS, ROOT, toctrees
from docs.site.gallery import gallery
from docs.site.pages import Linked
from docs.site.reference import api, commands


def lay_out(folder: Path) -> None:
    """Puts the pages of the site into the folder: those of docs/, those beside the code, those that are generated."""
    shutil.rmtree(folder, ignore_errors=True)
    linked = Linked()
    written = {str(path.relative_to(ROOT)): str(path.relative_to(DOCS)) for path in sorted(DOCS.rglob("*.md"))}
    pages = written | MOUNTS
    for source, page in pages.items():
        text = linked.page((ROOT / source).read_text(encoding="utf-8"), source, page)
        put(folder / page, text + (toctrees() if page == "index.md" else ""))
    put(folder / "reference/commands.md", commands())
    put(folder / "reference/api.md", api())
    put(folder / "gallery/index.md", linked.page(gallery(), "reports/README.md", "gallery/index.md"))
    for kind in ("*.svg", "*.png", "*.ipynb", "conf.py", "site.css"):
        for path in DOCS.rglob(kind):
            copy(path, folder / path.relative_to(DOCS))
    for name in linked.pictures:
        copy(ROOT / name, folder / "pictures" / name)
    for name in linked.files:
        copy(ROOT / name, folder / "_extra/files" / name)


def put(path: Path, text: str) -> None:
    """Writes a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(path: Path, to: Path) -> None:
    """Copies a file."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)


def main(folder: str = "build/site") -> int:
    """Lays out the pages and has Sphinx make the site; returns its exit code."""
    from sphinx.cmd.build import main as build

    target = Path(folder).resolve()
    source = target.with_name(f"{target.name}-pages")
    lay_out(source)
    options = ["-q", "-W", "--keep-going", "-n", "-E", "-b", "html"]
    return int(build([*options, "-d", str(source) + "-doctrees", str(source), str(target)]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m docs", description="Makes the documentation site.")
    parser.add_argument("folder", nargs="?", default="build/site", help="where to (default: build/site)")
    sys.exit(main(parser.parse_args().folder))
