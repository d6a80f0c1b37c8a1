"""The documentation site: every page has its place, every link its target; Sphinx itself runs in .ci/run."""

import inspect
import re
from types import SimpleNamespace

import pytest

import dpaudit
from docs.__main__ import MADE, deliver, lay_out
from docs.__main__ import main as build
from docs.site import benchmarks
from docs.site.contents import API, CONTENTS, DOCS, ROOT
from docs.site.gallery import REPORTS, is_report
from docs.site.pages import LINK, Linked, fenced
from dpaudit import claims, pytest_plugin
from dpaudit.cli import COMMANDS
from dpaudit.reports.document import load
from reports.index import verdict_words

PLACED = [*(page for pages in CONTENTS.values() for page in pages), *(f"reference/api/{name}" for name in API)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "pages"
    lay_out(folder)
    return folder


def test_every_page_has_its_place_once(site):
    found = {str(path.relative_to(site).with_suffix("")) for kind in ("*.md", "*.ipynb") for path in site.rglob(kind)}
    pages = {page for page in found if not page.startswith("_extra")}
    assert sorted(PLACED) == sorted(pages - {"index"})


def test_no_page_has_the_name_of_one_of_sphinx():
    assert not {"search", "genindex", "py-modindex"} & set(PLACED)


def test_every_link_of_the_site_leads_somewhere(site):
    for path in site.rglob("*.md"):
        if "_extra" in path.parts:
            continue
        for _, target, _, _ in LINK.findall(re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)):
            if target.startswith("site:"):
                named = (path.parent / target.removeprefix("site:")).resolve().relative_to(site.resolve())
                assert (site / "_extra" / named).is_file(), f"{path}: {target}"
            elif "://" not in target:
                assert (path.parent / target).is_file(), f"{path}: {target}"


def test_a_link_out_of_the_pages_is_a_copy_or_a_page():
    linked = Linked()
    text = linked.page("[a](../dpaudit/forall/EVERY_N.md) [b](../dpaudit/cli.py#L1) [c](audit.md)", "docs/x.md", "x.md")
    assert text == "[a](theory/every-n.md) [b](site:files/dpaudit/cli.py#L1) [c](audit.md)"
    assert linked.files == {"dpaudit/cli.py"}


def test_code_has_its_language():
    assert fenced("    $ dpaudit x\n    y\n").startswith("```console\n$ dpaudit x\ny\n```")
    several = fenced("    # mine.py\n    import math\n\n    # plan.toml\n    n = 1\n\n    $ dpaudit x\n")
    assert re.findall(r"```(\w+)", several) == ["python", "toml", "console"]


def reference(site):
    """Returns the text of all pages of the Python reference."""
    return "\n".join(path.read_text() for path in [site / "reference/api.md", *(site / "reference/api").glob("*.md")])


def test_the_python_reference_is_a_page_for_each_module(site):
    """A call or class is on the page of the module that defines it; the index leads to every page and names it."""
    pages = {path.stem: path.read_text() for path in (site / "reference/api").glob("*.md")}
    assert set(pages) == set(API)
    contents = (site / "reference/api.md").read_text()
    for name in pages:
        assert f"(api/{name}.md)" in contents
    for name in dpaudit.LATER:
        value = getattr(dpaudit, name)
        assert f"`{name}`" in contents
        if inspect.isfunction(value) or inspect.isclass(value):
            (page,) = [
                page
                for page, text in pages.items()
                if re.search(rf":: dpaudit\.{name}\n|^Classes of results.*`dpaudit\.{name}`", text, re.M)
            ]
            assert value.__module__.split(".")[1] == page, name


def test_the_reference_has_what_a_catalogue_and_a_test_need(site):
    api = reference(site)
    for name in claims.__all__:
        assert re.search(rf":: dpaudit\.claims\.{name}\n|^- `dpaudit\.claims\.{name}`: ", api, re.MULTILINE), name
    fixtures = [name for name in vars(pytest_plugin) if name.startswith("dp_")]
    assert len(fixtures) == 2
    assert all(f"## {name}\n\n`{name}(" in api for name in fixtures)


