"""Figures as files for print."""

import re
import xml.etree.ElementTree as ElementTree
from io import BytesIO

import plotly.graph_objects as go
import pytest
from PIL import Image

from tests.plots.gallery import ALL, WIDE
from workbench.core.errors import BadSetting
from workbench.plots.print_file import FORMATS, print_file, print_files
from workbench.plots.template import alt_text, takeaway_of

SVG = "{http://www.w3.org/2000/svg}"


def width_of(name):
    return "full" if name in WIDE else "single"


@pytest.mark.parametrize("name", ALL)
def test_every_figure_becomes_every_file(name):
    drawn = ALL[name](len(name) % 2 == 0)  # half of them dark
    files = dict(zip(FORMATS, print_files(drawn, width=width_of(name)), strict=True))
    root = ElementTree.fromstring(files["svg"])
    assert root.attrib["width"] == f"{486 if name in WIDE else 239.76:g}pt"
    written = [text.text for text in root.iter(f"{SVG}text")]
    assert written and not re.search(rb"<(image|script)\b(?![^>]*data:)", files["svg"].replace(b"\n", b" "))
    picture = Image.open(BytesIO(files["png"]))
    assert picture.width == (2025 if name in WIDE else 999) and picture.info["dpi"][0] == pytest.approx(300, abs=0.1)
    assert picture.info["Title"] == takeaway_of(drawn) and picture.info["Description"] == alt_text(drawn)
    assert files["pdf"].startswith(b"%PDF") and b"/FontFile2" in files["pdf"] and b"/Type3" not in files["pdf"]


def test_equal_figures_give_equal_files_without_a_date():
    together = print_files(ALL["decision_boundary"](False))
    assert [print_file(ALL["decision_boundary"](False), kind) for kind in FORMATS] == together
    assert not re.search(rb"<dc:date>|/CreationDate|tIME", b"".join(together))


def test_an_svg_says_what_it_shows_and_falls_back_to_other_typefaces():
    drawn = ALL["curves"](False)
    text = print_file(drawn, "svg").decode()
    assert takeaway_of(drawn) in text and "sans-serif" in text and "DejaVu Sans" in text


def test_letters_that_the_font_lacks_are_named_once():
    drawn = go.Figure(go.Scatter(x=[0, 1], y=[0, 1], name="中文 é"), {"showlegend": True})
    with pytest.warns(UserWarning, match="has no 中 文: boxes") as said:
        print_files(drawn)
    assert len(said) == 1 and "中文" in print_file(drawn, "svg").decode()


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(BadSetting, match="svg, pdf, png"):
        print_file(ALL["curves"](False), "gif")
