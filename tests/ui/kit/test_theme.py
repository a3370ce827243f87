"""The style sheet: letters large enough to read."""

import re

from tests.pages.trial import ROOT

SHEET = (ROOT / "assets" / "theme.css").read_text(encoding="utf-8")


def test_no_letters_are_smaller_than_14_pixels():
    around = {".edits ins::before": 1.05, ".edits del::before": 1.05, ".edits mark::before": 1.05}
    sizes = 0
    for rule, body in re.findall(r"([^{}]+)\{([^{}]*)\}", SHEET):
        for size, unit in re.findall(r"font-size: ([\d.]+)(rem|em)", body):
            whole = float(size) * (around[rule.strip()] if unit == "em" else 1)
            assert 16 * whole >= 14, rule
            sizes += 1
    assert sizes == SHEET.count("font-size:") > 0, "a size in a unit that is not looked at"
