"""The pages in a browser: the first screen answers, nothing is cut off on a phone, the dark, paper; no request."""

import re
from pathlib import Path
from shutil import which

import pytest
from colors import contrast, luminance

ROOT = Path(__file__).parents[2]
PAGES = sorted(ROOT.glob("reports/*/report.html"))
CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def named(path):
    return path.parent.name


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="module", params=PAGES, ids=named)
def page(request, browser):
    """A report, loaded once for all tests of it; each says in which size or theme it looks at it."""
    loaded = browser.new_page()
    loaded.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    loaded.requests = []
    loaded.on("request", lambda request: loaded.requests.append(request.url))
    loaded.goto(request.param.as_uri())
    yield loaded
    loaded.close()


@pytest.fixture
def wide(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    return page


def test_the_first_screen_answers(wide):
    for words in (".word", ".answer", "dt >> text=how it is known", "dt >> text=checked by"):
        box = wide.locator(words).first.bounding_box()
        assert box["y"] + box["height"] < 900, words
    assert wide.requests == [wide.url]


def test_on_a_phone_nothing_is_wider_than_the_screen(page):
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_read_in_both_themes(wide, scheme):
    wide.emulate_media(color_scheme=scheme)
    ground = wide.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(ground) < 0.1) == (scheme == "dark")
    box = wide.evaluate("getComputedStyle(document.querySelector('.box')).backgroundColor")
    for words in (".word", ".answer", "dt", "dd", "th", "summary"):
        color = wide.evaluate(f"getComputedStyle(document.querySelector('{words}')).color")
        behind = box if words in (".word", ".answer", "dt", "dd") else ground
        assert contrast(color, behind) >= 4.5, words
    ink = wide.evaluate("getComputedStyle(document.querySelector('svg.chart text') || document.body).fill")
    assert ink == "rgb(0, 0, 0)" or (luminance(ink) > 0.3) == (scheme == "dark")


def test_printed_it_has_at_most_six_pages(wide, tmp_path):
    wide.pdf(path=str(tmp_path / "page.pdf"), format="A4")
    assert len(re.findall(rb"/Type\s*/Page[^s]", (tmp_path / "page.pdf").read_bytes())) <= 6


def test_the_main_part_is_short(wide):
    """What it shows without the folded details."""
    wide.evaluate("document.querySelectorAll('details').forEach(part => part.hidden = true)")
    shown = wide.locator("main").inner_text()
    wide.evaluate("document.querySelectorAll('details').forEach(part => part.hidden = false)")
    assert len(shown.split()) < 2500
