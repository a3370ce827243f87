import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.calls import CALL, Reader, read_call, write_call, write_value
from workbench.core.errors import BadSetting

VALUES = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())


@given(st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), VALUES, max_size=4))
def test_what_is_written_is_read_and_found(given_settings):
    text = write_call("whitening", given_settings)
    name, found = read_call(text)
    assert (name, found) == ("whitening", given_settings)
    assert {key: type(value) for key, value in found.items()} == {k: type(v) for k, v in given_settings.items()}
    assert re.fullmatch(CALL, text)
    assert read_call(write_call("whitening", given_settings, quoted=True)) == (name, found)


@given(VALUES, st.booleans())
def test_a_value_is_read_back_wherever_it_stands(value, quoted):
    reader = Reader(f"  {write_value(value, quoted=quoted)} , more")
    found = reader.value()
    assert (found, type(found)) == (value, type(value)) and reader.rest == ", more"


@given(st.text("ab_1()[]@+,=\"\\' .", max_size=25))
def test_any_text_is_read_or_refused_and_what_is_read_is_written_alike(text):
    with contextlib.suppress(BadSetting):
        call = read_call(text)
        assert read_call(write_call(*call)) == call


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("whitening(k=64 few=true)", "',' or ')' was expected at character 16. Got: few=true)"),
        ("whitening(k=64", "',' or ')' was expected at character 15. Got: the end"),
        ("whitening(=64)", "The name of a setting was expected at character 11. Got: =64)"),
        ("whitening(k=64) more", "The end was expected at character 17. Got: more"),
        ("whitening(k=64, k=32)", "k is set twice"),
    ],
)
def test_an_error_says_what_was_expected_and_where(text, said):
    with pytest.raises(BadSetting, match=re.escape(said)):
        read_call(text)


@pytest.mark.parametrize(
    "text", ["", "a b", "a(", "a)", "a(b)", "a(b=)", "a(b=1,)", "a(b=1 c=2)", "a(=1)", "a((b=1))", 'a(b="c)', "a(,)"]
)
def test_what_cannot_be_read_is_reported(text):
    with pytest.raises(BadSetting, match="cannot be read"):
        read_call(text)


def test_empty_brackets_are_none():
    assert read_call("flow()") == ("flow", {}) and write_call("flow", {}) == "flow"
