"""The wheel as a user without the repository has it: built, installed and used elsewhere, without a network."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.test_served import app, ask, shown
from tests.tiny import tiny_model
from tests.trial import TEXTS

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([sys.executable, *command, "--wheel-dir", str(folder), str(ROOT)], check=True)
    [found] = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(wheel):
    """A folder with the installed wheel, as pip lays it out, and nothing else of this project."""
    folder = wheel.parent / "site"
    command = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", str(folder)]
    subprocess.run([sys.executable, *command, str(wheel)], check=True)
    return folder


@pytest.fixture
def elsewhere(site, tmp_path, monkeypatch):
    """A folder to work in, where Python finds what is in `site` before an editable install of this project."""
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("WORKBENCH_THREADS", "1")
    monkeypatch.setenv("WORKBENCH_IDLE_SECONDS", "2")
    monkeypatch.delenv("WORKBENCH_RUNS", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def workbench(site, *words):
    command = [sys.executable, str(site / "bin" / "workbench"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_contains_pages_and_assets_but_no_tests(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    carried = {name.removeprefix("workbench/shipped/") for name in names if name.startswith("workbench/shipped/")}
    words = ["ls-files", "app.py", "pages", "assets", ".streamlit"]
    git = shutil.which("git")  # the project may have been downloaded without it
    listed = subprocess.run([git, *words], cwd=ROOT, capture_output=True) if git else None
    if listed and listed.returncode == 0:
        assert carried == set(listed.stdout.decode().split())
    assert {"app.py", "pages/home.py", "assets/theme.css", "assets/demo/pairs.tsv", ".streamlit/config.toml"} <= carried
    assert "workbench/py.typed" in names and "workbench/recipes/simcse_unsup.toml" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"workbench", "contrastive_workbench"}


def test_code_and_files_are_those_of_the_wheel(site, elsewhere):
    code = (
        "import workbench; from workbench.core.paths import project, shipped; from workbench.data.demo import sentences\n"
        "from workbench.models.cards import EMBEDDED; from workbench.ui.kit.folders import allowed_folders\n"
        "print(workbench.__file__, shipped('app.py'), project(), len(sentences()), *allowed_folders(), 'mini-mlm' in EMBEDDED)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *paths, embedded = done.stdout.split()
    assert paths[0] == str(site / "workbench" / "__init__.py") and paths[2] == "None" and int(paths[3]) > 1000
    assert paths[1] == str(site / "workbench" / "shipped" / "app.py") and embedded == "True"
    assert str(ROOT) not in paths and str(site) not in paths, "pages may read neither this folder nor other packages"
    assert not (elsewhere / "assets").exists()


def test_it_lists_and_trains_from_any_folder(site, elsewhere):
    (elsewhere / "random.py").write_text("raise SystemExit('a module of the current folder was taken')\n")
    listed = workbench(site, "list", "losses")
    assert listed.returncode == 0 and "infonce_nn" in listed.stdout
    tiny_model(elsewhere / "bert")
    (elsewhere / "corpus.txt").write_text("\n".join(TEXTS) + "\n")
    words = ["train", "--backbone", "bert", "--corpus", "corpus.txt", "--steps", 3, "--batch-size", 8]
    words += ["--probe.pairs", "demo:dev", "--selection.pairs", "", "--metric", "none", "--evaluation.pairs", ""]
    done = workbench(site, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    [run] = [path for path in (elsewhere / "runs").iterdir() if path.name[0] != "."]
    assert len((run / "steps.jsonl").read_text().splitlines()) == 3
    assert "Traceback" not in (run / "log.txt").read_text()
    checked = workbench(site, "doctor", "--format", "json")
    assert not [row for row in json.loads(checked.stdout) if row["state"] == "problem"], checked.stdout


@pytest.mark.parametrize("words", [(), ("app",), ("--server.allowedHosts", "lab.example")])
def test_alone_it_opens_the_app_behind_its_gate(site, elsewhere, words):
    (elsewhere / "statistics.py").write_text("raise SystemExit('a module of the current folder was taken')\n")
    command = (str(site / "bin" / "workbench"), *words)
    computing = {} if words else {"WORKBENCH_PROCESSES": "on"}
    with app(elsewhere, command=command, cwd=elsewhere, **computing) as (port, address):
        named = "lab.example" if "lab.example" in words else "127.0.0.1"
        token = address.rpartition("=")[2]
        assert address == f"http://{named}:{port}/?token={token}"
        host = {"Host": f"{named}:{port}"}
        status, _, body = ask(port, "/", **host)
        assert status == 403 and "opens with a token" in body
        cookie = {"Cookie": f"workbench_token_{port}={token}"}
        assert ask(port, "/", **host, **cookie)[0] == 200
        if words:
            return
        messages = shown(port, **cookie, Origin=f"http://127.0.0.1:{port}")
        texts = "".join(str(message) for message in messages)
        assert "exception {" not in texts
        assert "/* Paper and ink." in texts and 'tag: "h1"' in texts, "Home, with its style sheet"
        assert "Spearman before" in texts, "and the comparison that it draws"
        theme = next(message.new_session.custom_theme for message in messages if message.HasField("new_session"))
        assert theme.base_font_size == 16, "the settings beside app.py are read"
    # The compute process, which starts with the server, may have written what it knows of this machine.
    assert {".jobs"} <= {path.name for path in (elsewhere / "runs").iterdir()} <= {".jobs", ".cache"}
