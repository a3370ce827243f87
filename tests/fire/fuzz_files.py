"""Entrances for files that others made: tables of texts, models, vectors and results."""

import contextlib
import gzip
import json
import shutil
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np

from tests.fire.fuzz_entrance import Entrance, a_message
from tests.fire.fuzz_inputs import bent, bent_bytes, bent_value
from tests.tiny import FAMILIES, prompted_model, tiny_model
from workbench import api
from workbench.data import imported
from workbench.evaluation import METHODS
from workbench.models.load import load, load_tokenizer
from workbench.targets.precomputed import stored_vectors


class Tables(Entrance):
    """Files of texts and of pairs."""

    FILES: ClassVar = {
        "a.tsv": 'score\tsentence1\tsentence2\n4.5\tA dog.\tA hound.\n1\tA "cat\tA bus.\n0\tX.\tY.\n',
        "a.csv": 'text,label\n"A dog, a cat",1\n"He said ""no""",2\nplain,3\n',
        "a.jsonl": '{"sentence1": "a dog", "sentence2": "a cat", "score": 3}\n{"sentence1": "b", "sentence2": "c", "score": 1}\n',
        "a.txt": "One text.\nAnother text.\n\nA third one.\n",
        "semi.csv": "sentence1;sentence2;score\na;b;1\nc;d;5\n",
        "a.txt.gz": "One text.\nAnother text.\n",
        "a.json": '[{"text": "a dog", "label": 3}, {"text": "a cat", "label": 1}]',
        "b.json": '{"train": [["a dog", "pet"], ["a bus", "car"]], "v": 1, "oos_test": [{"text": "a cat", "label": "oos"}]}',
        "b.txt": "__label__pet A dog.\n__label__car A bus\n__label__pet __label__car A dog in a car.\n",
        "a.xml": '<?xml version="1.0" encoding="UTF-8"?><r><p id="1"><t>A &amp; b</t></p><p id="2"><t>C d</t></p></r>',
    }

    def once(self) -> None:
        from pyarrow import parquet, table

        columns = {"text": [f"A dog {at % 7}." for at in range(40)], "other": [[f"ü {at}"] for at in range(40)]}
        parquet.write_table(table(columns), self.folder / "a.parquet")
        self.parquet = (self.folder / "a.parquet").read_bytes()

    def make(self, rng: Random) -> Any:
        if rng.random() < 0.15:
            return "a.parquet", bent_bytes(rng, self.parquet), rng.choice(["", "#text", "#other"])
        name = rng.choice(list(self.FILES))
        text = self.FILES[name] * rng.choice([1, 1, 1, 40])
        content = bent(rng, text).encode(
            rng.choice(["utf-8", "utf-8", "utf-16", "utf-32", "utf-8-sig"]), "surrogatepass"
        )
        if rng.random() < 0.1:
            content = text.replace("dog", "d" * rng.choice([10, 140_000, 1_000_000])).encode()
        if name.endswith(".gz"):
            content = gzip.compress(content)
        if rng.random() < 0.4:
            content = bent_bytes(rng, content)
        suffix = rng.choice(["", "", "#text", "#sentence1", "#dev", bent(rng, "#text")])
        return name, content, suffix.replace("/", "").replace("\0", "")

    def give(self, made: Any) -> None:
        name, content, suffix = made
        path = self.folder / name
        path.write_bytes(content)
        for recipe, source in (("simcse_sup", f"{path}{suffix}"), ("paraphrase", f"{path}"), ("mlm_fresh", f"{path}")):
            with a_message():
                api.fits(recipe, source)
        for source in (f"{path}{suffix}", f"texts:{path}{suffix}"):
            with a_message():
                run = api.train(corpus=source, batch_size=2, steps=1, detach=True)
                api.stop(run)
                api.delete(run, run.id)
        api.augment("eda_swap", ["a b c"], corpus=f"{path}")


class Labelled(Entrance):
    """Folders of labelled texts, some of whose files are damaged, missing or called otherwise."""

    FILES: ClassVar = {
        "train_text.txt": "A dog.\nA bus.\n" * 10,
        "train_labels.txt": "0\n1\n" * 10,
        "mapping.txt": "0\tpet\n1\tcar\n",
        "test/seq.in": "a cat\na car\n" * 10,
        "test/label": "0\n1\n" * 10,
        "valid.txt": "a cat;pet\na car;car\n" * 10,
        "test.txt": "__label__pet a cat\n__label__car a car\n" * 10,
    }

    def make(self, rng: Random) -> Any:
        names = rng.sample(list(self.FILES), rng.randint(1, 5))
        files = {name: self.FILES[name].encode() for name in names}
        files |= {
            f"{rng.choice(['', 'train/', 'x-test/'])}{label}/{at}{rng.choice(['', '.txt', '.py'])}": b"A text."
            for label in ("pet", "car")
            for at in range(rng.choice([0, 0, 25]))
        }
        for name in rng.sample(list(files), min(len(files), 2)):
            called = bent(rng, name).replace("\0", "").strip("/. ")[:60] if rng.random() < 0.2 else name
            called += rng.choice(["", "", "", "\udce9"])  # a name that is not UTF-8
            files[called or "x"] = bent_bytes(rng, files.pop(name))
        return files

    def give(self, made: Any) -> None:
        folder = self.folder / "set"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in made.items():
            with contextlib.suppress(OSError, ValueError, UnicodeError):  # a name that no file can have
                path = (folder / name).resolve()
                if path.is_relative_to(folder):
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
        for suite in ("few_shot", "clustering"):
            with a_message():
                METHODS[suite].read(folder)


