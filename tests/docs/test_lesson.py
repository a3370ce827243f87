"""The how-to of the lesson lists its steps as they are."""

import re
from pathlib import Path

from workbench.lesson.words import read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "teach-a-lesson.md"


def test_minutes_titles_and_addresses():
    rows = re.findall(r"^\| (\d+) \| \*?(.+?)\*? \| `(\w+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(str(step["minutes"]), step["title"], step["id"]) for step in read()["words"]["steps"]]
