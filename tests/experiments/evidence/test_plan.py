"""The list of cells and its order."""

import json
from dataclasses import asdict, replace

from experiments.evidence import claims, store
from experiments.evidence import plan as evidence
from experiments.evidence.cells import AS_COMPUTED
from experiments.evidence.scores import Scores
from tests.experiments.evidence.trial import UNTRAINED, tiny
from workbench.recipes import RECIPES


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


def test_on_another_backbone_recipes_that_need_only_sentences_come_first():
    for backbone, apart in (("mini-mlm", True), ("minilm-l3", False)):
        claimed = {cell.key for cell in claims.cells(backbone)}
        cells = {cell.key: cell for cell in evidence.plan({}, backbone) if cell.kind == "recipe"}
        own = [cell for cell in cells.values() if cell.key not in claimed and not RECIPES[cell.name].after]
        alone = [RECIPES[cell.name].needs in evidence.UNSUPERVISED for cell in own]
        assert {True, False} == set(alone) and (alone == sorted(alone, reverse=True)) == apart


def test_tuned_rates_equal_seconds_and_cls_follow_from_finished_cells():
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
    assert not evidence.Known(rows).moved(other, "in_domain")
    rows[UNTRAINED.key] = {"state": "done", "scores": {"stsb_dev": 0.6}}
    assert evidence.Known(rows).moved(other, "in_domain")
    ids = [cell.id for cell in evidence.plan(rows)]
    assert any("/seconds/" in one and "arccse" in one for one in ids)
    # The main table gets all of its seeds first, then [CLS], then cells that only narrow the other tables.
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


def test_equal_seconds_use_the_median_over_seeds_on_one_kind_of_machine_and_do_not_change():
    recipe, other = RECIPES["arccse"], RECIPES["una"]
    rows = {}

    def took(one, seconds, seed, rate=3e-4, **machine):
        cell = evidence.trained(one, "general", "mean", rate, seed)
        row = {**asdict(cell), "state": "done", "processor_seconds": seconds, "machine": machine}
        rows[cell.key] = {**row, "scores": {"stsb_dev": 0.7}}

    def steps(one=recipe):
        return evidence.Known(rows).steps_for_seconds(one, "general")

    yard = RECIPES[evidence.REFERENCE]
    took(recipe, 20.0, 0, instructions="AVX512")
    took(yard, 30.0, 0, instructions="AVX2")
    assert steps() is None  # seconds of two kinds of machine say nothing of each other
    took(yard, 12.0, 1, instructions="AVX512")
    assert steps() is None  # nor do seeds, which are mostly of two days
    took(yard, 10.0, 0, rate=3e-5, instructions="AVX512")  # another rate takes as long
    assert steps() == evidence.STEPS // 2
    took(recipe, 15.0, 1, instructions="AVX512")
    assert steps() == round(evidence.STEPS * (10 / 20 + 12 / 15) / 2)
    took(yard, 99.0, 2, instructions="AVX512")
    took(recipe, 1.0, 2, instructions="AVX512")  # the median: one odd training does not decide
    assert steps() == evidence.STEPS * 12 // 15
    took(recipe, 9.9, 0, rate=1e-4, instructions="AVX2")  # of the same seed on two kinds of machine each counts
    assert steps() == round(evidence.STEPS * (12 / 15 + 30 / 9.9) / 2)
    took(other, 1e-3, 0, instructions="AVX512")
    assert steps(other) == evidence.MOST_STEPS
    begun = evidence.trained(recipe, "general", "mean", 3e-5, 0, "seconds", 23)
    rows[begun.key] = {**asdict(begun), "state": "done"}
    assert steps() == 23  # as many for the seeds that follow, whatever is timed later
    assert evidence.Known(rows).steps_for_seconds(recipe, "in_domain") is None
    rows[begun.key]["state"] = "failed"
    assert steps() != 23


def test_cls_gets_further_seeds_only_where_it_changes_the_difference_from_the_yardstick():
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


