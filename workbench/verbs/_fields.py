"""What the fields of a request hold: how each is parsed once, written to the process that answers, and known again.

A field says what it is in its annotation: `texts: Annotated[tuple[str, ...], Texts(least=2)]`. A number, a switch or a choice
with a `Knob` needs nothing else.
"""

import argparse
import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from workbench.augmentations.availability import files_read
from workbench.augmentations.pipeline import Pipeline
from workbench.augmentations.pipeline import parse as parse_pipeline
from workbench.core import unicode
from workbench.core.config import Corpus as CorpusConfig
from workbench.core.config import RunConfig, from_toml, to_toml
from workbench.core.errors import BadData, BadSetting
from workbench.core.method import Knob, Setting, setting_of
from workbench.core.writing import write_text
from workbench.data.references import absolute_corpus, absolute_pairs, absolute_path, file_stamps
from workbench.inspecting.steps import bare
from workbench.preflight.refusals import check_path
from workbench.previews import scan_lines
from workbench.store.names import RunsFolder
from workbench.targets.target import Target, parse

INLINE_CHARACTERS = 20_000
"""Longer lists of texts lie in a file beside the request."""
SLOW_TEXTS = 2_000
"""So many texts take the slow lane."""

Json = Any
"""What JSON can hold."""


@dataclass(frozen=True)
class Field:
    """One kind of field. `help` is shown beside its flag."""

    help: str = ""

    raw = "str"
    """The annotation of what a caller gives, as the api has it."""

    def parse(self, name: str, value: Any, folder: RunsFolder) -> Any:
        """The value as the request holds it, from what a caller gave or `write` wrote.

        Raises:
            WorkbenchError: what is wrong with it.
        """
        return value

    def write(self, value: Any, folder: RunsFolder) -> Json:
        """The value for the process that answers."""
        return value

    def stamp(self, value: Any) -> Json:
        """What the value stands for now: the answer is another one where this is."""
        return value

    def slow(self, value: Any) -> bool:
        """Whether the value alone makes the answer one that takes long."""
        return False

    def flag(self, parser: argparse.ArgumentParser, name: str, default: Any) -> None:
        """The flag of the command line, or its positional words where there is no default."""
        if default is inspect.Parameter.empty:
            parser.add_argument(name, metavar=name.upper(), help=self._shown)
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, default=default, help=self._shown)

    @property
    def _shown(self) -> str:
        return self.help.replace("%", "%%")


@dataclass(frozen=True)
class Plain(Field):
    """A text, a switch or a number as it is."""

    kind: type = str

    @property
    def raw(self) -> str:  # type: ignore[override]
        """The type itself."""
        return self.kind.__name__

    def parse(self, name: str, value: Any, folder: RunsFolder) -> Any:
        """The value as its type."""
        if self.kind is str and not isinstance(value, str):
            raise BadSetting(f"{name} cannot be {value!r}.", rule="It is a text.")
        return self.kind(value)

    def flag(self, parser: argparse.ArgumentParser, name: str, default: Any) -> None:
        """A switch is turned on, or off with `--no-`."""
        flag = f"--{name.replace('_', '-')}"
        if self.kind is bool:
            action = argparse.BooleanOptionalAction
            parser.add_argument(flag, dest=name, default=default, action=action, help=self._shown)
        elif default is inspect.Parameter.empty:
            super().flag(parser, name, default)
        else:
            parser.add_argument(flag, dest=name, default=default, type=self.kind, help=self._shown)


@dataclass(frozen=True)
class Knobbed(Field):
    """A number, a switch or a choice with a range: what forms draw as a slider."""

    setting: Setting | None = None

    @property
    def raw(self) -> str:  # type: ignore[override]
        """The type of the setting."""
        assert self.setting is not None
        if self.setting.choices:
            return f"Literal[{', '.join(map(json.dumps, self.setting.choices))}]"
        return self.setting.kind.__name__

    def parse(self, name: str, value: Any, folder: RunsFolder) -> Any:
        """The value in its range; a whole number may come as `10.0` or as a number of numpy."""
        assert self.setting is not None
        value = value.item() if hasattr(value, "item") else value
        if self.setting.kind is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        return self.setting.check(value)

    def flag(self, parser: argparse.ArgumentParser, name: str, default: Any) -> None:
        """A flag that is checked by the same setting."""
        assert self.setting is not None
        flag, setting = f"--{name.replace('_', '-')}", self.setting
        parser.add_argument(
            flag,
            dest=name,
            default=default,
            choices=setting.choices or None,
            type=setting.kind if setting.kind is not bool else setting.parse,
            help=f"{setting.knob.help} (default: {default})".replace("%", "%%"),
        )


