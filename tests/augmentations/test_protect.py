import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.protect import Protection
from workbench.core.errors import BadSetting


def test_terms_are_words_and_longer_ones_win():
    found = Protection(("red", "red wine")).protected("A red wine, redder than red.")
    assert found == {"red wine": 1, "red": 1}


def test_pattern_and_terms_together():
    assert Protection(("C++",), r"\{\w+\}").protected("Use C++ for {name} and {x}.") == {
        "C++": 1,
        "{name}": 1,
        "{x}": 1,
    }


def test_chinese_terms_need_no_spaces():
    assert Protection(("公园",)).protected("我们去公园散步") == {"公园": 1}


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_hidden_spans_are_restored(text):
    one = Protection(("a", "bc"), r"\d+")
    hidden, stands_for = one.hidden(text)
    assert one.shown(hidden, stands_for) == text


def test_lost_and_duplicated_spans_are_noticed():
    hidden, stands_for = Protection(("b",)).hidden("a b c")
    sign = next(iter(stands_for))
    assert Protection.shown(hidden.replace(sign, ""), stands_for) is None
    assert Protection.shown(hidden + sign, stands_for) is None


def test_bad_patterns_are_explained():
    with pytest.raises(BadSetting, match="not a regular expression"):
        Protection(pattern="(").check()
    with pytest.raises(BadSetting, match=r"at position 3\b"):  # of the pattern, however many terms there are
        Protection(terms=("a long term", "another"), pattern=r"\d(").check()
    with pytest.raises(BadSetting, match="too long"):
        Protection(pattern="a" * 501).check()
    with pytest.raises(BadSetting, match="takes too long"):
        Protection(pattern=r"(a|a)*(b|a)*(a+)+$x").protected("a" * 5000 + "!")


@pytest.mark.parametrize(
    "pattern",
    [
        "(?R)",
        "(?:(?R)|a)*",
        "(?P<x>a)(?&x)+",
        "(?P<x>(?P>x))",
        "((?1))",
        "(a)(?-1)",
        "(?:(?:a{1000}){1000}){1000}",
        "(?V1)a",
        "y{5000}",
        "(?:ab){999}",
        "a{99999999999999999999}",
    ],
)
def test_patterns_with_unbounded_memory_or_time_are_refused(pattern):
    with pytest.raises(BadSetting, match="pattern of protected terms"):
        Protection(pattern=pattern).check()


def test_counts_and_groups_without_recursion_are_accepted():
    for pattern in (r"\d{4}-\d{2}-\d{2}", r"(?P<x>a)(?P=x)", r"(a)\1", r"\(\?R\)", "(?i)who", "(?<!x)a{1,60}"):
        assert Protection(pattern=pattern).check()


def test_nothing_to_protect_is_false():
    assert not Protection() and not Protection((" ",)) and Protection(("x",)) and Protection(pattern="x")


def test_a_too_long_term_is_refused_before_any_search():
    with pytest.raises(BadSetting, match="term is too long"):
        Protection(terms=("y" * 5000,)).check()
