"""Rows in blocks, for with_dask.py and with_ray.py: what a worker does with a block, and how results are read.

The data are a folder with keys.npy, one key per row, and x.npy, the rows. The result of the rows from START to STOP is a
file of the folder of results, START-STOP.npz, with their keys and y. It appears as a whole or not at all, and a block
that is computed twice gives the same file: no row is lost or doubled, however often workers are killed.
"""
from __future__ import annotations

import functools
import os
import uuid

import numpy as np

import cppgen


def load(data, name):
    return np.load(os.path.join(data, f"{name}.npy"), mmap_mode="r")


def result_file(results, block):
    return os.path.join(results, f"{block[0]:012}-{block[1]:012}.npz")


def missing_blocks(data, results, rows):
    """The blocks of so many rows that have no results yet, as pairs (start, stop)."""
    count = len(load(data, "keys"))
    blocks = [(start, min(start + rows, count)) for start in range(0, count, rows)]
    os.makedirs(results, exist_ok=True)
    there = {os.path.join(results, name) for name in os.listdir(results) if name.endswith(".npz")}
    if others := there - {result_file(results, block) for block in blocks}:
        raise ValueError(f"{min(others)} is of another size of blocks: give that size, or another folder")
    return [block for block in blocks if result_file(results, block) not in there]


@functools.cache
def session(package, threads):
    """The model, which each worker process loads once."""
    return cppgen.Session(package, threads=threads)


def run_block(block, package, threads, data, results):
    """Computes the results of a block and publishes them; returns the number of rows."""
    start, stop = block
    y = session(package, threads)(load(data, "x")[start:stop])
    publish(result_file(results, block), keys=load(data, "keys")[start:stop], y=y)
    return stop - start


def publish(path, **arrays):
    """Writes a file under a name of its own and renames it when all of it is on the disk."""
    partial = f"{path}.{uuid.uuid4().hex}.partial"
    with open(partial, "wb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def read_results(data, results, rows):
    """Keys and y of all rows, in their order."""
    if missing := missing_blocks(data, results, rows):
        raise ValueError(f"{len(missing)} blocks have no results yet; the same command continues")
    files = [np.load(os.path.join(results, name)) for name in sorted(os.listdir(results)) if name.endswith(".npz")]
    return tuple(np.concatenate([file[name] for file in files]) for name in ("keys", "y"))
