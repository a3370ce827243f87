from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.filling import cover, places


@given(st.text(max_size=60), st.data())
def test_what_was_covered_can_be_put_back(sentence, data):
    known = places(sentence)
    chosen = [place for place in known if data.draw(st.booleans())]
    text, words = cover(sentence, chosen)
    parts = text.split("[MASK]")
    assert len(parts) == len(words) + 1
    whole = parts[0] + "".join((word or "[MASK]") + rest for word, rest in zip(words, parts[1:], strict=True))
    assert whole == sentence


def test_words_are_covered_without_the_signs_around_them():
    sentence = "Don't feed “ducks”, she said: [MASK] well-known rule."
    assert [sentence[low:high] for low, high in places(sentence)] == [
        *("Don't", "feed", "ducks", "she", "said", "well-known", "rule")
    ]
