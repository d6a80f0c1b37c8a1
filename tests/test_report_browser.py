"""The HTML report in a real headless Chromium: drawn, quiet, offline, usable at every width and in both themes."""

import shutil

import pytest

from dpaudit.reports import plan
from dpaudit.reports.report import build
from dpaudit.reports.write import share_library, write

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine: the browser tests need Debian's chromium", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOSTILE = "<script>window.hacked = 1</script>"
CLAIM = {
    "id": "some.claim",
    "document": "P1",
    "item": "Lemma 1",
    "statement": HOSTILE,
    "quantifier": "for all",
    "establishes": "by counterexample",
    "grid": "n = 1, 2",
    "verdict": "REFUTED",
    "counterexample": {
        "parameters": {"n": "2"},
        "left": {"meaning": "left side", "lower": "0.5", "upper": "0.6"},
        "relation": "<=",
        "right": {"meaning": "right side", "lower": "0.1", "upper": "0.2"},
        "margin": {"lower": "-0.5", "upper": "-0.3"},
        "steps": [{"label": "one", "formula": "two", "value": "three"}],
        "note": "",
    },
}


def small_report():
    wanted = plan.Plan(
        HOSTILE,
        "dpaudit report",
        (plan.block({"n": "1..12", "mechs": "EHD,EHDL,EHDS,LSHist"}),),
        (),
        ({"kind": "priors", "n": "2,4"},),
    )
    made = build(wanted, lambda text: None)
    board = {
        "kind": "claims",
        "title": "Claims",
        "question": "?",
        "command": "dpaudit check",
        "setting": {},
        "rows": [CLAIM],
    }
    made["sections"].append(board)
    margins = [{"id": "some.claim", "verdict_of": "REFUTED", "margin": CLAIM["counterexample"]["margin"]}]
    made["sections"].append({**board, "kind": "margins", "rows": margins})
    return made


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    return write(small_report(), str(tmp_path_factory.mktemp("report")), pictures=False)[1]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, page_path):
    pages = []

    def opener(width=1200, theme="light"):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(page_path.as_uri())
        page.wait_for_function(
            "[...document.querySelectorAll('.chart')].every(c => c.closest('details.later') || c.dataset.done)"
        )
        pages.append(page)
        return page

    yield opener
    for page in pages:
        page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 800, 1600])
def test_it_is_drawn_quiet_offline_and_fits(opened, width, theme):
    page = opened(width, theme)
    assert page.said == []
    assert [url for url in page.asked if not url.startswith("file:")] == []
    assert len(page.asked) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for holder in page.query_selector_all(".chart[data-done]"):
        assert len(holder.query_selector_all("svg path, svg rect, svg line")) > 10
    assert page.evaluate("window.hacked") is None
    assert page.text_content("h1") == HOSTILE


def test_hover_shows_the_enclosure(opened):
    page = opened()
    point = page.query_selector(".chart svg g.mark-symbol path")
    point.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "[" in page.text_content("#vg-tooltip-element")


def test_a_counterexample_opens_on_click_and_by_keyboard(opened):
    page = opened()
    summary = page.query_selector("details.claim > summary")
    body = page.query_selector("details.claim .body")
    assert not body.is_visible()
    summary.click()
    assert body.is_visible()
    assert "left side" in body.text_content()
    summary.focus()
    page.keyboard.press("Enter")
    assert not body.is_visible()
    page.click("[data-open=yes]")
    assert body.is_visible()


def test_a_number_opens_its_enclosure(opened):
    page = opened()
    number = page.query_selector("details.num > summary")
    number.click()
    assert "≤ value ≤" in page.query_selector("details.num > span").text_content()


def test_a_folded_chart_is_drawn_when_opened(opened):
    page = opened()
    page.query_selector("details.later > summary").click()
    page.wait_for_selector("details.later .chart[data-done] svg")
    assert len(page.query_selector_all("details.later[open] svg path")) > 50


def test_the_theme_can_be_switched(opened):
    page = opened(theme="light")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    fill = page.evaluate("getComputedStyle(document.querySelector('.chart text')).fill")
    assert fill == page.evaluate("getComputedStyle(document.body).color")


def test_the_legend_toggles_lines(opened):
    page = opened()
    faded = "[...document.querySelectorAll('#s0 svg path')].filter(p => p.getAttribute('opacity') === '0.08').length"
    assert page.evaluate(faded) == 0
    page.query_selector("#s0 svg .role-legend-symbol path").click(force=True)
    page.wait_for_function(f"{faded} > 0")


def test_print_is_black_on_white_and_whole(opened):
    for theme in ("light", "dark"):
        page = opened(width=1500, theme=theme)
        page.emulate_media(media="print", color_scheme=theme)
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert page.evaluate("getComputedStyle(document.querySelector('.chart text')).fill") == "rgb(0, 0, 0)"
        page.set_viewport_size({"width": 700, "height": 900})
        widths = page.evaluate("[...document.querySelectorAll('.chart svg')].map(s => s.getBoundingClientRect().width)")
        assert max(widths) <= 700


def test_it_prints(opened, tmp_path):
    page = opened()
    page.pdf(path=str(tmp_path / "report.pdf"))
    assert (tmp_path / "report.pdf").stat().st_size > 20_000


def test_reports_that_share_a_library_are_drawn_from_the_folder_alone(browser, tmp_path):
    share_library(str(tmp_path))
    shared = write(small_report(), str(tmp_path / "one"), pictures=False, shared=True)[1]
    page = browser.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shared.as_uri())
    page.wait_for_selector("#s0 .chart[data-done] svg")
    page.close()
    assert said == []
    assert asked == [shared.as_uri(), (tmp_path / "chart-library.js").as_uri()]
