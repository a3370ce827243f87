from hypothesis import given
from hypothesis import strategies as st

from workbench.data.cleaning import Cleaner


def test_cleaner():
    clean = Cleaner()
    assert clean("  two\u00a0 words\t\n", 1) == "two words"
    assert clean("bell\x07 and \x9fsuch\ufeff", 2) == "bell and such"
    family, arabic = "👨‍👩‍👧 ok", "\u200fمرحبا"
    assert (clean(family, 3), clean(arabic, 4)) == (family, arabic)
    assert clean("\ufffd", 5) == "\ufffd"
    assert len(clean("word " * 10_000, 6).split()) == 10_000
    control, long, damaged = clean.notices()
    assert "1 text contained control" in control and "row 2" in control
    assert "10,000 words" in long and "row 6" in long
    assert "damaged" in damaged


def test_texts_are_long_from_their_limits_on_and_the_first_of_a_kind_is_named():
    clean = Cleaner()
    for row, text in enumerate(["x" * 49_999, "a " * 9_999, "\x07", "x" * 50_000, "a " * 10_000, "\x07"], 1):
        clean(text, row)
    control, long = clean.notices()
    assert control.startswith("2 texts contained") and control.endswith("(first in row 3).")
    assert long.startswith("2 texts had at least") and long.endswith("(first in row 4).")


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text):
    once = Cleaner()(text, 1)
    assert Cleaner()(once, 1) == once
    assert "\n" not in once and "\t" not in once
