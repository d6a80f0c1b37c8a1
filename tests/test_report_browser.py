"""The HTML report in a real headless Chromium: drawn, quiet, offline, usable at every width and in both themes."""

import re
import shutil

import pytest

from dpaudit.audit.conclusion import Word
from dpaudit.reports import plan
from dpaudit.reports.report import build
from dpaudit.reports.write import write

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
    facts = next(section["rows"] for section in made["sections"] if section["kind"] == "facts")
    names = dict.fromkeys(row["mechanism"] for row in facts)
    facts += [{"mechanism": name, "quantity": "SHA-256 of the source", "value": "9f" * 32} for name in names]
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

    def opener(width=1200, theme="light", script=True, path=page_path):
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=script
        )
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield opener
    for page in pages:
        page.close()


def visible(page, what):
    return [found for found in page.query_selector_all(what) if found.is_visible()]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_drawn_quiet_offline_and_fits(opened, width, theme):
    page = opened(width, theme)
    assert page.said == []
    assert len(page.asked) == 1
    assert page.asked[0].startswith("file:")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    drawn = visible(page, "svg.pic")
    assert len(drawn) > 8
    assert all(svg.bounding_box()["width"] <= width for svg in drawn)
    assert all(svg.query_selector("path, rect") for svg in drawn)
    assert page.evaluate("window.hacked") is None
    assert page.text_content("h1") == HOSTILE


def test_no_text_of_a_picture_leaves_it_or_stands_on_another(opened):
    """Words are whole at both widths: labels at the ends of lines do not overlap, nothing is cut at the edge."""
    found = """(() => {
      const bad = [];
      for (const svg of document.querySelectorAll('svg.pic')) {
        const edge = svg.getBoundingClientRect();
        if (!edge.width) continue;
        for (const t of svg.querySelectorAll('text')) {
          const b = t.getBoundingClientRect();
          const out = b.left < edge.left - 2 || b.right > edge.right + 2 || b.top < edge.top - 3;
          if (out) bad.push('cut: ' + t.textContent);
        }
        const words = [...svg.querySelectorAll('text:not([transform])')].filter(t => t.textContent);
        const boxes = words.map(t => [t.textContent, t.getBoundingClientRect()]);
        boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
          const across = a.left < b.right - 2 && b.left < a.right - 2;
          const near = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5;
          if (across && near) bad.push(one + ' stands on ' + other);
        }));
      }
      return bad;
    })()"""
    for width in (390, 1280):
        assert opened(width).evaluate(found) == []


def test_everything_is_there_without_the_script(opened):
    page = opened(script=False)
    assert len(visible(page, "svg.pic")) > 8
    assert visible(page, "details.claim .body")
    assert "left side" in page.text_content("details.claim .body")
    assert all(table.is_visible() for table in page.query_selector_all("table"))
    assert not visible(page, "button")  # nothing that does nothing
    assert page.query_selector("svg.pic circle title").text_content()


def test_hover_shows_the_enclosure(opened):
    page = opened()
    page.query_selector(".wide svg .dots:not([opacity]) circle").hover(force=True)
    page.wait_for_selector("#tip:not([hidden])")
    assert re.search(r"^\(1/100, 1/100\), n = 2: true ε / ε [\d.]+\[\d, \d\]$", page.text_content("#tip"))


def test_pointing_above_an_output_says_its_numbers(opened):
    page = opened()
    picture = page.query_selector("svg:has([data-x])")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.wait_for_selector("#tip:not([hidden])")
    number = r"(0|−?[\d.]+(e−?\d+)?|[≤≥=] .*)"
    assert re.fullmatch(
        rf"output; P_x, P_x′, loss about: \(\d+, \d+\); {number}, {number}, {number}", page.text_content("#tip")
    )


def test_hover_over_a_map_says_the_cell(opened):
    page = opened()
    page.query_selector("svg .cells").hover(force=True)
    page.wait_for_selector("#tip:not([hidden])")
    assert ": about " in page.text_content("#tip")


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


def test_numbers_show_their_enclosures_where_all_are_asked_for(opened):
    page = opened()
    full = page.query_selector(".num i")
    assert not full.is_visible()
    page.check("#full")
    assert full.is_visible()
    assert re.fullmatch(r"[\d.]*\[[\d.]+, [\d.]+\]", full.text_content())


def test_a_table_is_one_stop_for_the_keyboard_and_has_a_caption(opened):
    page = opened()
    assert page.evaluate("[...document.querySelectorAll('.scroll')].every(s => s.tabIndex === 0 && s.ariaLabel)")
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll table')].every(t => t.caption && t.caption.textContent)"
    )
    inside = ".scroll button, .scroll summary, .scroll input, .scroll [tabindex='0']"
    assert page.query_selector_all(inside) == []