def test_the_reference_has_every_command_and_every_public_name(site):
    commands, api = (site / "reference/commands.md").read_text(), reference(site)
    for name in (name for group in COMMANDS.values() for name in group):
        assert f"### dpaudit {name}\n" in commands
    assert "`--epsilon RATIONAL`" in commands
    assert not re.search(r"\|\s*\|$", re.sub(r"^\| .* \| \|\n\|---\|---\|$", "", commands, flags=re.MULTILINE), re.M)
    for name in (*dpaudit.__all__, *dpaudit.LATER):
        assert re.search(rf"dpaudit\.{name}\b", api) or name.startswith("__"), name


def test_the_reference_says_what_the_calls_return(site):
    """Every attribute with words and a type; what every result has, and in which unit memory is given, once."""
    api = reference(site)
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (`.*) \|$", api, re.MULTILINE)
    assert len(rows) > 100
    assert not [name for name, words, _ in rows if not words.strip()]
    results = ("Explain", "Calibrate", "Compare", "Search", "Profile", "Guarantee", "Accuracy", "Release", "EveryN")
    for kind in results:
        assert f"Result: `{kind}Result`." in api
    for words in ("`result.to_dict()`", "`result.to_frame()`", "2147483648 is 2 GiB"):
        assert words in api
    assert not re.search(r"dpaudit\.(?!claims\.|pytest_plugin\.)[a-z_]+\.[a-z_]|(?<!`)``(?!`)", api)


def test_docstrings_of_the_calls_name_nothing_internal():
    for name in (*dpaudit.__all__, *dpaudit.LATER):
        words = getattr(getattr(dpaudit, name), "__doc__", None) or ""
        prose = re.sub(r"^ *>>>.*$|^ *\.\.\..*$", "", words, flags=re.MULTILINE)
        assert not re.search(
            r"``(?:dpaudit\.)?[a-z_]+\.[a-z_.]+``|\bjudge\.judge",
            prose.replace("``dpaudit.check``", "").replace("``dpaudit.list_claims``", ""),
        ), name


def test_the_index_has_four_doors(site):
    """Learn, do, look up, understand; tutorial, reference and proofs are one click away."""
    text = (site / "index.md").read_text()
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:4] == ["Learn", "Do", "Look up", "Understand"]
    near = ("Tutorial", "Explanation", "Proofs")
    pages = ["reference/commands", "reference/api", "mechanisms", *(page for kind in near for page in CONTENTS[kind])]
    for page in pages:
        assert re.search(rf"\({re.escape(page)}\.(?:md|ipynb)\)", text), page
    assert "pip install -q ." in text
    assert "pip install -q ." in (site / "tutorial/1-audit.md").read_text()


def test_the_promise_for_later_versions_is_on_the_site(site):
    text = (site / "guarantees.md").read_text()
    assert "- the members of the JSON, as [json](json.md) lists them;\n- the format of certificates, `" in text
    assert "help(" not in text


def test_every_how_to_page_is_listed(site):
    text = (site / "how-to.md").read_text()
    for kind in ("audit", "prove", "choose", "publish"):
        assert f"## {kind.capitalize()}\n" in text
        for page in CONTENTS[f"How to {kind}"]:
            assert page == "how-to" or f"({page}.md)" in text, page


def test_formulas_are_mathml_and_need_no_network():
    pytest.importorskip("latex2mathml")
    nodes = pytest.importorskip("docutils.nodes")
    from docs.site import math

    translator = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        math.block(translator, nodes.math_block("", r"\frac{a}{b} < 1"))
    (written,) = translator.body
    assert "<mfrac>" in written
    assert 'alttext="\\frac{a}{b} &lt; 1"' in written


def test_bars_hug_what_they_enclose():
    pytest.importorskip("latex2mathml")
    nodes = pytest.importorskip("docutils.nodes")
    from docs.site import math

    for source in (r"\lvert x \rvert", r"\left\lvert x \right\rvert", r"\lVert x \rVert"):
        translator = SimpleNamespace(body=[])
        with pytest.raises(nodes.SkipNode):
            math.inline(translator, nodes.math("", source))
        assert re.findall(r'form="(\w+)"', translator.body[0]) == ["prefix", "postfix"], source
        assert f'alttext="{source}"' in translator.body[0]


FORMULA = re.compile(r"[\w)]\^[\w({]|√\(|[∑∏∫∝⌊]|\b[A-Z]_[A-Za-z]\b|ln [ΓZ]|\bO\([a-z]")
"""What only a formula has: powers with a caret, roots, sums, integrals, letters with an index, orders of growth."""


def words(path):
    """Returns what a page says besides code and typeset formulas."""
    text = re.sub(r"^```[\s\S]*?^```$|^ {4}.*$|`[^`]*`", "", path.read_text(), flags=re.MULTILINE)
    return re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "", text, flags=re.DOTALL)


