"""Loops as exporters write them: decoders, searches, recurrences and lists."""
import numpy as np

from idiom import case, const, graph, idiom, make_model, node, ramp, sequence, tensor

I, F, B = np.int64, np.float32, np.bool_


def loop(body_nodes, states, stacked=(), condition="c2"):
    """A body of a Loop: `states` are (name, dtype, shape, name of the next); `stacked` names of what is stacked."""
    ins = [tensor("i", I, []), tensor("c", B, [])] + [state_info(*s[:3]) for s in states]
    outs = [tensor(condition, B, [])] + [state_info(s[3], s[1], s[2]) for s in states]
    outs += [tensor(name, dtype, None) for name, dtype in stacked]
    nodes = list(body_nodes)
    if condition == "c2":
        nodes.append(node("Identity", ["c"], ["c2"]))
    return graph(nodes, ins, outs, name="body")


def state_info(name, dtype, shape):
    return sequence(name, dtype) if shape == "list" else tensor(name, dtype, shape)


TRUE = const("true", np.bool_(True))


@idiom
def growing_state():
    """A state that grows by a row in each round; the body reads its size, which is also stacked."""
    body = loop([node("Shape", ["s"], ["sh"]), const("zero", I(0)), node("Gather", ["sh", "zero"], ["d"]),
                 node("Cast", ["d"], ["f"], to=1), node("Add", ["acc", "f"], ["acc2"]),
                 node("Concat", ["s", "row"], ["s2"], axis=0), node("Identity", ["d"], ["size"])],
                [("s", F, None, "s2"), ("acc", F, [], "acc2")], [("size", I)])
    model = make_model([TRUE, const("start", F(0)), node("Loop", ["n", "true", "x", "start"], ["y", "sum", "sizes"],
                                                         body=body)],
                       [tensor("n", I, []), tensor("x", F, ["b", 4]), tensor("row", F, [1, 4])],
                       [tensor("y", F, None), tensor("sum", F, []), tensor("sizes", I, None)])

    def one(n, b):
        x, row = ramp(b, 4), ramp(1, 4, scale=0.7)
        sizes = np.arange(b, b + n, dtype=I)
        return case([I(n), x, row], [np.concatenate([x] + [row] * n), F(sizes.sum()), sizes])
    return model, [one(3, 1), one(5, 2), one(1, 7)]


@idiom
def growing_tokens():
    """Greedy decoding: the list of tokens grows until the last is the end, at most n times."""
    vocabulary, width, end = 11, 6, 3
    table, project = ramp(vocabulary, width), ramp(width, vocabulary, scale=0.9)
    body = loop([const("last", I([-1])), const("axis1", I([1])), const("big", I([np.iinfo(I).max])),
                 node("Slice", ["tokens", "last", "big", "axis1"], ["t"]), node("Gather", ["table", "t"], ["e"]),
                 node("MatMul", ["e", "project"], ["logits"]), node("Shape", ["tokens"], ["sh"]), const("one", I(1)),
                 node("Gather", ["sh", "one"], ["length"]), node("Cast", ["length"], ["lf"], to=1),
                 const("tenth", F(0.1)), node("Mul", ["lf", "tenth"], ["bias"]),
                 node("Add", ["project", "bias"], ["shifted"]), node("MatMul", ["e", "shifted"], ["scores"]),
                 node("Add", ["logits", "scores"], ["all"]),
                 node("ArgMax", ["all"], ["next"], axis=2, keepdims=0),
                 node("Concat", ["tokens", "next"], ["tokens2"], axis=1),
                 const("end", I(end)), node("Equal", ["next", "end"], ["is_end"]),
                 node("Cast", ["is_end"], ["end_i"], to=6),
                 node("ReduceMin", ["end_i"], ["all_end"], keepdims=0),
                 node("Cast", ["all_end"], ["done"], to=9), node("Not", ["done"], ["go"])],
                [("tokens", I, ["b", "t"], "tokens2")], condition="go")
    model = make_model([TRUE, node("Loop", ["n", "true", "start"], ["y"], body=body)],
                       [tensor("n", I, []), tensor("start", I, ["b", "s"])], [tensor("y", I, None)],
                       {"table": table, "project": project})

    def one(n, start):
        tokens = start
        for _ in range(n):
            e = table[tokens[:, -1:]]
            scores = e @ project + e @ (project + F(tokens.shape[1] * 0.1))
            following = scores.argmax(2)
            tokens = np.concatenate([tokens, following], 1)
            if (following == end).all():
                break
        return case([I(n), start], [tokens])
    return model, [one(4, np.int64([[1, 2]])), one(6, np.int64([[5], [7], [0]])), one(1, np.int64([[9, 8, 7]]))]