def test_rates_below_one_that_left_cls_collapsed_are_not_tried_and_collapsed_cells_get_no_further_seeds():
    """`una` leaves the point at the highest rate, `ct` at none; the yardstick at all."""
    scores = dict(zip(evidence.TRIALS, (0.5, 0.7, 0.6), strict=True))
    rows = {UNTRAINED.key: {"state": "done", "scores": {"stsb_dev": 0.6}}}
    for name, mean, cosines in (
        ("simcse_unsup", 0.75, (0.5, 0.5)),
        ("una", 0.7, (0.999, 0.5)),
        ("ct", 0.7, (0.999, 0.999)),
    ):
        for rate in evidence.TRIALS:
            for pooling in ("mean", "cls"):
                cell = evidence.trained(RECIPES[name], "in_domain", pooling, rate, 0)
                if name != "simcse_unsup" and pooling == "cls" and rate == 3e-5:
                    continue
                one = {"learning_rate": rate, "scores": {"stsb_dev": mean if pooling == "mean" else scores[rate]}}
                one["mean_cosine"] = cosines[rate == 3e-4] if pooling == "cls" else 0.999
                rows[cell.key] = {"state": "done", **asdict(cell), **one, "processor_seconds": 1.0, "machine": {}}
    known = evidence.Known(rows)
    for name, tried, tuned, turns in (
        ("simcse_unsup", evidence.TRIALS, 3e-5, True),
        ("una", (1e-4, 3e-4), 3e-4, True),
        ("ct", (1e-4, 3e-4), 3e-4, False),
    ):
        assert known.trials(RECIPES[name], "in_domain", "cls") == tried
        assert known.trials(RECIPES[name], "in_domain") == evidence.TRIALS
        assert known.tuned_rate(RECIPES[name], "in_domain", "cls") == tuned
        assert known.turns(RECIPES[name], "in_domain") == turns
    own = [cell for cell in evidence.plan(rows) if (cell.name, cell.pooling) == ("una", "cls")]
    assert {cell.learning_rate for cell in own if cell.corpus == "in_domain"} == {1e-4, 3e-4}
    lines = [{**row, "cell": evidence.cell_of(row).id} for row in rows.values() if "name" in row]
    reported = {place[0]: rate for place, rate in Scores(lines).tuned.items() if place[1] == "cls"}
    assert reported == {"simcse_unsup": 3e-5, "una": 3e-4, "ct": 3e-4}


def test_with_cls_the_lowest_rate_comes_last_and_not_where_scores_rise_with_the_rate():
    """From .4 untrained: `una` rises; `ct` falls from its first; `arccse` does not rise at its first; `mirror` has one trial."""
    bare = replace(UNTRAINED, pooling="cls")
    rows = {one.key: {"state": "done", **asdict(one), "scores": {"stsb_dev": 0.4}} for one in (UNTRAINED, bare)}
    for name, scores in (("una", (0.5, 0.6)), ("ct", (0.5, 0.45)), ("arccse", (0.39, 0.6)), ("mirror", (0.5,))):
        for pooling in ("mean", "cls"):
            for rate, score in zip((1e-4, 3e-4), scores, strict=False):
                cell = evidence.trained(RECIPES[name], "in_domain", pooling, rate, 0)
                row = {"scores": {"stsb_dev": score}, "mean_cosine": 0.5, "processor_seconds": 1.0, "machine": {}}
                rows[cell.key] = {"state": "done", **asdict(cell), **row}
    known = evidence.Known(rows)
    tried = {name: known.trials(RECIPES[name], "in_domain", "cls") for name in ("una", "ct", "arccse", "mirror")}
    assert tried == {"una": (1e-4, 3e-4), "ct": evidence.TRIALS, "arccse": evidence.TRIALS, "mirror": (1e-4, 3e-4)}
    tuned = {name: known.tuned_rate(RECIPES[name], "in_domain", "cls") for name in tried}
    assert tuned == {"una": 3e-4, "ct": None, "arccse": None, "mirror": None}
    assert known.trials(RECIPES["una"], "in_domain") == evidence.TRIALS  # with mean pooling all are tried
    found = Scores([{**row, "cell": evidence.cell_of(row).id} for row in rows.values()])
    assert found.tuned == {("una", "cls", "in_domain", UNTRAINED.backbone, ""): 3e-4}
    assert not found.rising()  # none was tried at the lowest
    cells = [cell for cell in evidence.plan(rows) if (cell.kind, cell.pooling, cell.change) == ("recipe", "cls", "")]
    lowest = {cell.name for cell in cells if cell.learning_rate == 3e-5}
    assert lowest == {"ct", "arccse"}
    places = [cells.index(cell) for cell in cells if cell.name in lowest and cell.learning_rate == 3e-5]
    assert min(places) > max(cells.index(cell) for cell in cells if cell.learning_rate == 3e-4)
    lower = evidence.trained(RECIPES["una"], "in_domain", "cls", 3e-5, 0)
    row = {"scores": {"stsb_dev": 0.7}, "mean_cosine": 0.5}
    rows[lower.key] = {"state": "done", **asdict(lower), **row}
    found = Scores([{**one, "cell": evidence.cell_of(one).id} for one in rows.values()])
    assert [max(own, key=lambda rate: own[rate]["scores"]["stsb_dev"]) for own in found.rising()] == [3e-5]  # told


