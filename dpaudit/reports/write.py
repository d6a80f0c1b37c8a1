"""Writing a report: result.json, report.html, report.md and the charts as SVG and PNG into one folder."""

from __future__ import annotations

import copy
import re
from pathlib import Path

from dpaudit.files.folders import check_folder, write_folder
from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError, missing_extra
from dpaudit.reports import html, markdown
from dpaudit.reports.charts import CHARTS, chart, has_chart
from dpaudit.reports.document import Document, dumps
from dpaudit.reports.drawing import Spec

MOST_DOTS = 200
"""More points than this are drawn on paper without dots."""
SHARED = "chart-library.js"
"""The chart library beside several reports."""


def chart_library() -> str | None:
    """Returns the JavaScript of the chart library, packed, or None where it is not installed."""
    try:
        import vl_convert  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    return html.pack(vl_convert.javascript_bundle(None))  # type: ignore[arg-type,unused-ignore]


def no_charts() -> InputError:
    """Returns what is said, in one line, where the charts are left out."""
    return missing_extra("charts", "left out", "report", "they need vl-convert")


def share_library(folder: str) -> None:
    """Writes the chart library beside the reports below the folder."""
    packed = chart_library()
    if packed is None:
        raise no_charts()
    write_file("refresh", Path(folder) / SHARED, html.Library(packed).statement())


def prepare(folder: str) -> Path:
    """Returns the folder, made and seen to be writable before anything is computed."""
    if not folder.strip():
        raise InputError("out", folder, "must name a folder")
    return check_folder("out", folder)


def write(document: Document, folder: str, pictures: bool = True, shared: bool = False) -> list[Path]:
    """Writes the files and returns their paths; a reader finds all of the old report or all of the new one.

    ``shared``: the page takes the chart library from the folder above. Without the library there are no charts.
    """
    target, packed = prepare(folder), chart_library()
    library = None if packed is None else html.Library(address=f"../{SHARED}") if shared else html.Library(packed)
    texts = {
        "result.json": dumps(document),
        "report.html": html.render(document, library),
        "report.md": markdown.render(document, chart_paths(document) if library else {}),
    }
    drawn = _draw(document) if pictures and library else {}
    write_folder("out", folder, {**drawn, **{name: text.encode() for name, text in texts.items()}}, _is_chart)
    return [target / name for name in texts]


def _is_chart(name: str) -> bool:
    """Returns whether it is a chart of an earlier report, by its name: these go, and nothing else."""
    return bool(re.fullmatch(rf"charts/\d\d-({'|'.join(CHARTS)})(-[a-z0-9-]+)?\.(svg|png)", name))


def chart_paths(document: Document) -> dict[int, str]:
    """Returns for every section with a chart the path of its picture, relative to the report."""
    paths = {}
    for index, section in enumerate(document["sections"]):
        if has_chart(section):
            name = f"{index:02d}-{section['kind']}-{section.get('mechanism', '')}".lower()
            paths[index] = f"charts/{re.sub(r'[^a-z0-9]+', '-', name).strip('-')}.svg"
    return paths


def _draw(document: Document) -> dict[str, bytes]:
    """Returns every chart as SVG and PNG, by path."""
    import vl_convert

    files: dict[str, bytes] = {}
    for index, path in chart_paths(document).items():
        still = static(chart(document["sections"][index]) or {})
        files[path] = tidy(vl_convert.vegalite_to_svg(still)).encode()
        files[path.replace(".svg", ".png")] = vl_convert.vegalite_to_png(still, scale=2)
    return files


def static(spec: Spec) -> Spec:
    """Returns the chart for paper: a fixed width, a white background, no marks for screen readers on every point.

    Where there are so many points that their dots would make one band, the line is drawn alone.
    """
    fixed = copy.deepcopy(spec)
    if fixed.get("width") == "container":
        fixed["width"] = 640
    fixed["background"] = "white"
    fixed["config"] = {**fixed.get("config", {}), "aria": False}
    for layer in (fixed, *fixed.get("layer", ())):
        if "point" in layer.get("mark", ()) and len(fixed["data"]["values"]) > MOST_DOTS:
            layer["mark"]["point"] = False
    return fixed


IDLE = r' (?:pointer-events="none"|aria-hidden="true"|class="[^"]*"|stroke-width="1"|opacity="1")'
"""What changes nothing in a picture."""


def tidy(svg: str) -> str:
    """Returns the picture with ids counted from 0, so that it does not depend on what was drawn before it.

    It is as small as it can be had: nothing idle, and coordinates to a hundredth.
    """
    fresh: dict[str, str] = {}
    svg = re.sub(r"\b(gradient_|clip)\d+", lambda m: fresh.setdefault(m[0], f"{m[1]}{len(fresh)}"), svg)
    svg = re.sub(r' (?:d|transform)="[^"]*"', lambda m: re.sub(r"(\.\d\d)\d+", r"\1", m[0]), svg)
    return re.sub(IDLE, "", svg)
