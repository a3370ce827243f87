import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.kit.differences import Piece, edits_html, pieces


def read(found: list[Piece], *kinds: str) -> str:
    return "".join(piece.text for piece in found if piece.kind in kinds)


def letters(text: str) -> str:
    return "".join(text.split())


@given(st.text(alphabet="ab cd.é今天\n", max_size=40), st.text(alphabet="ab cd.é今天\n", max_size=40))
def test_both_texts_can_be_recovered_from_the_edits(before: str, after: str) -> None:
    found = pieces(before, after)
    assert letters(read(found, "same", "removed", "replaced_from", "moved_from")) == letters(before)
    assert letters(read(found, "same", "added", "replaced_to", "moved_to")) == letters(after)


def test_a_moved_word_is_not_a_removal() -> None:
    found = pieces("the quick brown fox", "quick brown the fox")
    assert {piece.kind for piece in found} == {"same", "moved_from", "moved_to"}


def test_a_typing_error_is_marked_inside_its_word() -> None:
    assert pieces("hello", "helo") == [Piece("same", "hel"), Piece("removed", "l"), Piece("same", "o")]


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("cafe\u0301", "cafE\u0301", [("e\u0301", "E\u0301")]),
        ("Zu\u0308rich", "Zurich", [("u\u0308", "u")]),
        ("\u0e17\u0e35\u0e48นี่", "\u0e17\u0e35นี่", [("\u0e17\u0e35\u0e48", "\u0e17\u0e35")]),
        ("İzmir", "i\u0307zmir", [("İ", "i\u0307")]),
        ("か\u3099く", "か\u309aく", [("か\u3099", "か\u309a")]),
    ],
)
def test_no_mark_cuts_an_accent_off_its_letter(before, after, marked):
    found = [piece.text for piece in pieces(before, after) if piece.kind.startswith("replaced")]
    assert list(zip(found[::2], found[1::2], strict=True)) == marked


def test_a_tab_after_a_misspelt_word_has_no_mark():
    shown = edits_html("tab\there and\tthere", "Tab here and There")
    assert shown.count('class="swap"') == 2 and "<del></del>" not in shown
    assert shown.endswith("there".replace("t", "<del>t</del><ins>T</ins></span>", 1))


def test_a_word_of_one_letter_moves_like_any_other() -> None:
    assert "added" not in {piece.kind for piece in pieces("A boy in a red coat", "A a in boy red coat")}


def test_the_space_after_a_word_is_outside_its_mark() -> None:
    assert '<del title="removed">big</del> cat' in edits_html("a big cat", "a cat")


def test_only_a_long_mark_may_break() -> None:
    assert 'title="removed" class="long">a very long way to the cat</del>' in edits_html(
        "a very long way to the cat sat", "sat"
    )


def test_spacing_alone_is_no_edit() -> None:
    assert edits_html("a\tbig  cat sat", "a big cat") == 'a big cat <del title="removed">sat</del>'


def test_one_word_may_be_replaced_by_two() -> None:
    assert "<del>storm.</del><ins>bad weather.</ins>" in edits_html("after the storm.", "after the bad weather.")


def test_a_replacement_has_its_own_mark() -> None:
    shown = edits_html("a small cat sat", "a small dog sat")
    assert shown.count('class="swap"') == 1
    assert "<del>cat</del><ins>dog</ins>" in shown
    assert "swap" not in edits_html("a small cat sat", "a cat sat")


@pytest.mark.parametrize(("before", "after"), [("我喜欢编程", "我编程喜欢"), ("雨が降る", "降る雨が")])
def test_without_spaces_characters_are_compared(before: str, after: str) -> None:
    assert {piece.kind for piece in pieces(before, after)} == {"same", "moved_from", "moved_to"}
    assert [piece.kind for piece in pieces("今日は雨", "今日は雪")] == ["same", "replaced_from", "replaced_to"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b", '"><img src=x onerror=alert(1)>'])
def test_texts_are_escaped(text: str) -> None:
    for shown in (edits_html(text, text), edits_html(text, "x"), edits_html("x", text)):
        assert "<script" not in shown and "<img" not in shown
        assert "&lt;" in shown or "&amp;" in shown