def test_second_stages_start_from_the_tuned_rate_of_the_first_and_come_after_all_other_trials():
    """They have no cells before the first stage's trials are done, then the same rates as all others."""
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
        (corpus, rate) for corpus in ("in_domain", "general") for rate in (*evidence.TRIALS, 5e-7)
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


def test_the_claim_that_mini_mlm_cannot_decide_comes_before_further_seeds_of_cls():
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


def test_cells_of_the_first_backbone_keep_their_ids():
    lines = [json.loads(line) for line in (store.DOCS / store.LINES).read_text().splitlines()]
    lines = [line for line in lines if "cell" in line and line.get("backbone", "minilm-l3") == "minilm-l3"]
    assert lines and all(evidence.cell_of(line).id == line["cell"] for line in lines)
    assert tiny().id == "recipe/simcse_unsup/mean/in_domain/steps/2/0.0001/seed0"


def test_stated_cells_of_recipes_with_former_settings_stay_and_none_is_missing():
    """Their hash is that of the settings they were computed with, and so is that of what the plan still asks for."""
    stated = {key: row for key, row in store.cells().items() if row["name"] in AS_COMPUTED}
    assert {row["name"] for row in stated.values()} == set(AS_COMPUTED) and len(stated) > 100
    assert all(map(evidence.current, stated.values()))
    asked = {cell.key for cell in evidence.plan(store.cells()) if cell.name in AS_COMPUTED and cell.budget == "steps"}
    assert asked & stated.keys()
    for name, terms in AS_COMPUTED.items():
        for number, kept in terms.items():
            now = RECIPES[name].terms[number].settings
            assert kept.keys() <= now.keys() and all(now[setting] != value for setting, value in kept.items())


def test_another_backbone_has_its_own_cells_which_change_with_its_weights(mini_mlm):
    cells = list(evidence.plan({}, "mini-mlm"))
    assert all(cell.backbone == "mini-mlm" and cell.id.startswith("mini-mlm/") for cell in cells)
    assert not {cell.key for cell in cells} & {cell.key for cell in evidence.plan({})}
    names = {cell.name for cell in cells}
    assert {"simcse_mlm", "diffcse", "promptbert"} <= names and "tfidf" not in names
    assert evidence.left_out(RECIPES["simcse_mlm"]) == "meant for mini-mlm"
    row = {**asdict(cells[0]), "state": "done"}
    assert evidence.current(row) and not evidence.current({**row, "made": "otherwise"})
