"""Tables in XML, by their paths."""

import pytest

from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.data.files import examine
from workbench.data.pairs import load_pairs

PAIR = """    <pair entailment="{label}" id="{n}" similarity="{n}.5">
        <t>O c\u00e3o &quot;corre&quot; {n} &amp; dorme.</t>
        <h>O gato <b>come</b> {n}.</h>
    </pair>
"""
"""As in ASSIN."""


def in_xml(folder, pairs, head='<?xml version="1.0" encoding="utf-8" standalone="no"?>'):
    path = folder / "assin-ptpt-test.xml"
    path.write_text(f"{head}\n<entailment-corpus>\n{pairs}</entailment-corpus>\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_of_xml_each_element_is_a_row(tmp_path, mark):
    pairs = "".join(PAIR.format(n=n, label=("None", "Entailment")[n % 2]) for n in range(4))
    path = in_xml(tmp_path, pairs, f'{mark}<?xml version="1.0" encoding="utf-8"?>')
    read = load_pairs(path)
    assert read.gold.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert (read.first[0], read.second[0]) == ('O c\u00e3o "corre" 0 & dorme.', "O gato come 0.")
    assert any(
        "each element is a row, with the columns entailment, id, similarity, t, h" in one for one in read.notices
    )
    corpus = load_corpus(f"{path}#text=t,positive=h,label=entailment")
    assert corpus.classes == ("entailment", "none") and corpus.rows == 4
    assert examine(path.read_bytes(), name="a.xml").columns == 5


DECLARED = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c"><!ENTITY d SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("pairs", "head", "match"),
    [
        (PAIR.format(n=1, label="&d;") * 2, DECLARED, "declares a document type"),
        (PAIR.format(n=1, label="None"), '<?xml version="1.0"?>', "not a table of at least two rows"),
        ("<p><t>A dog.</t><t>A cat.</t></p>" * 2, '<?xml version="1.0"?>', "holds t more than once"),
        (PAIR.format(n=1, label="None") * 2 + "<pair>", '<?xml version="1.0"?>', "cannot be read as XML"),
    ],
)
def test_xml_that_is_no_table_is_refused(tmp_path, pairs, head, match):
    for read in (load_corpus, load_pairs):
        with pytest.raises(BadData, match=match):
            read(in_xml(tmp_path, pairs, head))


def test_xml_is_no_text_file(tmp_path):
    pairs = PAIR.format(n=1, label="None") * 2
    with pytest.raises(BadData, match=r"is an XML file.*Save its texts as a table"):
        examine(in_xml(tmp_path, pairs), lines=True)
    with pytest.raises(BadData, match="an element is longer than 8 MB"):
        load_pairs(in_xml(tmp_path, pairs.replace("dorme", "dorme " * 1_400_000)))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("GBK", "你好"),
        ("Shift_JIS", "犬が走る"),
        ("EUC-KR", "안녕"),
        ("windows-1251", "Мама"),
        ("ISO-8859-1", "Käse"),
        ("UTF-8", "犬"),
    ],
)
def test_the_encoding_that_xml_declares(tmp_path, encoding, text):
    rows = f"<p><t>{text}.</t><h>A &amp; b</h></p>" * 9_000  # of more than one block that is read
    content = f"<?xml version='1.0' encoding='{encoding}'?><r>{rows}</r>".encode(encoding)
    (tmp_path / "pairs.xml").write_bytes(content)
    for source in (tmp_path / "pairs.xml", content):
        read = [cells for _, cells in examine(source, name="pairs.xml").rows()]
        assert len(read) == 9_000 and read[0] == read[-1] == [f"{text}.", "A & b"]


@pytest.mark.parametrize(
    "encoding", ["nonsense", "base64", "rot13", "undefined", "idna", "utf-7", "UTF-16", "Shift_JIS", "cp037", "x" * 99]
)
def test_xml_in_another_encoding_than_it_declares(encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?><r><p a="1"/><p a="你好"/></r>'.encode()
    with pytest.raises(BadData, match=r"cannot be read as XML. Reason: .+ Download or save it again"):
        examine(content, name="pairs.xml")
