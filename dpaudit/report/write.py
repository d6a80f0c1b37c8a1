"""Writing a report: result.json, report.html, report.md and the charts as SVG and PNG into one folder."""

from __future__ import annotations

import copy
import re
import shutil
from pathlib import Path

from dpaudit.errors import InputError
from dpaudit.report import html, markdown
from dpaudit.report.charts import CHARTS, Spec, chart
from dpaudit.report.document import Document, dumps


def chart_library() -> str:
    """Returns the JavaScript of the chart library, or says in one line what to install."""
    try:
        import vl_convert  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise InputError("report", "HTML and charts", 'need an extra: pip install "dpaudit[report]"') from None
    bundle = vl_convert.javascript_bundle(None)  # type: ignore[arg-type,unused-ignore]
    return str(bundle).replace("</script", "<\\/script")


def write(document: Document, folder: str, pictures: bool = True) -> list[Path]:
    """Writes the files and returns their paths; nothing is computed."""
    library = chart_library()
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        charts = _write_charts(document, target) if pictures else chart_paths(document)
        written = [target / "result.json", target / "report.html", target / "report.md"]
        written[0].write_text(dumps(document), encoding="utf-8")
        written[1].write_text(html.render(document, library), encoding="utf-8")
        written[2].write_text(markdown.render(document, charts), encoding="utf-8")
    except OSError as error:
        raise InputError("out", folder, f"cannot be written: {error.strerror or error}") from None
    return written


def chart_paths(document: Document) -> dict[int, str]:
    """Returns for every section with a chart the path of its picture, relative to the report."""
    paths = {}
    for index, section in enumerate(document["sections"]):
        if section["kind"] in CHARTS and section["rows"]:
            name = f"{index:02d}-{section['kind']}-{section.get('mechanism', '')}".lower()
            paths[index] = f"charts/{re.sub(r'[^a-z0-9]+', '-', name).strip('-')}.svg"
    return paths


def _write_charts(document: Document, target: Path) -> dict[int, str]:
    """Writes every chart as SVG and PNG and returns their paths by section."""
    import vl_convert

    shutil.rmtree(target / "charts", ignore_errors=True)
    (target / "charts").mkdir()
    paths = chart_paths(document)
    for index, path in paths.items():
        spec = chart(document["sections"][index])
        if spec is not None:
            still = static(spec)
            (target / path).write_text(vl_convert.vegalite_to_svg(still), encoding="utf-8")
            (target / path).with_suffix(".png").write_bytes(vl_convert.vegalite_to_png(still, scale=2))
    return paths


def static(spec: Spec) -> Spec:
    """Returns the chart for paper: a fixed width and a white background."""
    fixed = copy.deepcopy(spec)
    if fixed.get("width") == "container":
        fixed["width"] = 640
    fixed["background"] = "white"
    return fixed
