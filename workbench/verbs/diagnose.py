"""Why a run changed what it changed: what it did to pairs, batches, rate and space, brought together."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from workbench.core.errors import BadData, BadSetting, WorkbenchError
from workbench.core.progress import Progress, part
from workbench.core.records import Row
from workbench.data.references import named_by, set_name
from workbench.store import events, listed, names
from workbench.store.evaluations import SCORES, score_rows
from workbench.store.lookup import NEWEST, all_runs
from workbench.store.names import RunsFolder
from workbench.store.outcomes import GOOD, headline, shown
from workbench.store.run import Run
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Pairs, settled
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache
    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.statistics.bootstrap import Difference
    from workbench.store.shapes import Outcome

BATCHES = 3
"""How many batches, evenly spaced over the training, are searched for false negatives."""
MOST_PAIRS = 100
"""The most pairs that are listed."""
MOST_FALSE = 50
"""The most false negatives that are listed."""
MOST_TRIALS = 20
"""The most learning rates that are listed."""
FALSE_SHARE = 0.001
"""From this part of the negatives on, false ones are a likely reason."""
BETTER = 0.01
"""By how much Spearman a probe must be higher to be named."""
NARROW = 0.3
"""Above this mean cosine of random pairs, a negative closer than the positive says nothing about its text."""


@dataclass(frozen=True)
class Diagnose:
    """Explain what a run changed: pairs that fell, false negatives, rate, cone, words of its corpus, the step to return to.

    Prefer `score` for the scores alone, and `inspect` for one batch in full.
    """

    target: Annotated[Target, Encoded("A run, or RUN@last.", encoder="it is not trained")]
    pairs: Annotated[str, Pairs("Scored pairs; by default those that the run's verdict is about.")] = ""


@dataclass(frozen=True)
class Diagnosis:
    """What a run changed, and why."""

    about: dict[str, Any]
    """run, verdict (in words), kind (see `store.shapes.Outcome`), pairs, n, kept (the checkpoint asked about), checkpoint and
    step (compared with step 0), return_to (the target to use), and why."""
    reasons: list[str]
    """Likely reasons why it did not help, the more certain ones first; empty if it helped."""
    space: "DataFrame"
    """Columns checkpoint, step, spearman, alignment, uniformity, mean_cosine; one row each for step 0, the chosen step and the
    last."""
    bands: "DataFrame"
    """Columns gold, n, before, after (mean cosines), spread_before, spread_after: each fifth of the gold scale."""
    rates: "DataFrame"
    """Columns of, learning_rate, spearman (-1..1), run: this run, the backbone's card, the published setting, and other runs of
    the same recipe, backbone and corpus."""
    words: dict[str, Any]
    """corpus and halves (0..1): which part of their words corpus and pairs, and two halves of the pairs, share; see
    `data.common_words`. Or missing: why it is unknown."""
    shared: "DataFrame"
    """Columns feature, value, n, fell, share, low, high, worse, more: what the fallen pairs have in common."""
    fell: "DataFrame"
    """Columns gold, before, after (cosines), worse (0..1 of all ranks), ranked, subset, sentence1, sentence2, fell: the pairs
    that got worse most."""
    gained: "DataFrame"
    """The same columns without fell: the pairs that got better most."""
    batches: dict[str, Any]
    """steps, negatives, equal, nearly_equal, closer, false_share (0..1), judge, judge_step, mean_cosine: how many negatives of
    some batches are likely false. Closeness is judged by step0 or the compared checkpoint, whichever ranks the pairs better;
    closer is None where its mean cosine is above `NARROW`. Or missing: why it is unknown."""
    false_negatives: "DataFrame"
    """Columns step, text, negative, cosine, positive (the cosine with the positive), kind; the closest first."""


def check(request: Diagnose) -> None:
    """A fine-tune with a checkpoint."""
    run = request.target.run
    if run is None:
        raise BadSetting(
            f"{request.target.text} cannot be diagnosed.", rule="Only a run was trained here.", way_out="Name a run."
        )
    if request.target.pooling or request.target.transform:
        raise BadSetting(f"{request.target.text} is more than a run.", way_out="Leave out pooling and transform.")
    if run.config.pretrains:
        raise BadSetting(f"{run.id} is a pretraining, which ranks no pairs.", way_out="Name a fine-tune.")
    if not request.pairs and not _usual(run):
        raise BadSetting(f"{run.id} was evaluated on no pairs.", way_out="Name some with pairs.")


def depends(request: Diagnose) -> object:
    """What the run has recorded."""
    assert request.target.run is not None
    run = request.target.run
    return [run.state, run.outcome, run.progress.step, *(str(run.checkpoints.get(name)) for name in ("best", "last"))]


def _usual(run: Run) -> str:
    """The reference of the pair set that the verdict is about, else of the first that is evaluated or probed."""
    config, outcome = run.config, run.outcome
    refs = [*config.evaluation.pairs, *config.selection.scored, *filter(None, [config.probe.pairs])]
    about = outcome["sets"][0]["pairs"] if outcome and outcome["sets"] else ""
    same = (ref for ref in refs if about and named_by(ref, about))
    return next(same, next(iter(refs), ""))


@dataclass(frozen=True)
class _Scored:
    """A run's checkpoints on one pair set."""

    pairs: "PairSet"
    cosines: "Mapping[str, NDArray[np.float64]]"
    """Of step0, best and last; best is the last where no step was chosen."""
    space: "DataFrame"


