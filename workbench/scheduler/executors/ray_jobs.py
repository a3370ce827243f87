"""Ray: a run is a job of Ray's Jobs API, over HTTP, so Ray itself is needed on the cluster only (2.60 was tried)."""

import json
import os
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Annotated

from pydantic import Field, with_config

from workbench.core.errors import Refused
from workbench.core.json_values import Json
from workbench.scheduler.executors.interface import Job, Standing
from workbench.scheduler.executors.remote import STRICT, Cluster, Remote

STOP_SECONDS = 60
"""How long Ray leaves a worker that it stops for its checkpoint. Ray's own 3 s are too short for most."""
TOO_LATE = "JOB_SUPERVISOR_ACTOR_START_TIMEOUT"
"""How Ray fails a job that waited for its resources too long (15 min, unless RAY_JOB_START_TIMEOUT_SECONDS says otherwise)."""
_CALL_SECONDS = 10.0


@with_config(STRICT)
@dataclass(frozen=True)
class RayCluster(Cluster):
    """What can be set of a Ray cluster."""

    kind: str = "ray"
    address: str = "http://127.0.0.1:8265"
    """Of the dashboard on the head."""
    token_file: str = "~/.ray/auth_token"
    """The token, where the cluster asks for one and RAY_AUTH_TOKEN is not set."""
    gpus: Annotated[float, Field(ge=0)] = 0.0
    """GPUs of each process of a run; a fraction shares one."""
    resources: dict[str, Annotated[float, Field(ge=0)]] = field(default_factory=dict)
    """Other resources of a job, by the names that the nodes were started with; of each process, where a run may lie on several
    nodes."""

    def executor(self, name: str) -> "Ray":
        """The executor of this cluster."""
        return Ray(name, self)


class Ray(Remote):
    """See `Executor`."""

    cluster: RayCluster

    def submit(self, job: Job, command: str, peer: str) -> None:
        """A job with the name as its id. With several nodes it is not the worker, but starts it and all others, see `gang`.

        Raises:
            Refused: Ray does not take the job.
        """
        cluster, count = self.cluster, job.run.config.training.processes
        if peer:
            if 0 < cluster.gpus < 1:
                raise Refused(
                    f"Processes of one run cannot share a GPU, and the cluster {self.name} gives each {cluster.gpus:g}.",
                    way_out="Set gpus = 1 in its section of clusters.toml, or use one process.",
                )
            shares = {"CPU": cluster.cpus, "GPU": cluster.gpus, **cluster.resources}
            about = {"processes": count, "nodes": cluster.nodes, "share": shares, "worker": command, "peer": peer}
            command, count = self.line(job, "workbench.runs.gang", json.dumps(about)), 0
        wanted: dict[str, object] = {
            "submission_id": job.name,
            "entrypoint": command,
            "entrypoint_num_cpus": cluster.cpus * count,
            "entrypoint_num_gpus": cluster.gpus * count,
            "entrypoint_resources": cluster.resources if count else {},
            "runtime_env": {"env_vars": {"RAY_JOB_STOP_WAIT_TIME_S": str(STOP_SECONDS)}},
        }
        self._ask("DELETE", f"/api/jobs/{job.name}", missing=True)  # one that never started
        try:
            self._ask("POST", "/api/jobs/", wanted)
        except _Rejected as error:
            raise Refused(
                f"The Ray cluster {self.name} does not accept the run.",
                reason=str(error),
                way_out="Correct its section of clusters.toml, then resume.",
            ) from None

    def listed(self) -> dict[str, Standing]:
        """All jobs that were submitted to this cluster since its head was started."""
        jobs = self._ask("GET", "/api/jobs/")
        found = [job for job in jobs if isinstance(job, dict)] if isinstance(jobs, list) else []
        return {str(job.get("submission_id")): standing(job) for job in found}

    def cancel(self, job: Job, *, force: bool) -> None:
        """SIGTERM, and after `STOP_SECONDS` SIGKILL; so only by force, since writing a checkpoint may take longer."""
        if force:
            self._ask("POST", f"/api/jobs/{job.name}/stop", {}, missing=True)

    def logs(self, job: Job) -> str:
        """What Ray, not the worker, wrote of the job."""
        answer = self._ask("GET", f"/api/jobs/{job.name}/logs", missing=True)
        return str(answer.get("logs", ""))[-2000:] if isinstance(answer, dict) else ""

    def check(self) -> str:
        """Its version.

        Raises:
            OSError: it does not answer, or not to us.
        """
        answer = self._ask("GET", "/api/version")
        self._ask("GET", "/api/jobs/")  # which needs the token
        return (
            f"Ray {answer.get('ray_version')} at {self.cluster.address}" if isinstance(answer, dict) else "no version"
        )

    def _ask(self, method: str, path: str, content: dict[str, object] | None = None, *, missing: bool = False) -> Json:
        """The answer of the cluster; None if there is none, or with `missing` if what is asked for does not exist.

        Raises:
            OSError: it does not answer, or not in full, or does not accept the token.
            _Rejected: it does not accept the request.
        """
        headers = {"Content-Type": "application/json"}
        if token := self._token():
            headers["Authorization"] = f"Bearer {token}"
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.cluster.address.rstrip("/") + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_CALL_SECONDS) as answer:
                text = answer.read()
            return json.loads(text) if text.strip() else None
        except urllib.error.HTTPError as error:
            said = ""
            with suppress(HTTPException):  # it is cut short
                said = error.read().decode("utf-8", "replace").strip()
            if missing and error.code in (404, 400, 500):  # 500: of a job that has not ended, or in older versions
                return None
            if error.code in (401, 403):
                raise OSError(f"it does not accept the token ({error.code})") from None
            last = said.splitlines()[-1][:200] if said else str(error.reason)
            if error.code >= 500:  # its trouble, not that of the request: no node is ready, or a disk is full
                raise OSError(f"{error.code}: {last}") from None
            raise _Rejected(last) from None
        except (HTTPException, ValueError) as error:  # a head that is being restarted, or what stands before it
            raise OSError(f"its answer cannot be read ({type(error).__name__}: {error})") from None

    def _token(self) -> str:
        if token := os.environ.get("RAY_AUTH_TOKEN", ""):
            return token
        try:
            return Path(self.cluster.token_file).expanduser().read_text(encoding="utf-8").strip()
        except OSError:
            return ""


class _Rejected(Exception):
    """Ray's message about a request."""


def standing(job: dict[str, Json]) -> Standing:
    """What a job in Ray's list means.

    >>> standing({"status": "PENDING"}).state, standing({"status": "FAILED", "error_type": TOO_LATE})
    ('waiting', Standing(state='gone', reason=''))
    """
    state, message = job.get("status"), str(job.get("message") or "").strip()
    if state == "PENDING":
        return Standing("waiting")
    if state == "RUNNING":
        return Standing("running")
    if job.get("error_type") == TOO_LATE:  # it only waited: as if it had never been submitted
        return Standing("gone")
    why = {"SUCCEEDED": "Its job has ended.", "STOPPED": "Its job was stopped."}
    return Standing("gone", why.get(str(state), f"Its job failed: {message.splitlines()[0][:200] if message else ''}"))
