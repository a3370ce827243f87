"""requirements.txt and requirements-test.txt are what pyproject.toml compiles to. No index is asked here."""

import re
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {"requirements.txt": ["hub"], "requirements-test.txt": ["test"]}
"""Each lock file, with the extras that it includes."""
SYSTEMS = {
    "Linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    "macOS": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    "Windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXCLUDED = set(PROJECT["tool"]["uv"]["exclude-dependencies"])
AGAIN = "Compile it again: CONTRIBUTING.md, 'Dependencies'."


def lines(name):
    return [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def pins(name, environment):
    """Version by package, as far as the markers let it through."""
    asked = map(Requirement, lines(name))
    return {
        canonicalize_name(one.name): Version(str(one.specifier).removeprefix("=="))
        for one in asked
        if not one.marker or one.marker.evaluate(environment)
    }


def environments():
    for system, values in SYSTEMS.items():
        for python in PYTHONS:
            yield f"{system} {python}", {**values, "python_version": python, "python_full_version": f"{python}.0"}


def direct(extras):
    """What pyproject.toml itself asks for."""
    asked = list(map(Requirement, PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["build"]))
    more = [Requirement(line) for extra in extras for line in PROJECT["project"]["optional-dependencies"][extra]]
    own = [one for one in more if one.name == PROJECT["project"]["name"]]
    return asked + [one for one in more if one not in own] + [one for part in own for one in direct(part.extras)]


@cache
def requirements(name):
    """The requirements of an installed package, for any system; none if it is not installed."""
    try:
        return list(map(Requirement, metadata.requires(name) or []))
    except metadata.PackageNotFoundError:
        return []


def asked_by(one, environment):
    """The requirements of a package in an environment, with the requested extras."""
    found = []
    for asked in requirements(one.name):
        given = [{**environment, "extra": extra} for extra in ("", *one.extras)]
        if not asked.marker or any(map(asked.marker.evaluate, given)):
            found.append(asked)
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_only_pins(name):
    for line in lines(name):
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", line), line
    assert lines(name) == sorted(lines(name), key=lambda line: re.split("[= ]", line)[0])


@pytest.mark.parametrize("name", LOCKS)
def test_nothing_of_cuda_is_installed(name):
    """start.py installs these lines and, with --no-deps, nothing else: see tests/test_start.py."""
    assert not [line for line in lines(name) if re.match(r"nvidia|cuda|cu1\d|triton", line)]


def test_the_tests_run_with_the_versions_of_the_app():
    assert set(lines("requirements.txt")) < set(lines("requirements-test.txt"))


@pytest.mark.parametrize("name", LOCKS)
def test_all_that_is_asked_for_is_locked_at_a_version_that_fits_and_nothing_else(name):
    """On each system and Python, from pyproject.toml on through what each installed package says of itself."""
    reached = set()
    for where, environment in environments():
        locked = pins(name, environment)
        waiting, seen = [("pyproject.toml", one) for one in direct(LOCKS[name])], set()
        while waiting:
            by, one = waiting.pop()
            key = canonicalize_name(one.name)
            if key in EXCLUDED or (key, *sorted(one.extras)) in seen:
                continue
            seen.add((key, *sorted(one.extras)))
            assert key in locked, f"{by} asks for {one} on {where}, and {name} lacks it. {AGAIN}"
            fits = one.specifier.contains(locked[key], prereleases=True)
            assert fits, f"{by} asks for {one}, and {name} has {locked[key]}. {AGAIN}"
            waiting += [(one.name, asked) for asked in asked_by(one, environment)]
        reached |= {key for key, *_ in seen}
    known = {canonicalize_name(Requirement(line).name) for line in lines(name)}
    assert known == reached, f"{name} has more than is asked for: {', '.join(sorted(known - reached))}. {AGAIN}"


def test_the_tests_run_with_what_is_locked():
    """Otherwise the requirements read above would be those of other versions."""
    for name, version in pins("requirements-test.txt", {}).items():
        try:
            there = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        assert Version(Version(there).public) == version, name
