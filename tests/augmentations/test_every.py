"""Contracts of every text augmentation."""

import subprocess
import sys
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.catalogue import find_augmentation, pools
from workbench.augmentations.draw import Drawer
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._draws import normalised
from workbench.data.demo import sentences

HERE = [name for name, method in METHODS.items() if not method.absent]
RESOURCES = Resources([text for _, text in sentences()[:400]])
ODD = [
    "",
    " ",
    "\n\t",
    "word",
    "a",
    "I",
    "👩‍👩‍👧 🎉",
    "ß",
    "שלום עולם",
    "今天天气很好",
    "東京に行きました。",
    "\x00 \ud800 x",
    "<b>bold</b>",
    "a b" * 5_000,
]
ENGLISH = "Yesterday Maria didn't buy 12 red apples in Paris, but she was very happy about the old house."
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Co"]), max_size=60)


@cache
def drawer(name: str, terms: tuple[str, ...] = (), pattern: str = "") -> Drawer:
    return Drawer(name, seed=3, resources=RESOURCES, protection=Protection(terms, pattern))


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_nothing_raises(name, text):
    for number in range(3):
        result = drawer(name)(text, number)
        assert result.text == normalised(result.text)
        assert result.changed == (result.text != normalised(text))
        assert result.label == (name if result.changed else "none")
        assert bool(result.text) == bool(text.strip())


@pytest.mark.parametrize("name", HERE)
@given(text=TEXTS, number=st.integers(0, 50))
@settings(max_examples=25)
def test_a_draw_of_any_text_is_reproducible(name, text, number):
    first = drawer(name)(text, number)
    assert first == drawer(name)(text, number)
    assert first == drawer(name).many(["another", text, "third one"], number)[1]


@pytest.mark.parametrize("name", HERE)
def test_other_scripts_are_left_alone_or_handled(name):
    """Methods for English return other scripts unchanged; the others change at least one of ten draws of a long text."""
    text = "今天天气很好我们去公园散步然后回家吃饭看书睡觉明天还要上班非常开心也很累但是没有关系"
    changed = [drawer(name)(text, number).changed for number in range(10)]
    if METHODS[name].tags["language"] == "english":
        assert not any(changed)
    elif name not in ("case_noise", "augcse_sentence_reordering"):
        assert any(changed), "it never changes text without spaces: its tag language is english, not any"


@pytest.mark.parametrize("name", HERE)
@given(text=TEXTS, number=st.integers(0, 5))
@settings(max_examples=25)
def test_protected_terms_survive(name, text, number):
    one = drawer(name, ("red apples", "Paris", "X-12"), r"\{\w+\}|\"[^\"]*\"")
    full = f'{text} red apples in Paris {{name}} X-12 "{text[:10].replace(chr(34), "")}" not {text}'
    result = one(full, number)
    assert not one.protection.protected(normalised(full)) - one.protection.protected(result.text)


@pytest.mark.parametrize("name", HERE)
def test_protection_changes_only_draws_that_would_lose_a_term(name):
    bare, guarded = drawer(name), drawer(name, ("Paris",))
    acted = 0
    for number in range(30):
        plain, safe = bare(ENGLISH, number), guarded(ENGLISH, number)
        if guarded.protection.protected(plain.text):
            assert safe == plain
        else:
            assert safe.acted and "Paris" in safe.text
            acted += 1
    if name in ("eda_delete", "augcse_random_deletion", "una_negative"):
        assert acted


@pytest.mark.parametrize("name", HERE)
def test_tags_have_what_a_form_needs(name):
    tags = METHODS[name].tags
    assert tags["class"] in ("meaning_alteration", "possible", "preserving")
    assert tags["role"] in ("positive", "negative")
    assert tags["language"] in ("any", "english")


@pytest.mark.parametrize("name", METHODS)
def test_the_summary_on_the_page_is_a_whole_sentence(name):
    assert METHODS[name].summary.endswith(".")


def test_aliases_and_pools():
    assert find_augmentation("RandomCrop").id == "augcse_random_crop"
    assert len(pools()["augcse_4"]) == 4 and len(pools()["augcse_12"]) == 12
    assert set(pools()["augcse_4"]) <= set(pools()["augcse_12"])
    assert len(list(parse("augcse_4").all())) == 4 and parse("augcse_4").modelled


@pytest.mark.parametrize("number", range(2))
def test_other_processes_draw_the_same(number):
    names = [name for name in HERE if METHODS[name].prepare is None]
    code = (
        "from workbench.augmentations.draw import draw\n"
        f"print([draw(name, {ENGLISH!r}, seed=1, draw={number}).text for name in {names!r}])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    from workbench.augmentations.draw import draw

    assert ran.stdout.strip() == repr([draw(name, ENGLISH, seed=1, draw=number).text for name in names])
