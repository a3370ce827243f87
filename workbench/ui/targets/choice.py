"""Pickers of targets: runs, pretrained backbones, baselines, and variants of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.core.errors import WorkbenchError
from workbench.data.demo import PAIR_SETS
from workbench.store import names
from workbench.store.differences import settings_but_seed
from workbench.store.listed import rows
from workbench.store.lookup import NEWEST
from workbench.store.names import runs_folder
from workbench.targets.baselines import BASELINES
from workbench.targets.target import is_baseline, split
from workbench.ui.kit.address import choose, choose_several, follow_default
from workbench.ui.kit.folders import readable_pairs, target_inside
from workbench.ui.kit.notices import empty, quiet, trouble
from workbench.ui.kit.own_pairs import own_name, own_pairs, stored_pairs
from workbench.ui.kit.words import count, join_names, plain
from workbench.ui.targets.deleted import drop_deleted
from workbench.ui.targets.names import BACKBONES, shown_name, target_name
from workbench.ui.targets.own_model import own_model
from workbench.ui.targets.raw import backbone_of, original_backbone, raw_encoder
from workbench.ui.targets.variants import variant_form

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def pretrained() -> dict[api.Run, Path]:
    """Pretraining runs among the newest runs, with their model folders: backbones for fine-tuning."""
    runs = api.runs(newest=NEWEST, waiting=False)
    trained = {row.recipe: run for run, row in zip(runs, rows(runs), strict=True) if row.recipe and not row.problem}
    pretrain = {recipe for recipe, run in trained.items() if not run.problem and run.config.pretrains}
    found = {run: run.folder / names.MODEL for run, row in zip(runs, rows(runs), strict=True) if row.recipe in pretrain}
    return {run: folder for run, folder in found.items() if (folder / "config.json").is_file()}


NEWEST_RUNS = 20
"""How many of the newest runs have their backbones offered."""


def usable_runs() -> list[api.Run]:
    """Those of the newest runs that have a checkpoint to encode with, newest first."""
    runs = api.runs(newest=NEWEST, waiting=False)
    return [run for run, row in zip(runs, rows(runs), strict=True) if row.has_weights and not row.problem]


def scored_runs() -> list[str]:
    """Those of the newest runs that are here without weights but with scores on pairs, which Compare can show."""
    runs = api.runs(newest=NEWEST, waiting=False)
    known = zip(runs, rows(runs), strict=True)
    return [run.id for run, row in known if row.test_spearman is not None and not row.has_weights and not row.problem]


def say_older_runs() -> None:
    """A note on how many runs the choices do not list, and how to choose one of them; nothing if they list all."""
    every = len(runs_folder().newest_names())
    if every > NEWEST:
        quiet(
            f"The newest {count(NEWEST)} of {count(every)} runs are listed. Type the id of an older one: the filter on Runs "
            "finds it."
        )


def default_baselines(runs: Sequence[api.Run]) -> list[str]:
    """Untrained targets shown next to runs by default: the backbone of the first run, the same with its mean subtracted,
    which alone repairs much, and TF-IDF, which shows how far word overlap goes.
    """
    return _baselines_of(original_backbone(runs[0]) if runs else presets.TARGET)


def _baselines_of(encoder: str) -> list[str]:
    return [encoder, f"{encoder}+centre", "tfidf"]


def known_targets(*, baselines: bool = True) -> list[str]:
    """Everything the pickers offer; Hub ids, folders and variants can be entered as well."""
    usable = usable_runs()
    runs = [run.id for run in usable]
    words = [name for name, method in BASELINES.items() if baselines and not method.absent]
    backbones = list(dict.fromkeys([*BACKBONES, *map(original_backbone, usable[:NEWEST_RUNS])]))
    centred = [f"{name}+centre" for name in backbones]
    return [*runs, *backbones, *centred, *words, *(f"{run}@step0" for run in runs[:1])]


_PAIRS = PAIR_SETS[0]
_TYPED = "Any Hugging Face id or model folder can be typed in."


def _listed_names() -> dict[str, str]:
    """`target_name` of the listed runs by id, from their rows: hundreds of options are named each time that a page is drawn."""
    runs = api.runs(newest=NEWEST, waiting=False)
    return {  # without those that kept step 0, which `target_name` says
        run.id: shown_name(run.id, row.name)
        for run, row in zip(runs, rows(runs), strict=True)
        if row.about.kept_step and not row.problem
    }


def option_names() -> Callable[[str], str]:
    """How a picker shows a target. What was typed and names a path or a model of the Hub stays as it was typed: under another
    name the browser would offer it a second time.
    """
    known = _listed_names()
    return lambda target: known.get(target) or (target if "/" in target or "\\" in target else target_name(target))


def pick_targets(most: int = 60) -> list[str]:
    """The chosen targets; by default the newest runs, the backbone of the newest and the cheapest baselines. The other seeds of
    chosen runs are offered by a button.
    """
    known, runs, listed = [*known_targets(), *scored_runs()], usable_runs(), _listed_names()
    newest = runs[:3]
    drop_deleted("targets", known)
    chosen = choose_several(
        "Runs and backbones",
        known,
        key="targets",
        start=[*(run.id for run in newest), *default_baselines(newest)],
        shown=option_names(),
        always=True,
        max_selections=most,
        help=f"Runs in this folder, pretrained encoders, and baselines without an encoder. {_TYPED}",
    )
    say_older_runs()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        own_model("targets", lambda name: _add(name, most))
        variant_form(
            "targets",
            [*chosen, *known],
            lambda name: listed.get(name) or target_name(name),
            several=True,
            most=most,
        )
        if found := other_seeds(chosen, runs)[: most - len(chosen)]:
            st.button(
                f"Add {len(found)} other {'seed' if len(found) == 1 else 'seeds'}",
                key="targets.seeds",
                on_click=_add_all,
                args=(found, most),
                help="Runs that differ from a chosen one in nothing but the seed: "
                f"{plain(join_names(list(map(target_name, found))))}. "
                "Together they are one method, with an interval over seeds.",
            )
    return readable(chosen)


def other_seeds(chosen: Sequence[str], runs: Sequence[api.Run]) -> list[str]:
    """Those of `runs` that differ from a chosen one in nothing but the seed, one of each seed, the oldest first; with the
    checkpoint, pooling and transform of the chosen one.
    """
    known = dict(zip(runs, rows(runs), strict=True))
    by_id = {run.id: run for run in runs}
    found: list[str] = []
    for target in chosen:
        parts = split(target)
        if (run := by_id.get(parts.name)) is None or parts.checkpoint == "step0":
            continue
        about, same = known[run], settings_but_seed(run)
        alike = [
            other
            for other, row in known.items()
            if (row.recipe, row.backbone, row.corpus) == (about.recipe, about.backbone, about.corpus)
            and settings_but_seed(other) == same
        ]
        seeds = {known[other].seed for other in alike if str(replace(parts, name=other.id)) in (*chosen, *found)}
        for other in reversed(alike):
            if known[other].seed not in seeds:
                seeds.add(known[other].seed)
                found.append(str(replace(parts, name=other.id)))
    return found


def _add_all(targets: Sequence[str], most: int) -> None:
    """Choose further targets besides those that are chosen."""
    chosen = list(st.session_state.get("targets") or [])
    st.session_state["targets"] = list(dict.fromkeys([*chosen, *targets]))[:most]


def pick_encoders(key: str, most: int) -> list[str]:
    """Up to `most` runs and backbones, without baselines; by default the newest runs, and the default backbone where none is."""
    drop_deleted(key, known := known_targets(baselines=False))
    chosen = choose_several(
        "Runs and backbones",
        known,
        key=key,
        start=[run.id for run in usable_runs()[:most]] or [presets.TARGET],
        shown=option_names(),
        always=True,
        max_selections=most,
        help=f"Runs in this folder and pretrained encoders. {_TYPED}",
    )
    say_older_runs()
    return drop_absent(readable(chosen))


def beside_own(name: str) -> list[str]:
    """A model made elsewhere, and what it is compared with: its raw encoder, the same with its mean subtracted, and TF-IDF."""
    raw = raw_encoder(name)
    return [name, *_baselines_of(raw.target if raw and raw.here else presets.TARGET)]


def _add(name: str, most: int) -> None:
    """Choose a model made elsewhere, and its raw encoder, besides the targets that are chosen; of too many, the last go."""
    raw = raw_encoder(name)
    chosen = list(st.session_state.get("targets") or [])
    st.session_state["targets"] = list(dict.fromkeys([name, *([raw.target] if raw and raw.here else []), *chosen]))[
        :most
    ]


def readable(targets: Iterable[str]) -> list[str]:
    """The targets that a page may read; the others are named, with the reason."""
    found = []
    for target in targets:
        try:
            found.append(target_inside(target))
        except WorkbenchError as error:
            trouble(error)
    return found


def pick_target(label: str = "Run or backbone", key: str = "target", *, variants: bool = False) -> str:
    """One target; with `variants` also baselines, and a form for pooling and transform, and the newest run is the default."""
    known = known_targets(baselines=variants)
    newest = [run.id for run in usable_runs()[:1]] if variants else []
    drop_deleted(key, known)
    chosen = choose(
        label,
        known,
        key=key,
        start=newest[0] if newest else presets.TARGET,
        shown=option_names(),
        typed=True,
        always=bool(newest),
        help=f"A run in this folder (its best checkpoint), or a pretrained encoder. {_TYPED}",
    )
    say_older_runs()
    if variants:
        variant_form(key, [chosen], target_name)
    return target_inside(chosen)


def run_of(target: str) -> api.Run | None:
    """The run of this folder that a target names; None if it names something else.

    Raises:
        WorkbenchError: it looks like the name of a run, but no single run has it.
    """
    name = split(target).name
    if name in BACKBONES or "/" in name or "\\" in name or is_baseline(name):
        return None
    return api.run(name)


def absent(targets: Iterable[str]) -> list[str]:
    """Names that look like runs but are not in this runs folder: from another machine, or deleted."""
    missing = []
    for target in targets:
        try:
            run_of(target)
        except WorkbenchError:
            missing.append(target)
    return missing


def say_without_weights(targets: Iterable[str]) -> None:
    """Which runs were imported without their weights, and what can be shown of them."""
    parts = [(target, split(target), run) for target in targets if (run := run_of(target))]
    if lacking := [target for target, part, run in parts if run.has_scores_alone(part.checkpoint or run.kept)]:
        it, its, encoder = ("it", "its", "encoder") if len(lacking) == 1 else ("them", "their", "encoders")
        quiet(
            f"Imported without weights: {join_names(list(map(target_name, lacking)))}. Compared by the scores that were stored "
            f"with {it}; other pairs, poolings, transforms and suites need {its} {encoder}: import {it} with {its} weights."
        )


def drop_absent(targets: list[str]) -> list[str]:
    """The targets without the absent ones, which are named in a notice."""
    gone = absent(targets)
    if gone:
        empty(
            f"Not in this runs folder: {join_names(gone)}.",
            "The name is mistyped, the link was made on another machine, or the run was deleted. Export the run there "
            "and import it on the Runs page. A model is named by its folder, a Hub id as org/name, or as an embedded backbone.",
        )
        st.page_link("pages/runs.py", label="Go to Runs", icon=":material/arrow_forward:")
    return [target for target in targets if target not in gone]


def pick_pairs(messages: "DeltaGenerator") -> str:
    """The pair set that everything on the page is measured on; the demo's if the chosen one cannot be read, with a message in the
    container `messages`: the field itself stands in a narrow column.
    """
    chosen = choose(
        "Scored pairs",
        [*PAIR_SETS, *stored_pairs()],
        key="pairs",
        start=_PAIRS,
        shown=lambda pairs: own_name(pairs) or pairs,
        typed=True,
        help="The authors scored the demo pairs, for teaching; `demo:traps` are hard on purpose. `TASK:SPLIT@FOLDER`, such as "
        "`stsb:dev@data/sts`, or a file with score, sentence1, sentence2 can be typed in.",
    )
    own_pairs("pairs")
    try:
        return readable_pairs(chosen)
    except WorkbenchError as error:
        with messages:
            trouble(error)
            quiet(f"`{_PAIRS}` is used instead.")
        return _PAIRS


def pick_further(targets: Sequence[str], *, most: int) -> list[str]:
    """More targets besides those already chosen, up to `most` of all together; none by default."""
    drop_deleted("further", known := known_targets())
    chosen = choose_several(
        "Further encoders",
        [name for name in known if name not in targets],
        key="further",
        start=[],
        shown=option_names(),
        max_selections=most - len(targets),
        help=f"Up to {most} encoders stand side by side and move together. {_TYPED}",
    )
    return drop_absent([name for name in dict.fromkeys(readable(chosen)) if name not in targets][: most - len(targets)])


def before_training(target: str) -> str:
    """The backbone of a run as it is; empty for its variants, and for everything else."""
    return backbone_of(target) if target == split(target).name else ""


def pick_other(target: str) -> str:
    """A second target next to the first, or none; choosing the first again counts as none. By default that of a run is its
    backbone before fine-tuning, and others have none.

    As long as there is none, its variants are those of the first, so that two clicks show an encoder beside itself whitened.
    """
    known, shown = known_targets(), option_names()
    drop_deleted("beside", known)
    chosen = choose(
        "Compare with",
        ["", *(name for name in known if name != target)],
        key="beside",
        start=follow_default("beside", before_training(target)),
        shown=lambda name: shown(name) if name else "nothing",
        typed=True,
    )
    variant_form("beside", [chosen or target], target_name)
    if chosen == target:
        quiet(f"Both sides are {target_name(target)}, so it is shown once.")
        return ""
    return target_inside(chosen)
