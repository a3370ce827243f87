"""Adaptive sweeps by optuna: which settings a run gets follows from the runs before it, by the Spearman of their probes.

The journal of a sweep lies in `.sweeps` of the runs folder, so whoever asks for the same sweep again goes on with it. Each
trial is an ordinary run. A trial whose probe is below the median of earlier trials at the same step is stopped.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from workbench.core.config import RunConfig, Value
from workbench.core.errors import BadSetting, MissingResource, WorkbenchError, unknown
from workbench.core.private import make_folder
from workbench.core.seeds import derive
from workbench.preflight import acknowledgements
from workbench.scheduler import launch, supervision
from workbench.scheduler.following import has_ended
from workbench.store import events, names
from workbench.store.fitting import read_rows
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.store.shapes import Probe
from workbench.sweeps.axes import plain_changes, run_label
from workbench.sweeps.planning import asked_for, settled
from workbench.sweeps.ranges import Range, Space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial, Trial
    from pandas import DataFrame

EVERY_SECONDS = 1.0
STARTS = 5
"""Trials before the first is stopped early, and before the sampler leaves chance behind: fewer say nothing."""
_STOPPING = "pruned"
_RUN = "run"
"""Attributes of a trial: that it was stopped early, and the id of its run."""


@dataclass(frozen=True)
class Tuning:
    """An adaptive sweep."""

    folder: RunsFolder = field(repr=False)
    id: str
    study: "Study" = field(repr=False)

    @property
    def trials(self) -> "DataFrame":
        """One row per trial, in order: trial, state (running, complete, pruned, fail), value (Spearman of the probe, -1 to 1; NaN
        unless complete), run, and its settings.
        """
        import pandas

        rows = [
            {
                "trial": trial.number,
                "state": trial.state.name.lower(),
                "value": trial.value if trial.state.name == "COMPLETE" else float("nan"),
                "run": trial.user_attrs.get(_RUN, ""),
                **trial.params,
            }
            for trial in self.study.trials
        ]
        return pandas.DataFrame(rows, columns=["trial", "state", "value", "run", *self.settings])

    @property
    def settings(self) -> list[str]:
        """The names of the settings that it varies."""
        return list(dict.fromkeys(name for trial in self.study.trials for name in trial.params))

    @property
    def importance(self) -> "DataFrame":
        """Columns setting, importance: the share of the variance of the value that each setting explains, by fANOVA over the
        complete trials, largest first. Empty below four complete trials, or if all came out equal.
        """
        import optuna
        import pandas

        found: dict[str, float] = {}
        values = [trial.value for trial in self.study.trials if trial.state == optuna.trial.TrialState.COMPLETE]
        if len(values) >= 4 and len(set(values)) > 1:
            found = optuna.importance.get_param_importances(
                self.study, evaluator=optuna.importance.FanovaImportanceEvaluator(seed=0)
            )
        return pandas.DataFrame({"setting": list(found), "importance": [float(share) for share in found.values()]})


def check_optuna() -> None:
    """Check that optuna is installed.

    Raises:
        MissingResource: it is not.
    """
    if find_spec("optuna") is None:
        raise MissingResource(
            "Adaptive sweeps need optuna, which is not installed.",
            way_out='Install it: pip install "contrastive-workbench[tune]".',
        )


def opened(folder: RunsFolder, name: str, *, new: bool = False) -> Tuning:
    """The adaptive sweep with this id; with `new` begun if it does not exist.

    Raises:
        UnknownName: there is none.
        MissingResource: optuna is not installed.
    """
    check_optuna()
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    journal = folder.sweeps / f"{name}.journal"
    if not new and not journal.exists():
        raise unknown("adaptive sweep", name, [path.stem for path in folder.sweeps.glob("*.journal")])
    make_folder(folder.sweeps)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        storage=JournalStorage(JournalFileBackend(str(journal), JournalFileOpenLock(str(journal)))),
        study_name=name,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=STARTS),
        direction="maximize",
        load_if_exists=True,
    )
    return Tuning(folder, name, study)


def tune(
    folder: RunsFolder,
    recipe: str,
    space: Space,
    *,
    trials: int,
    at_once: int = 1,
    seed: int = 0,
    backbone: str = "",
    corpus: str = "demo",
    accept: tuple[str, ...] = (),
    changes: Mapping[str, object] | None = None,
    on: str = "",
    follow: Callable[[Tuning], None] | None = None,
) -> Tuning:
    """Run trials until so many have ended, counting those of earlier calls with the same recipe, texts and space; wait for them.

    Raises:
        WorkbenchError: a setting or value that cannot be used, a warning that is not accepted, or optuna is missing.
    """
    if trials < 1 or at_once < 1:
        raise BadSetting("An adaptive sweep needs trials, at least one at once.", got=f"{trials} and {at_once}")
    check_optuna()
    asked = asked_for(folder, recipe, backbone, corpus, False)
    kept = {name: value for name, value in plain_changes(changes).items() if name not in space}
    for values in _corners(space):
        config = replace(settled(folder, asked, {**kept, **values}), accept=accept)
        if not config.probe.pairs:
            raise BadSetting("An adaptive sweep needs probes.", way_out="Name pairs: --probe.pairs demo:dev.")
        acknowledgements.check(acknowledgements.lacking_of([config]))
    content = json.dumps(
        [asked, kept, {name: repr(values) for name, values in space.items()}], sort_keys=True, default=str
    )
    digest = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    supervisor = supervision.supervisor(folder)
    supervisor.check_may_work()
    supervisor.ensure()  # before a trial is looked at whose worker vanished meanwhile: it may be queued again
    made = opened(folder, f"tune-{names.word(recipe)}-{digest}", new=True)
    while True:
        going = [trial for trial in made.study.trials if not trial.state.is_finished()]
        for trial in going:
            _look(made, trial)
        going = [trial for trial in made.study.trials if not trial.state.is_finished()]
        ended = [trial for trial in made.study.trials if trial.state.is_finished() and trial.state.name != "FAIL"]
        failed = len(made.study.trials) - len(going) - len(ended)
        if failed > max(3, trials // 2):
            raise WorkbenchError(
                f"{failed} trials of {made.id} have failed.",
                way_out="Look at their runs, fix the cause, and try again.",
            )
        if follow:
            follow(made)
        if len(ended) >= trials and not going:
            return made
        for _ in range(min(at_once - len(going), trials - len(ended) - len(going))):
            made.study.sampler = _sampler(seed, len(made.study.trials))
            _start(made, space, lambda values: replace(settled(folder, asked, {**kept, **values}), accept=accept), on)
        supervisor.check_may_work()
        supervisor.ensure()  # the last one may have ended
        time.sleep(EVERY_SECONDS)


def _corners(space: Space) -> list[dict[str, Value]]:
    """The space's first and last values, which are tried before anything is queued."""
    ends = {
        name: (values.low, values.high) if isinstance(values, Range) else (values[0], values[-1])
        for name, values in space.items()
    }
    return [{name: pair[end] for name, pair in ends.items()} for end in (0, 1)]


