"""What a user can say: the verbs that pages, command line and Python share. Importable without torch.

Nothing is computed here: runs go to the queue, questions to the warm compute process of the runs folder.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.config import RunConfig
from workbench.core.errors import BadData, BadRun, unknown
from workbench.jobs import launch, questions
from workbench.jobs.sweeps import Plan, Sweep
from workbench.jobs.tickets import Answer, Ticket
from workbench.store.names import runs_folder, runs_place
from workbench.store.run import Run

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

    from workbench.recipes import Recipe

__all__ = [
    "Answer",
    "Plan",
    "Run",
    "Sweep",
    "Ticket",
    "augment",
    "compare",
    "delete",
    "delete_recipe",
    "delete_sweep",
    "doctor",
    "encode",
    "evaluate",
    "export_recipe",
    "export_run",
    "fits",
    "grid",
    "import_recipe",
    "import_run",
    "judge",
    "judgements",
    "list_methods",
    "needs_worker",
    "plan_grid",
    "plan_tournament",
    "project",
    "recipes",
    "reindex",
    "resume",
    "run",
    "runs",
    "save_recipe",
    "scan",
    "settle",
    "stop",
    "submit",
    "sweep",
    "sweeps",
    "tournament",
    "train",
    "warm_up",
]

Folder = str | Path | None
AnyRun = str | Path | Run


def encode(
    texts: Sequence[str],
    *,
    backbone: str = "minilm-l3",
    precision: str = "fp32",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "numpy.ndarray":
    """One float32 vector a text, shape (n, d), as the model gives them. Waits for the answer.

    `backbone` is any target: an embedded id, a Hub id, a model folder, a run id or folder (its best checkpoint),
    with `@step0`, `@best` or `@last`, `:pooling` and `+transform` behind it if wanted, or `tfidf` or `glove`. Settings
    stand in brackets: `minilm-l3:mean(without=10)+whitening(k=64, on=texts.txt)`; `workbench.jobs.targets` has the
    grammar. `follow` is told the progress.

    Raises:
        WorkbenchError: a name, a text or a model that cannot be used.
    """
    return submit("encode", runs=runs, texts=list(texts), target=backbone, precision=precision).wait(follow=follow)


def augment(
    pipeline: str,
    text: str | Sequence[str],
    *,
    seed: int = 0,
    draws: int = 1,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
    corpus: str = "demo",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
    **settings: Any,
) -> "DataFrame":
    """Columns sentence, draw, before, text, changed, acted, label, again: `draws` seeded variants of each text.

    `pipeline` is the id of an augmentation, with `settings` of its own, or a line such as
    `eda_swap(rate=0.2) + typo_noise@0.5`. What matches `protect` or `protect_pattern` is never changed; `acted` says
    where that took any doing. `corpus` is what corpus statistics are counted over.

    Raises:
        UnknownName: no such augmentation or setting, with the nearest.
        BadSetting: a setting out of range, or a line that cannot be read.
        MissingResource: a lexicon, parser or model that is not on this machine.
    """
    from workbench.augmentations.pipeline import Step
    from workbench.augmentations.protect import Protection
    from workbench.jobs import drawn

    line = str(Step(pipeline, settings)) if settings else pipeline
    texts = [text] if isinstance(text, str) else list(text)
    if drawn.needs_worker(line):
        asked: dict[str, Any] = {"seed": seed, "draws": draws, "protect": list(protect), "corpus": corpus}
        ticket = submit("augment", runs=runs, texts=texts, pipeline=line, protect_pattern=protect_pattern, **asked)
        return ticket.wait(follow=follow)
    return drawn.table(line, texts, seed=seed, draws=draws, protection=Protection(tuple(protect), protect_pattern))


def needs_worker(pipeline: str) -> bool:
    """Whether a pipeline needs statistics, a lexicon or a model: then pages ask for it with `submit("augment", ...)`.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    from workbench.jobs.drawn import needs_worker

    return needs_worker(pipeline)


