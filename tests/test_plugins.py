"""The example package of docs/examples, installed as a user would: without a network, into a folder of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny import tiny_model
from tests.trial import TEXTS

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "more_methods"
IDS = ("hardest_other", "vowel_noise")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A function that runs Python where the example is installed, in a folder of no importance."""
    folder = tmp_path_factory.mktemp("plugins")
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(EXAMPLE)], check=True)

    def run(*words, cwd=folder, more="", idle=2):
        path = os.pathsep.join(filter(None, [more, str(site), str(ROOT), os.environ.get("PYTHONPATH", "")]))
        environment = {**os.environ, "PYTHONPATH": path, "WORKBENCH_THREADS": "1", "WORKBENCH_IDLE_SECONDS": str(idle)}
        return subprocess.run(
            [sys.executable, *map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )

    return run


def test_it_is_listed_and_in_the_forms(python, tmp_path):
    listed = python("-m", "workbench", "list", "losses", "--format", "csv", "--runs", tmp_path)
    assert listed.returncode == 0 and not listed.stderr
    assert "hardest_other,Hardest other," in listed.stdout
    shown = python(
        "-c", "from workbench.losses import METHODS; print(METHODS['hardest_other'].settings['temperature'])"
    )
    assert "default=0.05" in shown.stdout
    said = python("-m", "workbench", "doctor", "--runs", tmp_path).stdout
    assert "ok       Plug-ins: vowel_noise of more-methods (augmentations.text), hardest_other of more-methods" in said


def test_its_methods_keep_the_contracts(python):
    """Including that no form waits for torch."""
    files = ["tests/test_contracts.py", "tests/augmentations/test_every.py"]
    chosen = " or ".join([*IDS, "test_no_torch_on_the_way_to_a_form"])
    done = python("-m", "pytest", *files, "-q", "-p", "no:cacheprovider", "-k", chosen, "-rA", cwd=ROOT)
    assert done.returncode == 0, done.stdout[-3000:]
    assert all(done.stdout.count(f".{id}]") >= 5 or done.stdout.count(f"[{id}") >= 5 for id in IDS), done.stdout[-3000:]
    doctests = python("-m", "pytest", "--doctest-modules", EXAMPLE, "-v", "-p", "no:cacheprovider", cwd=ROOT)
    assert doctests.returncode == 0 and "1 passed" in doctests.stdout, doctests.stdout[-3000:]


def test_a_run_trains_with_it_and_records_its_version(python, tmp_path):
    tiny_model(tmp_path / "bert")
    (tmp_path / "corpus.txt").write_text("\n".join(TEXTS) + "\n")
    words = ["train", "--backbone", "bert", "--corpus", "corpus.txt", "--steps", 3, "--batch-size", 8, "--runs", "runs"]
    words += ["--loss", "hardest_other", "--temperature", 0.2, "--augment-b", "vowel_noise(rate=0.5)"]
    words += ["--recipe", "aug_single", "--selection.pairs", "", "--metric", "none", "--evaluation.pairs", ""]
    done = python("-m", "workbench", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    [run] = [path for path in (tmp_path / "runs").iterdir() if path.name[0] != "."]
    assert 'loss = "hardest_other"' in (run / "config.toml").read_text()
    steps = [json.loads(line) for line in (run / "steps.jsonl").read_text().splitlines()]
    assert len(steps) == 3 and all(step["loss"] > 0 for step in steps)
    assert json.loads((run / "environment.json").read_text())["packages"]["more-methods"] == "0.1.0"


def test_the_first_answer_after_an_edit_is_that_of_the_new_code(python, tmp_path):
    """The process that computed the last one is still there, and would compute the next."""
    about = tmp_path / "site" / "own_metrics-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-metrics\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[workbench.metrics]\nrows_and = own_metrics:METHOD\n")
    code = """
from workbench.core.method import Method

def rows_and(vectors):
    \"""The number of rows, and {more}.\"""
    return float(len(vectors) + {more})

METHOD = Method(rows_and, title="Rows", source="Own", tags={{"inputs": "vectors", "direction": "none"}})
"""
    for more in (6, 70, 800):
        (tmp_path / "site" / "own_metrics.py").write_text(code.format(more=more))
        texts = ["--", "A man.", "Dogs run.", f"It is {more}."]
        words = ["geometry", "--target", "mini-mlm", "--metrics", "rows_and", "--format", "json", "--runs", "runs"]
        done = python("-m", "workbench", *words, *texts, cwd=tmp_path, more=str(tmp_path / "site"), idle=20)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{3 + more}.0" in done.stdout, done.stdout


def test_a_broken_package_is_named_everywhere_and_the_rest_works(python, tmp_path):
    about = tmp_path / "site" / "broken_package-2.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-package\nVersion: 2.0\n")
    (about / "entry_points.txt").write_text("[workbench.losses]\nlost = no_such_module\n")
    more = str(about.parent)
    message = "The plug-in lost of the package broken-package (workbench.losses) is left out: ModuleNotFoundError"
    listed = python("-m", "workbench", "list", "losses", "--runs", tmp_path / "runs", more=more)
    assert listed.returncode == 0 and "hardest_other" in listed.stdout
    assert listed.stderr.startswith(f"Warning: {message}") and len(listed.stderr.strip().splitlines()) == 1
    said = python("-m", "workbench", "doctor", "--runs", tmp_path / "runs", more=more)
    assert said.returncode == 1 and f"problem  Plug-in left out: {message}" in said.stdout
    page = (
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('app.py', default_timeout=60).run()\n"
        "assert not app.exception\n"
        "print(app.warning[0].value)\n"
    )
    shown = python("-c", page, cwd=ROOT, more=more)
    assert message.split(" (")[0] in shown.stdout.replace("\\", ""), shown.stderr[-2000:]
