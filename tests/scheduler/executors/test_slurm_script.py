"""What Slurm is asked for, and the script that it runs, with programs that stand in for Slurm's."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.store.test_runs import CONFIG
from tests.trial import until
from workbench.scheduler.executors import remote
from workbench.scheduler.executors.interface import Job, Standing, Unreachable
from workbench.scheduler.executors.slurm import Slurm, SlurmCluster
from workbench.store.create import create

SBATCH = """#!/bin/sh
printf '%s\\n' "$@" > {place}/asked; cat > {place}/script; echo 7
"""
SRUN = """#!/bin/sh
printf '%s\\n' "$@" > {place}/step
while [ "$1" != sh ]; do shift; done
for n in 0 1 2; do SLURM_PROCID=$n "$@" & done; wait
"""
PYTHON = """#!/bin/sh
echo "$OMP_NUM_THREADS" "$@"
"""


@pytest.fixture
def asked(tmp_path, folder, monkeypatch):
    """Submits a run with these settings of the cluster; returns it with what sbatch was asked for."""
    (tmp_path / "bin").mkdir()
    for name, text in {"sbatch": SBATCH, "srun": SRUN, "squeue": "#!/bin/sh\n", "python": PYTHON}.items():
        path = tmp_path / "bin" / name
        path.write_text(text.format(place=tmp_path) if name != "python" else text)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    def submit(processes=3, **settings):
        config = replace(CONFIG, training=replace(CONFIG.training, processes=processes, threads=0))
        run = create(folder, config)
        Slurm("hpc", SlurmCluster(**settings)).start(Job(run, 2, {}), "auto")
        return run, (tmp_path / "asked").read_text().splitlines()

    return submit


@pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell")
def test_a_run_of_several_processes_asks_for_a_task_each_where_it_may_use_several_nodes(asked, tmp_path):
    run, words = asked(cpus=4, gpus=1, nodes=2)
    assert {"--nodes=1-2", "--ntasks=3", "--cpus-per-task=4", "--gpus-per-task=1", f"--job-name={run.id}.2"} <= {*words}
    assert not [word for word in words if word.startswith("--gres")]
    environment = {**os.environ, "SLURM_JOB_ID": "7", "SLURM_RESTART_COUNT": "1"}
    subprocess.run(["sh", str(tmp_path / "script")], env=environment, check=True)
    log = until(lambda: len(lines := run.log().splitlines()) == 3 and sorted(lines), 10)
    meeting = f"--meeting {run.folder}/.peers-7.1.tmp"
    assert log == [
        f"4 -m workbench.runs.peers {run.folder} {meeting} --rank 1",
        f"4 -m workbench.runs.peers {run.folder} {meeting} --rank 2",
        f"4 -m workbench.runs.worker {run.folder} --device auto --attempt 2 {meeting} --with-parent",
    ]
    step = (tmp_path / "step").read_text().splitlines()
    assert {"--ntasks=3", "--cpus-per-task=4", "--gpus-per-task=1", "--wait=0", "--kill-on-bad-exit=1"} <= {*step}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell")
def test_otherwise_a_run_is_one_task_of_one_node(asked, tmp_path):
    for processes, nodes in ((3, 1), (1, 2)):
        run, words = asked(processes, cpus=4, gpus=1, nodes=nodes)
        wanted = {"--nodes=1", "--ntasks=1", f"--cpus-per-task={4 * processes}", f"--gres=gpu:{processes}"}
        assert wanted <= {*words}
        subprocess.run(["sh", str(tmp_path / "script")], check=True)
        assert run.log().split() == [
            str(4 * processes), "-m", "workbench.runs.worker", str(run.folder), "--device", "auto", "--attempt", "2",
        ]  # fmt: skip
    assert not (tmp_path / "step").exists()


SQUEUE = """#!/bin/sh
case "$*" in *--noheader*) ;; *) test -f {place}/no-header || printf 'STATE|REASON|NAME\\n' ;; esac
cat {place}/jobs
"""


@pytest.fixture
def listing(tmp_path, folder, monkeypatch):
    """Has squeue print these bytes; returns what is known of the run then."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "squeue").write_text(SQUEUE.format(place=tmp_path))
    (tmp_path / "bin" / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(remote, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(remote, "REST_SECONDS", 0.0)
    job, slurm = Job(create(folder, CONFIG), 1, {}), Slurm("hpc", SlurmCluster())

    def look(*lines):
        (tmp_path / "jobs").write_bytes(b"\n".join(lines).replace(b"MINE", job.name.encode()) + b"\n")
        return slurm.state(job)

    return look


@pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell")
def test_a_line_of_squeue_that_is_not_a_job_is_ignored(listing):
    for other in (
        b"RUNNING|None|my notebook\nsecond line",
        b"Maintenance on Tuesday",
        b"",
        b"PENDING|x",
        b"RUNNING||\xff",
    ):
        assert listing(other, b"RUNNING|None|MINE") == listing(b"RUNNING|None|MINE", other) == Standing("running")
    assert listing(b"PENDING|Priority|MINE", b"Maintenance") == Standing("waiting", "Priority")
    assert listing(b"Maintenance on Tuesday") == Standing("gone"), "nothing runs, as its header says"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell")
def test_of_a_text_that_is_no_list_of_jobs_nothing_is_concluded(listing, tmp_path):
    (tmp_path / "no-header").touch()
    with pytest.raises(
        Unreachable, match="hpc does not answer: squeue printed neither jobs nor a header, but 'slurm_load"
    ):
        listing(b"slurm_load_jobs: weird")
    assert listing(b"RUNNING|None|MINE") == Standing("running")
