"""`python -m workbench runs` on runs that have ended."""

import csv
import json

import pytest

from tests.run_folders import evaluated_run, make_run
from workbench.__main__ import main
from workbench.commands._showing import Bar
from workbench.core.writing import append_line, write_json
from workbench.scheduler.queue import Queue
from workbench.store import names
from workbench.store.evaluations import SCORES
from workbench.store.names import runs_folder
from workbench.store.run import Run


@pytest.fixture
def said(tmp_path, capsys, monkeypatch):
    """Runs the command in a folder, and returns what it printed and its exit code."""
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")

    def call(*words):
        code = main(["runs", *words, "--runs", str(tmp_path / "runs")])
        out, err = capsys.readouterr()
        return out + err, code

    call.folder = runs_folder(tmp_path / "runs")
    return call


def test_a_run_is_named_tagged_and_noted(said):
    run = make_run(said.folder)
    assert said("rename", run.id, "rate", "doubled")[0] == f"{run.id} is named rate doubled.\n"
    assert said("tag", "rate doubled", "paper", "second try")[0] == f"{run.id} is tagged paper, second try.\n"
    assert said("untag", run.id, "paper", "second try")[0] == f"{run.id} has no tags.\n"
    assert said("note", run.id, "too", "high")[0] == "too high\n"
    assert said("note", run.id)[0] == "too high\n"
    assert said("note", run.id, "")[0] == f"{run.id} has no note.\n" and not Run(run.folder).annotations.note
    assert "needs the new name" in said("rename", run.id)[0]
    assert "without commas" in said("rename", run.id, "a, b")[0]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("minilm-l3", "a backbone"),
        ("tfidf", "a baseline"),
        ("org/model", "a model folder or one of the Hub"),
        ("taken", "several runs"),
        ("2026", "several runs"),
        ("minilm-l3:cls", "the target minilm-l3:cls"),
        ("mine", ""),
        ("a@b:c+d", ""),
    ],
)
def test_a_name_that_stands_for_something_else_is_given_with_a_notice(said, name, other):
    run, _ = make_run(said.folder), make_run(said.folder, 1, name="taken")
    notice = f"{name!r} stands for {other}, so this run is named by its id: {run.id}.\n" if other else ""
    assert said("rename", run.id, name) == (f"{run.id} is named {name}.\n{notice}", 0)


def test_a_run_shows_the_folder_of_its_model(said):
    run = make_run(said.folder)
    assert "model:" not in said("show", run.id)[0]
    (run.folder / names.MODEL).mkdir()
    assert f"\nmodel: {run.folder / names.MODEL}\n" in said("show", run.id)[0]
    (run.folder / names.MODEL).rename(run.folder / names.BACKBONE)
    folder = str(run.folder / names.BACKBONE)
    text = said("show", run.id)[0]
    assert f"\nbackbone (the encoder alone, for AutoModel): {folder}\n" in text and "\nmodel:" not in text
    text = said("show", run.id, "--format", "json")[0]
    read = json.loads(text[: text.rindex("}") + 1])
    assert (read["model"], read["backbone"]) == (None, folder)


def test_programs_read_a_run_and_its_scores(said, capsys):
    run, row, _ = evaluated_run(said.folder)
    write_json(
        run.folder / names.OUTCOME,
        {"verdict": "kept_step0", "step": 0, "last": 20, "selected_on": [], "sets": [], "reasons": []},
    )
    main(["runs", "show", run.id, "--format", "json", "--runs", str(said.folder.path)])
    out, err = capsys.readouterr()
    read = json.loads(out)
    assert (read["id"], read["state"], read["scores"][0]["spearman"]) == (run.id, "done", row["spearman"])
    assert read["outcome"].startswith("Training did not help:") and err.startswith(f"{run.id}  done  step 20 of 20")
    bare = make_run(said.folder, 1)
    main(["runs", "show", bare.id, "--format", "csv", "--runs", str(said.folder.path)])
    assert capsys.readouterr().out.startswith("run,checkpoint,step,pairs,n,spearman,")


def test_a_run_is_exported_into_a_folder_that_is_there_as_a_zip(said, tmp_path, monkeypatch):
    run = make_run(said.folder)
    nowhere = tmp_path / "nowhere" / "x" / "a.zip"
    assert said("export", run.id, str(nowhere)) == (
        f"There is no folder {nowhere.parent}. Make it first, or choose another place.\n",
        2,
    )
    for name in ("exported.tar", "exported"):
        text, code = said("export", run.id, str(tmp_path / name))
        assert code == 2 and text.endswith("It is written as a zip file. Name it exported.zip.\n")
        assert not (tmp_path / name).exists() and not (tmp_path / "nowhere").exists()
    monkeypatch.chdir(tmp_path)
    assert said("export", run.id)[1] == 0 and (tmp_path / f"{run.id}.zip").is_file()


