"""Writing a report: result.json, report.html, report.md and the charts as SVG, and as PNG where that can be made."""

from __future__ import annotations

import re
from pathlib import Path

from dpaudit.files.folders import check_folder, write_folder
from dpaudit.numbers.errors import InputError, missing_extra
from dpaudit.pictures.picture import Figure
from dpaudit.reports import html, markdown
from dpaudit.reports.charts import CHARTS, figures
from dpaudit.reports.document import Document, dumps


def no_png() -> InputError:
    """Returns what is said, in one line, where the charts are not also written as PNG."""
    return missing_extra("png", "left out", "report", "charts as PNG need vl-convert")


def prepare(folder: str) -> Path:
    """Returns the folder, made and seen to be writable before anything is computed."""
    if not folder.strip():
        raise InputError("out", folder, "must name a folder")
    return check_folder("out", folder)


def write(document: Document, folder: str, pictures: bool = True) -> list[Path]:
    """Writes the files and returns their paths; a reader finds all of the old report or all of the new one."""
    target, drawn = prepare(folder), charts(document)
    texts = {
        "result.json": dumps(document),
        "report.html": html.render(document),
        "report.md": markdown.render(document, chart_paths(document)),
    }
    files = _files(drawn) if pictures else {}
    write_folder("out", folder, {**files, **{name: text.encode() for name, text in texts.items()}}, _is_chart)
    return [target / name for name in texts]


def _is_chart(name: str) -> bool:
    """Returns whether it is a chart of an earlier report, by its name: these go, and nothing else."""
    kinds = "|".join([*CHARTS, "worst-loss"])
    return bool(re.fullmatch(rf"charts/\d\d-({kinds})(-[a-z0-9-]+)?\.(svg|png)", name))


def charts(document: Document) -> dict[str, tuple[int, Figure]]:
    """Returns every chart with the number of its section, by the path of its picture, relative to the report."""
    found = {}
    for index, section in enumerate(document["sections"]):
        for number, figure in enumerate(figures(section, document["sections"])):
            name = f"{index:02d}-{section['kind']}-{section.get('mechanism', '')}-{number or ''}".lower()
            found[f"charts/{re.sub(r'[^a-z0-9]+', '-', name).strip('-')}.svg"] = (index, figure)
    return found


def chart_paths(document: Document) -> dict[int, list[tuple[str, str]]]:
    """Returns for every section with charts the paths of its pictures, each with its caption."""
    found: dict[int, list[tuple[str, str]]] = {}
    for path, (index, figure) in charts(document).items():
        found.setdefault(index, []).append((path, figure.caption))
    return found


def _files(drawn: dict[str, tuple[int, Figure]]) -> dict[str, bytes]:
    """Returns every chart as SVG, and as PNG where vl-convert is installed, by path."""
    try:
        import vl_convert  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        vl_convert = None  # type: ignore[assignment,unused-ignore]
    files: dict[str, bytes] = {}
    for path, (_, figure) in drawn.items():
        files[path] = figure.file().encode()
        if vl_convert is not None:
            files[path.replace(".svg", ".png")] = vl_convert.svg_to_png(figure.file(), scale=2)
    return files
