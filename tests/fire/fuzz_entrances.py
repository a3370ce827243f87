"""The inputs of each entrance: real valid input, changed at random, with strings that break programs."""

import contextlib
import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from tests.fire.fuzz_entrance import Entrance, a_message
from tests.fire.fuzz_example import example_run
from tests.fire.fuzz_files import Labelled, Models, Results, Tables, Vectors
from tests.fire.fuzz_inputs import LINES, NASTY, SOURCES, TARGETS, VALUES, bent, bent_bytes, bent_value
from workbench import api
from workbench.__main__ import main
from workbench.verbs import VERBS


def asks(verb: str, **arguments: Any) -> None:
    """A question from a page: checked and written to disk; nothing answers it here."""
    api.submit(VERBS[verb], session="fuzz", slot="fuzz", **arguments).cancel()


class Targets(Entrance):
    """Targets and pair sets."""

    def make(self, rng: Random) -> Any:
        target = rng.choice([bent(rng, rng.choice(TARGETS)), rng.choice(TARGETS)])
        return target, bent(rng, rng.choice(SOURCES)), [bent(rng, "a text") for _ in range(rng.randint(0, 2))]

    def give(self, made: Any) -> None:
        target, pairs, texts = made
        for ask in (
            lambda: asks("score", target=target, pairs=pairs),
            lambda: asks("encode", target=target, texts=texts),
            lambda: asks("project", target=target, texts=["a", "b", *texts], method="pca"),
            lambda: asks("fill_mask", target=target, texts=texts),
        ):
            with a_message():
                ask()
        api.run(target)


class Pipelines(Entrance):
    """Augmentations, their texts and protected terms."""

    def make(self, rng: Random) -> Any:
        pattern = rng.choice(["", r"\d+", "(?i)who", bent(rng, r"\b[A-Z]\w+\b(a|b)*"), bent(rng, rng.choice(NASTY))])
        text = rng.choice(["all dogs bark at the cat", bent(rng, "all dogs bark at the WHO"), "word " * 3000])
        return (
            bent(rng, rng.choice(LINES)) if rng.random() < 0.7 else rng.choice(LINES[:3]),
            text,
            pattern,
            bent(rng, rng.choice(SOURCES)),
        )

    def give(self, made: Any) -> None:
        line, text, pattern, corpus = made
        with a_message():
            api.augment("eda_swap", [text], corpus=corpus)
        with a_message():
            api.augment("eda_swap + typo_noise", [text], protect_pattern=pattern, protect=[corpus])
        with a_message():
            asks("augment", pipeline=line, texts=[text], corpus=corpus)
        if not api.needs_worker(line):
            api.augment(line, [text])


class Configurations(Entrance):
    """Settings of runs and of sweeps."""

    SETTINGS: ClassVar = [
        "steps",
        "epochs",
        "batch_size",
        "learning_rate",
        "schedule",
        "dropout",
        "seed",
        "device",
        "precision",
        "probe.pairs",
        "probe.every",
        "selection.pairs",
        "selection.metric",
        "evaluation.pairs",
        "evaluation.sts_folder",
        "augment_a",
        "augment_b",
        "protect",
        "protect_pattern",
        "temperature",
        "pooling",
        "head",
        "head_settings",
        "terms.0.loss",
        "terms.0.weight",
        "terms.9.loss",
        "after",
        "revision",
        "threads",
        "x.y",
    ]

    def make(self, rng: Random) -> Any:
        value = lambda: rng.choice([rng.choice(VALUES), rng.choice(NASTY), bent(rng, rng.choice([*LINES, *SOURCES]))])  # noqa: E731
        changes = {
            rng.choice([*self.SETTINGS, bent(rng, "terms.0.settings.x")]): value() for _ in range(rng.randint(1, 3))
        }
        recipe = rng.choice([*api.recipes(), bent(rng, "simcse_unsup")])
        backbone = rng.choice(["", "", "minilm-l6", bent(rng, "minilm-l3"), value()])
        corpus = rng.choice(["demo", "demo", bent(rng, rng.choice(SOURCES))])
        return (
            recipe,
            backbone if isinstance(backbone, str) else "",
            corpus,
            changes,
            {rng.choice(self.SETTINGS): value()},
        )

    def give(self, made: Any) -> None:
        recipe, backbone, corpus, changes, over = made
        with a_message():
            api.plan_grid(recipe, over, backbone=backbone, corpus=corpus)
        with a_message():
            api.fits("simcse_sup", corpus)
        config = api.settle(recipe, backbone=backbone, corpus=corpus, **changes)
        api.refusal(config)
        api.expected_seconds([config])


