"""The kinds of fields of a request: how each is parsed once, sent to the process that answers, and hashed.

The annotation of a field declares its kind: `texts: Annotated[tuple[str, ...], Texts(least=2)]`. For a number, a switch or a
choice a `Knob` is enough.
"""

import argparse
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, cast, get_args, get_origin

from workbench.augmentations.availability import files_read
from workbench.augmentations.pipeline import Pipeline
from workbench.augmentations.pipeline import parse as parse_pipeline
from workbench.core import unicode
from workbench.core.config import Corpus as CorpusConfig
from workbench.core.config import RunConfig, Value, from_toml, to_toml
from workbench.core.errors import BadData, BadSetting
from workbench.core.json_values import Json
from workbench.core.method import Knob, Setting, setting_of, unwrapped
from workbench.core.paths import written
from workbench.core.schedule import evaluated_pairs, probed_pairs
from workbench.core.writing import write_text
from workbench.data.references import absolute, absolute_corpus, absolute_pairs, absolute_path, file_stamps
from workbench.inspecting.steps import bare
from workbench.preflight.refusals import check_path, check_paths
from workbench.previews import scan_lines
from workbench.store.lookup import find
from workbench.store.names import RunsFolder
from workbench.store.run import Run
from workbench.store.slices import Slice
from workbench.store.slices import find as find_slice
from workbench.targets.target import Target, parse

INLINE_CHARACTERS = 20_000
"""Longer lists of texts are stored in a file beside the request."""
SLOW_TEXTS = 2_000
"""Requests with more texts take the slow lane."""

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Field(Generic[ValueT]):
    """A kind of field, whose values in a request are of type `ValueT`. `help` is shown beside its flag."""

    help: str = ""

    @property
    def raw(self) -> str:
        """The annotation of its parameter in the api."""
        return "str"

    def parse(self, name: str, value: object, folder: RunsFolder) -> ValueT:
        """The value in the request, from what a caller passed or `write` returned.

        Raises:
            WorkbenchError: the value cannot be used.
        """
        raise NotImplementedError

    def write(self, value: ValueT, folder: RunsFolder) -> Json:
        """The value as JSON, for the process that answers. By default it is JSON as it is."""
        return cast(Json, value)

    def stamp(self, value: ValueT) -> object:
        """The current content behind the value: a part of the key of the answer, which changes with it."""
        return value

    def slow(self, value: ValueT) -> bool:
        """Whether the value makes the request a slow one."""
        return False

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """Add the flag of the command line; a positional argument if there is no default."""
        if default is inspect.Parameter.empty:
            parser.add_argument(name, metavar=name.upper(), help=self._shown)
        else:
            shown = f"{self._shown} (default: {default})" if default and isinstance(default, str) else self._shown
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, default=default, help=shown)

    @property
    def _shown(self) -> str:
        return self.help.replace("%", "%%")


@dataclass(frozen=True)
class Plain(Field[Value]):
    """A text, a switch or a number."""

    kind: Callable[[Any], Value] = str

    @property
    def raw(self) -> str:
        """The type."""
        return str(getattr(self.kind, "__name__", "str"))

    def parse(self, name: str, value: object, folder: RunsFolder) -> Value:
        """The value as its type."""
        if self.kind is str and not isinstance(value, str):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a text.")
        return self.kind(value)

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """A switch is turned off with `--no-`."""
        flag = f"--{name.replace('_', '-')}"
        if self.kind is bool:
            action = argparse.BooleanOptionalAction
            shown = f"{self._shown} {_usual(flag, default)}"
            parser.add_argument(flag, dest=name, default=default, action=action, help=shown)
        elif default is inspect.Parameter.empty:
            super().flag(parser, name, default)
        else:
            parser.add_argument(flag, dest=name, default=default, type=self.kind, help=self._shown)


@dataclass(frozen=True)
class Knobbed(Field[Value]):
    """A number, a switch or a choice with a range, such as forms draw as a slider."""

    setting: Setting = field(kw_only=True)

    @property
    def raw(self) -> str:
        """The type of the setting."""
        if self.setting.choices:
            return f"Literal[{', '.join(map(json.dumps, self.setting.choices))}]"
        return self.setting.kind.__name__

    def parse(self, name: str, value: object, folder: RunsFolder) -> Value:
        """The value, checked against the range; a whole number may also be `10.0` or a NumPy number."""
        value = unwrapped(value)
        if self.setting.kind is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        checked: Value = self.setting.check(value)
        return checked

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """The same setting checks the flag; a switch is turned off with `--no-`."""
        flag, setting = f"--{name.replace('_', '-')}", self.setting
        shown = setting.knob.help.replace("%", "%%")
        if setting.kind is bool:
            action = argparse.BooleanOptionalAction
            parser.add_argument(
                flag, dest=name, default=default, action=action, help=f"{shown} {_usual(flag, default)}"
            )
            return
        parser.add_argument(
            flag,
            dest=name,
            default=default,
            choices=setting.choices or None,
            type=setting.kind,
            help=f"{shown} (default: {default})",
        )


