"""A folder in place of a data set's id is read by itself."""

import pytest

from workbench.core.errors import BadData
from workbench.data import hub
from workbench.data.local_sets import check_folder


@pytest.fixture
def outside(tmp_path):
    secret = tmp_path / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("a secret\nanother one\n")
    return secret


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "set"
    made.mkdir()
    (made / "train.txt").write_text("a dog barks\na cat sleeps\n")
    return made


def read(ref, tmp_path):
    return hub.hub_corpus(ref, cache=tmp_path / "cache").texts


@pytest.mark.slow
def test_its_own_card_and_links_within_are_followed(folder, tmp_path):
    (folder / "more").mkdir()
    (folder / "more" / "b.txt").symlink_to(folder / "train.txt")
    card = "configs:\n- config_name: one\n  data_files: more/*.txt\n"
    card += "- config_name: two\n  data_files: [{split: train, path: train.txt}]\n"
    (folder / "README.md").write_text(f"---\n{card}---\nWords.\n")
    assert read(f"hf:{folder}:two", tmp_path) == ["a dog barks", "a cat sleeps"]
    assert read(f"hf:{folder}:one", tmp_path) == ["a dog barks", "a cat sleeps"]


@pytest.mark.parametrize("name", ["README.md", ".huggingface.yaml"])
@pytest.mark.parametrize(
    "named",
    ["{secret}", "../outside/secret.txt", "hf://datasets/some/body/x.txt", "[{{split: train, path: '{secret}'}}]"],
)
def test_a_card_that_names_files_elsewhere_is_refused(folder, outside, tmp_path, name, named):
    card = "configs:\n- config_name: default\n  data_files: " + named.format(secret=outside) + "\n"
    (folder / name).write_text(f"---\n{card}---\nWords.\n" if name.endswith("md") else card)
    with pytest.raises(BadData, match=f"names files outside of it.* in {name} "):
        read(f"hf:{folder}", tmp_path)


def test_a_card_of_nested_aliases_costs_nothing(folder):
    rows = [f"{'  '}- &a{n} [{', '.join(9 * [f'*a{n - 1}'])}]" if n else "  - &a0 [x, x]" for n in range(40)]
    aliases = "\n".join(["configs:", "- data_files:", *rows])
    (folder / "README.md").write_text(f"---\n{aliases}\n---\n")
    check_folder(folder)


@pytest.mark.parametrize("ref", ["hf:text", "hf:text:", "hf:csv", "hf:text:train.txt", "hf:nosuch"])
def test_a_format_is_no_data_set(folder, tmp_path, monkeypatch, ref):
    monkeypatch.chdir(folder)
    with pytest.raises(BadData, match="There is no data set"):
        read(ref, tmp_path)


@pytest.mark.slow
def test_a_folder_with_the_name_of_a_format_is_a_folder(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder.rename(tmp_path / "text")
    (tmp_path / "other.txt").write_text("outside of it\nand this\n")
    assert read("hf:text", tmp_path) == ["a dog barks", "a cat sleeps"]


@pytest.mark.parametrize("file", ["../outside/secret.txt", "{secret}", "http://127.0.0.1:9/a.txt"])
@pytest.mark.parametrize("of_hub", [False, True])
def test_a_file_beside_the_data_set_is_refused(folder, outside, tmp_path, file, of_hub):
    name = hub.HubName("org/name" if of_hub else str(folder), file.format(secret=outside))
    with pytest.raises(BadData, match="outside of it"):
        hub._load(name, "train", lambda *_: None, tmp_path / "cache")


@pytest.mark.slow
def test_formats_that_may_hold_pickles_are_refused(tmp_path):
    import io
    import tarfile

    made = tmp_path / "set"
    made.mkdir()
    with tarfile.open(made / "a.tar", "w") as archive:
        for name in ("0.txt", "0.pth", "1.txt", "1.pth"):
            entry = tarfile.TarInfo(name)
            entry.size = 2
            archive.addfile(entry, io.BytesIO(b"ab"))
    with pytest.raises(BadData, match="Got: webdataset"):
        read(f"hf:{made}", tmp_path)