@dataclass(frozen=True)
class Texts(Field):
    """The texts that are asked about."""

    least: int = 1
    raw = "Sequence[str]"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> tuple[str, ...]:
        """At least so many texts, each of whole characters."""
        if isinstance(value, Mapping):
            path = folder.cache / "texts" / Path(value["file"]).name
            value = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        if isinstance(value, str) or not all(isinstance(text, str) for text in value):
            raise BadData("Texts are a list of texts.", got=repr(value))
        for text in value:
            unicode.check("A text", text)
        if len(value) < self.least:
            needed = "1 text is" if self.least == 1 else f"{self.least} texts are"
            raise BadData(f"{needed} needed.", got=str(len(value)), way_out="Add some.")
        return tuple(value)

    def write(self, value: tuple[str, ...], folder: RunsFolder) -> Json:
        """The texts themselves, or the file that holds many of them."""
        content = json.dumps(value)
        if len(content) <= INLINE_CHARACTERS:
            return list(value)
        path = folder.cache / "texts" / f"{digest(content)}.json"
        if path.exists():
            path.touch()  # still wanted: see compute.prune
        else:
            write_text(path, content)
        return {"file": path.name}

    def stamp(self, value: tuple[str, ...]) -> Json:
        """A hash of the texts."""
        return digest(json.dumps(value))

    def slow(self, value: tuple[str, ...]) -> bool:
        """Many texts."""
        return len(value) > SLOW_TEXTS

    def flag(self, parser: argparse.ArgumentParser, name: str, default: Any) -> None:
        """The words of the command line."""
        parser.add_argument(name, nargs="*" if self.least == 0 else "+", metavar="TEXT", help=self._shown)


@dataclass(frozen=True)
class Words(Field):
    """A list of words or names; one alone may come as a text."""

    raw = "str | Sequence[str]"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> tuple[str, ...]:
        """The words in order."""
        return (value,) if isinstance(value, str) else tuple(map(str, value))

    def write(self, value: tuple[str, ...], folder: RunsFolder) -> Json:
        """A list."""
        return list(value)

    def flag(self, parser: argparse.ArgumentParser, name: str, default: Any) -> None:
        """A flag with several words."""
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, dest=name, nargs="+", default=default, metavar="WORD", help=self._shown)


@dataclass(frozen=True)
class Encoded(Field):
    """What is encoded with: a target. `encoder` says why a baseline will not do, where it will not."""

    help: str = "A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ..."
    encoder: str = ""
    raw = "AnyRun"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> Target:
        """The target, resolved."""
        if isinstance(value, Target):
            return value
        target = parse(value, folder)
        if self.encoder and target.baseline:
            raise BadSetting(f"{target.text} is not an encoder: {self.encoder}.", way_out="Name a backbone or a run.")
        return target

    def write(self, value: Target, folder: RunsFolder) -> Json:
        """The target as any process can find it."""
        return value.address

    def stamp(self, value: Target) -> Json:
        """Changes whenever vectors could."""
        return value.fingerprint

    def slow(self, value: Target) -> bool:
        """There may be many texts to fit on."""
        return any(not on.startswith("demo") for on in value.named_sets)


@dataclass(frozen=True)
class Corpus(Field):
    """The name of a corpus: demo, a file, a data set of the Hub, or pair sets whose texts are meant."""

    help: str = "demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER."
    raw = "str | Path"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> str:
        """The name with its paths absolute."""
        for part in CorpusConfig(str(value)).files:
            check_path(part)
        return absolute_corpus(str(value))

    def stamp(self, value: str) -> Json:
        """Its files as they are now: one, whose name may hold a `;`, or several."""
        corpus = CorpusConfig(value)
        several = corpus.files if corpus.of_pairs or len(corpus.files) > 1 else []
        return [value, *map(file_stamps, [*several] if corpus.of_pairs else [corpus.source, *several])]


@dataclass(frozen=True)
class Pairs(Field):
    """The name of a scored pair set."""

    help: str = "demo:dev, TASK:SPLIT@FOLDER, sts@FOLDER, FILE or hf:ORG/NAME."
    raw = "str | Path"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> str:
        """The name with its path absolute."""
        check_path(str(value))
        return absolute_pairs(str(value))

    def stamp(self, value: str) -> Json:
        """Its file as it is now."""
        return file_stamps(value)


@dataclass(frozen=True)
class PairsList(Words):
    """Several scored pair sets."""

    def parse(self, name: str, value: Any, folder: RunsFolder) -> tuple[str, ...]:
        """The names with their paths absolute."""
        names = super().parse(name, value, folder)
        for one in names:
            check_path(one)
        return tuple(map(absolute_pairs, names))

    def stamp(self, value: tuple[str, ...]) -> Json:
        """Their files as they are now."""
        return [file_stamps(one) for one in value]


