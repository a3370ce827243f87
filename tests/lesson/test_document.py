"""The exported file."""

import re

from workbench.core.html_file import POLICY
from workbench.lesson import document


def test_it_loads_nothing():
    text = document.document()
    assert text.startswith("<!doctype html>") and POLICY in text
    assert not re.findall(r'(?:src|href|url\(|import )\s*=?\s*["\'(]?\s*https?:', text)
    assert set(re.findall(r"https?://[^\s\"'`<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_data_cannot_end_their_element():
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', document.document(), re.DOTALL)[1]
    assert "<" not in data


def test_the_script_never_makes_markup_of_texts():
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", document.script()
    )


def test_it_is_small():
    assert len(document.document().encode()) < 500_000
