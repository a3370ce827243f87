import pytest

from workbench.core.reserved import is_reserved


@pytest.mark.parametrize("name", ["con", "CON", "Nul", "aux.txt", "com1.tar.gz", "LPT9", "prn.", "a.", "a "])
def test_what_windows_has_no_file_for(name):
    assert is_reserved(name)


@pytest.mark.parametrize("name", ["config.toml", "console", "com", "com10", "a.con", "x.aux.txt", "null", ".a"])
def test_what_it_has(name):
    assert not is_reserved(name)
