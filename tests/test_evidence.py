import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from workbench.data import demo
from workbench.data.pairs import load_pairs
from workbench.evidence import claims, differences, kept, summary
from workbench.evidence import plan as evidence
from workbench.evidence import report as evidence_report
from workbench.evidence.cells import Bench, Cell, Stopped
from workbench.evidence.found import Found
from workbench.evidence.running import run
from workbench.evidence.verdicts import cards, published, verdict_of, what_differs
from workbench.recipes import RECIPES, settle
from workbench.statistics.correlation import spearman
from workbench.statistics.pairs_and_seeds import difference_over_seeds, resampled_rhos

UNTRAINED = Cell("baseline", "backbone", "mean", "", evidence.made())
LABELS = ("contradiction", "entailment", "neutral")
CENTRED = Cell("transform", "centre", "mean", "scored", evidence.made())


def tiny(seed=0, rate=1e-4, recipe="simcse_unsup"):
    return evidence.trained(RECIPES[recipe], "in_domain", "mean", rate, seed, steps=2)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder as the script expects it, of our own sentences."""
    base = tmp_path_factory.mktemp("data")
    (base / "sts").mkdir()
    dev, test = load_pairs("demo:dev"), load_pairs("demo:test")
    for name, pairs in (("stsb-dev", dev), ("stsb-train", test), ("sts12", test)):
        rows = zip(pairs.gold, pairs.first, pairs.second, strict=True)
        lines = ["subset\tscore\tsentence1\tsentence2", *(f"own\t{gold}\t{one}\t{two}" for gold, one, two in rows)]
        (base / "sts" / f"{name}.tsv").write_text("\n".join(lines[:200]) + "\n", encoding="utf-8")
    (base / "wiki").mkdir()
    (base / "wiki" / "enwiki_sentences.txt").write_text("\n".join(text for _, text in demo.sentences()[:100]))
    (base / "nli").mkdir()
    labelled = [
        f"{LABELS[row % 3]}\t{one}\t{two}" for row, (one, two) in enumerate(zip(dev.first, dev.second, strict=True))
    ]
    (base / "nli" / "pairs.tsv").write_text(
        "\n".join(["label\tpremise\thypothesis", *labelled[:150]]) + "\n", encoding="utf-8"
    )
    return base / "sts"


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """Three cells, and one that must fail, computed in two goes."""
    folder = tmp_path_factory.mktemp("evidence")
    broken = replace(tiny(), name="gist", corpus="in_domain", made="x")

    def cells(rows):
        return iter([UNTRAINED, CENTRED, broken, tiny(), tiny(seed=1)])

    said = []
    bench = Bench(data, folder, most_texts=50, over=lambda: len(said) == 2)
    assert run(bench, folder, cells=cells, say=said.append) == 2
    bench = Bench(data, folder, most_texts=50)
    assert run(bench, folder, cells=cells, say=said.append) == 3
    assert run(bench, folder, cells=cells, say=said.append) == 0
    return folder


def test_cells_are_recorded_with_what_they_rest_on(folder, data):
    rows = evidence.read(folder)
    assert [row["state"] for row in rows.values()].count("failed") == 1
    row = rows[tiny().key]
    assert row["scores"].keys() == {"stsb_dev", "sts12"}
    assert row["config"]["training"]["steps"] == 2 and row["config"]["training"]["learning_rate"] == 1e-4
    assert row["machine"]["torch"] and row["machine"]["threads"] >= 1 and row["seconds"] > 0
    assert row["rows"] > 100 and row["code"] == evidence.code()
    with np.load(folder / "cosines" / f"{evidence.made(tiny().key)}.npz") as cosines:
        gold = np.load(folder / "gold.npz")["stsb_dev"]
        assert spearman(cosines["stsb_dev"], gold) == pytest.approx(row["scores"]["stsb_dev"], abs=1e-6)
    assert rows[CENTRED.key]["mean_cosine"] < rows[UNTRAINED.key]["mean_cosine"]


def test_what_another_process_is_at_is_left_to_it(data, tmp_path):
    """The other one computes the first of two cells; as soon as it has gone, its cell is anybody's."""
    bench, said = Bench(data, tmp_path, most_texts=50), []
    two = [UNTRAINED, CENTRED]
    other = (
        "import sys, time; from pathlib import Path; from workbench.evidence.plan import cell_of\n"
        "from workbench.evidence.running import taken\n"
        "import json; cell = cell_of(json.loads(sys.argv[2]))\n"
        "with taken(iter([cell]), Path(sys.argv[1])): print('at it', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", other, str(tmp_path), json.dumps(asdict(UNTRAINED))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        assert run(bench, tmp_path, cells=lambda rows: iter(two), say=said.append) == 1
        assert evidence.read(tmp_path).keys() == {CENTRED.key}
        process.kill()
    assert run(bench, tmp_path, cells=lambda rows: iter(two), say=said.append) == 1
    assert evidence.read(tmp_path).keys() == {CENTRED.key, UNTRAINED.key}


def test_a_failure_is_tried_again_when_the_code_changes(folder):
    row = next(row for row in evidence.read(folder).values() if row["state"] == "failed")
    cell = evidence.cell_of(row)
    assert row["message"]
    assert evidence.settled(cell, {cell.key: row}, row["code"])
    assert not evidence.settled(cell, {cell.key: row}, "changed")


def test_time_that_is_up_records_nothing(folder, data):
    bench = Bench(data, folder, most_texts=50, over=lambda: True)
    with pytest.raises(Stopped):
        bench.compute(tiny(seed=7))


def test_the_report_can_be_rebuilt_without_the_cells(folder, tmp_path):
    (tmp_path / evidence_report.PAGE).write_text("# Words\n\nbefore\n", encoding="utf-8")
    evidence_report.write(folder, tmp_path)
    page = (tmp_path / evidence_report.PAGE).read_text(encoding="utf-8")
    assert page.startswith("# Words\n\nbefore\n")
    assert "| `simcse_unsup` | 0.0001 (card) | 2 |" in page and "`gist (in_domain)`" not in page
    lines = [json.loads(line) for line in (tmp_path / kept.LINES).read_text(encoding="utf-8").splitlines()]
    gain = next(
        line
        for line in lines
        if line.get("against") == "backbone" and line["group"].startswith("recipe") and line["set"] == "stsb_dev"
    )
    rows = evidence.read(folder)
    means = [
        np.mean([rows[cell.key]["scores"]["stsb_dev"] for cell in own]) for own in ([UNTRAINED], [tiny(), tiny(1)])
    ]
    assert gain["delta"] == pytest.approx(means[1] - means[0], abs=1e-4) and gain["seeds"] == 2
    assert gain["low"] <= gain["delta"] <= gain["high"]
    evidence_report.write(None, tmp_path)
    assert (tmp_path / evidence_report.PAGE).read_text(encoding="utf-8") == page
    assert str(Path.home()) not in page


def test_what_the_repository_states_is_gone_on_with_on_another_machine(folder, data, tmp_path):
    """The cells are not computed again, and their resamples serve without their cosines."""
    evidence_report.write(folder, tmp_path)
    stated = kept.cells(tmp_path)
    assert stated.keys() == {cell.key for cell in (UNTRAINED, CENTRED, tiny(), tiny(1))}
    assert stated[tiny().key]["machine"] == evidence.read(folder)[tiny().key]["machine"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bench = Bench(data, elsewhere, most_texts=50)
    cells = [UNTRAINED, tiny(), tiny(1), tiny(2)]
    assert run(bench, elsewhere, cells=lambda rows: iter(cells), stated=stated, say=lambda said: None) == 1
    evidence_report.write(elsewhere, tmp_path)
    assert len(kept.cells(tmp_path)) == 5

    def gain():
        lines = {(line.get("group", ""), line.get("against"), line.get("set")): line for line in kept.lines(tmp_path)}
        return lines["recipe/simcse_unsup/mean/in_domain/steps/2/0.0001", "backbone", "stsb_dev"]

    resampled = kept.Resamples(tmp_path, folder, kept.cells(tmp_path).values())
    rows = [resampled.of(cell.id)["stsb_dev"] for cell in (tiny(), tiny(1), tiny(2))]
    assert np.isfinite(rows).all()
    whole = gain()
    found = difference_over_seeds(resampled.of(UNTRAINED.id)["stsb_dev"], rows, paired=False)
    assert whole["seeds"] == 3 and (whole["low"], whole["high"]) == pytest.approx(found[1:3], abs=1e-5)
    before = {path.name: path.read_bytes() for path in (tmp_path / kept.FOLDER).iterdir()}
    evidence_report.write(elsewhere, tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / kept.FOLDER).iterdir()} == before

    for path in (tmp_path / kept.FOLDER).iterdir():
        path.unlink()
    evidence_report.write(tmp_path / "nothing", tmp_path)
    assert gain() == whole  # as it was told
    assert len(kept.cells(tmp_path)) == 5


def test_kept_resamples_are_those_of_the_cosines(folder, tmp_path):
    name = f"{evidence.made(tiny().key)}.npz"
    with np.load(folder / "cosines" / name) as cosines, np.load(folder / "gold.npz") as golds:
        found = {one: resampled_rhos(cosines[one], golds[one]) for one in cosines.files}
    evidence_report.write(folder, tmp_path)
    resampled = kept.Resamples(tmp_path, tmp_path, kept.cells(tmp_path).values()).of(tiny().id)
    assert resampled["stsb_dev"] == pytest.approx(found["stsb_dev"], abs=2e-5)
    assert resampled["sts"] == pytest.approx(found["sts12"], abs=2e-5)  # the one of the three that is there
    other = kept.cells(tmp_path)[tiny().key]
    other["scores"]["stsb_dev"] += 0.01  # computed again, it ended elsewhere
    assert np.isnan(kept.Resamples(tmp_path / "nothing", folder, [other]).of(tiny().id)["stsb_dev"][1:]).all()


def test_a_difference_told_before_goes_with_what_it_was_between(folder, tmp_path, monkeypatch):
    """A recipe that was changed since has cells and differences of its own, or none."""
    evidence_report.write(folder, tmp_path)
    for path in (tmp_path / kept.FOLDER).iterdir():
        path.unlink()
    other = replace(RECIPES["simcse_unsup"], training={"batch_size": 7})
    monkeypatch.setitem(RECIPES, "simcse_unsup", other)
    evidence_report.write(tmp_path / "nothing", tmp_path)
    assert kept.cells(tmp_path).keys() == {UNTRAINED.key, CENTRED.key}
    told = [line for line in kept.lines(tmp_path) if "delta" in line]
    assert told and all("recipe" not in name for line in told for name in kept.groups(line))


def test_the_summary_counts_and_names_what_is_beyond_noise():
    """simcse_unsup and una with two seeds at their best trial, una worse; arccse with one seed is not told of."""
    lines, told = [], {}
    for name, scores in (("simcse_unsup", (0.5, 0.7, 0.6)), ("una", (0.6, 0.5, 0.4)), ("arccse", (0.3, 0.2, 0.1))):
        best = evidence.TRIALS[int(np.argmax(scores))]
        for rate, score in zip(evidence.TRIALS, scores, strict=True):
            for seed in (0, 1) if rate == best and name != "arccse" else (0,):
                cell = evidence.trained(RECIPES[name], "in_domain", "mean", rate, seed)
                lines.append({"cell": cell.id, **asdict(cell), "scores": {"stsb_dev": score}})
        group = f"recipe/{name}/mean/in_domain/steps/50/{best:g}"
        for against, low in (("backbone", 0.1), ("centred", -0.1), ("yardstick", -0.3)):
            told[group, against, "stsb_dev"] = {"delta": low + 0.1, "low": low, "high": low + 0.2, "seeds": 2}
    (row,) = summary.rows(Found(lines), told)
    assert row[1:4] == ["mean, equal steps", "the texts of STS-B's training set (in-domain)", "2"]
    assert row[4:6] == ["2, 0, 0", "0, 0, 2"]
    assert row[6:] == ["", "`simcse_unsup` -20.0, `una` -20.0", ""]


def test_the_list_comes_from_the_recipe_files_and_trials_are_the_same_for_all():
    cells = list(evidence.plan({}))
    claimed = {cell.key for cell in claims.cells()}
    assert claimed <= {cell.key for cell in cells}
    own = [cell for cell in cells if cell.key not in claimed or not (cell.change or cell.pooling != "mean")]
    trained = [cell for cell in own if cell.kind == "recipe"]
    alone = [recipe for recipe in evidence.recipes() if not recipe.after]
    assert {cell.name for cell in trained} == {recipe.id for recipe in alone}
    for recipe in alone:
        own = {cell.learning_rate for cell in trained if cell.name == recipe.id and cell.seed == 0}
        assert own == {*evidence.TRIALS, evidence.published_rate(recipe)}
    assert trained[0].name == evidence.REFERENCE
    assert all(cell.pooling == "mean" for cell in trained)  # nothing has moved yet


def test_tuned_rates_equal_seconds_and_cls_follow_from_what_is_done():
    recipe, other = RECIPES["simcse_unsup"], RECIPES["arccse"]
    rows = {}
    for one, seconds in ((recipe, 10.0), (other, 20.0)):
        for rate in {*evidence.TRIALS, evidence.published_rate(one)}:
            cell = evidence.trained(one, "in_domain", "mean", rate, 0)
            score = 0.7 + rate if one is recipe else 0.7 - rate
            rows[cell.key] = {"state": "done", "learning_rate": rate, "processor_seconds": seconds, "machine": {}}
            rows[cell.key]["scores"] = {"stsb_dev": score}
    assert evidence.Known(rows).tuned_rate(recipe, "in_domain") == 3e-4
    assert evidence.Known(rows).tuned_rate(other, "in_domain") == 3e-5
    assert evidence.Known(rows).tuned_rate(other, "general") is None
    assert evidence.Known(rows).steps_for_seconds(other, "in_domain") == evidence.STEPS // 2
    yard = rows[evidence.trained(recipe, "in_domain", "mean", evidence.published_rate(recipe), 0).key]
    yard["machine"] = {"instructions": "AVX2"}  # seconds of two kinds of machine say nothing of each other
    assert evidence.Known(rows).steps_for_seconds(other, "in_domain") is None
    yard["machine"] = {}
    assert not evidence.Known(rows).moved(other, "in_domain")
    rows[UNTRAINED.key] = {"state": "done", "scores": {"stsb_dev": 0.6}}
    assert evidence.Known(rows).moved(other, "in_domain")
    ids = [cell.id for cell in evidence.plan(rows)]
    assert any("/seconds/" in one and "arccse" in one for one in ids)
    # The main table gets all of its seeds first, then [CLS], then what only narrows the tables beside it.
    published = f"{evidence.published_rate(recipe):g}"
    order = [
        ("mean", "0.0003", 2),
        ("mean", published, 2),
        ("mean", "0.0003", 4),
        ("cls", "0.0001", 0),
        ("mean", published, 4),
    ]
    places = [
        ids.index(f"recipe/simcse_unsup/{pool}/in_domain/steps/50/{rate}/seed{seed}") for pool, rate, seed in order
    ]
    assert places == sorted(places) and len(set(places)) == len(order)
    assert not any("/cls/" in one and not one.endswith("seed0") for one in ids if one.startswith("recipe/arccse"))


def test_further_seeds_with_cls_only_where_it_moves_a_recipe_against_the_yardstick():
    names = {"simcse_unsup": (0.75, 0.70), "arccse": (0.74, 0.695), "una": (0.74, 0.67), "ct": (0.70, 0.65)}
    rows = {UNTRAINED.key: {"state": "done", "scores": {"stsb_dev": 0.6}}}
    for name, scores in names.items():
        for pooling, score in zip(("mean", "cls"), scores, strict=True):
            for rate in evidence.TRIALS:
                cell = evidence.trained(RECIPES[name], "in_domain", pooling, rate, 0)
                reached = score if rate == (1e-4 if pooling == "mean" else 3e-5) else 0.5
                rows[cell.key] = {"state": "done", "learning_rate": rate, "scores": {"stsb_dev": reached}}
                rows[cell.key] |= {"processor_seconds": 1.0, "machine": {}}
    known = evidence.Known(rows)
    assert [known.turns(RECIPES[name], "in_domain") for name in names] == [True, False, True, False]
    assert not known.turns(RECIPES["una"], "general")  # nothing is known of it
    cells = [
        cell for cell in evidence.plan(rows) if cell.pooling == "cls" and cell.kind == "recipe" and not cell.change
    ]
    several = {cell.name for cell in cells if cell.seed}
    assert several == {"simcse_unsup", "una"}
    assert {cell.seed for cell in cells if cell.name == "una"} == set(evidence.SEEDS)
    assert {cell.learning_rate for cell in cells if cell.seed} == {3e-5}  # tuned with [CLS], not with the mean


def test_second_stages_follow_their_first_at_its_tuned_rate_after_all_other_trials():
    """No cell of theirs before the first stage's trials are done; then the same three rates as for all others."""
    first = RECIPES["sbert"]
    rows = {}
    for rate, score in zip(evidence.TRIALS, (0.5, 0.7, 0.6), strict=True):
        cell = evidence.trained(first, "nli", "mean", rate, 0)
        rows[cell.key] = {"state": "done", "learning_rate": rate, "scores": {"stsb_dev": score}, "machine": {}}
        rows[cell.key]["processor_seconds"] = 1.0
    cells = list(dict.fromkeys(evidence.plan(rows)))
    own = [cell for cell in cells if cell.name == "consert_sup_unsup"]
    assert {cell.before for cell in own} == {f"sbert:nli:{evidence.STEPS}:3e-05"}
    assert {(cell.corpus, cell.learning_rate) for cell in own} == {
        (corpus, rate) for corpus in ("in_domain", "general") for rate in evidence.TRIALS
    }
    assert not any(cell.name == "consert_joint_unsup" for cell in cells)  # of its first stage nothing is known
    trials = [
        cell for cell in cells if cell.kind == "recipe" and (cell.pooling, cell.seed, cell.change) == ("mean", 0, "")
    ]
    places = [cells.index(cell) for cell in trials]
    assert max(cells.index(cell) for cell in own if not cell.seed) <= max(places)
    alone = [cells.index(cell) for cell in trials if not cell.before and cell.budget == "steps"]
    assert max(alone) < min(cells.index(cell) for cell in own)
    tuned = {f"{evidence.trained(first, 'nli', 'mean', 3e-5, seed).key}" for seed in evidence.SEEDS}
    assert tuned <= {cell.key for cell in cells}  # the first stage's own repeats are as without the second
    row = {**asdict(own[0]), "state": "done"}
    assert evidence.cell_of(row) == own[0] and evidence.current(row)
    assert not evidence.current({**row, "before": row["before"].replace("sbert", "consert_joint")})


def test_a_second_stage_starts_from_the_weights_of_the_first(data, tmp_path):
    second = {"seed": 1, "steps": 2, "pooling": "mean", "corpus": "in_domain", "rate": 1e-4}
    recipe = RECIPES["consert_sup_unsup"]
    cells = [evidence.trained(recipe, before=f"sbert:nli:2:{rate:g}", **second) for rate in (1e-4, 1e-3)]
    cells += [evidence.trained(recipe, **second), UNTRAINED]
    bench = Bench(data, tmp_path / "cells", most_texts=50)
    assert run(bench, tmp_path / "cells", cells=lambda rows: iter(cells), say=lambda said: None) == len(cells)
    rows = evidence.read(tmp_path / "cells")
    assert not [row["message"] for row in rows.values() if row["state"] != "done"]
    near, far, alone = (rows[cell.key] for cell in cells[:3])
    assert near["before"] == "sbert:nli:2:0.0001" and near["before_config"]["recipe"] == "sbert"
    assert near["before_config"]["training"]["steps"] == 2 and near["before_config"]["training"]["seed"] == 1
    assert near["config"]["recipe"] == "consert_sup_unsup" and near["before_seconds"] > 0
    assert len({row["first_loss"] for row in (near, far, alone)}) == 3
    assert len({row["scores"]["stsb_dev"] for row in (near, far, alone)}) == 3
    evidence_report.write(tmp_path / "cells", tmp_path)
    assert kept.cells(tmp_path).keys() == rows.keys()
    lines = [line for line in kept.lines(tmp_path) if "cell" in line]
    assert ["before" in line for line in lines] == ["after:" in line["cell"] for line in lines]
    page = (tmp_path / evidence_report.PAGE).read_text(encoding="utf-8")
    assert (
        "| `consert_sup_unsup` after `sbert`, NLI sentences (supervised), 2 steps at 0.0001 | 0.0001 (card) |" in page
    )
    assert "first stage `sbert`, NLI sentences (supervised), 2 steps at 0.0001" in page
    assert (
        "- `consert_joint_unsup`: a second stage, which follows `consert_joint` at its tuned rate; not computed" in page
    )


def test_the_claim_that_mini_mlm_cannot_tell_comes_before_further_seeds_of_cls():
    rows = {UNTRAINED.key: {"state": "done", "scores": {"stsb_dev": 0.6}}}
    for pooling, score in (("mean", 0.75), ("cls", 0.70)):
        for rate in evidence.TRIALS:
            cell = evidence.trained(RECIPES["simcse_unsup"], "in_domain", pooling, rate, 0)
            reached = score if rate == 1e-4 else 0.5
            rows[cell.key] = {"state": "done", "learning_rate": rate, "scores": {"stsb_dev": reached}}
            rows[cell.key] |= {"processor_seconds": 1.0, "machine": {}}
    ids = list(dict.fromkeys(cell.id for cell in evidence.plan(rows)))
    own = [cell.id for cell in claims.cells(only=("cls_mlp",))]
    assert {one.split("/")[1] for one in own} == {"simcse_unsup+mlp", "simcse_unsup"} and len(own) == 4 * len(
        evidence.SEEDS
    )
    start = ids.index(own[0])
    assert ids[start : start + len(own)] == own
    place = "recipe/simcse_unsup/cls/in_domain/steps/50/0.0001/seed"
    assert ids.index(f"{place}0") < start and start + len(own) == ids.index(f"{place}1")
    others = [one.id for one in claims.cells() if one.change and one.id not in own]
    assert [one for one in ids if one in others] == list(dict.fromkeys(others))
    ids = [cell.id for cell in evidence.plan({}, "mini-mlm")]
    changed = [cell.id for cell in claims.cells("mini-mlm") if cell.change]
    assert [one for one in ids if one in changed] == changed  # there the claim stands among the others


CELL = {"corpus": "general", "steps": 100, "backbone": "minilm-l3"}


def test_nothing_is_called_reproduced_while_a_setting_is_ours():
    recipe = RECIPES["arccse"]
    differs = what_differs(recipe, [CELL])
    assert any("our choice" in one for one in differs)
    score = recipe.published[0].score
    assert verdict_of(recipe, [(score - 1, score + 1)], differs) == "not comparable"
    same = replace(recipe, published=(replace(recipe.published[0], set="STS-B dev"),))
    assert verdict_of(same, [(score - 1, score + 1)], []) == "not comparable"  # the triplet's margin is ours
    same = replace(same, ours=())
    assert verdict_of(same, [(score - 1, score + 1)], []) == "reproduced"
    assert verdict_of(same, [(score + 1, score + 2)], []) == "differs"
    other = replace(same, published=(replace(same.published[0], variant="another margin"),))
    assert verdict_of(other, [(score - 1, score + 1)], []) == "not comparable"
    assert verdict_of(replace(same, published=()), [(score - 1, score + 1)], []) == "not comparable"


def test_a_card_names_what_is_our_choice():
    said = "; ".join(what_differs(RECIPES["ntxent_triplet"], [CELL]))
    assert "margin of arc_triplet (0.0)" in said and "batch size (64)" in said and "learning rate," in said
    said = "; ".join(what_differs(RECIPES["arccon_only"], [CELL]))
    assert all(name in said for name in ("batch size", "epochs", "learning rate", "max length", "pooling"))
    said = "; ".join(what_differs(RECIPES["augcse"], [CELL]))
    assert "the offline nine of the twelve" in said and "published: 4 epochs" in said
    for recipe in RECIPES.values():
        said = what_differs(recipe, [CELL])
        assert any(one.startswith("our choice, as nobody published it: ") for one in said) == bool(recipe.ours)


def test_variants_are_on_the_card_and_in_no_order():
    lines = list(published(RECIPES["consert_unsup"]))
    assert lines[0] == "- Published: 72.74 on STS, mean of 7 tasks, BERT-base (Yan et al. 2021)."
    assert lines[-1].startswith(
        "- Published beside it, on STS, mean of 7 tasks, BERT-base: 72.63 (batches of 16, 6,175 steps), "
    )
    assert list(published(RECIPES["matryoshka"])) == ["- Published: no value on these sets."]
    assert differences._published("consert_unsup") == {
        "STS, mean of 7 tasks, BERT-base": 72.74,
        "STS, mean of 7 tasks, BERT-large": 76.45,
    }
    assert differences._published("aug_single") == {}


def test_a_recipe_without_published_scores_has_a_card():
    lines = [{"cell": cell.id, **asdict(cell), "scores": {"stsb_dev": 0.5}} for cell in (tiny(recipe="matryoshka"),)]
    said = list(cards(Found(lines), {}))
    assert (
        said[0] == "**Matryoshka** (`matryoshka`): not comparable" and said[2] == "- Published: no value on these sets."
    )


def test_cells_of_the_first_backbone_keep_the_ids_that_they_were_computed_under():
    lines = [json.loads(line) for line in (kept.DOCS / kept.LINES).read_text().splitlines()]
    lines = [line for line in lines if "cell" in line and line.get("backbone", "minilm-l3") == "minilm-l3"]
    assert lines and all(evidence.cell_of(line).id == line["cell"] for line in lines)
    assert tiny().id == "recipe/simcse_unsup/mean/in_domain/steps/2/0.0001/seed0"


def test_another_backbone_has_its_own_cells_which_change_with_its_weights(mini_mlm):
    cells = list(evidence.plan({}, "mini-mlm"))
    assert all(cell.backbone == "mini-mlm" and cell.id.startswith("mini-mlm/") for cell in cells)
    assert not {cell.key for cell in cells} & {cell.key for cell in evidence.plan({})}
    names = {cell.name for cell in cells}
    assert {"simcse_mlm", "diffcse", "promptbert"} <= names and "tfidf" not in names
    assert evidence.left_out(RECIPES["simcse_mlm"]) == "meant for mini-mlm"
    row = {**asdict(cells[0]), "state": "done"}
    assert evidence.current(row) and not evidence.current({**row, "made": "otherwise"})


def test_claims_take_cells_that_differ_in_one_thing_alone():
    recipes = [cell for cell in claims.cells("mini-mlm") if cell.kind == "recipe"]
    assert {cell.seed for cell in recipes} == set(evidence.SEEDS) and {cell.learning_rate for cell in recipes} == {1e-4}
    for claim in claims.CLAIMS:
        one, two = (asdict(side) for side in (claim.better, claim.worse))
        assert one != two
        for side in (claim.better, claim.worse):
            if side.name in RECIPES:
                changes = claims.CHANGES[side.change] if side.change else {}
                settle(side.name, backbone="minilm-l3", changes=changes)


def test_a_claim_is_said_to_hold_or_not_on_each_backbone(data, tmp_path, mini_mlm, monkeypatch):
    monkeypatch.setattr(claims, "STEPS", 2)
    monkeypatch.setenv("WORKBENCH_WORDNET", str(Path(__file__).parent / "augmentations" / "wordnet"))
    own = {"backbone": "mini-mlm", "steps": 2}
    recipe = RECIPES["arccon_only"]
    pairs = [
        evidence.trained(recipe, "in_domain", "mean", 1e-4, seed, change=change, **own)
        for seed in (0, 1)
        for change in ("", "margin0")
    ]
    simcse = RECIPES["simcse_unsup"]
    once = [evidence.trained(simcse, "in_domain", "mean", 1e-4, 0, change=change, **own) for change in ("", "eda")]
    made = evidence.made_for("mini-mlm")
    raw = Cell("baseline", "backbone", "mean", "", made, backbone="mini-mlm")
    white = Cell("transform", "whitening", "mean", "scored", made, backbone="mini-mlm")
    pooler = evidence.trained(RECIPES["simcse_unsup"], "in_domain", "pooler", 1e-4, 0, **own)
    bench = Bench(data, tmp_path / "cells", most_texts=50)
    list_of = [UNTRAINED, raw, white, *pairs, *once, pooler]
    assert run(bench, tmp_path / "cells", cells=lambda rows: iter(list_of), say=lambda said: None) == len(list_of)
    evidence_report.write(tmp_path / "cells", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / kept.LINES).read_text().splitlines()]
    told = {
        (one["claim"], one["corpus"], one.get("set", "")): one
        for one in lines
        if one.get("backbone") == "mini-mlm" and "claim" in one
    }
    margin = told["margin", "in_domain", "stsb_dev"]
    rows = evidence.read(tmp_path / "cells")
    scores = [rows[cell.key]["scores"]["stsb_dev"] for cell in pairs]
    assert margin["delta"] == pytest.approx(np.mean(scores[::2]) - np.mean(scores[1::2]), abs=1e-4)
    assert margin["seeds"] == 2 and margin["verdict"] == claims.verdict(margin["low"], margin["high"])
    assert told["whitening", "scored", "stsb_dev"]["seeds"] == 1  # nothing is trained: one is all there is
    assert told["whitening", "scored", "stsb_dev"]["verdict"] != claims.OPEN
    assert told["dropout_over_eda", "in_domain", "stsb_dev"]["verdict"] == claims.OPEN
    assert told["una_every", "general", ""]["verdict"] == "not computed"
    assert "pooler" in told["cls_mlp", "in_domain", ""]["reason"]
    page = (tmp_path / evidence_report.PAGE).read_text()
    assert "### The field's ordering claims" in page and "### Without training: `mini-mlm`" in page
    assert "| `mini-mlm` | the texts of STS-B's training set (in-domain) | 2 |" in page
    assert "cells on `minilm-l3` and `mini-mlm`" in page and "### The backbones side by side" in page
    assert "`arccon_only+margin0`" not in page
