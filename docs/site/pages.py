"""Pages of plain Markdown made into pages of the site: links that leave the pages, and code in its language."""

import re
from os.path import relpath
from pathlib import Path, PurePosixPath

from docs.site.contents import MOUNTS, PLACES, ROOT

LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)(#[^)\s]*)?(\))")
BLOCK = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+")
LANGUAGES = (
    ("console", r"\s*\$ "),
    ("pycon", r"\s*>>> "),
    ("python", r"# [\w/]+\.py\b|import |from \w|class |def "),
    ("toml", r"# \w+\.toml\b|\[|title = "),
    ("yaml", r"# [\w./]+\.yml\n"),
    ("bash", r"(?:dpaudit|python3?|pip|pytest|export) "),
)
"""A language, and how an indented block in it begins."""


def place(target: str) -> str | None:
    """Returns the page of the site for a path of the repository, or None where there is none."""
    if target in MOUNTS or target in PLACES:
        return MOUNTS.get(target) or PLACES[target]
    inside = PurePosixPath(target)
    if inside.parts[:1] == ("docs",) and inside.suffix in (".md", ".ipynb", ".svg", ".png"):
        return str(inside.relative_to("docs"))
    return None


class Linked:
    """What pages show or link to outside the pages: pictures, and files that are copied to the site as they are."""

    def __init__(self) -> None:
        self.pictures: set[str] = set()
        self.files: set[str] = set()

    def page(self, text: str, source: str, page: str) -> str:
        """Returns the text of the page ``source`` of the repository as the site has it at ``page``."""

        def turned(match: re.Match[str]) -> str:
            before, target, fragment, after = match.groups()
            if "://" in target or target.startswith("mailto:"):
                return match[0]
            found = relpath((ROOT / source).parent / target, ROOT).replace("\\", "/")
            there = place(found)
            if there is None and before.startswith("!"):
                self.pictures.add(found)
                there = f"pictures/{found}"
            elif there is None:
                self.files.add(found)
                there, before = f"files/{found}", f"{before}site:"
            return f"{before}{relpath(there, Path(page).parent)}{fragment or ''}{after}"

        return BLOCK.sub(lambda match: fenced(match[0]), LINK.sub(turned, text))


def fenced(block: str) -> str:
    """Returns an indented block with the language that its beginning shows; a command or a file has its own block."""
    code = re.sub(r"^ {4}", "", block.strip("\n"), flags=re.MULTILINE)
    parts = re.split(r"\n\n+(?=\$ |# [\w./-]+\.(?:py|toml|csv)\b)", code)
    return "".join(f"```{_language(part)}\n{part}\n```\n\n" for part in parts)


def _language(code: str) -> str:
    return next((name for name, form in LANGUAGES if re.match(form, code)), "text")
