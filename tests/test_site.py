"""The documentation site: every page has its place, every link its target; Sphinx itself runs in .ci/run."""

import re

import pytest

import dpaudit
from docs.__main__ import lay_out
from docs.__main__ import main as build
from docs.site.contents import CONTENTS
from docs.site.gallery import REPORTS, is_report
from docs.site.pages import LINK, Linked, fenced
from dpaudit.cli import COMMANDS

PLACED = [page for pages in CONTENTS.values() for page in pages]


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


def test_the_reference_has_every_command_and_every_public_name(site):
    commands, api = ((site / "reference" / name).read_text() for name in ("commands.md", "api.md"))
    for function in (function for group in COMMANDS.values() for function in group):
        assert f"### dpaudit {function.__name__}\n" in commands
    assert "`--epsilon RATIONAL`" in commands
    for name in (*dpaudit.__all__, *dpaudit.LATER):
        assert f"dpaudit.{name}" in api or name.startswith("__")


def test_the_gallery_shows_what_the_reports_say(site):
    text = (site / "gallery/index.md").read_text()
    folders = [path.parent for path in REPORTS.glob("*/result.json") if is_report(path)]
    assert len(folders) >= 5
    for folder in folders:
        assert f"site:../files/reports/{folder.name}/report.html" in text
        assert (site / f"_extra/files/reports/{folder.name}/report.html").is_file()


def test_sphinx_makes_the_site_without_a_warning(tmp_path, long):
    if not long:
        pytest.skip("with --long; .ci/run makes the site by a step of its own")
    pytest.importorskip("sphinx")
    assert build(str(tmp_path / "site")) == 0
    pages = list((tmp_path / "site").rglob("*.html"))
    assert not [path for path in pages if re.search(r'(?:src|href)="https?://[^"]+\.(?:js|css)', path.read_text())]
