"""Untrusted texts within our sentences; the examples in the docstrings are tests too."""

import pytest

from workbench.report import html as report
from workbench.report import latex, markdown
from workbench.ui.kit.words import html, plain

OVERRIDE = "\u202e"
"""Turns all that follows it, in a line that shows it as it is."""


@pytest.mark.parametrize("write", [html, plain, report._said, markdown.plain, latex.plain])
def test_no_text_of_a_user_turns_the_sentence_around_it(write):
    written = write(f"Corpus gpj.{OVERRIDE}txt is new.")
    assert OVERRIDE not in written and "202e" in written
    assert "\u05e9\u05dc\u05d5\u05dd \u200f!" in write("\u05e9\u05dc\u05d5\u05dd \u200f!").replace("\\", "")


@pytest.mark.parametrize("write", [plain, report._said, markdown.plain])
def test_no_line_ends_before_a_percent_sign(write):
    assert "95\u00a0%" in write("95 % of the pairs")