@dataclass(frozen=True)
class Texts(Field[tuple[str, ...]]):
    """Texts, at least `least` of them."""

    least: int = 1
    raw = "Sequence[str]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[str, ...]:
        """The texts, each of which can be written as UTF-8."""
        if isinstance(value, Mapping) and value.keys() == {"file"}:
            path = folder.cache / "texts" / Path(str(value["file"])).name
            value = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        columns = getattr(value, "columns", getattr(value, "column_names", None))
        if columns is not None:  # those of pandas and others yield the names of their columns
            raise BadData(
                f"{name} is a table.",
                rule="Texts are a list, or one column of a table.",
                got=f"columns {', '.join(map(str, columns))}"[:200],
                way_out=f"Choose a column, as in {name}=table[COLUMN].",
            )
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise BadData(
                f"{name} is not a list of texts.", got=repr(value)[:200], way_out='Write a single text as ["..."].'
            )
        texts = tuple(value)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                raise BadData(f"{name}[{row}] is not a text.", got=repr(text)[:200], way_out=_as_a_text(text))
            unicode.check("A text", text)
        if len(texts) < self.least:
            needed = "1 text is" if self.least == 1 else f"{self.least} texts are"
            raise BadData(f"At least {needed} needed.", got=str(len(texts)), way_out="Add some.")
        return texts

    def write(self, value: tuple[str, ...], folder: RunsFolder) -> Json:
        """The texts, or the name of the file that holds many of them."""
        content = json.dumps(value)
        if len(content) <= INLINE_CHARACTERS:
            return list(value)
        path = folder.cache / "texts" / f"{digest(content)}.json"
        if path.exists():
            path.touch()  # keeps it from being pruned, see compute.process.prune
        else:
            write_text(path, content)
        return {"file": path.name}

    def stamp(self, value: tuple[str, ...]) -> object:
        """A hash of the texts."""
        return digest(json.dumps(value))

    def slow(self, value: tuple[str, ...]) -> bool:
        """Many texts take long."""
        return len(value) > SLOW_TEXTS

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """Texts are positional; `workbench.commands._texts` reads them."""
        shown = self._shown or "- alone: each line of standard input."
        parser.add_argument(name, nargs="*" if self.least == 0 else "+", metavar="TEXT", help=shown)


def _as_a_text(value: object) -> str:
    """How to come to a text from what was given in place of one."""
    if isinstance(value, bytes):
        return "Decode it, as in value.decode('utf-8')."
    if value is None or isinstance(value, float) or type(value).__name__ == "NAType":
        return (
            "pandas reads an empty cell as nan: leave such rows out with dropna, or keep them as empty texts "
            "with read_csv(..., keep_default_na=False)."
        )
    return "Convert each to a text: those of Arrow with to_pylist(), others with str."


@dataclass(frozen=True)
class Words(Field[tuple[str, ...]]):
    """A list of words or names; a single one may be given as a text."""

    raw = "str | Sequence[str]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[str, ...]:
        """The words in order."""
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, Iterable):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a list of texts.")
        return tuple(map(str, value))

    def write(self, value: tuple[str, ...], folder: RunsFolder) -> Json:
        """A list."""
        return list(value)

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """A flag that takes several words."""
        flag, usual = f"--{name.replace('_', '-')}", list(default) if isinstance(default, tuple) else []
        shown = f"{self._shown} (default: {' '.join(map(str, usual))})" if usual else self._shown
        parser.add_argument(flag, dest=name, nargs="+", default=default, metavar="WORD", help=shown)


@dataclass(frozen=True)
class Encoded(Field[Target]):
    """A target. If baselines are refused, `encoder` is the reason."""

    help: str = "A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ..."
    encoder: str = ""
    raw = "AnyRun"

    def parse(self, name: str, value: object, folder: RunsFolder) -> Target:
        """The target, resolved."""
        if isinstance(value, Target):
            return value
        target = parse(value if isinstance(value, Run) else str(value), folder)
        if self.encoder and target.baseline:
            raise BadSetting(f"{target.text} is not an encoder: {self.encoder}.", way_out="Name a backbone or a run.")
        return target

    def write(self, value: Target, folder: RunsFolder) -> Json:
        """The target in a form that any process can resolve."""
        return value.address

    def stamp(self, value: Target) -> object:
        """A hash that changes whenever vectors could."""
        return value.fingerprint

    def slow(self, value: Target) -> bool:
        """Fitting on other sets than the demo may take long."""
        return any(not on.startswith("demo") for on in value.named_sets)