@dataclass(frozen=True)
class Folder(Field):
    """A folder, such as that of a suite's tasks."""

    raw = "str | Path"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> str:
        """The folder with its path absolute; empty where none is named."""
        for part in CorpusConfig(str(value)).files:
            check_path(part)
        return absolute_path(str(value))

    def stamp(self, value: str) -> Json:
        """Its files as they are now."""
        return file_stamps(value)


@dataclass(frozen=True)
class Line(Field):
    """A pipeline of augmentations in one line."""

    help: str = "An augmentation or several, such as 'eda_swap(rate=0.2) + typo_noise@0.5'."
    raw = "str"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> Pipeline:
        """The pipeline."""
        return value if isinstance(value, Pipeline) else parse_pipeline(str(value))

    def write(self, value: Pipeline, folder: RunsFolder) -> Json:
        """Its line."""
        return str(value)

    def stamp(self, value: Pipeline) -> Json:
        """The line and the files that its steps read."""
        return [str(value), files_read(str(value))]

    def slow(self, value: Pipeline) -> bool:
        """Whether a model writes."""
        return bool(value.modelled)


@dataclass(frozen=True)
class Lines(Words):
    """Pipelines that are looked at over a corpus, each acting on one thing; without any, all that need no second model."""

    texts: bool = False
    """Whether each has to act on texts."""
    raw = "str | Sequence[str] | None"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> tuple[str, ...]:
        """The lines as pipelines write them."""
        lines = scan_lines.default_lines() if value is None else super().parse(name, value, folder)
        checked = scan_lines.check_pipelines(lines, texts=self.texts)
        if not checked:
            raise BadData("No augmentation was named.", way_out="Name one or more.")
        return tuple(checked)

    def stamp(self, value: tuple[str, ...]) -> Json:
        """What each lacks and reads: a lexicon may come to this machine, and a model in a folder be trained anew."""
        return [[line, scan_lines.absent(line), scan_lines.marks(line)] for line in value]

    def flag(self, parser: argparse.ArgumentParser, name: str, default: Any) -> None:
        """A flag with several lines; none is the default."""
        parser.add_argument(f"--{name}", nargs="+", default=None, metavar="LINE", help=self._shown)


@dataclass(frozen=True)
class Configured(Field):
    """The configuration of a run: an object, or its TOML; empty where the run that is the target has one."""

    raw = "RunConfig | str | None"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> RunConfig | None:
        """The configuration without what no step depends on, and the path of its corpus absolute."""
        if value is None or value == "":
            return None
        return settled(value if isinstance(value, RunConfig) else from_toml(value))

    def write(self, value: RunConfig | None, folder: RunsFolder) -> Json:
        """TOML."""
        return "" if value is None else to_toml(value)

    def stamp(self, value: RunConfig | None) -> Json:
        """All of it, and the files of its corpus as they are now."""
        return None if value is None else [to_toml(value), *map(file_stamps, value.corpus.files)]

    def slow(self, value: RunConfig | None) -> bool:
        """Whether there is a corpus to read."""
        return value is not None and value.corpus.source != "demo" and not value.corpus.source.startswith("demo:")


def settled(config: RunConfig) -> RunConfig:
    """A configuration as questions about its steps take it."""
    found = bare(config)
    return replace(found, corpus=replace(found.corpus, source=absolute_corpus(found.corpus.source)))


@dataclass(frozen=True)
class Settings(Field):
    """Settings of the method that another field names; the verb checks them."""

    raw = "Mapping[str, Any]"

    def parse(self, name: str, value: Any, folder: RunsFolder) -> dict[str, Any]:
        """A dictionary."""
        return dict(value)


def unparsed(value: object) -> Any:
    """A default as callers write it; it is parsed like what they give."""
    return value


def digest(content: str) -> str:
    """A short hash of a text."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def field_of(name: str, annotation: Any, default: Any) -> Field:
    """The field that an annotation declares."""
    if get_origin(annotation) is Annotated:
        for extra in get_args(annotation)[1:]:
            if isinstance(extra, Field):
                return extra
            if isinstance(extra, str):
                return Plain(extra, get_args(annotation)[0])
            if isinstance(extra, Knob):
                return Knobbed(extra.help, setting_of(name, annotation, default))
    if annotation in (str, int, float, bool):
        return Plain(kind=annotation)
    if get_origin(annotation) is Literal:
        return Knobbed("", setting_of(name, Annotated[annotation, Knob()], default))
    raise TypeError(f"{name}: no kind of field is declared by {annotation!r}")