def test_curves_are_printed_step_by_step_and_probe_by_probe(said):
    runs = [make_run(said.folder, number) for number in range(2)]
    printed, code = said("curves", *(run.id for run in runs), "--format", "csv")
    rows = list(csv.DictReader(printed.splitlines()))
    assert code == 0 and list(rows[0])[:3] == ["run", "event", "step"]
    for run in runs:
        own = [row for row in rows if row["run"] == run.id]
        steps = [row for row in own if row["event"] == "step"]
        probes = [row for row in own if row["event"] == "probe"]
        assert [float(row["loss"]) for row in steps] == run.steps["loss"].tolist()
        assert [float(row["spearman"]) for row in probes] == run.probes["spearman"].tolist()
    table = said("curves", runs[0].id)[0]
    assert table.count("probe") == len(runs[0].probes)
    assert "1970-01-01 00:00:01" in table, "as a date, not as seconds since then"


def test_counts_in_curves_are_whole(said):
    run = make_run(said.folder)
    append_line(run.folder / names.STEPS, {"step": 21, "loss": 0.5, "samples": 1344})
    append_line(run.folder / names.PROBES, {"step": 21, "spearman": 0.5, "n": 600})
    for form in ("table", "csv"):
        printed, _ = said("curves", run.id, "--format", form)
        assert all(count in printed and f"{count}.0" not in printed for count in ("1344", "600"))


def test_curves_of_a_run_that_has_not_begun_are_none_yet(said):
    run = make_run(said.folder, state="queued")
    (run.folder / names.STEPS).unlink()
    (run.folder / names.PROBES).unlink()
    assert said("curves", run.id) == ("Nothing yet.\n", 0)


def test_how_a_corpus_was_read_is_shown(said, capsys):
    run = make_run(said.folder)
    notices = [
        "mine.tsv: text = question1, positive = question2.",
        "5 of 9 rows are labelled entailment; these are used as pairs.",
    ]
    lost = [
        {"reason": "no score", "count": 1200, "examples": [{"row": 7, "text": "a"}]},
        {"reason": "empty line", "count": 3, "examples": [{"row": 9, "text": ""}]},
    ]
    report = {"kind": "pairs", "name": "mine.tsv", "warnings": ["short"], "notices": notices, "dropped": lost}
    write_json(run.folder / names.CORPUS, report)
    lines = [*notices, "mine.tsv: 1,200 rows were left out (no score: 1,200, first in row 7)."]
    text, _ = said("show", run.id)
    assert "corpus: short\n" + "".join(f"corpus: {line}\n" for line in lines) in text
    with Bar() as bar:
        bar(Run(run.folder))
        bar(Run(run.folder))
    told = capsys.readouterr()
    assert [told.err.count(line) for line in lines] == [1, 1, 1] and not any(line in told.out for line in lines)


def test_the_list_has_recipe_test_score_and_tags(said):
    run = make_run(said.folder)
    said("tag", run.id, "paper")
    row = {"suite": "pairs", "checkpoint": "best"}
    scores = [{**row, "pairs": "demo:dev", "spearman": 0.9}, {**row, "pairs": "demo:test", "spearman": 0.41237}]
    write_json(run.folder / names.EVALUATIONS / SCORES, scores)
    (listed,) = json.loads(said("list", "--format", "json")[0])
    assert (listed["recipe"], listed["test"], listed["tags"]) == ("simcse_unsup", 0.41237, "paper")
    assert " 41.24 " in said()[0]
    make_run(said.folder, 1)
    assert json.loads(said("list", "--format", "json")[0])[0]["test"] is None
    assert "–" in said()[0]


def test_of_many_runs_the_newest_are_listed_and_how_many_more_there_are(said):
    made = [make_run(said.folder, number) for number in range(4)]
    text, _ = said("--newest", "2")
    assert made[3].id in text and made[2].id in text and made[1].id not in text
    assert "2 older runs are not listed. --newest N lists more, --all all, --search WORDS" in text
    for flags in (("--all",), ("--newest", "4")):
        text, _ = said(*flags)
        assert made[0].id in text and "not listed" not in text
    text, _ = said("--search", "MINILM s1-", "--newest", "1")
    assert made[1].id in text and made[3].id not in text and "not listed" not in text
    assert "3 older runs are not listed" in said("--search", "simcse", "--newest", "1")[0]


