import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.errors import BadSetting
from workbench.core.spelling import CALL, read_call, write_call

VALUES = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())


@given(st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), VALUES, max_size=4))
def test_what_is_written_is_read_and_found(given_settings):
    text = write_call("whitening", given_settings)
    name, found = read_call(text)
    assert (name, found) == ("whitening", given_settings)
    assert {key: type(value) for key, value in found.items()} == {k: type(v) for k, v in given_settings.items()}
    assert re.fullmatch(CALL, text)


@pytest.mark.parametrize(
    "text", ["", "a b", "a(", "a)", "a(b)", "a(b=)", "a(b=1,)", "a(b=1 c=2)", "a(=1)", "a((b=1))", 'a(b="c)', "a(,)"]
)
def test_what_cannot_be_read_is_said(text):
    with pytest.raises(BadSetting, match="cannot be read"):
        read_call(text)


def test_empty_brackets_are_none():
    assert read_call("flow()") == ("flow", {}) and write_call("flow", {}) == "flow"