@dataclass(frozen=True)
class Trained(Field[Run]):
    """A run, whatever it has: it need not have a checkpoint."""

    help: str = "A run: its id, the beginning of its id, its name, or its folder."
    raw = "AnyRun"

    def parse(self, name: str, value: object, folder: RunsFolder) -> Run:
        """The run."""
        return value if isinstance(value, Run) else find(folder, str(value))

    def write(self, value: Run, folder: RunsFolder) -> Json:
        """Its folder, which any process can read."""
        return str(value.folder)

    def stamp(self, value: Run) -> object:
        """Its id. What else the answer depends on is for the verb to say."""
        return value.id


@dataclass(frozen=True)
class EncodedList(Field[tuple[Target, ...]]):
    """Several targets, at most `most`."""

    help: str = "Backbones, runs, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ..."
    most: int = 12
    raw = "Sequence[AnyRun]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[Target, ...]:
        """The targets, resolved."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a list of targets.")
        each = Encoded()
        targets = tuple(each.parse(name, target, folder) for target in value)
        if not 0 < len(targets) <= self.most:
            raise BadSetting(f"{name} are 1 to {self.most} targets.", got=str(len(targets)))
        return targets

    def write(self, value: tuple[Target, ...], folder: RunsFolder) -> Json:
        """The targets in a form that any process can resolve."""
        return [target.address for target in value]

    def stamp(self, value: tuple[Target, ...]) -> object:
        """A hash of each that changes whenever vectors could."""
        return [target.fingerprint for target in value]

    def slow(self, value: tuple[Target, ...]) -> bool:
        """Several encoders may have to be loaded."""
        return len(value) > 2 or any(map(Encoded().slow, value))

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """The names stand by themselves."""
        parser.add_argument(name, nargs="*", default=default, metavar="TARGET", help=self._shown)


@dataclass(frozen=True)
class PairRows(Field[tuple[int, ...]]):
    """Some pairs of a set, by their numbers from 0; none for all of them."""

    help: str = "Only these pairs of the set, by their numbers from 0."
    raw = "Sequence[int]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[int, ...]:
        """The numbers, ascending, each once."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a list of numbers.")
        return tuple(sorted({int(row) for row in value}))

    def write(self, value: tuple[int, ...], folder: RunsFolder) -> Json:
        """A list."""
        return list(value)

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """A flag that takes several numbers."""
        parser.add_argument(f"--{name}", nargs="+", type=int, default=default, metavar="ROW", help=self._shown)


@dataclass(frozen=True)
class Sliced(Field[Slice]):
    """A slice of a pair set, by its name."""

    help: str = "The name of a slice: pairs selected on Explore, or kept by api.save_slice."
    raw = "str"

    def parse(self, name: str, value: object, folder: RunsFolder) -> Slice:
        """The slice."""
        if isinstance(value, Mapping):
            rows = tuple(map(int, value["rows"]))
            name, pairs, content = (str(value[part]) for part in ("name", "pairs", "content"))
            return Slice(name, pairs, content, rows, float(value["made"]))
        return value if isinstance(value, Slice) else find_slice(folder, str(value))

    def write(self, value: Slice, folder: RunsFolder) -> Json:
        """The slice itself, which may be renamed before it is read."""
        return {**asdict(value), "rows": list(value.rows)}

    def stamp(self, value: Slice) -> object:
        """Its name, what it holds, and size and time of the file of its pairs."""
        return [value.name, value.content, digest(json.dumps(value.rows)), file_stamps(value.pairs)]


@dataclass(frozen=True)
class SlicedList(Field[tuple[Slice, ...]]):
    """Several slices of a pair set, by their names; none by default."""

    help: str = "Names of slices: pairs selected on Explore, or kept by api.save_slice."
    raw = "str | Sequence[str]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[Slice, ...]:
        """The slices."""
        if isinstance(value, str | Slice):
            value = (value,)
        if not isinstance(value, Iterable):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a list of names of slices.")
        return tuple(Sliced().parse(name, each, folder) for each in value)

    def write(self, value: tuple[Slice, ...], folder: RunsFolder) -> Json:
        """The slices themselves."""
        return [Sliced().write(each, folder) for each in value]

    def stamp(self, value: tuple[Slice, ...]) -> object:
        """What each holds."""
        return [Sliced().stamp(each) for each in value]

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """A flag that takes several names."""
        parser.add_argument(f"--{name}", nargs="+", default=default, metavar="SLICE", help=self._shown)