@idiom
def attention_cache():
    """Keys and values are states of a Loop that grow by a position in each round."""
    body = loop([node("Gather", ["x", "i"], ["q0"], axis=0), const("axis", I([0])),
                 node("Unsqueeze", ["q0", "axis"], ["q"]), node("MatMul", ["q", "wk"], ["k1"]),
                 node("MatMul", ["q", "wv"], ["v1"]), node("Concat", ["k", "k1"], ["k2"], axis=0),
                 node("Concat", ["v", "v1"], ["v2"], axis=0), node("Transpose", ["k2"], ["kt"], perm=[1, 0]),
                 node("MatMul", ["q", "kt"], ["scores"]), node("Softmax", ["scores"], ["p"], axis=-1),
                 node("MatMul", ["p", "v2"], ["o"]), node("Squeeze", ["o", "axis"], ["row"])],
                [("k", F, ["p", 4], "k2"), ("v", F, ["p", 4], "v2")], [("row", F)])
    wk, wv = ramp(4, 4), ramp(4, 4, scale=0.8)
    model = make_model([TRUE, const("none", I([0, 4])), node("ConstantOfShape", ["none"], ["empty"]),
                        node("Shape", ["x"], ["xs"]), const("zero", I(0)), node("Gather", ["xs", "zero"], ["n"]),
                        node("Loop", ["n", "true", "empty", "empty"], ["keys", "values", "y"], body=body)],
                       [tensor("x", F, ["t", 4])], [tensor("y", F, None), tensor("keys", F, None)],
                       {"wk": wk, "wv": wv})

    def one(t):
        x = ramp(t, 4, scale=0.5)
        keys, values, rows = np.zeros((0, 4), F), np.zeros((0, 4), F), []
        for q in x:
            keys, values = np.concatenate([keys, q[None] @ wk]), np.concatenate([values, q[None] @ wv])
            s = q @ keys.T
            p = np.exp(s - s.max())
            rows.append((p / p.sum()) @ values)
        return case([x], [np.stack(rows), keys])
    return model, [one(1), one(5), one(9)]


@idiom
def viterbi():
    """Scores forward through a Loop that stacks the best predecessors, then a Loop that follows them back."""
    labels = 5
    forward = loop([node("Gather", ["emissions", "i1"], ["e"], axis=0), const("ax", I([1])),
                    node("Unsqueeze", ["s", "ax"], ["column"]), node("Add", ["column", "transitions"], ["all"]),
                    node("ReduceMax", ["all"], ["best"], axes=[0], keepdims=0),
                    node("ArgMax", ["all"], ["from"], axis=0, keepdims=0), node("Add", ["best", "e"], ["s2"])],
                   [("s", F, [labels], "s2")], [("from", I)])
    forward.node.insert(0, node("Add", ["i", "one"], ["i1"]))
    back = loop([node("Sub", ["steps", "one"], ["end"]), node("Sub", ["end", "i"], ["at"]),
                 node("Gather", ["pointers", "at"], ["p"], axis=0), node("Gather", ["p", "l"], ["l2"], axis=0),
                 node("Identity", ["l2"], ["label"])], [("l", I, [], "l2")], [("label", I)])
    transitions = ramp(labels, labels, scale=1.3)
    model = make_model([TRUE, const("one", I(1)), const("zero", I(0)), node("Shape", ["emissions"], ["sh"]),
                        node("Gather", ["sh", "zero"], ["t"]), node("Sub", ["t", "one"], ["steps"]),
                        node("Gather", ["emissions", "zero"], ["first"], axis=0),
                        node("Loop", ["steps", "true", "first"], ["scores", "pointers"], body=forward),
                        node("ArgMax", ["scores"], ["last"], axis=0, keepdims=0),
                        node("Loop", ["steps", "true", "last"], ["start", "path"], body=back)],
                       [tensor("emissions", F, ["t", labels])],
                       [tensor("path", I, None), tensor("last", I, []), tensor("scores", F, [labels])],
                       {"transitions": transitions})

    def one(t):
        e = ramp(t, labels, scale=0.61)
        s, pointers = e[0], []
        for row in e[1:]:
            everything = s[:, None] + transitions
            pointers.append(everything.argmax(0))
            s = everything.max(0) + row
        label = s.argmax()
        path = []
        for p in reversed(pointers):
            label = p[label]
            path.append(label)
        return case([e], [np.int64(path), np.int64(s.argmax()), s])
    return model, [one(2), one(6), one(11)]


