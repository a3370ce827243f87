import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from tests.augmentations.test_every import HERE, RESOURCES
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.draw import Drawer, stream_key
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.text import METHODS
from workbench.core.errors import BadMethod
from workbench.core.seeds import text_rng

COVERING = [
    "mirror_span(shortest=20)",
    "arc_masks",
    "arc_masks[1]",
    "clear_word_deletion(rate=0.3)",
    "clear_span_deletion",
]
TEXTS = [
    "Yesterday Maria didn't buy 12 red apples in Paris, but she was very happy about the old house.",
    "The dog sees the cat. However, he is not angry, and it's a sunny day in Berlin!",
    "今天天气很好我们去公园散步然后回家吃饭看书睡觉明天还要上班",
]
"""Without brackets, so that remains of a mask are visible."""


@pytest.fixture(autouse=True)
def parsed_afresh():
    """Lines that were read while a test replaced a method have the settings of that one."""
    yield
    parse.cache_clear()


@cache
def covered(first: str) -> tuple[str, ...]:
    return tuple(made.text for number in range(3) for made in Drawer(first, seed=0).many(TEXTS, number))


@pytest.mark.parametrize("first", COVERING)
@pytest.mark.parametrize("name", HERE)
def test_no_step_changes_an_existing_mask(first, name):
    assert all("[MASK]" in text for text in covered(first))
    one = Drawer(f"{first} + {name}", seed=0, resources=RESOURCES)
    for number in range(3):
        for made in one.many(TEXTS, number):
            rest = made.text.replace("[MASK]", "")
            assert not re.search(r"[\[\]\ue000-\uf8ff]", rest), made.text


@pytest.mark.parametrize("first", COVERING)
@pytest.mark.parametrize("name", ["typo_noise(rate=0.5)", "case_noise(rate=0.9)", "eda_swap(rate=0.5)"])
def test_steps_that_delete_nothing_keep_every_mask(first, name):
    masks = [text.count("[MASK]") for text in covered(first)]
    one = Drawer(f"{first} + {name}", seed=0)
    assert [made.text.count("[MASK]") for number in range(3) for made in one.many(TEXTS, number)] == masks


def test_masks_and_protected_spans_can_be_adjacent():
    protection = Protection(("red apples", "MASK"), r"\[\w+\] \w")
    one = Drawer("mirror_span + typo_noise(rate=1.0) + case_noise(rate=1.0)", seed=0, protection=protection)
    for number in range(20):
        made = one(TEXTS[0], number)
        assert "red apples" in made.text and made.text.count("[MASK]") == 1


def test_without_a_mask_the_stream_is_the_default_one():
    for name in ("typo_noise", "eda_swap", "mirror_span"):
        rng = text_rng(7, name, 2, TEXTS[0])
        assert Drawer(name, seed=7)(TEXTS[0], 2).text == METHODS[name].fn(TEXTS[0], rng=rng)
    # Hidden stretches leave the stream as it is: that of the text as it was written.
    protection = Protection(("Maria",))
    hidden, stands_for = protection.hidden(TEXTS[0])
    saved = []
    for number in range(20):
        made = Drawer("typo_noise(rate=0.3)", seed=7, protection=protection)(TEXTS[0], number)
        if made.acted:
            result = METHODS["typo_noise"].fn(hidden, rate=0.3, rng=text_rng(7, "typo_noise", number, TEXTS[0]))
            saved.append(made.text == Protection.shown(result, stands_for))
    assert len(saved) > 5 and all(saved)


def test_texts_with_lost_spans_are_retried_in_one_batch():
    asked = []

    def lines(step, stream, texts, written, draw):
        asked.append((stream, texts, written))
        return ["gone"] * len(texts)

    one = Drawer("embedding_word", seed=0, protection=Protection(("keep",)), lines=lines)
    texts = [f"keep word {number}" for number in range(5)] + ["nothing here"]
    made = one.many(texts)
    assert [draw.text for draw in made] == [*texts[:5], "gone"] and [draw.acted for draw in made] == [True] * 5 + [
        False
    ]
    streams = ["embedding_word", "embedding_word", "embedding_word.again1", "embedding_word.again2"]
    assert [stream for stream, *_ in asked] == streams
    assert all(list(written) == texts[:5] for *_, written in asked[1:])
    assert all("keep" not in text for _, hidden, _ in asked[1:] for text in hidden)


def test_a_second_step_of_the_same_name_has_another_stream():
    seen = Counter()
    assert [stream_key(name, seen) for name in ("a", "b", "a", "a")] == ["a", "b", "a.2", "a.3"]


def test_masks_are_hidden_from_a_step_and_come_back_in_their_rows():
    texts = ["a [MASK] b", "plain text", "[MASK] [MASK]", "\ue000 [MASK]"]
    drawer = Drawer("eda_swap", seed=0)
    made = [draw.text for draw in drawer.many(texts)]
    assert [text.count("[MASK]") for text in made] == [1, 0, 2, 1]
    assert [sorted(text.split()) for text in made] == [sorted(text.split()) for text in texts]
    assert texts[0] == "a [MASK] b"


@pytest.mark.parametrize(("result", "got"), [(None, "NoneType None"), (("a", "b"), "tuple"), (3, "int 3")])
def test_a_method_that_returns_no_text_is_named(monkeypatch, result, got):
    line = "case_noise"
    broken = replace(METHODS[line], fn=_returning(result), each=None)
    monkeypatch.setitem(AUGMENTATIONS, line, broken)
    with pytest.raises(
        BadMethod, match=rf"The augmentation {line} did not return a text for each.*test_draw.*Got: {got}"
    ):
        Drawer(line, seed=0)("A dog runs.")


def test_a_text_that_cannot_be_written_down_is_the_method_s_fault_only_if_it_made_it(monkeypatch):
    line, half = "case_noise", "A dog \ud800 runs."
    monkeypatch.setitem(AUGMENTATIONS, line, replace(METHODS[line], fn=_returning("A dog \ud800"), each=None))
    drawer = Drawer(line, seed=0)
    with pytest.raises(BadMethod, match=r"did not return text that can be written as UTF-8\. It is in .*test_draw"):
        drawer("A dog runs.")
    assert drawer(half).text == "A dog \ud800"


def test_a_method_that_fails_is_named_wherever_it_is_and_its_error_is_the_cause(monkeypatch):
    def case_noise(text, *, rng):
        return text.split()[1000]

    monkeypatch.setitem(AUGMENTATIONS, "case_noise", replace(METHODS["case_noise"], fn=case_noise, each=None))
    with pytest.raises(
        BadMethod, match=rf"The augmentation case_noise failed: IndexError. It is in {__name__}\. Reason:"
    ):
        Drawer("case_noise", seed=0)("A dog runs.")
    case_noise.__module__ = METHODS["case_noise"].fn.__module__
    with pytest.raises(BadMethod, match=r"It is in workbench\.augmentations\.text\.case_noise\.") as caught:
        Drawer("case_noise", seed=0)("A dog runs.")
    assert isinstance(caught.value.__cause__, IndexError)


def _returning(result):
    def case_noise(text, *, rng):
        return result

    return case_noise