def run(request: Diagnose, models: "ModelCache", on_progress: Progress) -> Diagnosis:
    """Everything that the run recorded, and what its corpus and batches add to it."""
    import pandas

    from workbench.data.common_words import common_words
    from workbench.data.pairs import load_pairs
    from workbench.runs.outcome import judged_pairs
    from workbench.runs.reasons import Reason, reasons
    from workbench.scoring.pair_changes import common_features, gold_bands, pair_changes
    from workbench.statistics.linked_pairs import count_groups

    target = request.target
    assert target.run is not None
    trained = target.run
    on_progress(0.0, "Reading the pairs")
    pairs = load_pairs(request.pairs or _usual(trained))
    kept0 = trained.step_of(target.checkpoint) == 0
    compared = "last" if kept0 else target.checkpoint
    scored = _score(trained, pairs, models, part(on_progress, 0.0, 0.3))
    selected_on = [load_pairs(ref).name for ref in trained.config.selection.scored]
    gold = np.asarray(pairs.gold, dtype=np.float64)
    judged = judged_pairs(
        pairs.name,
        gold,
        scored.cosines,
        count_groups(pairs.first, pairs.second),
        selected=pairs.name in selected_on,
        against=compared,
    )
    if judged is None:
        raise BadData(
            f"{pairs.name} cannot rank these checkpoints.", rule="Gold scores and cosines must not all be equal."
        )
    outcome: Outcome = {
        "verdict": "kept_step0" if kept0 else judged["verdict"],
        "step": trained.step_of(target.checkpoint) or 0,
        "last": trained.step_of("last") or 0,
        "selected_on": selected_on,
        "sets": [judged],
        "reasons": [],
    }
    table = pandas.DataFrame(
        {
            "gold": gold,
            "before": scored.cosines["step0"],
            "after": scored.cosines[compared],
            "subset": pairs.subsets,
            "sentence1": pairs.first,
            "sentence2": pairs.second,
        }
    )
    changes = pair_changes(table)
    texts, missing = _corpus(trained, part(on_progress, 0.3, 0.5))
    common = common_words(texts.texts, pairs.first, pairs.second) if texts else None
    judges = scored.space[scored.space["checkpoint"].isin(["step0", compared])]
    judge = max(judges.to_dict("records"), key=lambda row: float(row["spearman"]))
    batches, false = _batches(trained, texts, missing, judge, models, part(on_progress, 0.5, 1.0))
    found: list[Reason] = []
    if outcome["verdict"] not in GOOD:
        found = reasons(trained, outcome["verdict"], common, pairs.name)
        if batches.get("false_share", 0.0) > FALSE_SHARE:
            found = [Reason("copies", _false_words(batches)), *(reason for reason in found if reason.kind != "copies")]
    back, why = _return_to(trained, scored, target.checkpoint, compared)
    return Diagnosis(
        about={
            "run": trained.id,
            "verdict": headline(outcome),
            "kind": outcome["verdict"],
            "pairs": pairs.name,
            "n": len(pairs),
            "kept": target.checkpoint,
            "checkpoint": compared,
            "step": trained.step_of(compared),
            "return_to": back,
            "why": why,
        },
        reasons=[reason.text for reason in found],
        space=scored.space,
        bands=gold_bands(changes),
        rates=_rates(trained, pairs.name, models.folder),
        words=asdict(common) if common else {"missing": missing},
        shared=common_features(changes),
        fell=changes.head(MOST_PAIRS),
        gained=changes[changes["worse"] < 0].tail(MOST_PAIRS).iloc[::-1].drop(columns="fell").reset_index(drop=True),
        batches=batches,
        false_negatives=false,
    )