@dataclass(frozen=True)
class Corpus(Field[str]):
    """The name of a corpus: demo, a file, a data set of the Hub, or pair sets, whose texts are meant."""

    help: str = "demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER."
    raw = "str | Path"

    def parse(self, name: str, value: object, folder: RunsFolder) -> str:
        """The name with absolute paths."""
        named = written(name, value)
        for part in CorpusConfig(named).files:
            check_path(part)
        return absolute_corpus(named)

    def stamp(self, value: str) -> object:
        """The name, and size and time of its files: one, whose name may hold a `;`, or several."""
        corpus = CorpusConfig(value)
        several = corpus.files if corpus.of_pairs or len(corpus.files) > 1 else []
        return [value, *map(file_stamps, [*several] if corpus.of_pairs else [corpus.source, *several])]


def named_pairs(value: object) -> str:
    """The name of a scored pair set with an absolute path.

    Raises:
        BadSetting: it is neither a text nor a path, or cannot be a path.
    """
    named = written("pair set", value, lists="Ask for each set by itself.")
    check_path(named)
    return absolute_pairs(named)


@dataclass(frozen=True)
class Pairs(Field[str]):
    """The name of a scored pair set."""

    help: str = "demo:dev, TASK:SPLIT@FOLDER, sts@FOLDER, FILE or hf:ORG/NAME."
    raw = "str | Path"

    def parse(self, name: str, value: object, folder: RunsFolder) -> str:
        """The name with an absolute path."""
        return named_pairs(value)

    def stamp(self, value: str) -> object:
        """Size and time of its file."""
        return file_stamps(value)


@dataclass(frozen=True)
class PairsOrNone(Pairs):
    """A scored pair set, or none: an empty name."""

    def parse(self, name: str, value: object, folder: RunsFolder) -> str:
        """The name with an absolute path."""
        return "" if value is None or (isinstance(value, str) and not value) else super().parse(name, value, folder)


@dataclass(frozen=True)
class PairsList(Words):
    """Several scored pair sets."""

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[str, ...]:
        """The names with absolute paths."""
        if isinstance(value, Sequence | Set) and not isinstance(value, str):
            return tuple(map(named_pairs, value))
        return (named_pairs(value),)

    def stamp(self, value: tuple[str, ...]) -> object:
        """Size and time of their files."""
        return [file_stamps(ref) for ref in value]


@dataclass(frozen=True)
class Folder(Field[str]):
    """A folder, such as that of the tasks of a suite."""

    raw = "str | Path"

    def parse(self, name: str, value: object, folder: RunsFolder) -> str:
        """The absolute path; empty if none is named."""
        for part in CorpusConfig(str(value)).files:
            check_path(part)
        return absolute_path(str(value))

    def stamp(self, value: str) -> object:
        """The name, and size and time of its files."""
        return file_stamps(value)


@dataclass(frozen=True)
class Line(Field[Pipeline]):
    """A pipeline of augmentations, as one line."""

    help: str = "An augmentation or several, such as 'eda_swap(rate=0.2) + typo_noise@0.5'."
    raw = "str"

    def parse(self, name: str, value: object, folder: RunsFolder) -> Pipeline:
        """The pipeline."""
        return value if isinstance(value, Pipeline) else parse_pipeline(str(value))

    def write(self, value: Pipeline, folder: RunsFolder) -> Json:
        """The line."""
        return str(value)

    def stamp(self, value: Pipeline) -> object:
        """The line, and size and time of the files that its steps read."""
        return [str(value), files_read(str(value))]

    def slow(self, value: Pipeline) -> bool:
        """Texts written by a model take long."""
        return bool(value.modelled)


@dataclass(frozen=True)
class Lines(Words):
    """Pipelines to scan a corpus with, each acting on one level; by default all that need no second model."""

    texts: bool = False
    """Whether each must act on texts."""
    raw = "str | Sequence[str] | None"

    def parse(self, name: str, value: object, folder: RunsFolder) -> tuple[str, ...]:
        """The lines, spelled in full."""
        usual = scan_lines.default_pipelines if self.texts else scan_lines.default_lines
        lines = usual() if value is None else super().parse(name, value, folder)
        checked = scan_lines.check_pipelines(lines, texts=self.texts)
        if not checked:
            raise BadData("No augmentation was named.", way_out="Name one or more.")
        return tuple(checked)

    def stamp(self, value: tuple[str, ...]) -> object:
        """What each line is missing, and the files it reads: a lexicon may be installed, or a model trained again."""
        return [[line, scan_lines.absent(line), scan_lines.marks(line)] for line in value]

    def flag(self, parser: argparse.ArgumentParser, name: str, default: object) -> None:
        """A flag that takes several lines."""
        parser.add_argument(f"--{name}", nargs="+", default=None, metavar="LINE", help=self._shown)


