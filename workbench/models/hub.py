"""Model files from the Hugging Face Hub: selected by file name, safetensors only, cached, and usable offline."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

from workbench.core.errors import BadModel

_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
LONGEST_ID = 96
"""Most characters of an id, by the rules of the Hub."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WANTED = [
    "*.json",
    "model.safetensors",
    "model-*-of-*.safetensors",
    "*/model.safetensors",
    "*vocab.txt",
    "*merges.txt",
    "*.spm",
    "spiece.model",
]
UNREACHABLE = "is not on this machine and the Hub cannot be reached."
_NOT_WANTED = ["onnx/*", "openvino/*", "coreml/*", "checkpoint*/*", "*/*/*"]


def is_hub_id(name: str) -> bool:
    """Whether `name` is a valid Hub id of the form org/name.

    >>> is_hub_id("org/name"), is_hub_id("a/b/c"), is_hub_id("name"), is_hub_id("org/" + 96 * "x"), is_hub_id("org-/name")
    (True, False, False, False, False)
    """
    odd = len(name) > LONGEST_ID or "--" in name or ".." in name or name.endswith(".git")
    odd |= any(part != part.strip(".-") for part in name.split("/"))
    return _ID.fullmatch(name) is not None and not odd


def wanted(files: list[str]) -> list[str]:
    """The files of a repository that a model needs: JSON, vocabularies and safetensors, at the top or one folder down.

    >>> wanted(["config.json", "pytorch_model.bin", "1_Pooling/config.json", "onnx/model.safetensors"])
    ['config.json', '1_Pooling/config.json']
    """

    def fits(name: str, patterns: list[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    return [name for name in files if fits(name, _WANTED) and not fits(name, _NOT_WANTED)]


def cached(name: str, revision: str = "") -> Path | None:
    """The folder of a model that was fetched completely before, or None. Makes no request."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(_snapshot(name, revision, here=True))
    except LocalEntryNotFoundError:
        return None


def fetch(name: str, revision: str = "") -> Path:
    """The folder of model `name` at `revision` (branch, tag or commit; empty is main), downloaded if necessary.

    Without a network the most recently fetched copy is used.

    Raises:
        BadModel: no such model or revision, no access, no safetensors, or no network and no copy (the message has UNREACHABLE).
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if _COMMIT.fullmatch(revision) and (folder := cached(name, revision)):
        return folder
    way_out = "Give a folder, an embedded backbone, or a model that was fetched before."
    try:
        info = HfApi().model_info(name, revision=revision or None, timeout=20)
        files = [item.rfilename for item in info.siblings or []]
        if not any(file.endswith(".safetensors") for file in wanted(files)):
            pickled = [file for file in files if file.endswith((".bin", ".pt", ".pth", ".ckpt"))]
            raise BadModel(
                f"{name} has no model.safetensors on the Hub.",
                rule="Pickled weights can run code when they are opened, so only safetensors are read.",
                got=f"only {', '.join(pickled[:3])}" if pickled else "",
                way_out="Many models have a revision refs/pr/N with safetensors: give it as revision.",
            )
        return Path(_snapshot(name, revision, here=False))
    except GatedRepoError:
        raise BadModel(f"{name} requires you to accept its terms on the Hub first.", way_out=way_out) from None
    except RevisionNotFoundError:
        raise BadModel(
            f"{name} has no revision {revision!r} on the Hub.", way_out="Leave the revision empty for main."
        ) from None
    except RepositoryNotFoundError:
        raise BadModel(f"There is no public model {name} on the Hub.", way_out=way_out) from None
    except (_http_error(), HfHubHTTPError, OfflineModeIsEnabled, LocalEntryNotFoundError, OSError) as error:
        if folder := cached(name, revision):
            return folder
        reason = str(error).strip().split("\n")[0][:160]
        raise BadModel(f"{name} {UNREACHABLE}", reason=reason, way_out=way_out) from None


def _snapshot(name: str, revision: str, *, here: bool) -> str:
    """The folder of a snapshot, with the same choice of files online and offline; `here` looks only in the cache."""
    from huggingface_hub import snapshot_download

    return snapshot_download(
        name,
        revision=revision or None,
        allow_patterns=_WANTED,
        ignore_patterns=_NOT_WANTED,
        local_files_only=here,
    )


def _http_error() -> type[Exception]:
    """The error that the HTTP library raises without a connection; which library depends on the Hub client's version."""
    from huggingface_hub import errors

    found: type[Exception] = vars(errors)["HTTPError"]
    return found
