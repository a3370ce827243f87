import os
from pathlib import Path

import pytest

import workbench
from workbench.core import discovery
from workbench.processes import sources
from workbench.verbs import augment


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch):
    monkeypatch.setattr(sources, "_KNOWN", {})


def test_the_stamp_follows_every_source_file_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "SURE_SECONDS", -1.0)
    (tmp_path / "losses").mkdir()
    file = tmp_path / "losses" / "one.py"
    file.write_text("x = 1")
    stamps = [sources.stamp(tmp_path)]
    file.write_text("x = 22")
    stamps.append(sources.stamp(tmp_path))
    about = file.stat()
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns + 1))  # as long as before, written later
    stamps.append(sources.stamp(tmp_path))
    file.rename(tmp_path / "losses" / "two.py")
    stamps.append(sources.stamp(tmp_path))
    (tmp_path / "recipe.toml").write_text("id = 1")
    stamps.append(sources.stamp(tmp_path))
    assert len(set(stamps)) == len(stamps)
    (tmp_path / "losses" / "two.pyc").write_text("compiled")
    assert sources.stamp(tmp_path) == stamps[-1] == sources.stamp(tmp_path)


def test_the_stamp_is_read_again_only_after_a_while(tmp_path):
    before = sources.stamp(tmp_path)
    (tmp_path / "new.py").write_text("")
    assert sources.stamp(tmp_path) == before


def test_a_package_whose_methods_are_used_counts_though_it_is_imported(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "SURE_SECONDS", -1.0)
    monkeypatch.syspath_prepend(str(tmp_path))
    stamps = [sources.methods_stamp()]
    about = tmp_path / "other-1.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.5\n")
    (about / "entry_points.txt").write_text("[workbench.losses]\nfresh = other_methods.fresh\n")
    stamps.append(sources.methods_stamp())
    module = tmp_path / "other_methods"
    module.mkdir()
    (module / "__init__.py").write_text("")
    (module / "fresh.py").write_text("METHOD = 1")
    stamps.append(sources.methods_stamp())
    (module / "fresh.py").write_text("METHOD = 23")
    stamps.append(sources.methods_stamp())
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.6\n")
    stamps.append(sources.methods_stamp())
    assert len(set(stamps)) == len(stamps) and sources.methods_stamp() == stamps[-1]
    assert [*discovery.plugin_files().values()] == [[module]]
    (module / "fresh.py").unlink()
    whole = sources.stamp()
    (module / "fresh.py").write_text("METHOD = 4")
    assert sources.stamp() != whole


def test_every_folder_with_methods_is_among_those_of_its_stamp():
    root = Path(workbench.__file__).parent
    those = [path for path in root.rglob("__init__.py") if "METHODS" in path.read_text("utf-8")]
    folders = {path.parent.relative_to(root).parts[0] for path in those if "discover(" in path.read_text("utf-8")}
    assert folders == {*sources.METHODS}


def test_an_answer_is_not_that_of_a_method_that_was_written_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "SURE_SECONDS", -1.0)
    monkeypatch.setattr(sources, "root", lambda: tmp_path)
    (tmp_path / "metrics").mkdir()
    file = tmp_path / "metrics" / "mine.py"
    request = augment.VERB.request(
        texts=("A dog.",), pipeline=augment.VERB.fields["pipeline"].parse("", "eda_swap", None)
    )
    keys = []
    for code in ("1", "22"):
        file.write_text(code)
        keys.append((augment.VERB.key(request), augment.VERB.stem(request, without="seed")))
    assert keys[0][0] != keys[1][0] and keys[0][1] != keys[1][1]
    (tmp_path / "page.py").write_text("not a method")
    assert augment.VERB.key(request) == keys[1][0]
