"""Set-up that was interrupted or fails says so, and continues the next time. Nothing is downloaded here."""

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest


@pytest.fixture
def start(tmp_path, monkeypatch):
    """start.py in a folder of its own; pip's installing is only noted."""
    shutil.copy(Path(__file__).resolve().parent.parent / "start.py", tmp_path)
    spec = importlib.util.spec_from_file_location("start", tmp_path / "start.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    for name in ("requirements.txt", "requirements-test.txt"):
        (tmp_path / name).write_text(f"# {name}\nnumpy==2\ntorch==1 ; python_version < '4'\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    found.installed = []
    monkeypatch.setattr(found, "run_pip", found.installed.append)
    monkeypatch.setattr(found, "torch_lacks", list)
    monkeypatch.setattr(found, "warm", lambda: None)
    return found


def ended(start, monkeypatch):
    monkeypatch.setattr("sys.argv", ["start.py", "install"])
    with pytest.raises(SystemExit) as caught:
        start.main()
    said = str(caught.value.code)
    assert len(said.splitlines()) == 1 and said.startswith("Set-up")
    return said


@pytest.mark.slow
def test_an_incomplete_environment_is_created_again(start):
    venv.create(start.VENV, with_pip=False)  # as after an interrupt: Python is there, pip is not
    (start.VENV / "installed").write_text("something older")
    assert start.PYTHON.exists() and not start.has_pip()
    start.install("requirements.txt", "")
    assert start.has_pip() and len(start.installed) == 2
    stamp = start.STAMP.read_text()
    assert "older" not in stamp
    start.install("requirements.txt", "")
    assert len(start.installed) == 2 and start.STAMP.read_text() == stamp


@pytest.fixture
def made(start, monkeypatch):
    """start.py with an environment that is there: what it tells pip, without the words that all commands share."""

    def asked(lock="requirements.txt", torch_index="", lacks=()):
        monkeypatch.setattr(start, "torch_lacks", lambda: list(lacks))
        start.installed.clear()
        start.install(lock, torch_index)
        return [command[command.index("--no-compile") + 1 :] for command in start.installed]

    start.VENV.mkdir()
    monkeypatch.setattr(start, "has_pip", lambda: True)
    return asked


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-test.txt"])
def test_what_is_installed_is_the_lock_and_the_project_itself(start, made, lock):
    """And no other requirement of a package: with a CPU build of PyTorch, none of CUDA's libraries."""
    folder = start.HERE
    assert made(lock) == [
        ["--no-deps", "--requirement", str(folder / lock)],
        ["--no-deps", "--no-build-isolation", "--editable", str(folder)],
    ]


def test_a_changed_project_is_installed_again_and_an_unchanged_one_is_not(start, made):
    start.PYTHON.parent.mkdir(parents=True)
    start.PYTHON.touch()
    assert len(made()) == 2 and made() == []
    (start.HERE / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert len(made()) == 2 and made() == []
    assert len(made("requirements-test.txt")) == 2 and made() == []


def test_torch_comes_from_the_index_that_is_named(made):
    torch, lock, _ = made(torch_index="http://torch.example")
    assert torch == ["--no-deps", "--index-url", "http://torch.example", "torch==1"] and lock[:1] == ["--no-deps"]


@pytest.mark.parametrize("index", ["", "http://torch.example"])
def test_a_build_for_cuda_gets_its_libraries_and_says_so(made, capsys, index):
    """It cannot be imported without them. They come from the same index, after the lock, so that nothing else does."""
    *_, libraries, project = made(torch_index=index, lacks=["cuda-toolkit", "triton"])
    assert libraries == [*(["--index-url", index] if index else []), "torch==1"] and "--editable" in project
    said = capsys.readouterr().out
    assert "cuda-toolkit, triton" in said and "--torch-index" in said


def test_what_torch_lacks_is_read_from_its_own_files(start, monkeypatch, tmp_path):
    monkeypatch.undo()
    spec = importlib.util.spec_from_file_location("start", tmp_path / "start.py")
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    fresh.PYTHON = Path(sys.executable)
    wanted = ["numpy", "No_Such.Lib[x]>=2", "other-one; sys_platform == 'plan9'", "third; extra == 'more'"]
    about = tmp_path / "site" / "torch-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: torch\nVersion: 1\n" + "".join(f"Requires-Dist: {one}\n" for one in wanted)
    )
    monkeypatch.setenv("PYTHONPATH", str(about.parent))
    assert fresh.torch_lacks() == ["No_Such.Lib"]


def test_an_interrupt_is_one_line_and_set_up_can_continue(start, monkeypatch):
    def interrupted(*_, **__):
        venv.EnvBuilder().create(start.VENV)
        raise KeyboardInterrupt

    monkeypatch.setattr(venv, "create", interrupted)
    assert "Start again" in ended(start, monkeypatch)


def test_a_python_without_ensurepip_says_what_to_install(start, monkeypatch):
    def fails(*_, **__):
        raise subprocess.CalledProcessError(1, ["python", "-m", "ensurepip"])

    monkeypatch.setattr(venv, "create", fails)
    assert "python3-venv" in ended(start, monkeypatch)


def test_a_folder_that_cannot_be_written_is_not_to_be_removed(start, monkeypatch):
    def fails(*_, **__):
        raise PermissionError(13, "Permission denied", str(start.VENV))

    monkeypatch.setattr(venv, "create", fails)
    said = ended(start, monkeypatch)
    assert f"permissions of {start.HERE}" in said and "Remove" not in said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("WARNING: Retrying after connection broken by 'NewConnectionError(...)'\n", "Check the network"),
        ("WARNING: Requirement ignored\n", "no ready-made package of accelerate==1"),
    ],
)
def test_an_index_that_does_not_answer_is_told_from_a_package_that_it_lacks(tmp_path, told, said):
    spec = importlib.util.spec_from_file_location("start", Path(__file__).resolve().parent.parent / "start.py")
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    told += "ERROR: No matching distribution found for accelerate==1\n"
    with pytest.raises(SystemExit, match=said) as caught:
        fresh.run_pip([sys.executable, "-c", f"import sys; sys.exit(sys.stderr.write({told!r}) and 1)"])
    assert len(str(caught.value.code).splitlines()) == 1