PROSE = [*DOCS.rglob("*.md"), *(ROOT / "dpaudit").rglob("*.md")]
"""The pages of the site and those next to the code: the proofs."""


@pytest.mark.parametrize("path", sorted(PROSE), ids=lambda path: path.stem)
def test_formulas_are_typeset(path):
    assert [line for line in words(path).splitlines() if FORMULA.search(line)] == []


def test_the_tables_of_the_benchmarks_are_the_committed_figures():
    """``python -m docs.site.benchmarks`` writes them anew."""
    assert benchmarks.PAGE.read_text() == benchmarks.page()


def test_the_gallery_shows_what_the_reports_say(site):
    text = (site / "gallery/index.md").read_text()
    folders = [path.parent for path in REPORTS.glob("*/result.json") if is_report(path)]
    assert len(folders) >= 5
    for folder in folders:
        for name in ("report.html", "plan.toml"):
            assert f"site:../files/reports/{folder.name}/{name}" in text
            assert (site / f"_extra/files/reports/{folder.name}/{name}").is_file()
        assert f"**{verdict_words(load(str(folder / 'result.json')))}.**" in text
    assert "uniform-k2/charts/01-epsilon-by-n.svg)" in text
    assert re.search(r"## What installed libraries really do\n\n\*\*REFUTED\.\*\* \d+ of \d+ audited classes", text)


def test_only_what_it_made_is_taken_away(tmp_path):
    """Files of an earlier site that are there no more go; what somebody else has put there, or beside it, stays."""
    made, target = tmp_path / "made", tmp_path / "site"
    for name in ("index.html", "old/page.html"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text("1")
    deliver(made, target)
    (target / "mine.txt").write_text("mine")
    (tmp_path / "site-pages").mkdir()
    (made / "old/page.html").unlink()
    (made / "new.html").write_text("2")
    deliver(made, target)
    found = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert found == {"index.html", "new.html", "mine.txt", MADE}
    assert (tmp_path / "site-pages").is_dir()


def test_sphinx_makes_the_site_without_a_warning(tmp_path, long):
    if not long:
        pytest.skip("with --long; .ci/run makes the site by a step of its own")
    pytest.importorskip("sphinx")
    (tmp_path / "site-pages").mkdir()
    (tmp_path / "site-pages/mine.txt").write_text("mine")
    assert build(str(tmp_path / "site")) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"site", "site-pages"}
    assert (tmp_path / "site-pages/mine.txt").read_text() == "mine"
    pages = list((tmp_path / "site").rglob("*.html"))
    assert not [path for path in pages if re.search(r'(?:src|href)="https?://[^"]+\.(?:js|css)', path.read_text())]


def test_without_sphinx_one_line_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("docs.__main__.find_spec", lambda name: None)
    assert build(str(tmp_path / "site")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "sphinx, furo, myst_nb, sphinx_copybutton, latex2mathml not installed" in line
    assert "pip install -e '.[docs]'" in line
    assert not (tmp_path / "site").exists()


def test_a_picture_that_scrolls_says_so():
    """Where it keeps its size on a narrow screen, and nowhere else."""
    css = (DOCS / "_static/site.css").read_text()
    (narrow,) = re.findall(r"@media \(max-width: 46rem\) \{\n(.*?)\n\}", css, re.DOTALL)
    assert "min-width: 44rem" in narrow
    assert 'p:has(> img)::before { content: "swipe' in narrow
    assert css.count("swipe") == 1