def test_tables_are_cards_on_a_phone_and_stay_tables_for_who_hears_them(opened):
    page = opened(390)
    row = visible(page, ".scroll tbody tr")[0]
    cells = row.query_selector_all("td")
    assert cells[0].bounding_box()["y"] < cells[1].bounding_box()["y"]
    assert row.get_attribute("role") == "row"
    assert not visible(page, ".wide svg")
    assert visible(page, ".narrow svg")


def test_the_theme_can_be_switched(opened):
    page = opened(theme="light")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    fill = page.evaluate("getComputedStyle(document.querySelector('.pic text:not(.dim)')).fill")
    assert fill == page.evaluate("getComputedStyle(document.body).color")


def test_the_legend_singles_out_a_line_by_keyboard(opened):
    page = opened()
    lines = "[...document.querySelector('figure:has(.legend)').querySelectorAll('.wide .series')]"
    faded = f"{lines}.filter(s => getComputedStyle(s).opacity < 1).length"
    assert page.evaluate(faded) == 0
    button = page.query_selector(".legend button")
    button.focus()
    page.keyboard.press("Enter")
    name = button.text_content()
    assert page.evaluate(faded) == page.evaluate(f"{lines}.filter(s => s.dataset.s !== '{name}').length") > 0
    assert button.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Enter")
    assert page.evaluate(faded) == 0


def test_pictures_have_words_that_state_the_finding(opened):
    page = opened()
    said = page.evaluate("[...document.querySelectorAll('svg.pic')].map(s => [s.getAttribute('role'), s.ariaLabel])")
    assert all(role == "img" and len(words) > 20 for role, words in said)
    assert all(caption.text_content().strip() for caption in page.query_selector_all("figcaption"))


def test_print_is_black_on_white_and_whole(opened):
    for theme in ("light", "dark"):
        page = opened(width=1500, theme=theme)
        page.emulate_media(media="print", color_scheme=theme)
        page.set_viewport_size({"width": 700, "height": 900})
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert page.evaluate("getComputedStyle(document.querySelector('.pic text:not(.dim)')).fill") == "rgb(0, 0, 0)"
        widths = page.evaluate("[...document.querySelectorAll('svg.pic')].map(s => s.getBoundingClientRect().width)")
        assert max(widths) <= 700
        clipped = "[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).length"
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(clipped) == 0
        assert page.query_selector("details.claim .body").is_visible()
        assert page.query_selector(".num i").is_visible()
        assert page.query_selector("svg .cells").is_visible()
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="screen")
        assert not page.query_selector("details.claim .body").is_visible()


def test_it_prints(opened, tmp_path):
    page = opened()
    page.pdf(path=str(tmp_path / "report.pdf"))
    assert (tmp_path / "report.pdf").stat().st_size > 20_000


def test_a_card_shows_the_whole_label_of_its_cells(opened):
    """The name of the column stands before each cell, and a long one makes the cell higher instead of being cut."""
    page = opened(390)
    found = """[...document.querySelectorAll('.scroll td')].filter(td => td.offsetHeight).map(td => {
      const style = getComputedStyle(td, '::before');
      return [style.content, parseFloat(style.height), td.getBoundingClientRect().height];
    })"""
    cells = page.evaluate(found)
    assert '"worst pair x | x′ → output"' in {label for label, _, _ in cells}
    assert all(label not in ("none", "normal") and inner <= outer for label, inner, outer in cells)


