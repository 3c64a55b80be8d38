"""Runs a package on all rows of a folder with Dask, as blocks.py describes.

    python with_dask.py PACKAGE DATA RESULTS [--scheduler tcp://HOST:8786] [--rows 4096] [--threads 1]

The folders are on a file system that all workers share. Without --scheduler, workers are processes of this machine.
"""
import argparse
import os

from dask.distributed import Client, LocalCluster, as_completed

import blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("package", "data", "results"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--scheduler")
    parser.add_argument("--rows", type=int, default=4096, help="rows of a block")
    parser.add_argument("--threads", type=int, default=1, help="of a worker process")
    options = parser.parse_args()
    todo = blocks.missing_blocks(options.data, options.results, options.rows)
    with Client(options.scheduler or LocalCluster(threads_per_worker=1)) as client:
        client.upload_file(blocks.__file__)  # also to workers that come later
        futures = client.map(blocks.run_block, todo, package=options.package, threads=options.threads, data=options.data,
                             results=options.results)
        rows = sum(future.result() for future in as_completed(futures))
    print(f"{rows} rows in {len(todo)} blocks")


if __name__ == "__main__":
    main()
