"""torch.compile with cppgen and with TorchInductor: time per run and time to compile, as ratios.

    PYTHONPATH=build/release/python python bench/torch/measure.py [--threads 2] [--rounds 9] [NAME...]

Each network is compiled by both with empty caches, in processes of their own. Then one process loads what they made and
runs both, in turns, so that other work on the machine slows both alike. Prints the median of the ratios of neighbouring
runs, and geometric means. The results of both must be those of eager runs; the last column is cppgen's largest
difference, as a part of the largest value. Names: those of torchvision's networks, and gpt, bert, encoder, lstm, mlp."""
from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../tests/torch"))
import modules  # noqa: E402

NETWORKS = ("resnet18", "mobilenet_v2", "squeezenet1_1", "densenet121", "googlenet", "shufflenet_v2_x1_0", "efficientnet_b0",
            "convnext_tiny", "vit_b_16", "swin_t")


#: Of the largest value: sums of thousands of products in another order, through a hundred layers.
TOLERANCE = 1e-3


def ids(length):
    return torch.randint(1, 1000, (1, length))


def encoder():
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), (torch.randn(1, 128, 512),)


OWN = {
    "gpt": lambda: (modules.Gpt(1000, 512, 8, 6), (ids(128),)),
    "bert": lambda: (modules.Bert(1000, 512, 8, 6), (ids(128), torch.ones(1, 128, dtype=torch.int64))),
    "encoder": encoder,
    "lstm": lambda: (modules.Lstm(), (torch.randn(8, 64, 16),)),
    "mlp": lambda: (modules.mlp(), (torch.randn(64, 8),)),
}  # yapf: disable


def network(name):
    """The model in eval mode, and inputs."""
    torch.manual_seed(0)
    if name in OWN:
        model, inputs = OWN[name]()
    else:
        import torchvision

        arguments = {"init_weights": False} if name == "googlenet" else {}
        model, inputs = getattr(torchvision.models, name)(**arguments), (torch.randn(1, 3, 224, 224),)
    for parameter in model.parameters():
        if not parameter.any():  # or all results of some networks were zero
            torch.nn.init.normal_(parameter, std=0.02)
    return model.eval(), inputs


def compiled(model, which):
    from cppgen.torch import backend

    if which == "cppgen":
        return torch.compile(model, backend=backend, options={"strict": True})
    return torch.compile(model)


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure_compilation(name, which, threads):
    """The seconds of the first call, in a process of its own, whose caches are those of the environment."""
    arguments = [sys.executable, __file__, "--only-compile", which, "--threads", str(threads), name]
    return float(subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1])


def compile_once(name, which):
    model, inputs = network(name)
    with torch.inference_mode():
        model(*inputs)
        print(seconds(lambda: compiled(model, which)(*inputs)))


def tensors(result):
    if isinstance(result, torch.Tensor):
        return [result]
    parts = result.values() if isinstance(result, dict) else result
    return [it for part in parts for it in tensors(part)]


def difference(got, wanted, which):
    """The largest, as a part of the largest value. Results that differ by more than rounding does are an error."""
    pairs = list(zip(tensors(got), tensors(wanted), strict=True))
    largest = max(float((a - b).abs().max() / b.abs().max()) for a, b in pairs)
    if not largest <= TOLERANCE:
        raise SystemExit(f"{which}: a result differs from that of an eager run by {largest:.2g} of its largest value")
    return largest


def measure_runs(name, rounds):
    """Pairs of seconds, of cppgen and of TorchInductor; and cppgen's difference from eager results."""
    model, inputs = network(name)
    with torch.inference_mode():
        wanted = model(*inputs)
        calls, differences = [], []
        for which in ("cppgen", "inductor"):
            torch._dynamo.reset()
            calls.append(compiled(model, which))
            differences.append(difference(calls[-1](*inputs), wanted, f"{name} by {which}"))
        repeats = max(1, int(0.05 / seconds(lambda: calls[0](*inputs))))
        pairs = [tuple(seconds(lambda: [call(*inputs) for _ in range(repeats)]) / repeats for call in calls) for _ in range(rounds)]
    return pairs, differences[0]


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def report(name, options):
    """Measures a network and prints its line: the ratios of its runs and of its compilations."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(CPPGEN_CACHE_DIR=folder, TORCHINDUCTOR_CACHE_DIR=folder)
        ours, theirs = (measure_compilation(name, which, options.threads) for which in ("cppgen", "inductor"))
        pairs, largest = measure_runs(name, options.rounds)
    ratio = statistics.median(a / b for a, b in pairs)
    fast = [1e3 * min(it) for it in zip(*pairs)]
    print(f"{name:<20}{fast[0]:>11.3f}{fast[1]:>13.3f}{ratio:>8.2f}{ours:>12.1f}{theirs:>12.1f}{ours / theirs:>8.2f}"
          f"{largest:>12.1e}", flush=True)
    return ratio, ours / theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[*NETWORKS, *OWN])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only-compile", choices=("cppgen", "inductor"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.only_compile:
        compile_once(options.names[0], options.only_compile)
        return
    print(f"{'network':<20}{'cppgen ms':>11}{'inductor ms':>13}{'ratio':>8}{'compile s':>12}{'inductor s':>12}{'ratio':>8}"
          f"{'difference':>12}")
    run_ratios, compile_ratios = zip(*(report(name, options) for name in options.names))
    print(f"{'geometric mean':<44}{mean(run_ratios):>8.2f}{'':>24}{mean(compile_ratios):>8.2f}")


if __name__ == "__main__":
    main()
