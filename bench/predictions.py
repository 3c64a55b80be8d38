#!/usr/bin/python3
"""Compares the times that the cost model predicts for the steps of networks with measured ones.

usage: predictions.py [--within 1.5] [--seconds 2] [--rounds 3] [--steps] CPPGEN MODEL...

Each model is profiled --rounds times, each time with peaks that are measured anew, because those of virtual machines
change when their processors move; the round with the least mean time of a step counts. Prints a table with a line for
each model: how many kernels are predicted within the factor, and the median of predicted over measured; --steps adds
each kernel that is not. Library steps, whose time belongs to another library, and kernels without work are left out.
Fails if less than nine tenths of all kernels are within the factor.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile


def profile(cppgen, model, seconds, cache):
    shutil.rmtree(os.path.join(cache, "peaks"), ignore_errors=True)
    command = [cppgen, "profile", model, "--json", "--seconds", str(seconds)]
    environment = dict(os.environ, CPPGEN_CACHE_DIR=cache)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def least(results):
    """The steps that run, each from the profile in which one call took the least mean time."""
    rounds_of_steps = zip(*(r["steps"] for r in results))
    return [min(rounds, key=lambda s: s["ms"]) for rounds in rounds_of_steps if rounds[0]["calls"]]


def kernels(steps):
    """(step, ratio) of each kernel: its predicted over its measured time."""
    return [(s, s["predicted_ms"] / s["ms"]) for s in steps if s.get("predicted_ms") and s["kind"] == "compiled"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--within", type=float, default=1.5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("cppgen")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        return compare(options, cache)


def compare(options, cache):
    print(f"{'model':28} {'kernels':>7} {'within':>7} {'share':>6} {'median':>7} {'predicted':>10} {'measured':>9}  ms")
    all_ratios = []

    def is_close(ratio):
        return 1 / options.within <= ratio <= options.within

    for model in options.models:
        steps = least([profile(options.cppgen, model, options.seconds, cache) for _ in range(options.rounds)])
        name = model.rsplit("/", 1)[-1]
        rows = kernels(steps)
        ratios = [ratio for _, ratio in rows]
        good = [r for r in ratios if is_close(r)]
        all_ratios += ratios
        print(f"{name:28} {len(ratios):7} {len(good):7} {len(good) / len(ratios):6.0%} {statistics.median(ratios):7.2f} "
              f"{sum(s['predicted_ms'] for s, _ in rows):10.3f} {sum(s['ms'] for s, _ in rows):9.3f}", flush=True)
        for step, ratio in rows:
            if options.steps and not is_close(ratio):
                print(f"    {step['name']:40} {ratio:5.2f} of {step['ms'] * 1000:8.1f} us, {step['engine']}")
    good = sum(map(is_close, all_ratios))
    print(f"{'all':28} {len(all_ratios):7} {good:7} {good / len(all_ratios):6.0%} {statistics.median(all_ratios):7.2f}")
    return good < 0.9 * len(all_ratios)


if __name__ == "__main__":
    sys.exit(main())
