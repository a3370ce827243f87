"""The report on methods, from targets to files."""

import zipfile

import pytest

from tests.run_folders import make_run
from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting, UnknownName
from workbench.report import files
from workbench.verbs import report as verb


@pytest.fixture(scope="module")
def written(tmp_path_factory, tiny):
    """A report on three encoders and a baseline, and its comparison."""
    from workbench.store.names import runs_folder

    models = ModelCache(runs_folder(tmp_path_factory.mktemp("reported") / "runs"))
    targets = [str(tiny / "bert"), "tfidf", "minilm-l3"]
    reported = answered(models, "report", targets=targets, pairs="demo:dev", question="Is it any good?")
    return reported, answered(models, "compare_methods", targets=targets, pairs="demo:dev")


def content(reported, name):
    rows = reported.files.set_index("name")["content"]
    return rows[name].decode()


def test_the_scores_are_those_of_the_comparison(written):
    import io

    import pandas

    reported, compared = written
    table = pandas.read_parquet(io.BytesIO(reported.files.set_index("name").loc["tables/methods.parquet", "content"]))
    assert table["mean"].tolist() == pytest.approx(compared.methods["mean"].tolist())
    assert table["difference"].dropna().tolist() == pytest.approx(
        compared.differences.query("first == @compared.methods['method'][0]")["delta"].tolist()
    )


def test_the_report_says_what_was_asked_and_what_the_scores_are(written):
    reported, _ = written
    text = content(reported, "report.md")
    assert (
        text.startswith("# Is it any good?\n") and "teaching scores" in text and reported.headline.split(",")[0] in text
    )
    assert "python -m workbench report bert tfidf minilm-l3 --pairs demo:dev --question 'Is it any good?'" in text


def test_no_folder_of_this_machine_stands_in_it(written, tiny):
    reported, _ = written
    for name, data in zip(reported.files["name"], reported.files["content"], strict=True):
        assert str(tiny).encode() not in data, name


def test_without_texts_no_sentence_stands_in_it(tiny, folder, written):
    from workbench.data.pairs import load_pairs

    sentences = [text.encode() for text in load_pairs("demo:dev").texts() if len(text) > 12]
    reported = answered(ModelCache(folder), "report", targets=["tfidf", str(tiny / "bert")], texts=False)
    for name, data in zip(reported.files["name"], reported.files["content"], strict=True):
        assert not [text for text in sentences if text in data], name
    assert any(text in content(written[0], "report.md").encode() for text in sentences)


def test_it_is_written_into_a_new_folder_with_its_zip(written, tmp_path):
    folder = files.check_new(tmp_path / "mine.zip")
    assert folder == files.check_new(tmp_path / "mine") == tmp_path / "mine"
    files.write(written[0].files, folder)
    names = {str(path.relative_to(tmp_path)) for path in folder.rglob("*") if path.is_file()}
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        assert set(archive.namelist()) == names and archive.testzip() is None
    with pytest.raises(files.BadData, match="exists"):
        files.check_new(folder)


def test_weights_are_in_it_only_if_they_fit_and_texts_may_stand_in_it(folder, monkeypatch):
    run = make_run(folder)
    request = asked(folder, "report", targets=[run.id, "tfidf", f"{run.id}@last"], weights=True)
    assert [each.id for each in verb.runs_of(request.targets)] == [run.id] and "--weights" in verb._command(request)
    with pytest.raises(BadSetting, match="cannot have weights"):
        asked(folder, "report", targets=[run.id], weights=True, texts=False)
    monkeypatch.setattr(verb, "MOST_BYTES", 100)
    with pytest.raises(BadSetting, match="too large"):
        asked(folder, "report", targets=[run.id], weights=True)
    asked(folder, "report", targets=[run.id])


def test_requests_that_cannot_be_answered_are_refused(folder, monkeypatch):
    with pytest.raises(UnknownName, match="suite"):
        asked(folder, "report", targets=["tfidf"], suite="nosuch")
    with pytest.raises(BadSetting, match="500 characters"):
        asked(folder, "report", targets=["tfidf"], question="x" * 501)
    monkeypatch.setattr(verb.compare_methods, "MOST_METHODS", 1)
    with pytest.raises(BadSetting, match="at most 1 methods"):
        asked(folder, "report", targets=["minilm-l3", "tfidf"])


def test_scores_on_a_test_split_are_counted(folder):
    from workbench.store.openings import openings

    models = ModelCache(folder)
    answered(models, "score", target="tfidf", pairs="demo:test")
    reported = answered(models, "report", targets=["tfidf"], pairs="demo:test")
    assert [row["by"] for row in openings(folder, "demo:test")] == ["score", "compare_methods"]
    memo = content(reported, "memo.md")
    assert "scores on demo:test were computed twice" in memo and memo.count("## ") == 1