class Models(Entrance):
    """Folders of models of every family, one file of which is damaged or missing."""

    def once(self) -> None:
        for family in FAMILIES:
            folder = self.folder / family
            if family in ("bert", "roberta"):
                prompted_model(folder, family)
            else:
                tiny_model(folder, family, "st" if family == "mpnet" else "plain")

    def make(self, rng: Random) -> Any:
        family = rng.choice(FAMILIES)
        folder = self.folder / family
        suffix = ".json" if rng.random() < 0.8 else ".safetensors"
        path = rng.choice(sorted(folder.rglob(f"*{suffix}")))
        content = path.read_bytes()
        changed = bent_bytes(rng, content)
        if path.suffix == ".json" and rng.random() < 0.8:
            changed = json.dumps(bent_value(rng, json.loads(content))).encode()
        return family, str(path.relative_to(folder)), None if rng.random() < 0.05 else changed

    def give(self, made: Any) -> None:
        family, name, content = made
        damaged = self.folder / "damaged"
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(self.folder / family, damaged)
        if content is None:
            (damaged / name).unlink()
        else:
            (damaged / name).write_bytes(content)
        with a_message():
            load_tokenizer(str(damaged))
        load(str(damaged)).encode(["the dog runs", "a"])


class Vectors(Entrance):
    """Files of vectors that were made elsewhere."""

    TEXTS: ClassVar = [f"text {at}" for at in range(6)]

    def once(self) -> None:
        from pyarrow import parquet, table

        vectors = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
        rows = [(text, *map(str, row)) for text, row in zip(self.TEXTS, vectors, strict=True)]
        lines = [
            json.dumps({"text": text, "vector": row.tolist()}) for text, row in zip(self.TEXTS, vectors, strict=True)
        ]
        np.savez(self.folder / "a.npz", texts=np.array(self.TEXTS), vectors=vectors)
        parquet.write_table(table({"text": self.TEXTS, "vector": vectors.tolist()}), self.folder / "a.parquet")
        (self.folder / "a.jsonl").write_text("\n".join(lines))
        (self.folder / "a.tsv").write_text("\n".join("\t".join(row) for row in [("text", *"wxyz"), *rows]))
        self.files = {path.suffix: path.read_bytes() for path in self.folder.glob("a.*")}

    def make(self, rng: Random) -> Any:
        suffix = rng.choice(sorted(self.files))
        return suffix, bent_bytes(rng, self.files[suffix])

    def give(self, made: Any) -> None:
        suffix, content = made
        path = self.folder / f"damaged{suffix}"
        path.write_bytes(content)
        stored_vectors(path, self.TEXTS[:2])


class Results(Entrance):
    """Scores that other programs wrote."""

    FILES: ClassVar = {
        "STS12.json": '{"task_name": "STS12", "mteb_version": "2.0.0", "scores": {"test": [{"cosine_spearman": 0.5, '
        '"main_score": 0.5, "hf_subset": "default", "languages": ["eng"]}]}}',
        "similarity_evaluation_sts-dev_results.csv": "epoch,steps,cosine_spearman\n0,100,0.72\n1,200,0.81\n",
        "README.md": "---\nmodel-index:\n- name: m\n  results:\n  - task:\n      type: semantic-similarity\n    dataset:\n"
        "      name: sts dev\n      type: sts\n    metrics:\n    - type: spearman_cosine\n      value: 0.8\n---\n# A model\n",
    }

    def make(self, rng: Random) -> Any:
        name = rng.choice(sorted(self.FILES))
        content = self.FILES[name]
        if name.endswith(".json") and rng.random() < 0.7:
            return name, json.dumps(bent_value(rng, json.loads(content))).encode()
        return name, bent_bytes(rng, content.encode())

    def give(self, made: Any) -> None:
        name, content = made
        place = Path(self.folder / "results")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / name).write_bytes(content)
        imported.read_scores(place)
