"""Batch inference with workers that are killed in the middle: every row has one result, and it is the right one."""
import os
import re
import signal
import sys

import numpy as np
import pytest

import cppgen
from networks import layers
from processes import finish, free_ports, program, text_of, wait_until

EXAMPLES = os.path.join(os.path.dirname(__file__), "../../examples/batch")
ROWS, BLOCK = 50_000, 1000
BLOCKS = ROWS // BLOCK

sys.path.insert(0, EXAMPLES)
import blocks  # noqa: E402


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with a package, rows, and their results in one call. A block takes some 20 ms."""
    folder = tmp_path_factory.mktemp("batch")
    random = np.random.default_rng(2)
    x = random.standard_normal((ROWS, 64), np.float32)
    (folder / "data").mkdir()
    np.save(folder / "data/keys.npy", random.permutation(ROWS))
    np.save(folder / "data/x.npy", x)
    cppgen.compile(layers(64, 1024, 1024, 8), output=str(folder / "model.package"))
    np.save(folder / "y.npy", cppgen.Session(str(folder / "model.package"), threads=1)(x))
    return folder


def published(results):
    return {name for name in os.listdir(results) if name.endswith(".npz")} if os.path.isdir(results) else set()


def assert_complete(work, results):
    """Each row has one result, that of its key."""
    keys, y = blocks.read_results(str(work / "data"), str(results), BLOCK)
    assert len(np.unique(keys)) == len(keys) == ROWS
    np.testing.assert_array_equal(keys, np.load(work / "data/keys.npy"))
    np.testing.assert_array_equal(y, np.load(work / "y.npy"))


def start_job(processes, script, work, results, *options):
    return processes.start(sys.executable, os.path.join(EXAMPLES, script), str(work / "model.package"),
                           str(work / "data"), str(results), "--rows", str(BLOCK), *options)


def kill_during(job, results, kill, times):
    """Kills a worker each time that some more blocks are done, while others are still to be computed."""
    for count in range(1, times + 1):
        wait_until(lambda: len(published(results)) >= count * BLOCKS // (times + 2), job)
        assert len(published(results)) < BLOCKS, "the job ended before a worker was killed"
        kill()


def start_dask_worker(processes, scheduler):
    return processes.start(program("dask"), "worker", scheduler, "--no-nanny", "--nthreads", "1", "--no-dashboard")


def test_dask_workers_killed(processes, work, tmp_path):
    pytest.importorskip("distributed")
    (port,) = free_ports(1)
    scheduler = f"tcp://127.0.0.1:{port}"
    # A block may be lost with as many workers as are killed here, at worst.
    processes.start(program("dask"), "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard",
                    DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="6")
    workers = [start_dask_worker(processes, scheduler) for _ in range(2)]
    results = tmp_path / "results"
    job = start_job(processes, "with_dask.py", work, results, "--scheduler", scheduler)

    def kill():
        victim = workers.pop(0)
        assert victim.poll() is None
        victim.send_signal(signal.SIGKILL)
        workers.append(start_dask_worker(processes, scheduler))

    kill_during(job, results, kill, times=6)
    assert f"{ROWS} rows in {BLOCKS} blocks" in finish(job)
    assert_complete(work, results)


def ray_actors(temporary):
    """Process ids of the actors of the class Worker in the Ray whose files are in a folder."""
    def words(process):
        try:
            with open(f"/proc/{process}/cmdline", encoding="utf-8") as file, open(f"/proc/{process}/stat", encoding="utf-8") as stat:
                return file.read().replace("\0", " "), int(stat.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return "", 0

    running = {int(name): words(name) for name in os.listdir("/proc") if name.isdigit()}
    raylets = {it for it, (command, _) in running.items() if "raylet/raylet" in command and temporary in command}
    return [it for it, (command, parent) in running.items() if "ray::" in command and "Worker" in command and parent in raylets]


@pytest.fixture
def ray_address(processes, ray_folder):
    """The address of a Ray of its own."""
    pytest.importorskip("ray")
    (port,) = free_ports(1)
    head = processes.start(program("ray"), "start", "--head", "--block", "--node-ip-address", "127.0.0.1", "--port", str(port),
                           "--temp-dir", ray_folder, "--num-cpus", "3", "--include-dashboard", "false",
                           "--object-store-memory", "100000000")
    wait_until(lambda: "Ray runtime started" in text_of(head), head)
    return f"127.0.0.1:{port}"


def test_ray_workers_killed(processes, ray_address, ray_folder, work, tmp_path):
    results = tmp_path / "results"
    job = start_job(processes, "with_ray.py", work, results, "--address", ray_address)
    killed = []

    def kill():
        victim = wait_until(lambda: [it for it in ray_actors(ray_folder) if it not in killed], job)[0]
        killed.append(victim)
        os.kill(victim, signal.SIGKILL)

    kill_during(job, results, kill, times=3)
    assert f"{ROWS} rows in {BLOCKS} blocks" in finish(job)
    assert_complete(work, results)


@pytest.mark.parametrize("script, module", [("with_dask.py", "distributed"), ("with_ray.py", "ray")])
def test_killed_job_continues(processes, work, tmp_path, script, module):
    pytest.importorskip(module)
    results = tmp_path / "results"
    job = start_job(processes, script, work, results)
    wait_until(lambda: len(published(results)) >= 3, job)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    before = {name: os.stat(results / name).st_mtime_ns for name in published(results)}
    assert 3 <= len(before) < BLOCKS
    # Workers whose job is gone may have finished a block since.
    found = re.search(r"rows in (\d+) blocks", finish(start_job(processes, script, work, results)))
    assert 1 <= int(found[1]) <= BLOCKS - len(before)
    assert all(os.stat(results / name).st_mtime_ns == when for name, when in before.items())
    assert_complete(work, results)


def test_half_written_files_do_not_count(work, tmp_path, monkeypatch):
    results = tmp_path / "results"
    data = str(work / "data")
    first, *others = blocks.missing_blocks(data, str(results), BLOCK)
    assert len(others) == BLOCKS - 1

    def fail(*_):
        raise KeyboardInterrupt  # where a killed worker would stop

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            blocks.run_block(first, str(work / "model.package"), 1, data, str(results))
    assert [name.endswith(".partial") for name in os.listdir(results)] == [True]
    assert blocks.missing_blocks(data, str(results), BLOCK) == [first, *others]
    with pytest.raises(ValueError, match="50 blocks have no results yet"):
        blocks.read_results(data, str(results), BLOCK)
    for _ in range(2):
        assert blocks.run_block(first, str(work / "model.package"), 1, data, str(results)) == BLOCK
    assert blocks.missing_blocks(data, str(results), BLOCK) == others
    with pytest.raises(ValueError, match="another size of blocks"):
        blocks.missing_blocks(data, str(results), BLOCK + 1)