def test_no_page_is_wider_than_a_phone(opened):
    """Also with a long list without blanks in its verdict."""
    page = opened(390)
    long = ",".join(map(str, range(100, 160)))
    page.evaluate(f"document.querySelector('.verdict dd ul').insertAdjacentHTML('beforeend', '<li>{long}</li>')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_long_word_is_broken_on_paper_and_on_screen(opened):
    """Four columns with a hash each: no table is wider than its page, and none scrolls but for its numbers."""
    page = opened(1280)
    assert len(page.query_selector_all("td.word")) >= 4
    wide = """[...document.querySelectorAll('.scroll')].filter(
      s => s.querySelector('td.word') && s.scrollWidth > s.clientWidth + 1).length"""
    for width, media in ((390, "screen"), (1280, "screen"), (700, "print")):
        page.emulate_media(media=media)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(wide) == 0, (width, media)


def test_panels_of_a_row_stand_at_one_height(opened):
    found = """[...document.querySelectorAll('.pics')].filter(p => p.offsetHeight).map(p => {
      const rows = {};
      for (const svg of p.children) {
        const head = svg.querySelector('text.head');
        if (head) (rows[Math.round(svg.getBoundingClientRect().top)] ??= []).push(head.getBoundingClientRect().top);
      }
      return Math.max(0, ...Object.values(rows).map(r => Math.max(...r) - Math.min(...r)));
    })"""
    assert max(opened(1280).evaluate(found)) < 2


def test_pictures_stand_side_by_side_on_paper_too(opened):
    """Captions say "at the left": two halves have one row also on A4."""
    page = opened(695)
    page.emulate_media(media="print")
    tops = page.evaluate("""[...document.querySelectorAll('.pics.wide')]
      .filter(p => p.children[0].getAttribute('width') === '371')
      .map(p => [...p.children].map(svg => svg.getBoundingClientRect().top))""")
    assert tops
    assert all(one == other for one, other in tops)


MIXED = ["∞", "0.5", "≥ 0.999", "", "0.399933", "[0.575, 0.848]", "none", "10", "1/3", "at most 0.08 %", "−∞", "1e-8"]
CLAIMS = ["2-DP", "(1, 1e-8)-DP", "1/2-DP"]
BY_VALUE = [
    "−∞",
    "1e-8",
    "at most 0.08 %",
    "1/3",
    "0.399933",
    "0.5",
    "[0.575, 0.848]",
    "≥ 0.999",
    "10",
    "∞",
    "none",
    "",
]


@pytest.fixture
def mixed(opened, page_path, tmp_path):
    """A report whose first table has rows of every kind of number, and a word that is long."""
    before, mark, after = page_path.read_text().partition('<div class="findable">')
    head, rows, rest = after.partition("<tbody>")
    cells = "".join(
        f"<tr><td>row<td>{i % 2}<td>{shown}<td>{CLAIMS[i % 3]}" + "<td>" * 4 for i, shown in enumerate(MIXED)
    )
    (tmp_path / "mixed.html").write_text(before + mark + head + rows + cells + rest[rest.index("</table>") :])
    return lambda width=1200: opened(width, path=tmp_path / "mixed.html")


def column(page, which):
    return page.evaluate(
        f"[...document.querySelectorAll('.findable tbody tr')].map(r => r.cells[{which}].textContent.trim())"
    )


def test_rows_are_sorted_by_the_values_of_their_numbers(mixed):
    page = mixed()
    page.select_option(".finder select", index=3)
    assert column(page, 2) == BY_VALUE
    page.select_option(".finder select", index=2)
    first = [shown for i, shown in enumerate(MIXED) if i % 2 == 0]
    assert column(page, 2) == first + [shown for i, shown in enumerate(MIXED) if i % 2], "equal ones as they were"
    page.select_option(".finder select", index=0)
    assert column(page, 2) == MIXED


def test_claims_are_sorted_by_epsilon_and_names_as_words(mixed, opened):
    page = mixed()
    page.select_option(".finder select", index=4)
    assert column(page, 3) == ["1/2-DP"] * 4 + ["(1, 1e-8)-DP"] * 4 + ["2-DP"] * 4
    page = opened()
    page.select_option(".finder select", label="mechanism")
    assert [name.partition(",")[0] for name in column(page, 1)] == ["EHD", "EHDL", "EHDL", "EHDS", "LSHist"]


def test_rows_are_sorted_in_reverse_too_and_what_is_empty_stays_last(mixed):
    page = mixed()
    reverse = page.get_by_label("in reverse")
    assert reverse.is_disabled(), "as it is there is nothing to turn"
    page.select_option(".finder select", index=3)
    reverse.check()
    assert column(page, 2) == [*BY_VALUE[-3::-1], "none", ""]
    reverse.uncheck()
    assert column(page, 2) == BY_VALUE


def test_verdicts_are_sorted_by_how_bad_they_are(mixed):
    page = mixed()
    severe = [word.value for word in Word]
    page.evaluate(
        """words => document.querySelectorAll('.findable tbody tr').forEach((row, i) => {
          row.cells[0].textContent = words[i] || '';
        })""",
        severe[::-1],
    )
    page.select_option(".finder select", index=1)
    assert column(page, 0)[:6] == [*severe, ""]
    page.get_by_label("in reverse").check()
    assert column(page, 0)[:6] == [*severe[::-1], ""]


def test_failures_are_said_to_be_first_only_while_they_are(opened):
    page = opened()
    words = """['caption', '.scroll'].map(what => document.querySelector('.findable ' + what))
      .map(found => found.ariaLabel || found.textContent)"""
    before = page.evaluate(words)
    assert all(said.endswith("; failures first") for said in before)
    page.select_option(".finder select", label="mechanism")
    assert page.evaluate(words) == [said.removesuffix("; failures first") for said in before]
    page.select_option(".finder select", index=0)
    assert page.evaluate(words) == before


def test_who_filters_is_told_how_many_rows_are_left_and_paper_has_all(opened):
    page = opened()
    count = page.query_selector(".finder [aria-live=polite]")
    rows = "[...document.querySelectorAll('.findable tbody tr')].filter(r => r.getBoundingClientRect().height).length"
    assert count.text_content() == "5 of 5 rows"
    page.fill(".finder input", "LSHist")
    assert (page.evaluate(rows), count.text_content()) == (1, "1 of 5 rows")
    page.click(".legend button")
    faded = "[...document.querySelectorAll('.series')].filter(s => getComputedStyle(s).opacity < 1).length"
    assert page.evaluate(faded) > 0
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert (page.evaluate(rows), page.evaluate(faded)) == (5, 0)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.evaluate(rows) == 1
    assert page.evaluate(faded) > 0


def test_a_legend_is_one_stop_for_the_keyboard_and_arrows_go_through_it(opened):
    page = opened()
    stops = "[...document.querySelectorAll('.legend')].map(l => l.querySelectorAll('[tabindex=\"0\"]').length)"
    legends = page.query_selector_all(".legend")
    assert page.evaluate(stops) == [1] * len(legends)
    assert {legend.get_attribute("role") for legend in legends} == {"toolbar"}
    here = "document.activeElement.textContent"
    names = legends[0].evaluate("bar => [...bar.children].map(button => button.textContent)")
    legends[0].query_selector("button").focus()
    for key, goal in (
        ("ArrowRight", 1),
        ("End", -1),
        ("ArrowRight", 0),
        ("ArrowLeft", -1),
        ("ArrowUp", -2),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        assert page.evaluate(here) == names[goal], key
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.legend') === document.querySelector('.legend')")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(here) == names[1], "back to where one was"
    assert page.evaluate(stops) == [1] * len(legends)


LONG = "SubsampledRandomisedResponseWithOddsAndAnExtremelyLongNameThatNobodyWouldGive"


class Named:
    """Randomized response with a name that is one long word."""

    def __init__(self, name):
        self.name = name

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["yes", "no"]

    def probability(self, x, r):
        return "2/3" if (x == 1) == (r == "yes") else "1/3"

    def claimed(self):
        return 1


def test_names_of_one_long_word_make_no_page_wider(opened, tmp_path):
    """On a phone, on a screen and on paper, nothing scrolls sideways; tables of eight mechanisms fit a screen too."""
    wide = "[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).length"
    eight = "EHD,EHDL,EHDS,MH,MHdelta,LSDim,LSHist,LSZhang"
    for mechs, given in (([Named(LONG), Named(f"{LONG}Two")], {}), (eight, {"n": "10"})):
        made = build(plan.Plan("t", "dpaudit report", (plan.block({"mechs": mechs, **given}),)), lambda text: None)
        path = write(made, str(tmp_path / str(len(given))), pictures=False)[1]
        for width, media in ((390, "screen"), (1280, "screen"), (700, "print")):
            page = opened(width, path=path)
            page.emulate_media(media=media)
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, media)
            assert page.evaluate(wide) == 0, (width, media)


def test_a_command_is_not_broken_within_an_option(opened):
    page = opened(390)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    words = """[...document.querySelectorAll('pre, code')].flatMap(e => {
      const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), bad = [];
      for (let n = walker.nextNode(); n; n = walker.nextNode())
        for (const m of n.textContent.matchAll(/--[a-z][a-z-]*/g)) {
          const range = document.createRange();
          range.setStart(n, m.index); range.setEnd(n, m.index + m[0].length);
          bad.push([m[0], new Set([...range.getClientRects()].map(r => r.top)).size]);
        }
      return bad;
    })"""
    found = page.evaluate(words)
    assert len(found) > 10
    assert {lines for _, lines in found} == {1}


def test_no_line_ends_between_a_number_and_its_per_cent(opened):
    page = opened(390)
    said = page.evaluate("[...document.querySelectorAll('p, li, dd, figcaption')].map(e => e.textContent).join(' ')")
    assert re.search(r"\d\u00a0%", said)
    assert not re.search(r"\d %", said)
