"""A figure on a page, and the menu that saves it."""

from io import BytesIO

import pandas as pd
from streamlit.testing.v1 import AppTest

from workbench.core.spreadsheet import parquet_of


def page():
    import pandas as pd
    import streamlit as st

    from workbench.plots.spectrum import spectrum
    from workbench.ui.kit.figures import show, show_made

    table = pd.DataFrame({"component": [1, 2], "relative": [1.0, 0.5], "share": [0.8, 0.2]})
    show(spectrum(table), key="a.first figure", point="The first holds all.", data=table)
    st.write("between")
    show_made(lambda: spectrum(table), table, key="second", data=table)


def opened(*keys):
    app = AppTest.from_function(page)
    for key in keys:
        app.session_state[f"save.{key}"] = True
    app.run()
    assert not app.exception
    return app


def test_a_closed_menu_makes_nothing():
    assert not opened().get("download_button")


def test_a_menu_saves_picture_and_data_of_its_figure():
    app = opened("a.first figure")
    assert [button.proto.label for button in app.get("download_button")] == [
        "PDF, one column (3.33 in)",
        "PDF, full width (6.75 in)",
        "Data (CSV)",
        "Data (Parquet)",
    ]
    buttons = next(part.proto.body for part in app.get("html") if "data-figure" in part.proto.body)
    assert buttons.count('data-figure="st-key-a-first-figure"') == 2  # Streamlit's class of that figure
    assert 'data-format="svg"' in buttons and 'data-format="png"' in buttons and 'data-name="a.first figure"' in buttons


def test_the_data_of_a_figure_are_a_table_on_the_page_once_someone_asks():
    app = opened()
    assert [button.label for button in app.button] == ["Table", "Table"] and not app.dataframe
    app.button[0].click().run()
    assert [button.label for button in app.button] == ["Hide the table", "Table"]
    assert [frame.value["relative"].tolist() for frame in app.dataframe] == [[1.0, 0.5]]
    app.button[0].click().run()
    assert not app.dataframe


def long_page():
    import pandas as pd

    from workbench.plots.spectrum import spectrum
    from workbench.ui.kit.figures import save_menu

    table = pd.DataFrame({"component": range(1, 1502), "relative": 0.5, "share": 0.1})
    save_menu(lambda: spectrum(table), "long", lambda: table)


def test_of_a_long_table_the_first_rows_are_shown():
    app = AppTest.from_function(long_page)
    app.session_state["figure.table.long"] = True
    app.run()
    assert len(app.dataframe[0].value) == 1000
    assert any("first 1,000 of 1,501 rows" in part.proto.body for part in app.get("html"))


def test_the_description_has_the_finding_that_stands_above():
    first, second = opened().get("plotly_chart")
    assert "The first holds all." in str(first.proto) and "80 %" not in str(first.proto).split("alt")[-1]
    assert "holds 80 %" in str(second.proto).split("alt")[-1]


def test_a_table_of_any_columns_becomes_parquet():
    table = pd.DataFrame({"text": ["=1+1", None], "mixed": ["a", 1], "list": [[1], [2, 3]], 4: [0.5, 1.5]})
    table.attrs = {"set": {1}}
    back = pd.read_parquet(BytesIO(parquet_of(table)))
    assert list(back.columns) == ["text", "mixed", "list", "4"]
    assert back["text"][0] == "=1+1" and back["mixed"].tolist() == ["a", "1"] and back["4"].tolist() == [0.5, 1.5]
