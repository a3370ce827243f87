"""Messages of a page, and of its parts that run by themselves."""

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

import workbench

ROOT = Path(workbench.__file__).parent


def page_with_a_part_that_fails():
    import streamlit as st

    from workbench.core.errors import BadData
    from workbench.ui.kit.notices import fragment

    @fragment(run_every=60)
    def part(word: str) -> None:
        st.write(word)
        raise BadData("The run was *deleted*.", way_out="Choose another one.")

    part("begun")
    st.write("went on")


def test_a_part_of_a_page_says_what_is_wrong_in_its_place():
    page = AppTest.from_function(page_with_a_part_that_fails).run()
    assert not page.exception
    assert [text.value for text in page.markdown] == ["begun", "went on"]
    assert [error.value for error in page.error] == ["The run was \\*deleted\\*.\n\nChoose another one."]


def test_every_part_of_a_page_that_runs_by_itself_is_guarded():
    for path in (ROOT / "ui").rglob("*.py"):
        if path == ROOT / "ui/kit/notices.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Attribute) and node.attr == "fragment"), path