class Recipes(Entrance):
    """Recipe files from other people."""

    def once(self) -> None:
        self.files = []
        for name in ("simcse_unsup", "una", "gist", "consert_joint", "mlm_fresh"):
            path = api.export_recipe(name, self.folder / f"{name}.toml")
            self.files.append(path.read_text())

    def make(self, rng: Random) -> Any:
        text = rng.choice(self.files).replace('id = "', 'id = "my_')
        if rng.random() < 0.5:
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            lines[at] = bent(rng, lines[at])
            return "\n".join(lines).encode("utf-8", "surrogatepass")
        return bent_bytes(rng, text.encode())

    def give(self, made: Any) -> None:
        path = self.folder / "recipe.toml"
        path.write_bytes(made)
        known = api.import_recipe(path, overwrite=True)
        config = api.settle(known.id)
        api.refusal(config)
        api.delete_recipe(known.id)


class Runs(Entrance):
    """The files of a run folder, one of them damaged, read by the command line, the api and now and then by the page."""

    def once(self) -> None:
        self.example = example_run(self.folder)
        self.names = sorted(str(path.relative_to(self.example)) for path in self.example.rglob("*") if path.is_file())

    def make(self, rng: Random) -> Any:
        name = rng.choice([name for name in self.names if not name.endswith("log.txt")])
        content = (self.example / name).read_bytes()
        if name.endswith(".toml") or rng.random() < 0.2:
            content = bent_bytes(rng, content)
        elif name.endswith(".jsonl"):
            lines = content.decode().splitlines()
            for _ in range(rng.randint(1, 3)):
                at = rng.randrange(len(lines))
                lines[at] = json.dumps(bent_value(rng, json.loads(lines[at])))
            content = "\n".join(lines).encode()
        else:
            content = json.dumps(bent_value(rng, json.loads(content))).encode()
        return name, content, rng.random() < 0.1

    def give(self, made: Any) -> None:
        name, content, page = made
        folder = Path(os.environ["WORKBENCH_RUNS"])
        shutil.rmtree(folder, ignore_errors=True)
        place = folder / self.example.name
        shutil.copytree(self.example, place)
        (place / name).write_bytes(content)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for words in (["runs"], ["runs", "--format", "csv"], ["runs", "show", place.name], ["runs", "reindex"]):
                if main(words) not in (0, 2):
                    raise AssertionError(f"{words} did not end with 0 or 2")
        for run in api.runs():
            _ = (
                run.state,
                run.seconds,
                run.label,
                run.steps,
                run.probes,
                run.scores,
                run.checkpoints,
                run.best,
                run.progress,
                run.failure,
            )
            _ = run.corpus_report, run.environment, run.size_bytes, run.log(), run.note, run.events, run.probe_spearman
            with a_message():
                _ = run.command_line, run.python_line, api.expected_seconds([run.config]), api.refusal(run.config)
            for read in (run.cosines, run.coordinates):
                with a_message():
                    read()
        if page:
            Addresses(self.folder).give(("runs", {"run": place.name}))
            Addresses(self.folder).give(("train", {}))
        with a_message():
            api.resume(place.name)


class Archives(Entrance):
    """Exported runs: other bytes, other members, other manifests, other configurations."""

    def once(self) -> None:
        example = example_run(self.folder)
        self.zip = api.export_run(example, self.folder / "run.zip").read_bytes()

    def make(self, rng: Random) -> Any:
        if rng.random() < 0.4:
            return bent_bytes(rng, self.zip)
        with zipfile.ZipFile(io.BytesIO(self.zip)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        manifest = json.loads(parts["manifest.json"])
        name = rng.choice(list(parts))
        if rng.random() < 0.5:
            parts[name] = bent_bytes(rng, parts[name])
        if rng.random() < 0.7:  # what is wrong is what the files say, not their hashes
            inner = {key.partition("/")[2]: content for key, content in parts.items() if key != "manifest.json"}
            sizes = {
                key: {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}
                for key, content in inner.items()
            }
            manifest["files"] = sizes
        if rng.random() < 0.4:
            manifest = bent_value(rng, manifest)
        if rng.random() < 0.2:
            parts[bent(rng, name)] = b"x"
        parts["manifest.json"] = json.dumps(manifest).encode()
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for key, content in parts.items():
                archive.writestr(zipfile.ZipInfo(key.encode("utf-8", "replace").decode()), content)
        return made.getvalue()

    def give(self, made: Any) -> None:
        path = self.folder / "bent.zip"
        path.write_bytes(made)
        shutil.rmtree(os.environ["WORKBENCH_RUNS"], ignore_errors=True)
        run = api.import_run(path)
        _ = run.steps, run.probes, run.scores, run.corpus_report
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["runs", "show", run.id])


