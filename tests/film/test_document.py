"""The film as the browser gets it, and its file."""

import base64
import json
import re

import numpy as np
import pytest

from tests.run_folders import film_run, make_run
from workbench.core.html_file import POLICY, tables_script
from workbench.film import document
from workbench.film.tables import film_tables
from workbench.store import film

HOSTILE = "</script><!--<b>{}</b> & “x” \u2028 שלום"


@pytest.fixture
def tables(folder):
    return film_tables(film_run(make_run(folder, name="<i>mine</i>"), text=HOSTILE))


def unpacked(text, frames, unit):
    return np.frombuffer(base64.b64decode(text), "<i2").reshape(frames, -1) / unit


def test_the_file_loads_nothing(tables):
    text = document.document(tables)
    assert text.startswith("<!doctype html>") and POLICY in text
    assert set(re.findall(r"https?://[^\s\"'`<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_texts_of_the_user_cannot_become_markup(tables):
    text = document.document(tables)
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert "<" not in data and json.loads(data)["texts"][0] == HOSTILE.format("sentence 0")
    assert text.count("<script") == 3 and "<i>mine" not in text and "&lt;i&gt;mine" in text
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function",
        document.script() + tables_script(),
    )


def test_numbers_survive_packing(tables):
    data = document.data(tables)
    for plane, points in zip(data["planes"], (tables.pca, tables.cone), strict=True):
        np.testing.assert_allclose(unpacked(plane["points"], 3, document.COORDINATE), points.reshape(3, -1), atol=1e-4)
        assert len(plane["share"]) == 3 and all(0 <= share <= 1 for share in plane["share"])
    np.testing.assert_allclose(unpacked(data["cosines"], 3, document.COSINE), tables.cosines, atol=1e-4)
    assert str(document.COORDINATE) in document.script() and str(document.COSINE) in document.script()
    assert data["steps"] == [0, 10, 20] and data["numbers"]["loss"][0] is None
    assert data["pairs"]["alike"] == [gold > 4 for gold in data["pairs"]["gold"]]
    json.dumps(data, allow_nan=False)


def test_groups_are_the_subsets_and_the_rest_beyond_eight(tables):
    data = document.data(tables)
    assert sorted(data["groups"]) == [HOSTILE.format(f"genre {number}") for number in range(3)]
    assert [data["groups"][at] for at in data["group"]] == tables.sentences["subset"].tolist()
    tables.sentences["subset"] = [f"of {row % 12}" for row in range(24)]
    data = document.data(tables)
    assert len(data["groups"]) == 8 and data["groups"][-1] == "5 others" and max(data["group"]) == 7


def test_the_headline_says_what_changed(tables):
    words = document.headline(tables)
    first, last = tables.frames.iloc[0], tables.frames.iloc[-1]
    assert (
        words.startswith("In 20 steps, the mean cosine fell from") and f"{last['mean_cosine']:.2f}".lstrip("-") in words
    )
    assert f"{100 * first['spearman']:.1f} to {100 * last['spearman']:.1f}" in words
    same = tables.frames.assign(mean_cosine=0.5, spearman=np.nan)
    assert (
        document.headline(type(tables)(**{**vars(tables), "frames": same}))
        == "In 20 steps, the mean cosine stayed at 0.50."
    )


def test_the_source_says_how_many_pairs_were_left_out(tables):
    assert "24 sentences of demo:dev, in 12 of 24 pairs, evenly by gold" in document.source(tables)


def test_the_largest_film_is_small_enough_to_send(folder):
    run = film_run(make_run(folder, steps=600), sentences=film.MOST_TEXTS, dim=16, steps=range(0, 601, 10))
    assert len(document.document(film_tables(run)).encode()) < 4_000_000


def test_a_minus_sign_stands_in_numbers_and_not_in_names(tables):
    frames = tables.frames.assign(mean_cosine=np.linspace(0.1, -0.2, len(tables.frames)))
    about = {**tables.about, "on": "sick-r:test"}
    words = document.headline(type(tables)(**{**vars(tables), "frames": frames, "about": about}))
    assert "the mean cosine fell from 0.10 to −0.20" in words and "sick-r:test" in words
