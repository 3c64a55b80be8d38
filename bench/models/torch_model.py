"""An ONNX model as a module of PyTorch that TorchInductor can compile as a whole, for peer.py."""
import os
import tempfile

import onnx
import onnx2torch
import onnxruntime


def read_model(path):
    """The model with its external data, which onnx.load refuses where a file has two names, as in a copied build tree."""
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        where = {entry.key: entry.value for entry in tensor.external_data}
        if where:
            with open(os.path.join(os.path.dirname(path), where["location"]), "rb") as file:
                file.seek(int(where.get("offset", 0)))
                tensor.raw_data = file.read(int(where.get("length", -1)))
            tensor.ClearField("external_data")
            tensor.data_location = onnx.TensorProto.DEFAULT
    return model


def folded(model):
    """The model without Dropout and computations of constants, many of which onnx2torch does not know."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = os.path.join(folder, "folded.onnx")
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def reshape(value, shape):
    return value.reshape([value.shape[index] if size == 0 else size for index, size in enumerate(shape)])


def attribute(module, path):
    for name in path.split("."):
        module = getattr(module, name)
    return module


def with_known_shapes(module):
    """Reshapes get their sizes as numbers: onnx2torch leaves them in tensors, which end the graphs of torch.compile."""
    for node in list(module.graph.nodes):
        if node.op != "call_module" or type(module.get_submodule(node.target)).__name__ != "OnnxReshape":
            continue
        value, shape = node.args
        if shape.op == "get_attr":
            with module.graph.inserting_before(node):
                sizes = tuple(attribute(module, shape.target).tolist())
                node.replace_all_uses_with(module.graph.call_function(reshape, (value, sizes)))
            module.graph.erase_node(node)
    module.recompile()
    return module


def load(path):
    """The module in eval mode, with the model's inputs and outputs in their order."""
    return with_known_shapes(onnx2torch.convert(folded(read_model(path)))).eval()
