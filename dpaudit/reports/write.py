"""Writing a report: result.json, report.html, report.md and the charts as SVG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files as resources
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from dpaudit.charts.style import COLORS, DARK, alone, variables
from dpaudit.files import text
from dpaudit.files.folders import check_folder, write_folder
from dpaudit.numbers.digits import powers
from dpaudit.numbers.errors import InputError, visible
from dpaudit.reports.document import Document, text_of
from dpaudit.reports.figures import drawn
from dpaudit.reports.page import Page, kind, mark
from dpaudit.reports.words import claim_verdict

if TYPE_CHECKING:
    from jinja2 import Environment

OURS = re.compile(r"charts/\d\d-[a-z-]+\.svg|certificates/[a-z0-9-]+\.json")


def prepare(folder: str) -> Path:
    """The folder, created and checked to be writable before anything is computed."""
    if not folder.strip():
        raise InputError("out", folder, "must name a folder")
    return check_folder("out", folder)


def write(document: Document, folder: str, files: Mapping[str, bytes], full: bool = False) -> list[Path]:
    """Writes the files, each whole or not at all, the pages last, and returns the paths of the texts."""
    target = prepare(folder)
    texts = rendered(document, full)
    written = {name: content.encode(errors="backslashreplace") for name, content in texts.items()}
    charts = {name: content for name, content in written.items() if name.startswith("charts/")}
    pages = {name: content for name, content in written.items() if not name.startswith("charts/")}
    write_folder("out", folder, {**charts, **files, **pages}, lambda name: bool(OURS.fullmatch(name)))
    return [target / name for name in (*pages, *files)]


def rendered(document: Document, full: bool = False) -> dict[str, str]:
    """The text of every file of a report, by its path; each picture is drawn once."""
    order = document.mechanisms()
    charts = {name: drawn(section, name, order) for name, section in document.figures()}
    titles = {name: section.figure.title for name, section in document.figures() if section.figure is not None}
    shown = Page(document, charts, full)
    return {
        **{f"charts/{name}.svg": alone(svg, powers(titles[name])) for name, svg in charts.items()},
        "report.html": html(shown),
        "report.md": markdown(shown),
        "result.json": text_of(document),
    }


def html(shown: Page) -> str:
    """The page as HTML: one file, without a script, that makes no request."""
    sheet = (resources("dpaudit.reports") / "templates" / "style.css").read_text(encoding="utf-8")
    style = sheet.replace("/*light*/", variables(COLORS)).replace("/*dark*/", variables(DARK))
    template = _environment("html").get_template("report.html.jinja")
    return template.render(page=shown, document=shown.document, style=style)


def markdown(shown: Page) -> str:
    """The page as Markdown, with links to the charts."""
    made = _environment("md").get_template("report.md.jinja").render(page=shown, document=shown.document)
    return re.sub(r"\n{3,}", "\n\n", made).strip() + "\n"


@lru_cache(maxsize=2)
def _environment(form: str) -> Environment:
    """Jinja with our templates: text in HTML is escaped by default, in Markdown by the filter ``md``."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("dpaudit.reports"), autoescape=form == "html", undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, finalize=_visible if form == "html" else None,
    )  # fmt: skip
    made.filters.update(md=text.markdown, code=_code, block=_block, span=_span)
    made.filters.update(mark=mark, kind=kind, claim_verdict=claim_verdict)
    return made


def _visible(value: Any) -> Any:
    """Text with every sign that is not seen, or that acts, written out."""
    return visible(value, keep="\n\t") if type(value) is str else value


def _span(words: str) -> str:
    """A command within a line of Markdown, as code; as escaped text where its signs could end the code."""
    shown = visible(words)
    return text.markdown(words) if set(shown) & set("`<>") else f"`{shown}`"


def _code(words: str) -> str:
    """A command for a code block of Markdown: indented, on one line."""
    return "    " + visible(words)


def _block(lines: str) -> str:
    """A text of several lines for a code block of Markdown: indented, line by line."""
    return indent(visible(lines, keep="\n\t").rstrip("\n"), "    ")