@dataclass(frozen=True)
class Configured(Field[RunConfig | None]):
    """The configuration of a run: an object or TOML; None for that of the target, if it is a run."""

    raw = "RunConfig | str | None"

    def parse(self, name: str, value: object, folder: RunsFolder) -> RunConfig | None:
        """The configuration reduced to what its steps depend on, with absolute paths."""
        if value is None or value == "":
            return None
        return settled(value if isinstance(value, RunConfig) else from_toml(str(value)))

    def write(self, value: RunConfig | None, folder: RunsFolder) -> Json:
        """TOML."""
        return "" if value is None else to_toml(value)

    def stamp(self, value: RunConfig | None) -> object:
        """The configuration, and size and time of the files of its corpus."""
        return None if value is None else [to_toml(value), *map(file_stamps, value.corpus.files)]

    def slow(self, value: RunConfig | None) -> bool:
        """A corpus other than the demo may be large."""
        return value is not None and value.corpus.source != "demo" and not value.corpus.source.startswith("demo:")


@dataclass(frozen=True)
class ConfiguredRun(Configured):
    """The configuration of a run whose probes and evaluations count too."""

    def parse(self, name: str, value: object, folder: RunsFolder) -> RunConfig | None:
        """The configuration reduced to what its steps, probes and evaluations depend on, with absolute paths."""
        reduced = super().parse(name, value, folder)
        if reduced is None:
            return None
        given = value if isinstance(value, RunConfig) else from_toml(str(value))
        check_paths(given)
        whole = absolute(given)
        return replace(reduced, selection=whole.selection, probe=whole.probe, evaluation=whole.evaluation)

    def stamp(self, value: RunConfig | None) -> object:
        """The configuration, and size and time of the files of its corpus and its pairs."""
        if value is None:
            return None
        refs = dict.fromkeys([*probed_pairs(value), *evaluated_pairs(value), value.evaluation.sts_folder])
        return [super().stamp(value), *map(file_stamps, refs)]


def settled(config: RunConfig) -> RunConfig:
    """The configuration reduced to what its steps depend on, with absolute paths."""
    reduced = bare(config)
    return replace(reduced, corpus=replace(reduced.corpus, source=absolute_corpus(reduced.corpus.source)))


@dataclass(frozen=True)
class Settings(Field[dict[str, object]]):
    """Settings of the method that another field names; the verb checks them."""

    raw = "Mapping[str, object]"

    def parse(self, name: str, value: object, folder: RunsFolder) -> dict[str, object]:
        """The settings by name."""
        if not isinstance(value, Mapping):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It maps names of settings to values.")
        return {str(setting): item for setting, item in value.items()}


def _usual(flag: str, default: object) -> str:
    """The default of a switch, for its help.

    >>> _usual("--texts", False)
    '(default: --no-texts)'
    """
    return f"(default: {flag if default else flag.replace('--', '--no-', 1)})"


def unparsed(value: object) -> Any:
    """A default as callers would write it; it is parsed like a value that they pass."""
    return value


def digest(content: str) -> str:
    """A short hash of a text."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def field_of(name: str, annotation: object, default: object) -> Field[Any]:
    """The kind of field that an annotation declares."""
    if get_origin(annotation) is Annotated:
        for extra in get_args(annotation)[1:]:
            if isinstance(extra, Field):
                return extra
            if isinstance(extra, str):
                return Plain(extra, get_args(annotation)[0])
            if isinstance(extra, Knob):
                return Knobbed(extra.help, setting=_setting(name, annotation, default))
    for kind in (str, int, float, bool):
        if annotation is kind:
            return Plain(kind=kind)
    if get_origin(annotation) is Literal:
        return Knobbed(setting=_setting(name, Annotated[annotation, Knob()], default))
    raise TypeError(f"{name}: {annotation!r} declares no kind of field")


def _setting(name: str, annotation: object, default: Any) -> Setting:
    setting = setting_of(name, annotation, default)
    assert setting is not None, "it has a Knob"
    return setting
