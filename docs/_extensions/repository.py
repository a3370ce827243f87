"""Files of the repository as pages, and links between them as links between pages.

CHANGELOG.md and its kin are read on GitHub and in an editor as well, so they stay where they are, with links that work there.
"""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "project/changelog": "CHANGELOG.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/security": "SECURITY.md",
    "project/demo-set": "assets/demo/README.md",
    "project/mini-mlm": "assets/models/mini-mlm/README.md",
}
"""Of each page that is a file elsewhere: that file. The page's own file holds a comment."""
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)]*)?\)")


def linked(text: str, home: Path, page: str, docs: Path) -> str:
    """The text of a file in the folder `home`, shown as `page`: links to pages lead there, others are their words alone."""
    pages = {(ROOT / file).resolve(): name for name, file in PAGES.items()}

    def replaced(match: re.Match[str]) -> str:
        target = (home / match[2]).resolve()
        if target in pages:
            name = f"{pages[target]}.md"
        elif target.suffix in (".md", ".rst") and target.is_relative_to(docs):
            name = target.relative_to(docs).as_posix()
        else:
            return match[1] if target.exists() else match[0]  # what does not exist is a warning
        return f"[{match[1]}]({os.path.relpath(docs / name, (docs / page).parent)}{match[3] or ''})"

    return LINK.sub(replaced, text)


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the repository's file in the place of its page, and turn the links of every Markdown page."""
    docs = Path(app.srcdir)
    path = docs / f"{page}.md"
    if not path.exists():
        return
    if page in PAGES:
        path = ROOT / PAGES[page]
        app.env.note_dependency(str(path))
        source[0] = path.read_text("utf-8")
    if page == "index" and not any(docs.glob("results/*.md")):
        source[0] = source[0].replace("results/*\n", "")  # a pattern without a page is a warning
    source[0] = linked(source[0], path.parent, page, docs)


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to every page that is read."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
