"""Pages in AppTest, and answers of the right form without a process that computes them."""

import uuid
from pathlib import Path

import numpy as np
import pandas
from streamlit.testing.v1 import AppTest

from workbench.data.demo import pairs

ROOT = Path(__file__).resolve().parents[2]


class Told:
    """A ticket whose answer is there, or will never be."""

    def __init__(self, key, answer):
        self.key, self.answer = key, answer
        self.runs = uuid.uuid4().hex  # no test is given what another one loaded

    def poll(self, *, load=True):
        return self.answer


def made_up(verb, arguments):
    """An answer of the right form."""
    rng = np.random.default_rng(0)
    texts = arguments.get("texts", [])
    if verb == "encode":
        return rng.normal(size=(len(texts), 4)).astype("float32")
    if verb == "dropout_views":
        return rng.normal(size=(len(texts), arguments["views"], 4)).astype("float32")
    if verb == "sample":
        return pandas.DataFrame(
            [(row, f"sentence {row} of a set") for row in range(arguments["n"])], columns=["row", "text"]
        )
    if verb == "states":
        draw, sentence = np.indices((len(texts) // arguments["sentences"] - 1, arguments["sentences"]))
        places = range(3)
        tokens = {"position": places, "token": ["[CLS]", "cat", "[SEP]"], "kind": "word", "kept": True}
        tokens |= {"place_before": places, "place_after": [0, 2, 1], "zeroed": [0.0, 1.0, 0.0], "moved": 0.0}
        values = {"position": [0, 1, 2], "dim": 0, "before": [1.0, 2.0, 3.0], "after": [1.0, 0.0, 3.0]}
        return {
            "cosines": pandas.DataFrame({"sentence": sentence.ravel(), "draw": draw.ravel(), "cosine": 0.9}),
            "tokens": pandas.DataFrame(tokens),
            "values": pandas.DataFrame(values),
            "about": {"gradient": "fgv" in arguments["pipeline"], "dim": 4, "dims": 1},
        }
    if verb == "inspect":
        names = [f"text {row}" for row in range(6)]
        rows = pandas.DataFrame({"row": range(6), "view": "a", "text": names, "drawn": names, "says": names})
        about = {"step": 1, "epoch": 0, "rows": 6, "batch_size": 6, "term": 0, "loss": "infonce_nn", "head": ""}
        about |= {"temperature": 0.05, "pairwise": "", "views": ["a", "b"], "dropout": 0.1}
        about |= {"softmax": True, "why": "", "note": "", "lines": [["a", 6]], "columns": [["b", 6]]}
        candidates = rows.rename(columns={"row": "candidate"}).assign(view="b", of="")
        matrix = np.eye(6, dtype="float32")
        softmax = {"scores": matrix, "bonus": 0 * matrix, "among": matrix >= 0, "partner": np.arange(6)}
        softmax["weights"] = matrix.sum(axis=1)
        return {"similarity": matrix, **softmax, "rows": rows, "candidates": candidates, "about": about}
    if verb == "gradients":
        names = ["", "again", *arguments["pipelines"]]
        cosines = [(one, two, 1.0 if one == two else -0.2) for one in names for two in names]
        about = {"rows": 32, "step": 1, "loss": "infonce_nn", "weights": 1000, "left_out": []}
        norms = pandas.DataFrame({"pipeline": names, "norm": 1.0, "loss": 0.1})
        return {
            "cosines": pandas.DataFrame(cosines, columns=["first", "second", "cosine"]),
            "norms": norms,
            "about": about,
        }
    if verb == "dry_run":
        found = {"needed_bytes": 10**9, "free_bytes": 4 * 10**9, "seconds_per_step": 0.5, "seconds": 50.0, "rows": 4000}
        found |= {"sampled": 4000, "device": "cpu", "precision": "bf16", "cautions": ["It was tuned before."]}
        return found | {"must_accept": {"same_views": "The views a and b of a text are identical."}}
    if verb == "wordnet":
        return {"missing": "It is not found."}
    if verb == "fill_mask":
        pieces = [(0, number, 0, 1, 1, "house", 0.2, False) for number, _ in enumerate(texts[0].split("[MASK]")[1:])]
        columns = ["text", "mask", "piece", "pieces", "rank", "token", "probability", "true"]
        table = pandas.DataFrame(pieces, columns=columns)
        table.attrs = {"vocabulary": 100}
        return table
    if verb == "tokens":
        rows = [
            (row, place, word, "word", True, place)
            for row, text in enumerate(texts)
            for place, word in enumerate(text.split())
        ]
        return pandas.DataFrame(rows, columns=["text", "position", "token", "kind", "kept", "id"])
    if verb == "project":
        from workbench.analysis.dropout_views import dropout_views
        from workbench.analysis.projection import projection

        method = "pca" if arguments["method"] == "umap" else arguments["method"]
        views = arguments.get("views", 0)
        if views:
            table = dropout_views(rng.normal(size=(len(texts), views, 4)), method=method)
        else:
            table = projection(rng.normal(size=(len(texts), 4)), method=method)
        kept = table.attrs
        table = table.assign(text=[texts[row] for row in table["row"]])
        table.attrs = kept
        return table
    if verb == "geometry":
        from workbench.analysis.spectrum import spectrum

        return {"metrics": {"isoscore": 0.1, "n": len(texts)}, "spectrum": spectrum(rng.normal(size=(len(texts), 4)))}
    if verb == "evaluate":
        found = pairs("dev")
        cosine = np.asarray(found.gold) / 5 + rng.normal(size=len(found.gold)) / 5
        cosines = pandas.DataFrame(
            {
                "gold": found.gold,
                "cosine": cosine,
                "sentence1": found.first,
                "sentence2": found.second,
                "row": range(len(cosine)),
            }
        )
        scores = {"spearman": 0.5, "low": 0.4, "high": 0.6, "n": len(cosine), "alignment": 0.3, "uniformity": -2.0}
        scores |= {"alignment_on": "demo:dev, gold > 4", "mean_cosine": 0.4, "precision": "fp32", "max_length": 256}
        return {"scores": scores, "cosines": cosines}
    if verb == "sts":
        row = {
            "task": "stsb",
            "split": "dev",
            "n": 1500,
            "subsets": 1,
            "all": 0.63,
            "mean": 0.62,
            "wmean": 0.61,
            "low": 0.6,
            "high": 0.65,
        }
        table = pandas.DataFrame([row])
        table.attrs = {
            "absent": ["sts12"],
            "mean": {"label": "mean of stsb", "value": 0.63},
            "precision": "fp32",
            "max_length": 256,
        }
        return table
    if verb == "transfer":
        rows = [
            {"task": "mr", "n": 10662, "accuracy": 0.72, "low": 0.711, "high": 0.728, "f1": np.nan, "majority": 0.5},
            {"task": "mrpc", "n": 1725, "accuracy": 0.741, "low": 0.72, "high": 0.76, "f1": 0.82, "majority": 0.665},
        ]
        table = pandas.DataFrame([{**row, "classes": 2, "official": arguments["folds"] == 10} for row in rows])
        table.attrs = {
            "absent": ["cr"],
            "mean": {"label": "mean of mr, mrpc", "value": 0.7305},
            "folds": arguments["folds"],
            "precision": "fp32",
            "max_length": 256,
            "marks": {"mr": "transductive"},
            "notices": ["mr: 1 row was left out."],
        }
        return table
    if verb == "articles":
        found = {"kind": "articles", "articles": 2000, "paragraphs": 9000, "words": 300_000, "characters": 1_800_000}
        found |= {"whole": True, "examples": ["A first <b>paragraph</b>."], "size_bytes": 1_900_000, "name": "wiki.txt"}
        return found | {"pieces_per_word": 1.3, "unknown": 0.0}
    if verb == "corpus_report":
        exact = {"copies": 0, "groups": 0, "share": 0.0, "examples": [], "false_negatives": 0.0}
        near = {"texts": 2, "groups": 1, "share": 0.0, "examples": [], "false_negatives": 0.01}
        overlap = [{"name": "demo:dev", "sentences": 400, "common": 3, "share": 0.0075}]
        tokens = {"mean": 12.0, "quantiles": {"0.5": 11, "0.95": 20}, "truncated": 0.001, "unknown": 0.58}
        report = {
            "texts": 4000,
            "rows": 4000,
            "distinct": 3990,
            "max_length": 32,
            "batch_size": 64,
            "tokens": tokens,
            "overlap": overlap,
        }
        warnings = ["58 % of the tokens are unknown to this backbone ([UNK])."]
        return report | {"copies": {"exact": exact, "near": near}, "warnings": warnings, "trained_on_test": True}
    raise AssertionError(verb)


def open_page(name, /, **address):
    """One page in its frame, with what the address says."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for key, value in address.items():
        app.query_params[key] = value
    app.run()
    return app.switch_page(f"pages/{name}.py").run() if name != "home" else app


def unfolded(app, key, shown=True):
    """The page with one of its closed parts open, or another of its tabs: what lies there is made only then."""
    app.session_state[key] = shown
    return app.run()


def words_of(app):
    """Everything that a page says in HTML."""
    return " ".join(element.proto.body for element in app.get("html"))