def scan(
    corpus: str = "demo",
    pipelines: Sequence[str] | None = None,
    *,
    target: str = "minilm-l3",
    n: int = 2000,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "DataFrame":
    """One row an augmentation: what it does to a stratified sample of `n` texts of a corpus. Waits for the answer.

    `pipelines` are lines as `augment` takes them; without any, every rule-based augmentation whose lexicons are here.
    Columns: pipeline, title, class, role, language, n, n_changed, changed (share of texts), words_changed (share of
    words), words and characters (relative change of length), cosine (similarity kept under `target`, of changed texts),
    cosine_all (of all), most of them with `_low` and `_high` (95 %), the cosines with quantiles `_05`, `_50`, `_95`;
    duplicates, acted (where protection did something), texts_per_second, absent (why a row is empty).

    `.attrs` has `about`, with the similarity of dropout pairs and of random pairs under `references`, and `extremes`:
    the least and the most similar changed texts of each.

    Raises:
        WorkbenchError: a corpus, target or pipeline that cannot be used.
    """
    asked: dict[str, Any] = {"n": n, "seed": seed, "protect": list(protect), "protect_pattern": protect_pattern}
    found = submit("scan", runs=runs, corpus=corpus, pipelines=pipelines, target=target, **asked).wait(follow=follow)
    table: DataFrame = found["table"]
    table.attrs = {"about": found["about"], "extremes": found["extremes"].to_dict("records")}
    return table


def judge(name: str, pair: dict[str, Any], verdict: str, *, runs: Folder = None) -> None:
    """Write down what a person called `name` says of a pair: `same`, `changed` or `broken`; `undo` takes the last back.

    `pair` is a row of the answer to `submit("drawn_pairs", ...)`. It is on the disk when this returns.

    Raises:
        BadSetting: another verdict, or an empty name.
    """
    from workbench.statistics.verdicts import VERDICTS
    from workbench.store import judgements as stored

    if verdict == "undo":
        stored.undo(runs_folder(runs), name)
    elif verdict in VERDICTS:
        stored.add(runs_folder(runs), name, pair, verdict)
    else:
        raise unknown("verdict", verdict, (*VERDICTS, "undo"))


def judgements(*, runs: Folder = None) -> "DataFrame":
    """Columns judge, pair, pipeline, title, before, text, verdict, time: everything that people judged and that stands."""
    import pandas

    from workbench.store import judgements as stored

    columns = ["judge", "pair", "pipeline", "title", "before", "text", "verdict", "time"]
    return pandas.DataFrame(stored.everything(runs_folder(runs)), columns=columns)


def settle(
    recipe: str = "simcse_unsup",
    *,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> RunConfig:
    """The configuration that `train` with the same arguments would run; `origins` says where each value came from.

    Raises:
        WorkbenchError: a name or a value that cannot be used.
    """
    from workbench.jobs import own_recipes
    from workbench.recipes import settle as of_recipe

    if name:
        changes["name"] = name
    chosen = own_recipes.find(runs_place(runs), recipe)
    return of_recipe(chosen, backbone=backbone, corpus=corpus, official=official, changes=changes)


def fits(recipe: str, corpus: str, config: RunConfig | None = None, *, runs: Folder = None) -> str:
    """Why a corpus lacks what a recipe needs, in one sentence; empty if it does not, or if only reading it would tell.

    Looks only at the head of a file: quick enough to be asked while somebody types. `config` is a run that changed the
    recipe's losses or views.

    Raises:
        WorkbenchError: no such recipe, or a file that is no text.
    """
    from workbench.jobs import own_recipes
    from workbench.recipes import fits as of_recipe

    return of_recipe(own_recipes.find(runs_place(runs), recipe), corpus, config.terms if config else None)


def recipes(*, runs: Folder = None) -> "dict[str, Recipe]":
    """All recipes by id: those of the app, then one's own of a runs folder."""
    from workbench.jobs import own_recipes

    return own_recipes.everything(runs_place(runs))


def save_recipe(
    config: RunConfig | AnyRun,
    name: str,
    *,
    title: str = "",
    summary: str = "",
    citation: str = "",
    overwrite: bool = False,
    runs: Folder = None,
) -> "Recipe":
    """Keep a configuration, or that of a run, as a recipe called `name`: its terms and what recipe or user set.

    Backbone, corpus, seed and what belongs to one machine are left open, and so is what the backbone's card said. It can be
    used from now on wherever the app's recipes can.

    Raises:
        WorkbenchError: the name is no id or is taken, or something in the recipe cannot be used.
    """
    from workbench.jobs import own_recipes
    from workbench.recipes.own import recipe_of

    settled = config if isinstance(config, RunConfig) else run(config, runs=runs).config
    made = recipe_of(settled, name, title=title, summary=summary, citation=citation)
    return own_recipes.keep(runs_folder(runs), made, overwrite=overwrite)


def export_recipe(name: str, file: str | Path, *, runs: Folder = None) -> Path:
    """Write any recipe as a TOML file.

    Raises:
        UnknownName: no such recipe.
        BadSetting: the file exists.
    """
    from workbench.jobs import own_recipes

    return own_recipes.export(runs_place(runs), name, Path(file))


def import_recipe(file: str | Path, *, name: str = "", overwrite: bool = False, runs: Folder = None) -> "Recipe":
    """Keep the recipe in a TOML file, under another id if `name` is given, after checking everything in it.

    Raises:
        WorkbenchError: no recipe, an unknown name or a value out of range in it, or an id that is taken.
    """
    from workbench.jobs import own_recipes

    return own_recipes.bring(runs_folder(runs), Path(file), name=name, overwrite=overwrite)


def delete_recipe(name: str, *, runs: Folder = None) -> None:
    """Remove a recipe of one's own. Runs made with it stay as they are.

    Raises:
        UnknownName: there is none of that id.
    """
    from workbench.jobs import own_recipes

    own_recipes.delete(runs_folder(runs), name)


def train(
    recipe: str = "simcse_unsup",
    *,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: Any,
) -> Run:
    """Queue a run and wait for its end; with `detach` return at once.

    `follow` is called with the run about twice a second. An interrupt (Ctrl-C) asks the run to stop, waits for its
    checkpoint and returns the run, whose state is then `stopped`. `changes` are knobs: `steps=100`, `temperature=0.1`,
    `**{"probe.every": 5}`.

    Raises:
        WorkbenchError: the configuration is wrong, or the run failed; the message is the run's own.
    """
    from workbench.jobs.following import follow_run

    config = settle(recipe, backbone=backbone, corpus=corpus, official=official, name=name, runs=runs, **changes)
    submitted = launch.submit(runs_folder(runs), config)
    return submitted if detach else follow_run(submitted, follow)


def grid(
    recipe: str = "simcse_unsup",
    over: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: int = 1,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Sweep:
    """Queue a run for every combination of the values of one or two settings, each with `seeds` seeds; returns at once.

    `over` names settings as `train` takes them, or `recipe`, `backbone`, `corpus`: `{"temperature": [0.03, 0.05], "margin": [5,
    10]}`. Runs that are there are not made again, stopped ones go on: asking twice costs nothing. `Sweep.results(measure)`
    has one row a run, `Sweep.summary(measure)` one a setting.

    Raises:
        WorkbenchError: a name, value or size that cannot be used, or no room for the runs.
    """
    from workbench.jobs import sweeps

    said: dict[str, Any] = {"seeds": seeds, "backbone": backbone, "corpus": corpus, "official": official, "name": name}
    return sweeps.queue(plan_grid(recipe, over, runs=runs, **said, **changes))


def plan_grid(
    recipe: str = "simcse_unsup",
    over: Mapping[str, Sequence[Any]] | None = None,
    *,
    seeds: int = 1,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Plan:
    """What `grid` would queue: `missing` runs, their `seconds` and `size_bytes` as far as earlier runs tell. Queues nothing.

    Raises:
        WorkbenchError: see `grid`.
    """
    from workbench.jobs import sweeps

    said: dict[str, Any] = {"seeds": seeds, "backbone": backbone, "corpus": corpus, "official": official, "name": name}
    return sweeps.grid(runs_folder(runs), recipe, over or {}, **said, changes=changes)


def tournament(
    augmentations: Sequence[str],
    *,
    recipe: str = "simcse_unsup",
    roles: Sequence[str] = ("positive", "negative"),
    seeds: int = 1,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Sweep:
    """Queue one run an augmentation as positive, one as negative (`augcse_neg`), and `recipe` without any; returns at once.

    All have the same budget and seeds. `Sweep.summary(measure)` holds each against the run without: a tie is called a tie.

    Raises:
        WorkbenchError: an augmentation or size that cannot be used, or no room for the runs.
    """
    from workbench.jobs import sweeps

    said: dict[str, Any] = {"seeds": seeds, "backbone": backbone, "corpus": corpus, "official": official, "name": name}
    return sweeps.queue(plan_tournament(augmentations, recipe=recipe, roles=roles, runs=runs, **said, **changes))


def plan_tournament(
    augmentations: Sequence[str],
    *,
    recipe: str = "simcse_unsup",
    roles: Sequence[str] = ("positive", "negative"),
    seeds: int = 1,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    **changes: Any,
) -> Plan:
    """What `tournament` would queue; see `plan_grid`.

    Raises:
        WorkbenchError: see `tournament`.
    """
    from workbench.jobs import sweeps

    said: dict[str, Any] = {"seeds": seeds, "backbone": backbone, "corpus": corpus, "official": official, "name": name}
    asked: dict[str, Any] = {"recipe": recipe, "roles": roles, **said}
    return sweeps.tournament(runs_folder(runs), augmentations, **asked, changes=changes)


def sweeps(*, runs: Folder = None) -> list[Sweep]:
    """Grids and tournaments of a runs folder, the last asked for first."""
    from workbench.jobs import sweeps as kept

    place = runs_folder(runs)
    launch.look_after(place)
    return kept.everything(place)


def sweep(name: str, *, runs: Folder = None) -> Sweep:
    """One grid or tournament by its id.

    Raises:
        UnknownName: none, with the nearest ids.
    """
    from workbench.jobs import sweeps as kept

    return kept.find(runs_folder(runs), name)


def delete_sweep(name: str, *, runs: Folder = None) -> None:
    """Forget which runs belong together; the runs stay.

    Raises:
        UnknownName: there is none.
    """
    from workbench.jobs import sweeps as kept

    kept.delete(runs_folder(runs), name)


def evaluate(
    target: AnyRun,
    *,
    suite: str = "sts",
    data: Folder = None,
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "DataFrame":
    """Spearman (-1..1) of each STS task in `data`: task, split, n, subsets, all, mean, wmean, official, low, high.

    `.attrs` has the names of `absent` tasks, `mean` (label, value, tasks; the label is `avg` only if all seven are
    there), precision, max_length and notices.

    Raises:
        WorkbenchError: no such suite or target, or nothing to evaluate on.
    """
    from workbench.evaluation import METHODS

    if suite not in METHODS:
        raise unknown("suite", suite, METHODS)
    return submit("sts", runs=runs, target=target, data=data or "").wait(follow=follow)


def compare(
    targets: Sequence[AnyRun],
    *,
    pairs: str = "demo:dev",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "DataFrame":
    """One row a target on one pair set: spearman with its 95 % interval, alignment, uniformity, mean_cosine and more.

    Columns: target, pairs, n, spearman, low, high, alignment, alignment_on, uniformity, mean_cosine, collapsed,
    precision, max_length, fitted_on.

    Raises:
        WorkbenchError: a target or pair set that cannot be used.
    """
    import pandas

    if isinstance(targets, str) or not targets:
        raise BadData(
            "compare needs a list of targets.", got=repr(targets), way_out='Such as ["minilm-l3", "minilm-l3+centre"].'
        )
    tickets = [submit("evaluate", runs=runs, target=target, pairs=pairs) for target in targets]
    table = pandas.DataFrame([ticket.wait(follow=follow)["scores"] for ticket in tickets])
    scores = ["target", "pairs", "n", "spearman", "low", "high"]
    space = ["alignment", "alignment_on", "uniformity", "mean_cosine", "collapsed"]
    return table[[*scores, *space, "precision", "max_length", "fitted_on"]]


def project(
    texts: Sequence[str],
    *,
    backbone: str = "minilm-l3",
    method: Literal["pca", "umap", "cone"] = "pca",
    views: int = 0,
    dropout: float = 0.1,
    seed: int = 0,
    runs: Folder = None,
) -> "DataFrame":
    """Columns row, view, x, y, text: the texts in the plane, or `views` dropout views of each.

    `.attrs` says what the picture cannot show: see `workbench.analysis.projection`.

    Raises:
        WorkbenchError: a target, or too few texts.
    """
    asked: dict[str, Any] = {"method": method, "views": views, "dropout": dropout, "seed": seed}
    return submit("project", runs=runs, texts=list(texts), target=backbone, **asked).wait()


def runs(folder: Folder = None) -> list[Run]:
    """The runs of a folder, newest first. Damaged ones are listed too, with what is wrong in `Run.problem`."""
    place = runs_folder(folder)
    launch.look_after(place)
    return launch.all_runs(place)


def run(name: AnyRun, *, runs: Folder = None) -> Run:
    """One run by id, unique beginning of an id, label, or folder.

    Raises:
        UnknownName: none, with the nearest ids.
        BadRun: several could be meant.
    """
    return launch.find(runs_folder(runs), name)


def stop(name: AnyRun, *, runs: Folder = None) -> Run:
    """Ask a run to stop and keep its checkpoint. Answers at once; a queued run is stopped at once.

    Raises:
        BadRun: it is neither waiting nor running.
    """
    return launch.stop(run(name, runs=runs))


def resume(name: AnyRun, *, runs: Folder = None) -> Run:
    """Queue a stopped, failed or lost run again; it continues from its last complete checkpoint.

    Raises:
        BadRun: it is done, live or damaged.
    """
    return launch.resume(run(name, runs=runs))


def delete(name: AnyRun, confirm_name: str, *, runs: Folder = None) -> None:
    """Remove a run folder for good. `confirm_name` is its full id; a live run is refused.

    Raises:
        BadRun: the name differs, or the run is live.
    """
    launch.delete(run(name, runs=runs), confirm_name)


def export_run(name: AnyRun, file: str | Path, *, runs: Folder = None, weights: bool = True) -> Path:
    """Write a run as one zip with a hash of every file in it; without `weights` no checkpoints and no model.

    Raises:
        BadRun: it is live, or the file exists.
    """
    from workbench.store.archive import pack

    found = run(name, runs=runs)
    if found.live:
        raise BadRun(f"{found.id} is {found.state}.", rule="A live run cannot be exported.", way_out="Stop it first.")
    return pack(found, Path(file), weights=weights)


def import_run(file: str | Path, *, runs: Folder = None) -> Run:
    """Read a run that `export_run` wrote; checked for size, paths and hashes before anything is placed.

    Raises:
        BadRun: no such archive, damaged, unsafe, or the run is here already.
    """
    from workbench.store.archive import unpack

    return unpack(Path(file), runs_folder(runs))


def reindex(folder: Folder = None) -> int:
    """Build the queue's index anew from the run folders; how many runs wait or are worked on."""
    from workbench.jobs.queue import Queue

    place = runs_folder(folder)
    count = Queue(place).reindex()
    launch.look_after(place)
    return count


def list_methods(kind: str) -> "DataFrame":
    """Columns id, title, summary, source of one kind.

    Kinds: losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites, analyses,
    backbones.

    Raises:
        UnknownName: another kind.
    """
    from workbench.jobs.listing import table

    return table(kind)


def doctor(folder: Folder = None) -> "DataFrame":
    """Columns check, state (ok, note, problem), finding, way_out: what this machine and runs folder can do."""
    from workbench.jobs.doctor import examine

    return examine(runs_folder(folder))


def warm_up(*, runs: Folder = None) -> None:
    """Start the compute process, so that the first question does not wait for it. Returns at once."""
    from workbench.jobs.tickets import compute

    compute(runs_folder(runs)).ensure()


def submit(verb: str, *, session: str = "", slot: str = "", runs: Folder = None, **arguments: Any) -> Ticket:
    """Ask the compute process and return at once: what pages use. `Ticket.poll()` says how far the answer is.

    A newer question of the same session and slot takes the older one's place. Verbs, arguments and results:

    * `encode`: texts, target, precision -> array (n, d)
    * `augment`: texts, pipeline, seed, draws, protect, protect_pattern, corpus -> DataFrame as `augment` gives it
    * `dropout_views`: texts, target, views, dropout, seed -> array (n, views, d)
    * `project`: texts, target, method, views, dropout, neighbours, seed -> DataFrame row, view, x, y, text (with views
      also mean_x, mean_y, silhouette); `.attrs` as in `workbench.analysis`
    * `evaluate`: target, pairs -> dict of `scores` (one row of `compare`, as a dict) and `cosines` (DataFrame task,
      split, subset, row, gold, cosine, sentence1, sentence2)
    * `sts`: target, data -> DataFrame as `evaluate` gives it
    * `geometry`: texts, target -> dict of `metrics` (dict) and `spectrum` (DataFrame)
    * `neighbours`: texts, target, count -> DataFrame row, rank, neighbour, cosine
    * `tokens`: texts, target, max_length -> DataFrame text (its row), position, token, kind, kept, id
    * `corpus_report`: corpus, backbone, max_length, batch_size, pairs (list) -> dict
    * `scan`: corpus, pipelines, target, n, seed, protect, protect_pattern -> dict of `table`, `extremes` (DataFrames)
      and `about`, see `scan`
    * `cost`: as `scan` -> dict of `table` (seconds and bytes for each pipeline) and `about`, judged from 50 texts
    * `drawn_pairs`: corpus, pipelines, target, count, seed, protect, protect_pattern -> DataFrame pair, pipeline, title,
      before, text, cosine, tried: changed texts, shuffled over the pipelines
    * `inspect`: target, config (TOML; empty for that of the run), step -> dict of `similarity` (array), `rows`,
      `candidates` (DataFrames) and `about`: the batch of a step
    * `gradients`: target, config, step, pipelines, rows -> dict of `cosines`, `norms` (DataFrames) and `about`
    * `dry_run`: config (TOML) -> dict: time, memory and cautions of a run, by two steps that change nothing
    * `precision`: target -> dict precision, device

    Raises:
        WorkbenchError: a verb, argument or name that does not exist, said before anything waits.
    """
    return questions.submit(runs_folder(runs), verb, arguments, session=session, slot=slot)