class Commands(Entrance):
    """Arguments of the commands that start no work."""

    WORDS = """
    augment|eda_swap|a text of words
    augment|eda_swap(rate=0.2) + typo_noise@0.5|a b c|--draws|2|--protect|a|--format|csv
    list|losses
    list|augmentations|--format|json
    runs|list
    runs|show|x
    runs|export|x|y.zip
    runs|import|x.zip
    runs|delete|x|--yes|x
    recipe|show|simcse_unsup
    recipe|import|x.toml
    sweep|list
    sweep|show|x
    train|--steps|0
    train|--corpus|nowhere.txt|--temperature|0.1
    """.strip().split("\n")

    def make(self, rng: Random) -> Any:
        words = rng.choice(self.WORDS).strip().split("|")
        at = rng.randrange(1, len(words))
        words[at] = bent(rng, words[at])
        if rng.random() < 0.2:
            words.insert(rng.randrange(1, len(words) + 1), rng.choice(NASTY))
        if words[0] == "train":
            words += ["--corpus", "/nowhere/at/all.txt"]  # nothing may be started
        return [word.replace("\0", "") for word in words]

    def give(self, made: Any) -> None:
        said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # as strict as a terminal
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), contextlib.chdir(self.folder):
            try:
                status = main(made)
            except SystemExit as end:  # argparse
                status = end.code
            said.flush()
        if status not in (0, 2):
            raise AssertionError(f"exit status {status}")


class Addresses(Entrance):
    """Links to the pages."""

    LINKS: ClassVar = """
        train source=path&corpus=FILE.tsv#text
        train source=hub&dataset=org/name:config:train:text
        train source=scored&scored=stsb:dev@.
        train recipe=mlm_fresh&articles=path&files=FILE.txt;FILE.txt.xz
        train recipe=gist&backbone=minilm-l6&set=training.steps=20&seeds=2&name=x&official=true
        train set=terms.0.views.b.augmentation=eda_swap&protected=WHO&protected_pattern=[A-Z]+&augment_b=eda_swap@0.5
        train sweep.open=true&sweep.mode=grid&sweep.one=dropout
        train sweep.open=true&sweep.mode=tournament&sweep.entrants=eda_swap(rate=0.2)
        augment pipeline=eda_swap(rate=0.2)+typo_noise&draws=3&seed=1&protected=WHO&protected_pattern=[A-Z]+
        augment pipeline=one_of(typo_noise,case_noise)@0.5&source=path&corpus=FILE.tsv&sample=20&from=corpus
        augment tab=judge&judge.name=me&judge.count=3&judge.seed=1
        augment tab=scan&scan.n=10&scan.seed=2&rate=0.2
        augment tab=fill&masked=mini-mlm&sentence=a [MASK]&top=5
        runs run=20260101-000000-simcse-unsup-minilm-l3-s0-0000&sweep=x
        compare targets=minilm-l3:cls+whitening(k=64)&pairs=demo:dev&suite=sts&measure=spearman
        compare targets=minilm-l3&pairs=FILE.tsv#dev&compare=transfer&folder=data
        explore target=minilm-l3@best&beside=minilm-l3+centre(on=demo:dev)&pairs=stsb:dev@.&view=cone&projection=pca&n=20
        explore source=path&corpus=FILE.tsv&target=tfidf(on=demo)&views=3&views.seed=1&max_length=32
        home demo=demo&lesson=1&literature.tasks=sts12
    """

    def make(self, rng: Random) -> Any:
        page, _, link = rng.choice(self.LINKS.strip().split("\n")).strip().partition(" ")
        values = dict(part.split("=", 1) for part in link.split("&"))
        for name in rng.sample(list(values), rng.randint(1, min(2, len(values)))):
            values[name] = bent(rng, values[name])
        # What a browser can send is UTF-8.
        return page, {name: value.encode("utf-8", "replace").decode() for name, value in values.items()}

    def give(self, made: Any) -> None:
        from streamlit.runtime.pages_manager import PagesManager
        from streamlit.testing.v1 import AppTest

        page, address = made
        root = Path(__file__).resolve().parents[2]
        app = AppTest.from_file(str(root / "app.py"), default_timeout=60)
        for name, value in address.items():
            app.query_params[name] = value
        PagesManager.uses_pages_directory = False  # as a server knows after its first page
        app.run()
        if page != "home":
            PagesManager.uses_pages_directory = False
            app.switch_page(f"pages/{page}.py").run()
        if app.exception:
            raise AssertionError("; ".join(f"{one.message} {one.stack_trace[-1:]}" for one in app.exception))


ENTRANCES: dict[str, Callable[[Path], Entrance]] = {
    "targets": Targets,
    "pipelines": Pipelines,
    "configurations": Configurations,
    "recipes": Recipes,
    "tables": Tables,
    "labelled": Labelled,
    "models": Models,
    "vectors": Vectors,
    "results": Results,
    "archives": Archives,
    "runs": Runs,
    "commands": Commands,
    "addresses": Addresses,
}
SHARES = dict.fromkeys(ENTRANCES, 1.0) | {
    "addresses": 0.12,
    "runs": 0.6,
    "commands": 0.6,
    "tables": 0.8,
    "models": 0.4,
    "vectors": 0.3,
    "results": 0.3,
}
