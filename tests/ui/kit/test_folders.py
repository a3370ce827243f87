from pathlib import Path

import pytest

from tests.run_folders import make_run
from workbench.core.errors import OutsideFolders, WorkbenchError
from workbench.models.cards import card
from workbench.store.names import runs_folder
from workbench.ui.kit.folders import allowed_folders, asked_inside, inside, model_inside, pairs_inside, target_inside


@pytest.fixture
def outside(tmp_path, monkeypatch):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "in"))
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "in" / "runs"))
    return tmp_path / "out"


def test_models_and_files_outside_the_folders_are_refused_wherever_they_are_named(outside):
    for arguments in (
        {"target": str(outside)},
        {"target": f"{outside}+centre"},
        {"target": f"{outside}@best"},
        {"backbone": str(outside)},
        {"before": "minilm-l3", "after": str(outside)},
        {"before": f"{outside}:mean", "after": "minilm-l3"},
        {"targets": ["minilm-l3", f"{outside}+centre"]},
        {"corpus": f"{outside}/b.txt"},
        {"corpus": f"demo;{outside}/b.txt"},
        {"pipeline": f'contextual_word(model="{outside}")'},
        {"pipelines": ["eda_swap", f'eda_swap + embedding_word(vectors="backbone:{outside}")']},
    ):
        with pytest.raises(OutsideFolders):
            asked_inside(arguments)


def test_pair_sets_are_checked_as_their_reader_parses_them(outside):
    """What stands behind the last # chooses a split: a path may have others in it."""
    (outside.parent / "in" / "a.tsv").write_text("score\tsentence1\tsentence2\n1\ta\tb\n")
    (outside / "b.tsv").write_text("score\tsentence1\tsentence2\n1\ta\tb\n")
    inner = outside.parent / "in"
    assert pairs_inside(f"{inner}/a.tsv") and pairs_inside(f"{inner}/a.tsv#dev") and pairs_inside(f"stsb:dev@{inner}")
    for typed in (
        f"{inner}/a.tsv#/../../out/b.tsv",
        f"{inner}/a.tsv#/../../out/b.tsv#dev",
        f"stsb:dev@{outside}",
        f"{outside}/b.tsv#dev@{inner}",
        f"{outside}/b.tsv#/../../in/z",
        f"{outside}/b.tsv",
    ):
        with pytest.raises(OutsideFolders):
            pairs_inside(typed)


def test_a_file_is_split_as_its_reader_splits_it(outside):
    inner = outside.parent / "in"
    (outside / "b.txt").write_text("one\ntwo\n")
    for typed in ("", f"{inner}/a.txt", f"{inner}/a.txt#text", f"{inner}/none/../a#b.txt"):
        assert inside(typed) == typed
    for typed in (
        f"{outside}/b.txt",
        f"{outside}/b.txt#text",
        f"{outside}/b.txt#/../../in/z",
        f"{inner}/a#/../../out/b.txt",
    ):
        with pytest.raises(OutsideFolders):
            inside(typed)


def test_a_hub_reference_that_is_not_a_data_set_is_checked_as_a_path(outside):
    """The library that reads the Hub takes folders of this machine too, and any file where the id is a format."""
    inner = outside.parent / "in"
    for typed in ("hf:org/name", "hf:org/name:config:train:text", "hf:org/name:wiki.txt", "hf:glue", f"hf:{inner}"):
        assert inside(typed) == pairs_inside(typed) == typed
    assert inside(f"hf:text:{inner}/a.txt") and inside(f"hf:{inner}:a.txt")
    for typed in (
        f"hf:{outside}",
        f"hf:text:{outside}/a.txt",
        f"hf:org/name:{outside}/a.csv",
        f"hf:{inner}:../out/a.txt",
    ):
        for guard in (inside, pairs_inside):
            with pytest.raises(OutsideFolders):
                guard(typed)


def test_a_model_is_split_as_its_reader_splits_it(outside):
    inner = outside.parent / "in"
    for folder in (outside / "+y" / "m", inner / "+y" / "m"):
        folder.mkdir(parents=True)
    for sign in ("", ":cls", "@best", "+centre", ":cls+whitening(k=4)"):
        assert model_inside(f"{inner}/+y/m{sign}")
        with pytest.raises(OutsideFolders):
            model_inside(f"{outside}/+y/m{sign}")


def test_ids_and_paths_inside_the_folders_are_allowed(outside):
    asked_inside({"target": "minilm-l3+centre", "pipeline": "eda_swap"})
    asked_inside({"corpus": "demo", "targets": ["minilm-l3", "tfidf"], "before": "mini-mlm@step0"})
    asked_inside({"corpus": "demo:pairs"})
    asked_inside({"backbone": "bert-base-uncased/nowhere", "target": str(outside.parent / "in")})


def test_an_unknown_users_home_is_a_plain_message(outside):
    with pytest.raises(OutsideFolders, match="may not be read"):
        model_inside("~nobody-at-all/x")


@pytest.mark.parametrize("typed", ["~nobody-at-all/x", "~nobody-at-all", "a\0b", "x" * 5000])
def test_a_backbone_that_cannot_be_a_folder_is_a_plain_message(typed):
    with pytest.raises(WorkbenchError):
        card(typed)


