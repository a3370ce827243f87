import os

from workbench.processes import sources


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
