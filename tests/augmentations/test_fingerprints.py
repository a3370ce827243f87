import os
import shutil
from pathlib import Path

import pytest

from workbench.augmentations import fingerprints, wordnet
from workbench.augmentations.catalogue import find_augmentation
from workbench.augmentations.fingerprints import code, files

VECTORS, FILLER = find_augmentation("embedding_word"), find_augmentation("contextual_word")


def of(method, **settings):
    return files(method, method.check(settings))


def test_a_file_counts_by_its_size_and_time(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("x", "utf-8")
    first = of(VECTORS, vectors=str(path))
    assert first == of(VECTORS, vectors=str(path)) and list(first) == [str(path)]
    os.utime(path, (1, 1))
    touched = of(VECTORS, vectors=str(path))
    path.write_text("xy", "utf-8")
    assert len({str(one) for one in (first, touched, of(VECTORS, vectors=str(path)))}) == 3


@pytest.mark.parametrize(
    ("method", "setting", "sign"), [(FILLER, "model", ""), (VECTORS, "vectors", ""), (VECTORS, "vectors", "backbone:")]
)
def test_everything_in_a_folder_counts_at_any_depth(tmp_path, method, setting, sign):
    deep = tmp_path / "0_Transformer" / "more"
    deep.mkdir(parents=True)
    found = []
    for path, content in ((tmp_path / "a", "1"), (deep / "a", "1"), (deep / "a", "12")):
        path.write_text(content, "utf-8")
        found.append(str(of(method, **{setting: f"{sign}{tmp_path}"})))
    assert len(set(found)) == 3


def test_an_embedded_backbone_counts_by_its_files():
    (found,) = of(VECTORS, vectors="backbone:minilm-l6").values()
    assert any(name.endswith(".safetensors") for name, *_ in found)
    assert of(FILLER, model="minilm-l6")["minilm-l6"] == found


@pytest.mark.parametrize(
    "name", ["glove", "org/name", "backbone:org/name", "\0", "x" * 5000, "~nobody-at-all/x", "", "backbone:"]
)
def test_what_is_not_a_path_counts_by_name_only(name):
    assert of(VECTORS, vectors=name) == {}


def test_only_files_of_the_resource_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "insert").write_text("no mode", "utf-8")
    assert of(VECTORS, mode="insert") == {} == of(find_augmentation("mirror_span"), mask="insert")


def test_wordnet_counts_where_it_is_read(tmp_path, monkeypatch):
    found = []
    for name in ("one", "other"):
        shutil.copytree(Path(__file__).parent / "wordnet", tmp_path / name)
        monkeypatch.setenv("WORKBENCH_WORDNET", str(tmp_path / name))
        found.append(of(find_augmentation("eda_synonym")))
        assert of(find_augmentation("eda_swap")) == {} and list(found[-1]) == [str(tmp_path / name)]
    monkeypatch.setenv("WORKBENCH_WORDNET", str(tmp_path / "nowhere"))
    assert of(find_augmentation("eda_synonym")) == {}
    assert wordnet.missing()
    monkeypatch.delenv("WORKBENCH_WORDNET")
    assert list(of(find_augmentation("eda_synonym"))) == [str(wordnet.source())], "the shipped one counts too"


def test_code_covers_the_method_and_the_modules_it_imports(tmp_path):
    copy = tmp_path / "augmentations"
    shutil.copytree(fingerprints._OWN, copy, ignore=shutil.ignore_patterns("__pycache__"))
    module = VECTORS.fn.__module__
    before = code(module, copy)
    assert before == code(module) != code(FILLER.fn.__module__)
    for file, counts in {
        "models/embedding_word.py": True,
        "models/_edits.py": True,
        "text/_words.py": True,  # by way of _edits
        "static_vectors.py": True,
        "text/una_negative.py": False,
        "models/_writer.py": False,
    }.items():
        content = (copy / file).read_text("utf-8")
        (copy / file).write_text(f"{content}\nMORE = 1\n", "utf-8")
        code.cache_clear()
        assert (code(module, copy) != before) == counts, file
        (copy / file).write_text(content, "utf-8")
    code.cache_clear()
    assert code("tests.elsewhere") == code("json")