def _score(run: Run, pairs: "PairSet", models: "ModelCache", on_progress: Progress) -> _Scored:
    """From the stored evaluation if it has the pairs, otherwise by encoding them."""
    import pandas

    from workbench.scoring.pair_scores import Scored
    from workbench.targets.target import parse

    there = [name for name in names.CHECKPOINT_NAMES if name in run.checkpoints]
    scores, measures = run.scores, ("spearman", "alignment", "uniformity", "mean_cosine")
    cosines: dict[str, NDArray[np.float64]] = {}
    rows: dict[str, Row] = {}
    if len(scores):
        part_ = scores[(scores["suite"] == "pairs") & (scores["pairs"] == pairs.name) & (scores["n"] == len(pairs))]
        rows = {row["checkpoint"]: row for row in part_.to_dict("records")}
    if set(there) <= set(rows):
        table = run.cosines()
        table = table[table["pairs"] == pairs.name]
        for name in there:
            cosines[name] = table[table["checkpoint"] == name].sort_values("row")["cosine"].to_numpy(dtype=np.float64)
    else:
        scored = Scored([pairs])
        for place, name in enumerate(there):
            on_progress(place / len(there), f"Encoding the pairs with {name}")
            share = part(on_progress, place / len(there), (place + 1) / len(there))
            fitted = models.fit(parse(f"{run.folder}@{name}", models.folder), share, scored=scored.texts)
            vectors = fitted.vectors(scored.texts, share)
            [row], table = scored.tables(partial(_known, vectors))
            rows[name], cosines[name] = row, table["cosine"].to_numpy(dtype=np.float64)
    space = pandas.DataFrame(
        [
            {
                "checkpoint": name,
                "step": run.step_of(name),
                **{measure: rows[name].get(measure) for measure in measures},
            }
            for name in there
        ]
    )
    cosines.setdefault("last", cosines.get("best", cosines["step0"]))
    cosines.setdefault("best", cosines["last"])
    return _Scored(pairs, cosines, space)


def _known(vectors: "NDArray[np.float64]", _texts: list[str]) -> "NDArray[np.float64]":
    return vectors


def _corpus(run: Run, on_progress: Progress) -> "tuple[CorpusTexts | None, str]":
    """The corpus of a run; None, and why, if it is gone or another."""
    from workbench.recipes.fits import corpus_of

    on_progress(0.0, "Reading the corpus")
    try:
        texts = corpus_of(settled(run.config), on_progress=on_progress)
    except WorkbenchError as error:
        return None, str(error)
    if run.config.corpus.sha256 not in ("", texts.sha256):
        return None, f"The corpus {run.config.corpus.source} has changed since the run was trained on it."
    return texts, ""


