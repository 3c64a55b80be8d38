"""Prints how many threads runs of a small model start: FOREIGN_IN_BETWEEN INTRA_OP_NUM_THREADS [OPTION=VALUE...]."""
import os
import sys

import onnxruntime
from provider import ALL, dense_model, floats, session_options

foreign_in_between, threads, *options = sys.argv[1:]
of_session = session_options(dict(ALL, **dict(it.split("=") for it in options)))
of_session.intra_op_num_threads = int(threads)
session = onnxruntime.InferenceSession(dense_model(foreign_in_between == "True").SerializeToString(), of_session)
before = len(os.listdir("/proc/self/task"))
for _ in range(5):
    session.run(None, {"x": floats(200000, 8)})
print(len(os.listdir("/proc/self/task")) - before)
