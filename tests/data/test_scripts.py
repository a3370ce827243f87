"""Older encodings of other scripts than the Latin one are told, or refused; those of Latin ones are read as ever."""

import pytest

from workbench.core.errors import BadData
from workbench.data.files import examine

JAPANESE = ["今日はとても天気がいいですね。", "新しいコンピュータを買いました。"]
KOREAN = ["한 남자가 기타를 치고 있다.", "오늘은 날씨가 정말 좋습니다."]
SIMPLIFIED = ["一个男人在弹吉他。", "借呗还款可以分期吗", "今天天气很好，我们去公园吧。"]
TRADITIONAL = ["一個男人在彈吉他。", "今天天氣很好，我們去公園吧。"]
RUSSIAN = ["Мужчина играет на гитаре.", "Сегодня очень хорошая погода."]
UKRAINIAN = ["Чоловік грає на гітарі.", "Сьогодні дуже гарна погода.", "Дві собаки біжать полем."]
GREEK = ["Ένας άντρας παίζει κιθάρα.", "Σήμερα ο καιρός είναι πολύ καλός."]
HEBREW = ["גבר מנגן בגיטרה.", "היום מזג האוויר נהדר.", "הסרט הזה היה מעניין מאוד."]
ARABIC = ["رجل يعزف على الجيتار.", "الطقس جميل جدا اليوم."]
THAI = ["ผู้ชายกำลังเล่นกีตาร์", "วันนี้อากาศดีมาก", "ภาพยนตร์เรื่องนี้น่าสนใจมาก"]


@pytest.mark.parametrize(
    ("texts", "encoding", "name"),
    [
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (KOREAN, "euc_kr", "EUC-KR"),
        (SIMPLIFIED, "gb2312", "GB18030"),
        (SIMPLIFIED, "gbk", "GB18030"),
        (TRADITIONAL, "big5", "Big5"),
        (RUSSIAN, "cp1251", "Windows-1251"),
        (RUSSIAN, "koi8_r", "KOI8"),
        (UKRAINIAN, "cp1251", "Windows-1251"),
        (UKRAINIAN, "koi8_u", "KOI8"),
    ],
)
def test_another_script_is_read_and_said(texts, encoding, name):
    file = examine("\n".join([*texts, "plain"]).encode(encoding), name="a.txt")
    assert [cells[0] for _, cells in file.rows()] == [*texts, "plain"]
    assert f"It was read as {name}" in file.notices[0]
    table = "label\tsentence\n" + "\n".join(f"{number % 2}\t{text}" for number, text in enumerate(texts))
    assert [cells[1] for _, cells in examine(table.encode(encoding), name="a.tsv").rows()] == texts


@pytest.mark.parametrize(
    ("texts", "encoding"),
    [
        (TRADITIONAL, "gbk"),
        (RUSSIAN, "iso8859_5"),
        (RUSSIAN, "cp866"),
        (GREEK, "cp1253"),
        (HEBREW, "cp1255"),
        (ARABIC, "cp1256"),
        (THAI, "tis_620"),
    ],
)
def test_what_cannot_be_told_is_refused(texts, encoding):
    with pytest.raises(BadData, match=r"its encoding cannot be determined.*Save it as UTF-8"):
        examine("\n".join(texts).encode(encoding), name="a.txt")


def test_a_line_longer_than_what_is_looked_at_is_read():
    texts = ["x" + "".join(SIMPLIFIED) * 2_000, "plain"]
    file = examine("\n".join(texts).encode("gb2312"), name="a.txt")
    assert [cells[0] for _, cells in file.rows()] == texts


def test_damage_is_refused_and_not_read_as_western():
    with pytest.raises(BadData, match=r"begins as GB18030 \(Chinese\), but is damaged.*Save it as UTF-8"):
        examine("\n".join(SIMPLIFIED * 3_000).encode("gb2312") + "é".encode("cp1252"), name="a.txt")


@pytest.mark.parametrize(
    ("texts", "encoding"),
    [
        (["Die Männer üben für die große Prüfung.", "„Schön“, sagte er – ‚Übung‘ …"], "cp1252"),
        (["L'été dernier, nous étions là.", "« Où êtes-vous né ? » demanda-t-elle…", "Hélas…»"], "cp1252"),
        (["L'ÉTÉ DERNIER À L'ÉCOLE", "ÄPFEL UND ÖL FÜR GRÖSSE", "¿¡QUÉ ÚLTIMA ACCIÓN!?"], "cp1252"),
        (["Tämä sää ei ole hyvää.", "Hän määrää, että pää jää päälle.", "Yö on pimeä."], "cp1252"),
        (["Það er þýðing á íslensku.", "Þúfa í Æðey."], "cp1252"),
        (["He said “well…” – “yes…”", "plain"], "cp1252"),
        (["Żółw i łódź są na łące.", "Zażółć gęślą jaźń.", "Mężczyzna gra na gitarze."], "cp1250"),
        (["Ovanliga bokstäver: ÅÄÖ", "plain"], "cp1252"),
    ],
)
def test_latin_script_is_read_as_western(texts, encoding):
    written = "\n".join(texts).encode(encoding)
    file = examine(written, name="a.txt")
    assert file.encoding == "cp1252" and "Windows-1252" in file.notices[0]
    assert [cells[0] for _, cells in file.rows()] == written.decode("cp1252").split("\n")