@idiom
def beam_search():
    """Beams are reordered by the best scores; their lists of tokens grow."""
    vocabulary, beams = 7, 3
    table = ramp(vocabulary, vocabulary, scale=1.1)
    body = loop([const("last", I([-1])), const("big", I([np.iinfo(I).max])), const("ax1", I([1])),
                 node("Slice", ["tokens", "last", "big", "ax1"], ["t"]), node("Squeeze", ["t", "ax1"], ["t1"]),
                 node("Gather", ["table", "t1"], ["logits"]), node("LogSoftmax", ["logits"], ["logp"], axis=-1),
                 node("Unsqueeze", ["scores", "ax1"], ["column"]), node("Add", ["logp", "column"], ["all"]),
                 const("flat", I([-1])), node("Reshape", ["all", "flat"], ["row"]),
                 node("TopK", ["row", "k"], ["best", "at"], axis=0),
                 const("v", I(vocabulary)), node("Div", ["at", "v"], ["beam"]), node("Mod", ["at", "v"], ["token"]),
                 node("Gather", ["tokens", "beam"], ["kept"], axis=0), node("Unsqueeze", ["token", "ax1"], ["added"]),
                 node("Concat", ["kept", "added"], ["tokens2"], axis=1), node("Identity", ["best"], ["scores2"])],
                [("tokens", I, ["k", "t"], "tokens2"), ("scores", F, ["k"], "scores2")])
    model = make_model([TRUE, const("k", I([beams])), const("start", np.array([0, -1e9, -1e9], F)),
                        const("shape", I([beams, 1])), node("Expand", ["begin", "shape"], ["tokens"]),
                        node("Loop", ["n", "true", "tokens", "start"], ["y", "scores"], body=body)],
                       [tensor("n", I, []), tensor("begin", I, [1, 1])],
                       [tensor("y", I, None), tensor("scores", F, None)], {"table": table})

    def one(n, begin):
        tokens, scores = np.full((beams, 1), begin, I), np.array([0, -1e9, -1e9], F)
        for _ in range(n):
            logits = table[tokens[:, -1]]
            logp = logits - np.log(np.exp(logits).sum(1, keepdims=True))
            row = (logp + scores[:, None]).astype(F).reshape(-1)
            at = np.argsort(-row, kind="stable")[:beams]
            tokens = np.concatenate([tokens[at // vocabulary], (at % vocabulary)[:, None]], 1)
            scores = row[at]
        return case([I(n), I([[begin]])], [tokens, scores])
    return model, [one(1, 2), one(4, 0), one(7, 5)]


@idiom
def while_with_a_tensor_array():
    """tf2onnx: a while loop whose condition is computed, with rows scattered into a tensor."""
    body = loop([node("Gather", ["x", "j"], ["row"], axis=0), node("Add", ["total", "row"], ["total2"]),
                 const("ax", I([0])), node("Unsqueeze", ["j", "ax"], ["j1"]),
                 node("Unsqueeze", ["j1", "ax"], ["j2"]), node("Unsqueeze", ["total2", "ax"], ["update"]),
                 node("ScatterND", ["rows", "j2", "update"], ["rows2"]), const("one", I(1)),
                 node("Add", ["j", "one"], ["j3"]), node("Less", ["j3", "limit"], ["go"])],
                [("j", I, [], "j3"), ("total", F, [3], "total2"), ("rows", F, ["t", 3], "rows2")], condition="go")
    model = make_model([const("zero", I(0)), const("most", I(np.iinfo(I).max)), node("Shape", ["x"], ["sh"]),
                        node("Gather", ["sh", "zero"], ["t"]), node("Min", ["t", "asked"], ["limit"]),
                        node("Less", ["zero", "limit"], ["go0"]), const("none", np.zeros(3, F)),
                        node("ConstantOfShape", ["sh"], ["rows0"]),
                        node("Loop", ["most", "go0", "zero", "none", "rows0"], ["j_", "total_", "y"], body=body)],
                       [tensor("x", F, ["t", 3]), tensor("asked", I, [])],
                       [tensor("y", F, None), tensor("j_", I, []), tensor("total_", F, [3])])

    def one(t, asked):
        x = ramp(t, 3)
        rows, limit = np.zeros((t, 3), F), min(t, asked)
        total = np.zeros(3, F)
        for j in range(limit):
            total = total + x[j]
            rows[j] = total
        return case([x, I(asked)], [rows, I(max(limit, 0)), total])
    return model, [one(4, 9), one(6, 2), one(3, 0)]


@idiom
def branch_in_a_loop():
    """An If in a Loop that captures from both graphs around it; its condition changes from round to round."""
    then = graph([node("Add", ["s", "x"], ["t0"]), node("Mul", ["t0", "scale"], ["t"])], [], [tensor("t", F, None)])
    other = graph([node("Sub", ["s", "f"], ["e"])], [], [tensor("e", F, None)])
    body = loop([const("two", I(2)), node("Mod", ["i", "two"], ["m"]), const("one", I(1)),
                 node("Equal", ["m", "one"], ["odd"]), node("Cast", ["i"], ["f"], to=1),
                 node("If", ["odd"], ["s2"], then_branch=then, else_branch=other),
                 node("ReduceSum", ["s2"], ["sum"], keepdims=0)], [("s", F, ["b", 3], "s2")], [("sum", F)])
    model = make_model([TRUE, const("scale", F(0.5)), node("Loop", ["n", "true", "x"], ["y", "sums"], body=body)],
                       [tensor("n", I, []), tensor("x", F, ["b", 3])], [tensor("y", F, None), tensor("sums", F, None)])

    def one(n, b):
        x = ramp(b, 3)
        s, sums = x, []
        for i in range(n):
            s = (s + x) * F(0.5) if i % 2 else s - F(i)
            sums.append(s.sum())
        return case([I(n), x], [s, np.array(sums, F)])
    return model, [one(1, 1), one(4, 2), one(7, 5)]


@idiom
def loop_in_a_branch():
    """A Loop in a branch: how often it runs is captured from outside."""
    body = loop([node("Mul", ["s", "w"], ["s2"])], [("s", F, ["b", 3], "s2")])
    then = graph([const("go", np.bool_(True)), node("Loop", ["n", "go", "x"], ["t"], body=body)], [],
                 [tensor("t", F, None)])
    other = graph([node("Neg", ["x"], ["e"])], [], [tensor("e", F, None)])
    model = make_model([const("limit", I(2)), node("Greater", ["n", "limit"], ["many"]), const("w", np.array([1, 2, .5], F)),
                        node("If", ["many"], ["y"], then_branch=then, else_branch=other)],
                       [tensor("n", I, []), tensor("x", F, ["b", 3])], [tensor("y", F, None)])

    def one(n, b):
        x = ramp(b, 3)
        return case([I(n), x], [x * np.array([1, 2, .5], F) ** n if n > 2 else -x])
    return model, [one(1, 2), one(4, 3), one(6, 1)]


@idiom
def scan_with_captured_values():
    """A Scan over rows, whose body captures weights and a value that is computed outside."""
    body = graph([node("MatMul", ["s", "w"], ["h"]), node("Add", ["h", "row"], ["a"]), node("Mul", ["a", "mean"], ["m"]),
                  node("Tanh", ["m"], ["s2"]), node("Identity", ["s2"], ["o"])],
                 [tensor("s", F, None), tensor("row", F, None)], [tensor("s2", F, None), tensor("o", F, None)])
    w = ramp(4, 4)
    model = make_model([node("ReduceMean", ["x"], ["mean"], keepdims=0),
                        node("Scan", ["start", "x"], ["last", "y"], body=body, num_scan_inputs=1)],
                       [tensor("x", F, ["t", 4]), tensor("start", F, [4])], [tensor("y", F, None), tensor("last", F, None)],
                       {"w": w})

    def one(t):
        x, s, rows = ramp(t, 4), ramp(4, scale=0.2), []
        start = s
        for row in x:
            s = np.tanh((s @ w + row) * x.mean(dtype=F))
            rows.append(s)
        return case([x, start], [np.stack(rows), s])
    return model, [one(1), one(6)]


@idiom
def loops_in_loops():
    """Rows and columns: the inner Loop captures the outer one's number and a state of it."""
    inner = loop([node("Gather", ["row", "i"], ["v"], axis=0), node("Add", ["a", "v"], ["b0"]),
                  node("Cast", ["j"], ["fj"], to=1), node("Mul", ["b0", "fj"], ["b1"]), node("Add", ["b1", "s"], ["a2"])],
                 [("a", F, [], "a2")])
    outer = graph([node("Identity", ["i"], ["j"]), node("Gather", ["x", "i"], ["row"], axis=0), node("Shape", ["row"], ["sh"]),
                   const("zero", I(0)), node("Gather", ["sh", "zero"], ["m"]), const("none", F(0)), const("go", np.bool_(True)),
                   node("Loop", ["m", "go", "none"], ["a"], body=inner), node("Add", ["s", "a"], ["s2"]),
                   node("Identity", ["c"], ["c2"]), node("Identity", ["a"], ["o"])],
                  [tensor("i", I, []), tensor("c", B, []), tensor("s", F, [])],
                  [tensor("c2", B, []), tensor("s2", F, []), tensor("o", F, None)])
    model = make_model([TRUE, node("Shape", ["x"], ["xs"]), const("z", I(0)), node("Gather", ["xs", "z"], ["n"]),
                        const("start", F(0.25)), node("Loop", ["n", "true", "start"], ["y", "each"], body=outer)],
                       [tensor("x", F, ["n", "m"])], [tensor("y", F, []), tensor("each", F, None)])

    def one(n, m):
        x, s, each = ramp(n, m), F(0.25), []
        for j, row in enumerate(x):
            a = F(0)
            for v in row:
                a = (a + v) * F(j) + s
            s = s + a
            each.append(a)
        return case([x], [s, np.array(each, F)])
    return model, [one(1, 1), one(3, 2), one(2, 5)]


@idiom
def boxes_of_each_image():
    """Post-processing of a detector: in a Loop over images, boxes are suppressed, gathered and cut to the best."""
    body = loop([node("Gather", ["boxes", "i"], ["b0"], axis=0), node("Gather", ["scores", "i"], ["s0"], axis=0),
                 const("ax0", I([0])), const("ax01", I([0, 1])), node("Unsqueeze", ["b0", "ax0"], ["b1"]),
                 node("Unsqueeze", ["s0", "ax01"], ["s1"]),
                 node("NonMaxSuppression", ["b1", "s1", "most", "iou", "threshold"], ["kept"]),
                 const("two", I([2])), const("three", I([3])), const("ax1", I([1])),
                 node("Slice", ["kept", "two", "three", "ax1"], ["column"]), node("Squeeze", ["column", "ax1"], ["at"]),
                 node("Gather", ["b0", "at"], ["b2"], axis=0), node("Gather", ["s0", "at"], ["s2"], axis=0),
                 const("zero", I([0])), node("Slice", ["b2", "zero", "limit", "zero"], ["b3"]),
                 node("Slice", ["s2", "zero", "limit", "zero"], ["s3"]),
                 node("Concat", ["all", "b3"], ["all2"], axis=0), node("Concat", ["marks", "s3"], ["marks2"], axis=0)],
                [("all", F, ["k", 4], "all2"), ("marks", F, ["k"], "marks2")])
    model = make_model([TRUE, node("Shape", ["boxes"], ["sh"]), const("z", I(0)), node("Gather", ["sh", "z"], ["n"]),
                        const("none", I([0, 4])), node("ConstantOfShape", ["none"], ["all"]), const("none1", I([0])),
                        node("ConstantOfShape", ["none1"], ["marks"]), const("most", I([10])), const("iou", np.array([0.5], F)),
                        const("threshold", np.array([0.05], F)), const("limit", I([2])),
                        node("Loop", ["n", "true", "all", "marks"], ["y", "m"], body=body)],
                       [tensor("boxes", F, ["n", "k", 4]), tensor("scores", F, ["n", "k"])],
                       [tensor("y", F, None), tensor("m", F, None)])

    def one(n, k):
        # Boxes that do not overlap, so the best two remain, in the order of their scores.
        corners = np.arange(k, dtype=F)[None, :] * 3 + np.arange(n, dtype=F)[:, None]
        boxes = np.stack([corners, corners, corners + 2, corners + 2], 2).astype(F)
        scores = (np.abs(ramp(n, k)) + F(0.1)).astype(F)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :2]
        return case([boxes, scores], [np.concatenate([b[i] for b, i in zip(boxes, best)]),
                                      np.concatenate([s[i] for s, i in zip(scores, best)])])
    return model, [one(1, 3), one(3, 5)]


@idiom
def roll_by_nothing():
    """torch.roll by 0 along an axis: a part of no elements is put in front."""
    nodes = [const("s0", I([0])), const("big", I([np.iinfo(I).max])), const("ax", I([1])),
             node("Slice", ["x", "s0", "big", "ax"], ["a"]), node("Slice", ["x", "s0", "s0", "ax"], ["b"]),
             node("Concat", ["a", "b"], ["y"], axis=1)]
    model = make_model(nodes, [tensor("x", F, ["n", "m", 3])], [tensor("y", F, None)])
    return model, [case([x], [x]) for x in (ramp(2, 4, 3), ramp(1, 1, 3))]


@idiom
def lstm_behind_rows():
    """Rows of time x batch, which a Gemm takes, become [time, batch, -1] again before an LSTM."""
    kernel, weights = ramp(4, 1, 2, 2), ramp(4, 6)
    w, r = ramp(1, 12, 6, scale=0.5), ramp(1, 12, 3, scale=0.6)
    nodes = [node("Conv", ["x", "k"], ["c"]), const("two", I([2])), node("Squeeze", ["c", "two"], ["s"]),
             node("Transpose", ["s"], ["t"], perm=[2, 0, 1]), node("Shape", ["t"], ["sh"]), const("zero", I(0)),
             const("one", I(1)), const("v0", I([0])), node("Gather", ["sh", "zero"], ["T"]),
             node("Gather", ["sh", "one"], ["N"]), node("Mul", ["T", "N"], ["TN"]), node("Unsqueeze", ["TN", "v0"], ["tn"]),
             node("Unsqueeze", ["T", "v0"], ["t1"]), node("Unsqueeze", ["N", "v0"], ["n1"]), const("m1", I([-1])),
             const("four", I([4])), node("Concat", ["tn", "four"], ["flat"], axis=0), node("Reshape", ["t", "flat"], ["rows"]),
             node("Gemm", ["rows", "w"], ["g"]), node("Concat", ["t1", "n1", "m1"], ["back"], axis=0),
             node("Reshape", ["g", "back"], ["z"]), node("LSTM", ["z", "W", "R"], ["y"], hidden_size=3)]
    model = make_model(nodes, [tensor("x", F, ["b", 1, 2, "w"])], [tensor("y", F, None)],
                       {"k": kernel, "w": weights, "W": w, "R": r}, opset=13)

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def one(b, width):
        x = ramp(b, 1, 2, width, scale=0.3)
        c = np.stack([np.einsum("bij,oij->bo", x[:, 0, :, t:t + 2], kernel[:, 0]) for t in range(width - 1)])
        h, cell, out = np.zeros((b, 3), F), np.zeros((b, 3), F), []
        for row in c @ weights:
            i, o, f, g = np.split(row @ w[0].T + h @ r[0].T, 4, axis=1)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(cell)
            out.append(h)
        return case([x], [np.stack(out)[:, None].astype(F)])
    return model, [one(1, 2), one(2, 7), one(3, 4)]


@idiom
def rounds_that_are_a_result():
    """for i in range(x.size(0)): rows.append(x[i] + i); the list is stacked, and the number of rounds is a result, too."""
    body = loop([node("Gather", ["x", "i"], ["row"], axis=0), node("Cast", ["i"], ["f"], to=1), node("Add", ["row", "f"], ["r"]),
                 node("SequenceInsert", ["l", "r"], ["l2"])], [("l", F, "list", "l2")])
    nodes = [TRUE, node("Shape", ["x"], ["sh"]), const("zero", I(0)), node("Gather", ["sh", "zero"], ["n"]),
             node("SequenceEmpty", [], ["e"]), node("Loop", ["n", "true", "e"], ["list"], body=body),
             node("ConcatFromSequence", ["list"], ["s"], axis=0, new_axis=1), node("Tanh", ["s"], ["y"]),
             node("Identity", ["n"], ["count"])]
    model = make_model(nodes, [tensor("x", F, ["n", "k"])], [tensor("y", F, None), tensor("count", I, [])])

    def one(n, k):
        x = ramp(n, k)
        return case([x], [np.tanh(x + np.arange(n, dtype=F)[:, None]), I(n)])
    return model, [one(1, 2), one(3, 4)]


@idiom
def sizes_that_branches_give():
    """A branch reads a size of the model's input in its own loop and returns it together with a list that the loop makes."""
    body = loop([node("Cast", ["i"], ["f"], to=1), node("Mul", ["x", "f"], ["r"]), node("SequenceInsert", ["l", "r"], ["l2"])],
                [("l", F, "list", "l2")])
    then = graph([node("SequenceEmpty", [], ["e"]), node("Loop", ["n", "true", "e"], ["list"], body=body),
                  node("ConcatFromSequence", ["list"], ["t0"], axis=1), node("Relu", ["t0"], ["t"]),
                  node("Identity", ["n"], ["tn"])], [], [tensor("t", F, None), tensor("tn", I, [])])
    other = graph([node("Neg", ["x"], ["o"]), const("on", I(0))], [], [tensor("o", F, None), tensor("on", I, [])])
    model = make_model([TRUE, node("Shape", ["x"], ["sh"]), const("zero", I(0)), node("Gather", ["sh", "zero"], ["n"]),
                        node("If", ["c"], ["y", "count"], then_branch=then, else_branch=other)],
                       [tensor("c", B, []), tensor("x", F, ["a", "b"])], [tensor("y", F, None), tensor("count", I, [])])

    def one(c, a, b):
        x = ramp(a, b)
        y = np.maximum(np.concatenate([x * F(i) for i in range(a)], 1), 0) if c else -x
        return case([np.bool_(c), x], [y, I(a if c else 0)])
    return model, [one(True, 1, 2), one(True, 3, 2), one(False, 2, 2)]


@idiom
def distances_of_any_width():
    """A Scan over the stored neighbours: its body says how wide the rows are, which the input leaves open."""
    stored = ramp(5, 4, scale=0.7)
    body = graph([node("Sub", ["rows", "one"], ["d"]), node("ReduceSumSquare", ["d"], ["q"], axes=[1], keepdims=0),
                  node("Identity", ["rows"], ["rows2"])],
                 [tensor("rows", F, None), tensor("one", F, [4])], [tensor("rows2", F, None), tensor("q", F, None)],
                 name="body")
    model = make_model([node("Scan", ["x", "stored"], ["same", "y"], body=body, num_scan_inputs=1)],
                       [tensor("x", F, [None, None])], [tensor("y", F, None)], {"stored": stored})
    return model, [case([x], [((x - stored[:, None]) ** 2).sum(2)]) for x in (ramp(3, 4), ramp(1, 4))]


@idiom
def softmax_of_what_a_body_captures():
    """Each iteration adds a value that is the same in all iterations, so it is computed once, before the loop."""
    weights = ramp(8, 8, scale=0.3)

    def softmax(v, axis):
        e = np.exp(v - v.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)
    body = loop([node("Softmax", ["x"], ["s"], axis=1), node("MatMul", ["state", "weights"], ["p"]),
                 node("Add", ["p", "s"], ["q"]), node("Softmax", ["q"], ["state2"], axis=0)],
                [("state", F, [6, 8], "state2")])
    model = make_model([TRUE, const("four", I(4)), node("Loop", ["four", "true", "start"], ["y"], body=body)],
                       [tensor("x", F, [6, 8]), tensor("start", F, [6, 8])], [tensor("y", F, [6, 8])],
                       {"weights": weights})
    x, start = ramp(6, 8), ramp(6, 8, scale=0.7)
    state = start
    for _ in range(4):
        state = softmax(state @ weights + softmax(x, 1), 0)
    return model, [case([x, start], [state])]
