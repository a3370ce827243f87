import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.augment.fill_mask import mask_words, word_spans


@given(st.text(max_size=60), st.data())
def test_masked_words_can_be_restored(sentence, data):
    known = word_spans(sentence)
    chosen = [place for place in known if data.draw(st.booleans())]
    text, words = mask_words(sentence, chosen)
    parts = text.split("[MASK]")
    assert len(parts) == len(words) + 1
    whole = parts[0] + "".join((word or "[MASK]") + rest for word, rest in zip(words, parts[1:], strict=True))
    assert whole == sentence


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("नमस्ते दुनिया, आप!", ["नमस्ते", "दुनिया", "आप"]),
        ("cafe\u0301s, please", ["cafe\u0301s", "please"]),
        ("ฉันรักคุณ มาก", ["ฉันรักคุณ", "มาก"]),
        ("今天天气 OK吗？", ["今", "天", "天", "气", "OK", "吗"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("❤\ufe0f I", ["I"]),
    ],
)
def test_words_of_every_script_are_masked_as_a_whole(sentence, expected):
    assert [sentence[low:high] for low, high in word_spans(sentence)] == expected


def test_words_are_masked_without_the_punctuation_around_them():
    sentence = "Don't feed “ducks”, she said: [MASK] well-known rule."
    assert [sentence[low:high] for low, high in word_spans(sentence)] == [
        *("Don't", "feed", "ducks", "she", "said", "well-known", "rule")
    ]