def _batches(
    run: Run, texts: "CorpusTexts | None", missing: str, judge: Row, models: "ModelCache", on_progress: Progress
) -> "tuple[dict[str, Any], DataFrame]":
    """Likely false negatives of some batches, by their texts and, unless its space is narrow, by the checkpoint `judge`."""
    import pandas

    from workbench.inspecting.batch import batch
    from workbench.inspecting.negatives import CLOSER, EQUAL, NEARLY, negatives
    from workbench.targets.target import parse
    from workbench.verbs._in_a_step import InAStep, lines_of, opened

    columns = ["step", "text", "negative", "cosine", "positive", "kind"]
    nothing = pandas.DataFrame(columns=columns)
    if texts is None:
        return {"missing": missing}, nothing
    config = settled(run.config)
    request = InAStep(parse(f"{run.folder}@{judge['checkpoint']}", models.folder))
    narrow = judge["mean_cosine"] > NARROW
    steps = sorted({max(1, round(at * config.training.steps)) for at in np.linspace(0, 1, BATCHES)})
    counts, rows, negative = dict.fromkeys((EQUAL, NEARLY, CLOSER), 0), [], 0
    try:
        texts, encoder, head = opened(request, models, on_progress)
        lines = lines_of(config, models, on_progress)
        for place, step in enumerate(steps):
            on_progress(0.4 + 0.6 * place / len(steps), "Encoding batches")
            seen = batch(encoder, head, texts, config, step=step, lock=models.lock, lines=lines)
            own, other = _says(seen.rows), _says(seen.candidates)
            found = negatives(seen.similarity, own, other, None, among=seen.among, partner=seen.partner)
            found = found[found["cosine"].notna()]
            found.loc[narrow & (found["kind"] == CLOSER), "kind"] = ""
            negative += len(found)
            for kind in counts:
                counts[kind] += int((found["kind"] == kind).sum())
            for row in found[found["kind"] != ""].to_dict("records"):
                rows.append(
                    (step, own[row["row"]], other[row["candidate"]], row["cosine"], row["positive"], row["kind"])
                )
    except WorkbenchError as error:
        return {"missing": str(error)}, nothing
    table = pandas.DataFrame(rows, columns=columns).sort_values("cosine", ascending=False, kind="stable")
    both = [frozenset(pair) for pair in zip(table["text"], table["negative"], strict=True)]
    table = table[~pandas.Series(both, index=table.index, dtype=object).duplicated()].head(MOST_FALSE)
    about = {
        "steps": steps,
        "negatives": negative,
        "equal": counts[EQUAL],
        "nearly_equal": counts[NEARLY],
        "closer": None if narrow else counts[CLOSER],
        "false_share": sum(counts.values()) / negative if negative else 0.0,
        "judge": judge["checkpoint"],
        "judge_step": judge["step"],
        "mean_cosine": judge["mean_cosine"],
    }
    return about, table.reset_index(drop=True)


def _says(frame: "DataFrame") -> list[str]:
    """The text of each row that decides about likely false negatives; see `inspecting.batch`."""
    return [str(text) for text in frame["says"]]


def _false_words(batches: Mapping[str, Any]) -> str:
    from workbench.data.report import percent

    closer = "" if batches["closer"] is None else f", {batches['closer']:,} closer than the positive"
    return (
        f"{percent(batches['false_share'])} of the negatives in its batches are likely false: {batches['equal']:,} equal "
        f"texts, {batches['nearly_equal']:,} nearly equal{closer}."
    )


def _rates(run: Run, pairs: str, folder: RunsFolder) -> "DataFrame":
    """The learning rate of the run against those of its card, its published setting and other runs."""
    import pandas

    from workbench.models.cards import card
    from workbench.recipes import RECIPES

    config = run.config
    recipe = RECIPES.get(config.recipe)
    published = recipe.official.get("training", {}).get("learning_rate") if recipe else None
    rows: list[tuple[str, object, object, str]] = [
        ("this run", config.training.learning_rate, _spearman(run, pairs), run.id),
        ("the backbone's card", card(config.model.backbone, config.model.revision).learning_rate, None, ""),
    ]
    if published is not None:
        rows.append(("the published setting", published, None, ""))
    others = all_runs(folder, NEWEST)
    for other, about in zip(others, listed.rows(others), strict=True):
        alike = (about.recipe, about.backbone) == (config.recipe, config.model.backbone)
        if len(rows) >= MOST_TRIALS or not alike or other.id == run.id or other.state != events.DONE:
            continue
        same = other.config
        if (same.recipe, same.model.backbone, same.corpus.sha256) == (
            config.recipe,
            config.model.backbone,
            config.corpus.sha256,
        ):
            rows.append(("another run", same.training.learning_rate, _spearman(other, pairs), other.id))
    return pandas.DataFrame(rows, columns=["of", "learning_rate", "spearman", "run"]).astype({"spearman": "float64"})


