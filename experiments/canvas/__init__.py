"""Builds canvas.js and tables.js of assets/canvas, which the browser runs, from their sources: `python -m experiments.canvas`.

The versions of the libraries are those of package-lock.json; npm and its registry, or its cache, are needed.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "canvas"
"""Sources, lock and the built files."""

BUILT = ("canvas.js", "tables.js")
LICENCES = "LICENCES.txt"
"""The licences of the libraries in them."""


def build() -> dict[str, str]:
    """The built files and the licences in them, by name, made in a temporary folder: whatever lies in assets is shipped."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed; Node.js has it.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(FOLDER / name, folder / name)
        shutil.copytree(FOLDER / "source", folder / "source")
        quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel", "error"]
        subprocess.run([npm, "ci", *quiet], cwd=folder, check=True)
        subprocess.run([npm, "run", "--silent", "build"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        built = {name: (folder / name).read_text(encoding="utf-8") for name in BUILT}
        return {**built, LICENCES: _licences(folder)}


def _licences(folder: Path) -> str:
    """The licence of each package that the lock does not mark as a tool of the build."""
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    parts = []
    for place, package in lock["packages"].items():
        if not place or package.get("dev"):
            continue
        text = next((folder / place).glob("LICENSE*")).read_text(encoding="utf-8").strip()
        parts.append(f"{place.removeprefix('node_modules/')} {package['version']} ({package['license']})\n\n{text}\n")
    return f"\n{'-' * 80}\n\n".join(parts)


def main() -> None:
    """Write them."""
    for name, content in build().items():
        (FOLDER / name).write_text(content, encoding="utf-8")
        print(f"{FOLDER / name}: {len(content.encode()):,} bytes")
