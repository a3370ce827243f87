import pytest

from workbench import api
from workbench.__main__ import main
from workbench.augmentations.draw import Drawer
from workbench.augmentations.languages import for_any_language, unsuited
from workbench.augmentations.pipeline import parse

TEXTS = {
    "Chinese": "今天天气很好,我们去公园散步,然后一起去吃饭,晚上再去看一场电影,明天早上还要上班。",
    "Hebrew": "שלום עולם, מה שלומך היום בבוקר היפה הזה, ומה אתה עושה אחר כך?",
    "Russian": "Сегодня хорошая погода, пойдём гулять в парк.",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_for_any_language_changes_any(text):
    assert len(for_any_language()) >= 5
    for name in for_any_language():
        drawer = Drawer(name, seed=0)
        assert any(drawer.many([text], draw)[0].changed for draw in range(10)), name


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_steps_for_english_are_named_and_do_nothing(text):
    said = unsuited(parse("eda_swap + eda_synonym + one_of(augcse_replace_hypernyms, eda_insert)"), [text, text])
    assert said.startswith("“Replace by synonyms”, “")
    assert " are for English; 2 of 2 texts are in another script and stay as they are. For any language: " in said
    assert "\n" not in said
    assert not Drawer("eda_synonym", seed=0).many([text], 0)[0].changed


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("eda_synonym", ["a dog", "café", "42", "🎉", ""]),
        ("eda_synonym", ["我用 OK"]),
        ("eda_swap + token_cutoff", [TEXTS["Chinese"]]),
        ("", [TEXTS["Chinese"]]),
        ("eda_synonym", []),
    ],
)
def test_nothing_is_said_where_nothing_is_lost(line, texts):
    assert unsuited(parse(line), texts) == ""


def test_texts_that_look_like_another_language_are_counted():
    texts = [
        "Ich bleibe zu Hause, weil es regnet.",
        "Où est la gare ?",
        "Hay fever in EST, the Finnish trial.",
        "dogs bark",
    ]
    said = unsuited(parse("eda_synonym"), [*texts, TEXTS["Russian"]])
    assert "; 2 of 5 texts look like another language and are read as if English. For any" in said
    assert "1 of 5 texts is in another script and stays as it is" in said


def test_python_and_the_command_line_say_it(tmp_path, capsys):
    table = api.augment("eda_swap + eda_synonym", [TEXTS["Chinese"]], runs=tmp_path)
    assert table["changed"].all() and [line.split(" is ")[0] for line in table.attrs["cautions"]] == [
        "“Replace by synonyms”"
    ]
    assert main(["augment", "eda_swap + eda_synonym", TEXTS["Chinese"], "--runs", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "is for English" in err and "is for English" not in out and out.strip() != TEXTS["Chinese"]
