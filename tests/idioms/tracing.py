"""Writes nodes as torch.onnx.export does while it traces: every number a Constant, every size a Shape and a Gather."""
import numpy as np

from idiom import const, make_model, node

LARGEST = np.iinfo(np.int64).max


class Trace:
    """Collects nodes; methods take and give names of values. Python numbers and arrays become Constant nodes."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], {}, 0

    def name(self, hint):
        self.count += 1
        return f"/{hint}_{self.count}_output_0"

    def value(self, v):
        if isinstance(v, str):
            return v
        v = np.asarray(v)
        if v.dtype == np.float64:
            v = v.astype(np.float32)
        result = self.name("Constant")
        self.nodes.append(const(result, v))
        return result

    def weight(self, name, array):
        self.weights[name] = np.asarray(array)
        return name

    def op(self, op, *inputs, out=None, **attributes):
        names = ["" if i is None else self.value(i) for i in inputs]
        result = out or self.name(op)
        self.nodes.append(node(op, names, [result], **attributes))
        return result

    def size(self, x, axis):
        """x.size(axis)"""
        return self.op("Gather", self.op("Shape", x), np.int64(axis), axis=0)

    def vector(self, sizes):
        """torch.Size of numbers and scalars: Unsqueeze each, Concat."""
        parts = [np.int64([s]) if isinstance(s, int) else self.op("Unsqueeze", s, np.int64([0])) for s in sizes]
        return self.op("Concat", *parts, axis=0)

    def view(self, x, sizes):
        return self.op("Reshape", x, self.vector(sizes))

    def slice(self, x, axis, start, end, step=1):
        """x[..., start:end:step, ...]; bounds are numbers or scalars."""
        bounds = [np.int64([b]) if isinstance(b, int) else self.op("Unsqueeze", b, np.int64([0])) for b in (start, end)]
        return self.op("Slice", x, *bounds, np.int64([axis]), np.int64([step]))

    def full(self, sizes, number):
        return self.op("ConstantOfShape", self.vector(sizes), value=np.float32([number]))

    def expand(self, x, sizes):
        """x.expand(sizes), where -1 keeps a dimension: Where(shape == -1, 1, shape), as torch writes it."""
        shape = self.vector(sizes)
        ones = self.op("ConstantOfShape", np.int64([len(sizes)]), value=np.int64([1]))
        kept = self.op("Equal", shape, self.op("Mul", ones, np.int64(-1)))
        return self.op("Expand", x, self.op("Where", kept, ones, shape))

    def model(self, inputs, outputs, **options):
        return make_model(self.nodes, inputs, outputs, self.weights, **options)
