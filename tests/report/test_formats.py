"""The formats of a report."""

import json
import re
from html import unescape

import pytest

from tests.report.trial import HOSTILE, material, several
from workbench.core.html_file import POLICY
from workbench.report.blocks import Cell, Points, Sheet
from workbench.report.document import document_of
from workbench.report.files import as_table, files_of
from workbench.report.html import html, plotly
from workbench.report.latex import block as latex_block
from workbench.report.latex import breakable
from workbench.report.markdown import markdown


@pytest.fixture(scope="module")
def document():
    gold, trainings = several()
    names = (HOSTILE, "same", "noise", "good")
    found = material(trainings, gold, names=names, question=f"Is {HOSTILE} best?", notices=[f"Note: {HOSTILE}"])
    return document_of(found, made=0.0)


@pytest.fixture(scope="module")
def files(document):
    return dict(files_of(document, lambda share, note: None))


def test_the_file_loads_nothing_and_has_the_library_once(files):
    text = files["report.html"].decode()
    assert text.startswith("<!doctype html>") and POLICY in text and text.count(plotly()[:200]) == 1
    without = text.replace(plotly(), "")
    assert not re.findall(r'(?:src|href|url\(|import )\s*=?\s*["\'(]?\s*https?:', without)


def test_names_cannot_become_markup(document):
    text = html(document, library="")
    assert "<b>&quot;" not in text and '<b>"mine"' not in text and text.count("</script>") == 2
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert "<" not in data and set(json.loads(data)) == {"forest", "plane"}
    assert unescape(re.findall(r"<h1>(.*?)</h1>", text)[0]) == f"Is {HOSTILE} best?"


def test_the_library_can_stand_in_a_script_element():
    assert "</script" not in plotly().lower() and "<!--" not in plotly()


def test_every_figure_is_there_for_both_themes_and_as_a_picture(document, files):
    text = html(document, library="")
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    for name, figure in json.loads(data).items():
        light, dark = (figure[theme]["layout"]["template"]["layout"]["paper_bgcolor"] for theme in ("light", "dark"))
        assert light != dark and f'data-figure="{name}"' in text
        assert files[f"figures/{name}.pdf"].startswith(b"%PDF") and files[f"figures/{name}.png"].startswith(b"\x89PNG")
        assert b"<svg" in files[f"figures/{name}.svg"]


def test_tables_are_safe_and_whole(files):
    import io

    import pandas

    for name, content in files.items():
        if name.endswith(".csv"):
            table = pandas.read_parquet(io.BytesIO(files[name.replace(".csv", ".parquet")]))
            assert len(pandas.read_csv(io.BytesIO(content))) == len(table)
            assert not [line for line in content.decode().splitlines() if line.startswith(("=", "+", "@"))]
    methods = pandas.read_parquet(io.BytesIO(files["tables/methods.parquet"]))
    assert HOSTILE in set(methods["method"]) and f"'{HOSTILE}" in set(
        pandas.read_csv(io.BytesIO(files["tables/methods.csv"]))["method"]
    )


def test_markdown_has_every_section_and_a_rectangle_for_every_table(document):
    text = markdown(document)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        section.title for section in document.sections
    ]
    tables = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    assert len(tables) == len(document.sheets)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert "<b>" not in text.replace("\\<b\\>", "")


def test_equal_files_give_equal_zips(files):
    from workbench.report.files import zipped

    table = as_table(iter(files.items()))
    assert zipped(table, "report") == zipped(table, "report")


def test_latex_is_balanced_and_bold_only_by_a_test(document, files):
    text = files["report.tex"].decode()
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended) and text.count("\\toprule") == text.count("\\bottomrule") == len(
        document.sheets
    )
    bare = re.sub(r"\\[{}\\]", "", text)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[&%#_$](?=mine|y\$|~)", text) and "</script>" not in text
    for sheet, table in zip(
        document.sheets, re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL), strict=True
    ):
        strong = sum(cell.strong and bool(cell.text) for row in sheet.rows for cell in row)
        assert table.count("\\textbf{") == strong
        rows = [line for line in table.splitlines() if line.endswith("\\\\")]
        assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {len(sheet.head) - 1}
    assert set(re.findall(r"includegraphics.*?\{(figures/\w+\.pdf)\}", text)) <= set(files)


def test_commands_in_latex_keep_their_spaces():
    line = "python -m workbench report a b --pairs demo:dev --question 'Is  it? Yes' ./x .y"
    shown = breakable(line)
    for sign, letter in ((r"\allowbreak{}", ""), ("\\ ", " "), (r"\textquotesingle{}", "'")):
        shown = shown.replace(sign, letter)
    assert shown == line


@pytest.mark.parametrize("name", ["[v2] simcse", "*new*"])
def test_what_latex_would_take_for_an_argument_is_text(name):
    sheet = Sheet("a", "b", ("Method",), ((Cell(name),),), None)
    assert "\\midrule\n{}" + name in latex_block(sheet)
    assert rf"\item {{}}{name}: a tie" in latex_block(Points((f"{name}: a tie",)))


def test_latex_compiles(files, tmp_path):
    import shutil
    import subprocess

    compiler = shutil.which("pdflatex") or shutil.which("tectonic")
    if compiler is None:
        pytest.skip("NO LATEX: install pdflatex or tectonic to compile the report")
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    command = [
        compiler,
        *(["-interaction=nonstopmode", "-halt-on-error"] if "pdflatex" in compiler else []),
        "report.tex",
    ]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False).returncode == 0
