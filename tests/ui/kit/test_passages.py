"""Texts on a page: escaped, in their own direction, and never as high as a page."""

from workbench.ui.kit.passages import MOST_SIGNS, many, passage


def test_a_long_text_is_whole_in_a_box_that_can_be_scrolled_with_keys():
    text = "word " * 10_000
    shown = passage(text)
    assert text in shown and 'class="passage long"' in shown
    assert 'tabindex="0"' in shown and 'aria-label="Text of 50,000 characters, scrolls"' in shown
    assert "long" not in passage("x" * MOST_SIGNS) and "long" in passage("x" * (MOST_SIGNS + 1))


def test_direction_is_left_to_the_script_and_marks_are_kept():
    assert 'dir="auto"' in passage("שלום") and 'dir="auto"' in passage("word " * 1000)
    assert "\u2067שלום\u2069" in passage("\u2067שלום\u2069")
    assert passage("a<b", "a&lt;<u>b</u>").endswith(">a&lt;<u>b</u></span>")


def test_many_items_scroll():
    assert many("<i></i>", 3, 3, "3 tokens") == "<i></i>"
    assert many("<i></i>", 4, 3, "4 tokens").endswith('aria-label="4 tokens, scrolls"><i></i></div>')
