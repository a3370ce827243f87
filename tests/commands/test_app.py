"""`workbench` and `workbench app`: what is handed to Streamlit. tests/test_wheel.py starts it for real."""

import os
import socket
import sys

import pytest

from workbench import __version__
from workbench.__main__ import main
from workbench.commands import app
from workbench.core.paths import shipped
from workbench.processes.service import Service
from workbench.store.names import runs_folder


@pytest.fixture
def handed(monkeypatch):
    """A function that gives the command and the environment for some words."""
    for name in ("WORKBENCH_TOKEN", "WORKBENCH_FOLDERS", "WORKBENCH_RUNS"):
        monkeypatch.delenv(name, raising=False)
    found, begun = [], []
    monkeypatch.setattr(Service, "ensure", lambda self: begun.append((self.name, self.folder)))

    def start(program, command, environment):
        assert program == sys.executable
        assert begun == [("compute", runs_folder(environment.get("WORKBENCH_RUNS")).path)], "before the server, once"
        begun.clear()
        found.append((command[1:], environment))
        raise SystemExit(0)

    def ask(*words):
        with pytest.raises(SystemExit):
            main(list(words))
        return found.pop()

    monkeypatch.setattr(app.os, "name", "posix")
    monkeypatch.setattr(app.os, "execve", start)
    return ask


USUAL = ["-m", "streamlit", "run", str(shipped("app.py")), "--server.address", "127.0.0.1"]


def test_without_a_command_the_app_is_served_on_this_machine_only(handed):
    for words in ((), ("app",)):
        command, environment = handed(*words)
        assert command == USUAL
        assert environment["PYTHONSAFEPATH"] == "1" and environment["OMP_WAIT_POLICY"]
        assert not environment.keys() & {"WORKBENCH_TOKEN", "WORKBENCH_FOLDERS", "WORKBENCH_RUNS"}


def test_options_of_the_app_and_of_streamlit_are_separated(handed, tmp_path, monkeypatch):
    assert handed("--server.port", "8502")[0] == [*USUAL, "--server.port", "8502"]
    assert handed("app", "--server.port", "8502")[0] == [*USUAL, "--server.port", "8502"]
    assert handed("--no-token")[1]["WORKBENCH_TOKEN"] == "off"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    _, environment = handed("app", "--folders", os.pathsep.join([str(tmp_path), "texts"]), "--runs", "mine")
    assert environment["WORKBENCH_FOLDERS"].split(os.pathsep) == [str(tmp_path), str(tmp_path / "texts")]
    assert environment["WORKBENCH_RUNS"] == "mine"


@pytest.mark.parametrize(
    ("named", "message"),
    [("nowhere", "there is no folder"), ("~nobody-at-all/x", "there is no folder"), ("", "no folder is named")],
)
def test_a_missing_folder_is_reported(capsys, named, message):
    with pytest.raises(SystemExit) as caught:
        main(["app", "--folders", named])
    assert caught.value.code == 2 and message in capsys.readouterr().err


def test_folders_of_the_environment_are_checked_as_those_of_the_flag(handed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    monkeypatch.setenv("WORKBENCH_FOLDERS", "texts")
    assert handed("app")[1]["WORKBENCH_FOLDERS"] == str(tmp_path / "texts")
    for named, missing in ((f"texts{os.pathsep}/nope", "/nope"), ("~nobody-at-all/x", "~nobody-at-all/x")):
        monkeypatch.setenv("WORKBENCH_FOLDERS", named)
        assert main(["app"]) == 2
        assert f"WORKBENCH_FOLDERS cannot be used: there is no folder {missing}. " in capsys.readouterr().err
    assert handed("app", "--folders", "texts")[1]["WORKBENCH_FOLDERS"] == str(tmp_path / "texts")


def test_a_word_that_belongs_to_no_option_is_refused(handed, capsys):
    assert main(["app", "8502"]) == main(["app", "--server.port", "8502", "--server.headless=true", "more"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == "The app takes options only. Got: 8502. For a port: --server.port 8502."
    assert "Got: more. See: " in second


def test_a_port_that_is_taken_is_refused_before_anything_starts(handed, capsys, monkeypatch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert main(["app", "--server.port", port]) == main(["app", f"--server.port={port}"]) == 2
    assert capsys.readouterr().err.count(f"Port {port} is not available. Another program listens there. Choose") == 2
    assert handed("app", "--server.port", port)[0] == [*USUAL, "--server.port", port]  # and no process was begun before


def test_the_version_and_the_help_open_nothing(capsys):
    for word, said in (("--version", f"workbench {__version__}"), ("--help", "COMMAND")):
        with pytest.raises(SystemExit) as caught:
            main([word])
        assert caught.value.code == 0 and said in capsys.readouterr().out


def test_an_option_that_neither_the_app_nor_streamlit_has_is_one_sentence(handed, capsys):
    assert main(["app", "--unknown-option", "3"]) == main(["--foo"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("There is no option --unknown-option. ") and second.startswith("There is no option --foo. ")
