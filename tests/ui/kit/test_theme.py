"""How the app looks: letters large enough to read, colours dark or light enough, on every ground; and when it shows nothing."""

import re

import tomli
from streamlit.testing.v1 import AppTest

from tests.pages.trial import ROOT
from workbench.ui.kit import theme

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


def _contrast(first, second):
    """The ratio of the Web Content Accessibility Guidelines, 1 to 21."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def test_a_page_of_newer_code_than_its_server_says_so_and_shows_nothing(monkeypatch):
    def page():
        import streamlit

        from workbench.ui.kit.theme import refuse_outdated

        refuse_outdated()
        streamlit.write("the page")

    monkeypatch.setattr(theme, "_served", lambda: True)
    monkeypatch.setattr(theme, "STARTED_WITH", theme.sources.stamp())
    app = AppTest.from_function(page).run()
    assert [text.value for text in app.markdown] == ["the page"] and not app.error
    monkeypatch.setattr(theme.sources, "stamp", lambda: "after an upgrade")
    app.run()
    assert not app.markdown and "start it again" in app.error[0].value


def test_code_and_captions_are_legible_in_both_themes():
    assert round(_contrast("#000000", "#FFFFFF"), 2) == 21
    assert round(_contrast("#767676", "#FFFFFF"), 2) == 4.54  # the lightest grey that passes on white
    themes = tomli.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    looked_at = []
    for rule, body in re.findall(r"([^{}]+)\{([^{}]*)\}", SHEET):
        ground = (
            "codeBackgroundColor" if ".token" in rule else "backgroundColor" if "stCaptionContainer" in rule else None
        )
        colours = re.search(r"(?<!-)color: light-dark\((#\w{6}), (#\w{6})\)", body)
        if ground and colours:
            looked_at.append(ground)
            for theme, colour in zip(("light", "dark"), colours.groups(), strict=True):
                assert _contrast(colour, themes[theme][ground]) >= 4.5, (rule, theme)
    assert len(looked_at) == 9
    assert set(looked_at) == {"codeBackgroundColor", "backgroundColor"}
