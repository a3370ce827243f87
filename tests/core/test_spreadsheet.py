import io

import numpy as np
import pandas
import pytest

from workbench.core.spreadsheet import csv_of


@pytest.mark.parametrize(
    "text", ["=1+1", "+49", "-x", "@SUM(A1)", "\tx", "\rx", "\n=1", "＝1", '=HYPERLINK("x")', "- "]
)
def test_a_text_that_a_spreadsheet_would_compute_is_a_text(text):
    table = pandas.DataFrame({"text": [text, "plain"], text: ["a", "b"], "kind": pandas.Categorical([text, "c"])})
    back = pandas.read_csv(io.StringIO(csv_of(table)), keep_default_na=False)
    if text == "+49":  # a number, as it was typed
        assert back["text"][0] == text
        return
    assert all(str(name).startswith(("text", "'", "kind")) for name in back.columns)
    assert back["text"][0].startswith("'") and back["kind"][0].startswith("'") and back["text"][1] == "plain"


def test_numbers_stay_numbers():
    table = pandas.DataFrame({"a": [-1.5, np.nan], "b": [-3, 4], "c": ["-0.25", "x"], "d": [-1.0, "=x"]})
    assert csv_of(table) == "a,b,c,d\n-1.5,-3,-0.25,-1.0\n,4,x,'=x\n"
    assert table["d"][1] == "=x"


def test_two_columns_of_one_name_and_lists_are_written():
    table = pandas.DataFrame([["=x", [1]], ["y", None]], columns=["a", "a"])
    assert csv_of(table) == "a,a\n'=x,[1]\ny,\n"