def test_a_search_finds_what_people_wrote_as_the_page_does(said):
    first, other, last = (make_run(said.folder, number) for number in range(3))
    said("rename", first.id, "Rate", "doubled")
    said("tag", other.id, "paper")
    for words, run in (("DOUBLED rate", first), ("paper mini", other)):
        text, _ = said("--search", words)
        assert run.id in text and text.count(last.id[:8]) == 1
    assert "No run matches “nothing like it”." in said("--search", "nothing like it")[0]
    assert f"{first.id}" not in said("--search", "doubled", "--newest", "1")[0], "of older runs only the ids are read"


def test_several_runs_are_deleted_each_by_its_id(said):
    runs = [make_run(said.folder, number) for number in range(3)]
    first, second, third = (run.id for run in runs)
    (runs[0].folder / "ballast").write_bytes(b"x" * 2_500_000)
    text, code = said("delete", first, second, "--yes", first, "--yes", second)
    assert code == 0 and f"{first} is deleted, which freed 2.5 MB." in text and f"{second} is deleted" in text
    text, code = said("delete", third, "--yes", first)
    assert code and "Deletion asks for the whole id" in text and runs[2].folder.exists()


def test_several_runs_are_stopped_and_resumed_and_one_that_has_ended_holds_up_none(said):
    first, ended, other = (make_run(said.folder, number, state=state) for number, state in enumerate(_STATES))
    for run in (first, other):
        Queue(said.folder).add(run.id)
    text, code = said("stop", first.id, ended.id, other.id, first.id)
    assert code == 2 and f"{ended.id} cannot be stopped: it is done." in text
    assert text.count(f"{first.id} is stopped.") == 1 and f"{other.id} is stopped." in text
    text, code = said("resume", first.id, ended.id, other.id)
    assert code == 2 and f"{ended.id} cannot be resumed: it is done." in text
    assert f"{first.id} is queued.\n{other.id} is queued.\n" in text
    text, code = said("stop", first.id, "nothing-like-it")
    assert code == 2 and "nothing-like-it" in text and first.state == "queued", "a mistyped name stops none"
    assert said("stop", first.id, other.id) == (f"{first.id} is stopped.\n{other.id} is stopped.\n", 0)
    assert said("resume", first.id, other.id)[1] == 0 and Queue(said.folder).waiting() == [first.id, other.id]


_STATES = ("queued", "done", "queued")


def test_a_waiting_run_is_put_next(said):
    runs = [make_run(said.folder, number, state="queued") for number in range(3)]
    Queue(said.folder).reindex()
    assert said("next", runs[2].id) == (f"{runs[2].id} is the next to start.\n", 0)
    assert Queue(said.folder).waiting()[0] == runs[2].id
    said("stop", runs[0].id)
    text, code = said("next", runs[0].id)
    assert code == 2 and f"{runs[0].id} cannot be put first: it is stopped." in text
    Queue(said.folder).claim(lambda _, asks: asks)
    assert f"{runs[2].id} cannot be put first: its turn has come." in said("next", runs[2].id)[0]


def test_only_what_differs_is_printed(said):
    first, other = make_run(said.folder, 0), make_run(said.folder, 1, steps=40)
    rows = json.loads(said("diff", first.id, other.id, "--format", "json")[0])
    assert rows == [
        {"setting": "training.seed", first.id: "0", other.id: "1"},
        {"setting": "training.steps", first.id: "20", other.id: "40"},
    ]
    assert "All their settings are the same" in said("diff", first.id, first.id)[0]
    assert "two runs" in said("diff", first.id)[0]


@pytest.mark.parametrize(
    ("words", "surplus"),
    [
        (("show", "a", "b", "c"), "b c"),
        (("list", "foo"), "foo"),
        (("next", "a", "b"), "b"),
        (("import", "a.zip", "b.zip"), "b.zip"),
        (("export", "a", "b.zip", "c.zip"), "c.zip"),
        (("reindex", "foo"), "foo"),
    ],
)
def test_a_word_too_many_is_refused(said, words, surplus):
    text, code = said(*words)
    assert code == 2 and f"Unrecognised: {surplus}." in text


def test_looking_creates_no_folder_and_no_rows_have_a_header(tmp_path, capsys):
    place = tmp_path / "mistyped" / "runs"
    for words in (["runs"], ["runs", "show", "x"], ["sweep", "list"], ["sweep", "show", "x"], ["recipe"]):
        main([*words, "--runs", str(place)])
        assert not place.parent.exists(), words
    capsys.readouterr()
    for words, header in ((["runs"], "id,name,state,step,"), (["sweep", "list"], "id,title,done,missing")):
        assert main([*words, "--format", "csv", "--runs", str(place)]) == 0
        assert capsys.readouterr().out.startswith(header)


def test_the_help_says_that_an_export_has_paths_in_it(capsys):
    with pytest.raises(SystemExit):
        main(["runs", "--help"])
    assert "has paths of this account in it" in " ".join(capsys.readouterr().out.split())