def _spearman(run: Run, pairs: str) -> float | None:
    """Of the kept step; of the last one where step 0 was kept, since that says nothing of a rate."""
    checkpoint = "last" if run.step_of("best") == 0 else "best"
    rows = score_rows(run.folder / names.EVALUATIONS / SCORES)
    return next(
        (row.get("spearman") for row in rows if (row.get("pairs"), row["checkpoint"]) == (pairs, checkpoint)), None
    )


def _return_to(run: Run, scored: _Scored, kept: str, compared: str) -> tuple[str, str]:
    """The checkpoint to use, as a target, and why; and the probe that was better than all of them, if one was."""
    from workbench.plots.takeaway import opened
    from workbench.statistics.bootstrap import paired_difference

    by = {row["checkpoint"]: row for row in scored.space.to_dict("records")}
    compared = compared if compared in by else kept
    name, before, after = scored.pairs.name, by["step0"], by[compared]

    def on_it(checkpoint: str) -> str:
        return f"step {by[checkpoint]['step']:,} scores {shown(by[checkpoint]['spearman'])}"

    def change(first: str, second: str) -> "Difference":
        return paired_difference(scored.cosines[first], scored.cosines[second], scored.pairs.gold)

    others = [other for other in by if by[other]["step"] != by[kept]["step"]]
    back = max(others, key=lambda other: by[other]["spearman"], default=kept)
    if change(kept, back).low > 0:
        why = f"Step {by[back]['step']:,} ranks {name} better than the kept one: {on_it(back)}, {on_it(kept)}."
    else:
        back, gained = kept, change("step0", compared)
        if by[kept]["step"] == 0:
            why = (
                f"No other step that was saved ranks {name} better beyond chance: {on_it('step0')}, {on_it(compared)}."
            )
        elif gained.low > 0:
            space = opened(float(before["mean_cosine"]), float(after["mean_cosine"]))
            why = f"{space} Step {after['step']:,} is the one to use: on {name} {on_it(compared)}, {on_it('step0')}."
        else:
            why = (
                f"Steps 0 and {after['step']:,} rank {name} alike, within chance: {on_it('step0')}, {on_it(compared)}."
            )
    return f"{run.id}@{back}", " ".join(filter(None, [why, _better_probe(run)]))


def _better_probe(run: Run) -> str:
    """The step of the best probe, if its weights are gone and it was clearly better than what is there."""
    probes = run.probes
    if "spearman" not in probes or probes["spearman"].isna().all():
        return ""
    known = probes.dropna(subset=["spearman"]).drop_duplicates("step", keep="last").set_index("step")["spearman"]
    there = [step for name in names.CHECKPOINT_NAMES if (step := run.step_of(name)) in known.index]
    best = int(known.idxmax())
    if not there or best in there or known[best] < known[there].max() + BETTER:
        return ""
    return (
        f"The probe on {set_name(run.config.probe.pairs)} was highest at step {best:,} ({shown(known[best])}), whose weights "
        f"were not kept: train again with {best:,} steps, or let pairs of yours choose the step (selection.pairs)."
    )


def slow(request: Diagnose) -> bool:
    """It reads the corpus, and may encode pairs."""
    return True


VERB = Verb(
    Diagnose,
    run,
    check=check,
    depends=depends,
    slow=slow,
    doing="Looking for what changed",
    command=True,
    correlations=("spearman",),
    settings=("learning_rate",),
)
