"""The how-to of a model elsewhere: its lines load a model folder and give the vectors of the workbench."""

import importlib.util
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import tiny_model
from workbench.models.export import save
from workbench.models.load import load
from workbench.store.elsewhere import upload_line

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "use-your-model.md").read_text(encoding="utf-8")
WITH, PLAIN, ONNX = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
NEEDED = [name for name in ("optimum", "onnxruntime") if importlib.util.find_spec(name) is None]


@pytest.fixture
def expected(tmp_path, monkeypatch):
    """The vectors of the workbench; in the current folder is the run's model."""
    encoder = load(str(tiny_model(tmp_path / "from")))
    save(encoder, tmp_path / "runs" / "RUN" / "model")
    monkeypatch.chdir(tmp_path)
    return encoder.encode(["A sentence.", "Another one."])


@pytest.mark.parametrize("block", [WITH, PLAIN], ids=["sentence-transformers", "transformers"])
def test_its_lines_give_the_vectors_of_the_workbench(block, expected):
    there: dict[str, object] = {}
    exec(block, there)
    np.testing.assert_allclose(np.asarray(there["vectors"]), expected, atol=1e-5)


def test_the_onnx_backend_is_an_argument_of_the_installed_version():
    from sentence_transformers import SentenceTransformer

    assert "onnx" in str(inspect.signature(SentenceTransformer).parameters["backend"].annotation)


@pytest.mark.skipif(bool(NEEDED), reason=f"NO ONNX: {', '.join(NEEDED)} is missing; it needs an environment of its own")
def test_the_onnx_lines_run(expected):
    there: dict[str, object] = {}
    exec(ONNX, there)
    np.testing.assert_allclose(there["model"].encode(["A sentence.", "Another one."]), expected, atol=1e-4)
    assert Path("my-model/onnx/model.onnx").is_file()


def test_the_line_for_the_hub_is_that_of_the_page():
    assert f"$ {upload_line('runs/RUN/model')} --private\n" in TEXT
