"""Model files from the Hugging Face Hub: asked for by name, safetensors only, kept in its cache, readable offline."""

import re
from pathlib import Path

from workbench.core.errors import BadModel

_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WANTED = re.compile(r"(?:[\w-]+/)?(?:[\w.-]+\.json|vocab\.txt|merges\.txt|model(?:-\d+-of-\d+)?\.safetensors)")
_OTHER_FORMATS = ("onnx/", "openvino/", "coreml/", "checkpoint")


def is_hub_id(name: str) -> bool:
    """Whether `name` has the form org/name.

    >>> is_hub_id("org/name"), is_hub_id("a/b/c"), is_hub_id("name")
    (True, False, False)
    """
    return _ID.fullmatch(name) is not None


def wanted(files: list[str]) -> list[str]:
    """Of a repository's files those that a model needs: JSON, vocabularies, safetensors; at the top or one folder down.

    >>> wanted(["config.json", "pytorch_model.bin", "1_Pooling/config.json", "onnx/model.safetensors"])
    ['config.json', '1_Pooling/config.json']
    """
    return [name for name in files if _WANTED.fullmatch(name) and not name.startswith(_OTHER_FORMATS)]


def cached(name: str, revision: str = "") -> Path | None:
    """The folder of a model that was fetched before, or None. Asks no server."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, revision=revision or None, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def fetch(name: str, revision: str = "") -> Path:
    """The folder of model `name` at `revision` (branch, tag or commit; empty is main), downloaded if need be.

    Without a network the copy fetched last is used.

    Raises:
        BadModel: no such model or revision, no access, no safetensors, or no network and no copy.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download
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
    way_out = "Give a folder, an embedded backbone (minilm-l3, minilm-l6), or a model that was fetched before."
    try:
        info = HfApi().model_info(name, revision=revision or None, timeout=20)
        files = [item.rfilename for item in info.siblings or []]
        chosen = wanted(files)
        if not any(file.endswith(".safetensors") for file in chosen):
            pickled = [file for file in files if file.endswith((".bin", ".pt", ".pth", ".ckpt"))]
            raise BadModel(
                f"{name} has no model.safetensors on the Hub.",
                rule="Pickled weights can run code when they are opened, so only safetensors are read.",
                got=f"only {', '.join(pickled[:3])}" if pickled else "",
                way_out="Many models have a revision refs/pr/N with safetensors: give it as revision.",
            )
        # Asked for under the caller's name, so that the cache can answer for that name offline.
        return Path(snapshot_download(name, revision=revision or None, allow_patterns=chosen))
    except GatedRepoError:
        raise BadModel(f"{name} asks for consent on the Hub before it is given out.", way_out=way_out) from None
    except RevisionNotFoundError:
        raise BadModel(
            f"{name} has no revision {revision!r} on the Hub.", way_out="Leave the revision empty for main."
        ) from None
    except RepositoryNotFoundError:
        raise BadModel(f"There is no public model {name} on the Hub.", way_out=way_out) from None
    except (HTTPError, HfHubHTTPError, OfflineModeIsEnabled, LocalEntryNotFoundError, OSError) as error:
        if folder := cached(name, revision):
            return folder
        reason = str(error).strip().split("\n")[0][:160]
        raise BadModel(
            f"{name} is not on this machine and the Hub cannot be reached.", got=reason, way_out=way_out
        ) from None
