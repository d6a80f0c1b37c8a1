"""The pages in a browser: the first screen answers, nothing is cut off on a phone, the dark, paper; no request."""

import re
from pathlib import Path
from shutil import which

import pytest

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


def opened(browser, path, width=1280, height=900, **how):
    page = browser.new_page(viewport={"width": width, "height": height}, **how)
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page.requests = []
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_the_first_screen_answers(browser, path):
    page = opened(browser, path)
    for words in (".word", ".answer", "dt >> text=how it is known", "dt >> text=checked by"):
        box = page.locator(words).first.bounding_box()
        assert box["y"] + box["height"] < 900, words
    assert page.requests == [path.as_uri()]
    page.close()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_on_a_phone_nothing_is_wider_than_the_screen(browser, path):
    page = opened(browser, path, 390, 844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES[:2], ids=named)
def test_text_is_read_in_both_themes(browser, path, scheme):
    page = opened(browser, path, color_scheme=scheme)
    ground = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (ground < 0.1) == (scheme == "dark")
    box = luminance(page.evaluate("getComputedStyle(document.querySelector('.box')).backgroundColor"))
    for words in (".word", ".answer", "dt", "dd", "th", "summary"):
        colour = luminance(page.evaluate(f"getComputedStyle(document.querySelector('{words}')).color"))
        behind = box if words in (".word", ".answer", "dt", "dd") else ground
        low, high = sorted((colour, behind))
        assert (high + 0.05) / (low + 0.05) >= 4.5, words
    ink = page.evaluate("getComputedStyle(document.querySelector('svg.chart text') || document.body).fill")
    assert ink == "rgb(0, 0, 0)" or (luminance(ink) > 0.3) == (scheme == "dark")
    page.close()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_printed_it_has_at_most_six_pages(browser, path, tmp_path):
    page = opened(browser, path)
    page.pdf(path=str(tmp_path / "page.pdf"), format="A4")
    assert len(re.findall(rb"/Type\s*/Page[^s]", (tmp_path / "page.pdf").read_bytes())) <= 6
    page.close()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_the_main_part_is_short(browser, path):
    page = opened(browser, path)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.remove())")
    assert len(page.locator("main").inner_text().split()) < 2500
    page.close()
