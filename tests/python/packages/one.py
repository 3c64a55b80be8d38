"""Runs one scenario in one way, in this process: one.py NAME WAY SECONDS RESULT.

WAY is what `import onnxruntime` gives: onnxruntime itself; `import`: cppgen.onnxruntime; `provider`: ONNX Runtime whose
sessions all have cppgen's execution provider, of the library PROVIDER_LIBRARY. RESULT is a file for the results and times."""
import functools
import logging
import os
import pickle
import statistics
import sys
import time


def with_exact_bytes():
    """On CPUs without dot products of bytes, ONNX Runtime's own products of bytes saturate, unless sessions ask for exact
    ones."""
    import onnxruntime

    plain = onnxruntime.InferenceSession.__init__

    @functools.wraps(plain)
    def exact(self, path_or_bytes, sess_options=None, *others, **named):
        options = sess_options or onnxruntime.SessionOptions()
        options.add_session_config_entry("session.x64quantprecision", "1")
        plain(self, path_or_bytes, options, *others, **named)

    onnxruntime.InferenceSession.__init__ = exact


def with_provider():
    """Registers the provider, and adds it to the options of all sessions."""
    import onnxruntime

    onnxruntime.register_execution_provider_library("cppgen", os.environ["PROVIDER_LIBRARY"])
    devices = [it for it in onnxruntime.get_ep_devices() if it.ep_name == "CppgenExecutionProvider"]
    with_exact_bytes()
    plain = onnxruntime.InferenceSession.__init__

    @functools.wraps(plain)
    def with_devices(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **others):
        options = sess_options or onnxruntime.SessionOptions()
        if not options.has_providers():
            options.add_provider_for_devices(devices, {})
        plain(self, path_or_bytes, options, **others)
        self.disable_fallback()

    onnxruntime.InferenceSession.__init__ = with_devices


def with_cppgen():
    import cppgen.onnxruntime

    cppgen.onnxruntime.install()


def main():
    name, way, seconds, path = sys.argv[1:]
    {"onnxruntime": with_exact_bytes, "import": with_cppgen, "provider": with_provider}[way]()
    logging.getLogger("cppgen").setLevel(logging.WARNING)
    from scenarios import SCENARIOS

    begin = time.perf_counter()
    run = SCENARIOS[name]()
    results = run()
    first, times = time.perf_counter() - begin, []
    begin = time.perf_counter()
    while time.perf_counter() - begin < float(seconds) or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    with open(path, "wb") as file:
        pickle.dump((results, first, statistics.median(times)), file)


if __name__ == "__main__":
    main()
