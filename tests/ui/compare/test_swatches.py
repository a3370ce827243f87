"""Marks in tables look like those in figures."""

from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from workbench.plots.template import SYMBOLS, Style
from workbench.ui.compare.swatches import swatch


@pytest.mark.parametrize("symbol", SYMBOLS)
@pytest.mark.parametrize("ending", ["", "-open", "-open-dot"])
def test_every_symbol_has_a_shape_of_its_own(symbol, ending):
    drawn = swatch(Style("#123456", f"{symbol}{ending}", "solid"))
    mark = ElementTree.fromstring(unquote(drawn.partition("data:image/svg+xml,")[2].removesuffix('">')))
    assert mark.get("stroke") == "#123456" and (mark.get("fill") == "none") == bool(ending)
    assert len(mark) == 1 + ending.endswith("-dot")
    others = {swatch(Style("#123456", f"{other}{ending}", "solid")) for other in SYMBOLS}
    assert len(others) == len(SYMBOLS)
