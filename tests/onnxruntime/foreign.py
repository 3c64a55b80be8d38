"""Real models with operators that cppgen lacks."""
import onnx
from onnx import TensorProto, helper

FOREIGN = "SampleOp"  # of com.microsoft: passes on its input
FLOATS = ("Relu", "Clip", "Erf", "Sigmoid", "Softmax", "Tanh", "Conv", "MatMul", "Gemm", "Add", "Mul", "LeakyRelu")


def foreign(x, y):
    return helper.make_node(FOREIGN, [x], [y], domain="com.microsoft")


def pass_on(graph, producer):
    """Inserts a foreign operator behind the first output of a node."""
    output = producer.output[0]
    producer.output[0] = output + "_before"
    graph.node.insert(list(graph.node).index(producer) + 1, foreign(producer.output[0], output))


def with_foreign_nodes(path, count):
    """The network with some of its activations passed on by an operator that cppgen lacks."""
    network = onnx.load(path, load_external_data=False)
    candidates = [n for n in network.graph.node if n.op_type in ("Relu", "Clip", "Erf", "Sigmoid")]
    for chosen in candidates[::max(1, len(candidates) // count)][:count]:
        pass_on(network.graph, chosen)
    network.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return network


def mixed(path):
    """The network with such operators in its middle and at its end: behind the nodes nearest to these places that
    surely compute floats."""
    network = onnx.load(path, load_external_data=False)
    graph = network.graph
    floats = {o.name for o in graph.output if o.type.tensor_type.elem_type == TensorProto.FLOAT}
    last = [n for n in graph.node if n.output[0] in floats]
    candidates = [n for n in graph.node if n.op_type in FLOATS and n not in last]
    middle = next(n for n in candidates[len(candidates) // 2:] + candidates[::-1] if is_float(network, n))
    for chosen in [middle] + last[-1:]:
        pass_on(graph, chosen)
    if all(it.domain != "com.microsoft" for it in network.opset_import):
        network.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return network


def is_float(network, node):
    """Whether a node's output is known to be of floats. Activations, and products with weights of floats, are."""
    if node.op_type in ("Relu", "Clip", "Erf", "Sigmoid", "Softmax", "Tanh", "LeakyRelu"):
        return True
    weights = {w.name for w in network.graph.initializer if w.data_type == TensorProto.FLOAT}
    return any(name in weights for name in node.input)
