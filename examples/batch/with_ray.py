"""Runs a package on all rows of a folder with Ray Data, as blocks.py describes.

    python with_ray.py PACKAGE DATA RESULTS [--address HOST:6379] [--workers 2] [--rows 4096] [--threads 1]

The folders are on a file system that all workers share. Without --address, workers are processes of this machine.
"""
import argparse
import os

import numpy as np
import ray

import blocks


class Worker:
    """An actor of Ray: it loads the model once and then takes blocks."""

    def __init__(self, package, threads, data, results):
        self.arguments = (package, threads, data, results)
        blocks.session(package, threads)

    def __call__(self, batch):
        pairs = zip(batch["start"].tolist(), batch["stop"].tolist())
        return {"rows": np.array([blocks.run_block(pair, *self.arguments) for pair in pairs])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("package", "data", "results"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--address")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=int, default=4096, help="rows of a block")
    parser.add_argument("--threads", type=int, default=1, help="of a worker process")
    options = parser.parse_args()
    todo = blocks.missing_blocks(options.data, options.results, options.rows)
    ray.init(address=options.address, runtime_env={"working_dir": os.path.dirname(os.path.abspath(__file__))})
    rows = 0
    if todo:
        work = ray.data.from_items([{"start": start, "stop": stop} for start, stop in todo])
        done = work.map_batches(Worker, fn_constructor_args=(options.package, options.threads, options.data, options.results),
                                batch_size=1, num_cpus=options.threads,
                                compute=ray.data.ActorPoolStrategy(size=options.workers))
        rows = sum(row["rows"] for row in done.iter_rows())
    print(f"{rows} rows in {len(todo)} blocks")


if __name__ == "__main__":
    main()