def _sampler(seed: int, trials: int) -> "BaseSampler":
    """The sampler of the next trial after so many. Each has a stream of its own: a sweep that was interrupted, or asked for more
    trials, goes on as if at one go, and repeats none.
    """
    from optuna.samplers import TPESampler

    own = derive(seed, "trial", trials) % 2**32  # the most that NumPy takes
    return TPESampler(seed=own, n_startup_trials=STARTS, constant_liar=True)


def _start(made: Tuning, space: Space, config_of: Callable[[dict[str, Value]], RunConfig], on: str) -> None:
    trial = made.study.ask()
    values = {name: _suggested(trial, name, values) for name, values in space.items()}
    config = config_of(values)
    name = run_label({**values}, config.training.seed)
    run = launch.submit(made.folder, replace(config, name=name), on)
    trial.set_user_attr(_RUN, run.id)


def _suggested(trial: "Trial", name: str, values: Range | tuple[Value, ...]) -> Value:
    if isinstance(values, tuple):
        chosen: Any = trial.suggest_categorical(name, values)
        return chosen
    if values.whole:
        return int(trial.suggest_int(name, int(values.low), int(values.high), log=values.log))
    return float(trial.suggest_float(name, values.low, values.high, log=values.log))


def _look(made: Tuning, frozen: "FrozenTrial") -> None:
    """Tell the study what has become of the run of a trial, and stop one that is below the median."""
    from optuna.trial import Trial, TrialState

    name = frozen.user_attrs.get(_RUN, "")
    run = Run(made.folder.path / name)
    if (
        not name or not (run.folder / names.CONFIG).exists()
    ):  # whoever asked was killed before it was queued, or it was deleted
        made.study.tell(frozen.number, state=TrialState.FAIL)
        return
    trial = Trial(made.study, frozen._trial_id)
    for step, value in _probed(run).items():
        if step not in frozen.intermediate_values:
            trial.report(value, step)
    stopped = bool(frozen.user_attrs.get(_STOPPING))
    status = run.status
    if status.state == events.DONE:
        measured = run.probe_spearman
        state = TrialState.COMPLETE if measured is not None else TrialState.FAIL
        made.study.tell(frozen.number, measured, state=state)
    elif has_ended(run):
        made.study.tell(frozen.number, state=TrialState.PRUNED if stopped else TrialState.FAIL)
    elif not stopped and status.state == events.RUNNING and trial.should_prune():
        trial.set_user_attr(_STOPPING, True)
        launch.stop(run)


def _probed(run: Run) -> dict[int, float]:
    """Spearman of the probes by step, without step 0, which is the same for all."""
    try:
        rows: list[Any] = list(read_rows(run.folder / names.PROBES, Probe))
    except OSError:
        return {}
    return {
        row["step"]: float(row["spearman"])
        for row in rows
        if row["step"] and isinstance(row.get("spearman"), int | float)
    }