@pytest.mark.parametrize(
    "words", [["--unknown-option"], ["app", "--foo", "3"], ["--server.port", "8502", "--no-tok"], ["-x"]]
)
def test_a_wrong_option_is_one_sentence_before_anything_is_installed(start, monkeypatch, words):
    monkeypatch.setattr("sys.argv", ["start.py", *words])
    with pytest.raises(SystemExit, match=r"^There is no option -[-a-z]+\. ") as caught:
        start.main()
    assert "--server.port 8502" in str(caught.value.code) and not start.installed and not start.VENV.exists()


def test_options_of_streamlit_and_the_runs_folder_are_passed_on(start, monkeypatch):
    monkeypatch.setattr(start, "install", lambda *_: None)
    ran = []
    monkeypatch.setattr(start, "run", lambda command: ran.append(command) or 0)
    rest = ["--server.port", "8502", "--server.headless=true", "--runs", "elsewhere"]
    monkeypatch.setattr("sys.argv", ["start.py", *rest])
    assert start.main() == 0 and ran == [["-m", "workbench", "app", *rest]]


def test_a_second_set_up_waits_for_the_first_and_finds_its_work_done(start, made, monkeypatch, capsys):
    start.PYTHON.parent.mkdir(parents=True)
    start.PYTHON.touch()
    assert len(made()) == 2
    wanted = start.STAMP.read_text()
    start.STAMP.unlink()
    first = start.LOCK.open("a")
    assert start.locked(first)

    def done(_seconds):
        first.close()
        start.STAMP.write_text(wanted)

    monkeypatch.setattr(start.time, "sleep", done)
    assert made() == [] and "Another set-up" in capsys.readouterr().out


def test_a_file_in_its_place_is_named(start, monkeypatch):
    start.VENV.write_text("no folder")
    said = ended(start, monkeypatch)
    assert str(start.VENV) in said and start.VENV.read_text() == "no folder"


@pytest.mark.skipif(os.name == "nt", reason="no signals")
def test_a_suite_that_a_signal_ended_has_not_passed(start, monkeypatch):
    monkeypatch.setattr(start, "install", lambda *_: None)
    monkeypatch.setattr(start, "PYTHON", sys.executable)
    monkeypatch.setattr("sys.argv", ["start.py", "test"])
    for codes, expected in (
        (["0", "0"], 0),
        (["0", "3"], 3),
        (["5", "3"], 5),
        (["os.kill(os.getpid(), 11)", "0"], 139),
        (["0", "os.kill(os.getpid(), 9)"], 137),
    ):
        monkeypatch.setattr(
            start,
            "whole_suite",
            lambda coverage, codes=codes: [["-c", f"import os, sys; sys.exit({code})"] for code in codes],
        )
        assert start.main() == expected


def options_of(start, monkeypatch, *words):
    """What `start.py` hands on: the command, and what it sets for it."""
    for name in ("WORKBENCH_TOKEN", "WORKBENCH_FOLDERS"):
        monkeypatch.setenv(name, "before")
    handed = []
    monkeypatch.setattr(start, "install", lambda *_: None)
    monkeypatch.setattr(start, "run", lambda command: handed.append(command) or 0)
    monkeypatch.setattr("sys.argv", ["start.py", *words])
    assert start.main() == 0
    return handed[0], os.environ["WORKBENCH_TOKEN"], os.environ["WORKBENCH_FOLDERS"]


def test_options_of_the_app_and_of_streamlit_go_where_they_belong(start, monkeypatch, tmp_path):
    usual = ["-m", "workbench", "app"]
    assert options_of(start, monkeypatch) == (usual, "before", "before")
    assert options_of(start, monkeypatch, "--server.port", "8502") == (
        [*usual, "--server.port", "8502"],
        "before",
        "before",
    )
    assert options_of(start, monkeypatch, "--no-token") == (usual, "off", "before")
    (tmp_path / "texts").mkdir()
    monkeypatch.chdir(tmp_path)
    named = os.pathsep.join([str(tmp_path), "texts"])
    read = os.pathsep.join([str(tmp_path), str(tmp_path / "texts")])  # the app runs elsewhere
    assert options_of(start, monkeypatch, "--folders", named) == (usual, "before", read)


@pytest.mark.parametrize(("named", "message"), [("nowhere", "there is no folder"), ("", "no folder is named")])
def test_a_missing_folder_is_reported_before_the_start(start, monkeypatch, capsys, named, message):
    monkeypatch.setattr("sys.argv", ["start.py", "--folders", named])
    with pytest.raises(SystemExit):
        start.main()
    assert message in capsys.readouterr().err and not start.installed