def test_the_files_of_a_target_are_split_as_its_reader_splits_them(outside):
    inner = outside.parent / "in"
    (outside / "b.txt").write_text("one\ntwo\n")
    for typed in (
        "minilm-l3",
        "minilm-l3+centre(on=demo:dev)",
        "tfidf(on=demo)",
        f'minilm-l3+centre(on="{inner}/a.txt#text")',
    ):
        assert target_inside(typed) == typed
    for source in (
        f"{outside}/b.txt",
        f"{inner}/a.txt#/../../out/b.txt",
        f"stsb:dev@{outside}",
        f"hf:text:{outside}/b.txt",
        f"backbone:{outside}",
    ):
        with pytest.raises(OutsideFolders):
            target_inside(f"{outside}:mean")
        for typed in (f'minilm-l3+centre(on="{source}")', f'minilm-l3:mean(without=3, on="{source}")'):
            with pytest.raises(OutsideFolders):
                target_inside(typed)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with keys in it, and no list of folders."""
    home = tmp_path / "home"
    for name in ("Documents/.private", "Downloads", "other", ".ssh", "runs/.jobs", "runs/.corpora", "runs/.cache"):
        (home / name).mkdir(parents=True)
    for name in (
        ".ssh/id",
        "Documents/.private/a.txt",
        "Documents/.env",
        "runs/.jobs/token",
        "runs/.cache/a.txt",
        "a.txt",
    ):
        (home / name).write_text("secret\n")
    for name in ("Documents/a.txt", "runs/.corpora/upload-1.txt", "runs/a.txt"):
        (home / name).write_text("one\ntwo\n")
    (home / "Documents" / "keys").symlink_to(home / ".ssh")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("WORKBENCH_FOLDERS", raising=False)
    monkeypatch.setenv("WORKBENCH_RUNS", str(home / "runs"))
    return home


def test_by_default_the_home_folder_is_not_read(home):
    """The project, Documents, Downloads and the runs folder are, but for what begins with a dot in them."""
    project = Path(__file__).resolve().parents[3]
    for typed in (
        "~/Documents/a.txt",
        f"{home}/runs/.corpora/upload-1.txt",
        f"{home}/runs/a.txt",
        f"{project}/assets/demo",
    ):
        assert inside(typed) == typed
    for typed in (
        "~/a.txt",
        "~/other/a.txt",
        "~/.ssh/id",
        "~/Documents/keys/id",
        "~/Documents/.env",
        "~/Documents/.private/a.txt",
        "~/Documents/../.ssh/id",
        f"{home}/runs/.jobs/token",
        f"{home}/runs/.cache/a.txt",
        f"{home}/runs/.corpora/.hidden",
        f"{project}/.venv/pyvenv.cfg",
        f"{project.parent}/a.txt",
    ):
        for guard in (inside, pairs_inside):
            with pytest.raises(OutsideFolders, match="--folders"):
                guard(typed)
    with pytest.raises(OutsideFolders) as caught:
        inside("~/a.txt")
    assert f"{project}, {home}/Documents, {home}/Downloads, {home}/runs; not" in str(caught.value)


def test_the_environment_variable_replaces_the_default_folders(home, monkeypatch):
    """Whoever names a folder that begins with a dot means it; what begins with one below it stays closed."""
    (home / ".ssh" / ".more").write_text("secret\n")
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(home / ".ssh"))
    assert inside("~/.ssh/id") and inside(f"{home}/runs/a.txt")
    for typed in ("~/Documents/a.txt", "~/.ssh/.more", f"{home}/runs/.jobs/token"):
        with pytest.raises(OutsideFolders):
            inside(typed)


def test_a_home_folder_without_documents_adds_nothing(home, monkeypatch):
    monkeypatch.setenv("HOME", str(home / "other"))
    allowed = allowed_folders()
    assert allowed and not [folder for folder in allowed if "other" in str(folder)]


def test_a_list_with_an_unknown_users_home_is_a_plain_message(home, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", "~nobody-at-all/x")
    with pytest.raises(WorkbenchError, match="WORKBENCH_FOLDERS"):
        inside("a.txt")


@pytest.mark.parametrize("typed", ["{}", "stsb:dev@{}", "hf:{}", "minilm-l3+centre(on=stsb:dev@{})"])
def test_a_link_in_a_folder_that_is_read_as_a_whole_may_not_lead_out(outside, typed):
    inner = outside.parent / "in" / "set"
    (inner / "deep").mkdir(parents=True)
    (outside / "b.txt").write_text("one\ntwo\n")
    (inner.parent / "c.txt").write_text("one\ntwo\n")
    (inner / "deep" / "within.txt").symlink_to(inner.parent / "c.txt")
    guard = pairs_inside if typed.startswith("stsb") else target_inside if "+" in typed else inside
    (inner / ".venv").mkdir()
    (inner / ".venv" / "python").symlink_to(outside / "b.txt")
    assert guard(typed.format(inner)), "a link within the folders is followed, and what is hidden is never read"
    other = inner.parent / "other"
    (other / "deep").mkdir(parents=True)
    (other / "deep" / "out.txt").symlink_to(outside / "b.txt")
    with pytest.raises(OutsideFolders, match=r"out\.txt' may not be read"):
        guard(typed.format(other))
    by_way = inner.parent / "way"
    by_way.mkdir()
    (by_way / "linked").symlink_to(other)
    with pytest.raises(OutsideFolders):
        guard(typed.format(by_way))


def test_the_backbone_of_a_runs_folder_is_checked_too(outside):
    folder = runs_folder(outside.parent / "in" / "runs")
    within = make_run(folder, 0)
    assert model_inside(f"{within.folder}@step0")
    without = make_run(folder, 1)
    config = without.folder / "config.toml"
    config.write_text(config.read_text().replace('backbone = "minilm-l3"', f'backbone = "{outside}"', 1))
    for typed in (f"{without.folder}@step0", str(without.folder)):
        with pytest.raises(OutsideFolders):
            model_inside(typed)
