"""Decoders with a cache: T5, optimum's merged decoders, decoders that also attend to an encoder."""
import numpy as np

from caches import (no_first_row, DIM, HEADS, LENGTHS, LONGEST, POSITIONS, TABLE, WEIGHTS, WIDTH, attend, cache_inputs,
                    cache_outputs, causal, decoder_cases, decoder_inputs, decoder_model, embed_gpt2, embed_tokens,
                    expand_mask, finish, heads_of, hidden_bias, make_causal_mask, merge_heads, merged, padding_mask,
                    project, rows_of_bias, scores, split_heads, tokens, with_past)
from idiom import case, graph, idiom, make_model, node, ramp, tensor
from tracing import LARGEST, Trace

# --- T5: positions relative to each other, in buckets ---

BUCKETS, FARTHEST = 8, 16
BUCKET_BIAS = ramp(BUCKETS, HEADS, scale=0.7)


def buckets_of(distance):
    """transformers' _relative_position_bucket of a decoder, for distances to the left."""
    n = np.maximum(distance, 0)
    exact = BUCKETS // 2
    large = exact + (np.log(np.maximum(n, 1).astype(np.float32) / exact) / np.log(FARTHEST / exact)
                     * (BUCKETS - exact)).astype(np.int64)
    return np.where(n < exact, n, np.minimum(large, BUCKETS - 1))


def t5_bias(t, length):
    """compute_bias(length, length): a Range in two directions, buckets, an embedding, permuted."""
    context = t.op("Unsqueeze", t.op("Range", np.int64(0), length, np.int64(1)), np.int64([1]))
    memory = t.op("Unsqueeze", t.op("Range", np.int64(0), length, np.int64(1)), np.int64([0]))
    relative = t.op("Sub", memory, context)
    zeros = t.op("ConstantOfShape", t.op("Shape", relative), value=np.int64([0]))
    n = t.op("Neg", t.op("Min", relative, zeros))
    small = t.op("Less", n, np.int64(BUCKETS // 2))
    ratio = t.op("Log", t.op("Div", t.op("Cast", n, to=1), np.float32(BUCKETS // 2)))
    ratio = t.op("Mul", t.op("Div", ratio, np.float32(np.log(FARTHEST / (BUCKETS // 2)))), np.float32(BUCKETS // 2))
    large = t.op("Add", t.op("Cast", ratio, to=7), np.int64(BUCKETS // 2))
    most = t.op("Expand", np.int64(BUCKETS - 1), t.op("Shape", large))
    bucket = t.op("Where", small, n, t.op("Min", large, most))
    values = t.op("Gather", t.weight("relative_attention_bias.weight", BUCKET_BIAS), bucket, axis=0)
    return t.op("Unsqueeze", t.op("Transpose", values, perm=[2, 0, 1]), np.int64([0]))


@idiom
def t5_decoder():
    """position_bias[:, :, -sequence:, :] of past + sequence positions; a mask from arange; unscaled scores."""
    t = Trace()
    sequence, past = t.size("input_ids", 1), t.size("past_key_values.0.key", 2)
    total = t.op("Add", sequence, past)
    x = embed_tokens(t)
    q, k, v = (split_heads(t, project(t, x, n)) for n in "qkv")
    k, v = with_past(t, "key", k), with_past(t, "value", v)
    bias = t.slice(t5_bias(t, total), 2, t.op("Neg", sequence), LARGEST)
    columns = t.op("Range", np.int64(0), total, np.int64(1))
    row = t.op("Unsqueeze", t.op("Unsqueeze", columns, np.int64([0])), np.int64([0]))
    ones = t.op("Expand", row, t.vector([t.size("input_ids", 0), total, 1]))
    later = t.op("LessOrEqual", ones, t.op("Unsqueeze", t.op("Unsqueeze", columns, np.int64([0])), np.int64([2])))
    seen = t.op("Cast", t.op("Unsqueeze", later, np.int64([1])), to=1)
    mask = t.op("Mul", t.op("Sub", np.float32(1), seen), np.float32(-3.4e38))
    mask = t.slice(mask, 2, t.op("Neg", sequence), LARGEST)
    w = t.op("Add", t.op("MatMul", q, t.op("Transpose", k, perm=[0, 1, 3, 2])), t.op("Add", bias, mask))
    finish(t, t.op("MatMul", t.op("Softmax", w, axis=-1), v), x)
    cases = []
    for batch, past, sequence in LENGTHS:
        ids, length = tokens(batch, past + sequence), past + sequence
        x = TABLE[ids]
        q, k, v = (heads_of(x @ WEIGHTS[n]) for n in "qkv")
        distance = np.arange(length)[:, None] - np.arange(length)
        bias = BUCKET_BIAS[buckets_of(distance)].transpose(2, 0, 1)[None] + causal(length)
        y = merged(attend(q * np.float32(np.sqrt(DIM)), k, v, bias)) @ WEIGHTS["o"] + x
        cases.append(case([ids[:, past:], k[:, :, :past], v[:, :, :past]], [y[:, past:], k, v]))
    return decoder_model(t, decoder_inputs(mask=False)), cases


# --- optimum's merged decoders ---

def branch(attend_with_cache, name):
    """One branch of the If: a decoder with or without the past. Its outputs have the same names in both."""
    t = Trace()
    sequence = t.size("input_ids", 1)
    past = t.size("past_key_values.0.key", 2) if attend_with_cache else np.int64(0)
    rows = t.op("Range", past, t.op("Add", past, sequence), np.int64(1))
    x = t.op("Add", t.op("Gather", "wte.weight", "input_ids"), t.op("Gather", "wpe.weight", rows, axis=0))
    q, k, v = (split_heads(t, t.op("MatMul", x, f"onnx::MatMul_{n}")) for n in "qkv")
    if attend_with_cache:
        k, v = with_past(t, "key", k), with_past(t, "value", v)
    else:
        k = t.op("Identity", k, out="present.0.key")
        v = t.op("Identity", v, out="present.0.value")
    seen = rows_of_bias(t, "attn.bias", q, k)
    w = t.op("Where", seen, scores(t, q, k), np.float32(-3.4e38))
    w = t.op("Softmax", w, axis=-1)
    y = t.op("MatMul", merge_heads(t, t.op("MatMul", w, v)), "onnx::MatMul_o")
    t.op("Add", y, x, out="logits")
    outputs = [tensor("logits", np.float32, ["batch_size", "sequence_length", WIDTH])] + cache_outputs()
    return graph(t.nodes, [], outputs, name=name)


@idiom
def merged_decoder():
    """If(use_cache_branch) with a decoder in each branch; without a cache the past is a dummy of one position."""
    weights = {"wte.weight": TABLE, "wpe.weight": POSITIONS,
               "attn.bias": np.tril(np.ones((1, 1, LONGEST, LONGEST), bool))}
    weights.update({f"onnx::MatMul_{n}": w for n, w in WEIGHTS.items()})
    names = ["logits", "present.0.key", "present.0.value"]
    choice = node("If", ["use_cache_branch"], names, name="optimum::if", then_branch=branch(True, "with_past"),
                  else_branch=branch(False, "no_past"))
    inputs = decoder_inputs(mask=False) + [tensor("use_cache_branch", bool, [1])]
    outputs = [tensor("logits", np.float32, ["batch_size", "sequence_length", WIDTH])] + cache_outputs()
    model = make_model([choice], inputs, outputs, weights, opset=14)
    cases = []
    for (batch, past, sequence), given in zip(LENGTHS, decoder_cases(embed_gpt2, mask=False)):
        inputs, results = given
        cases.append(case(inputs + [np.array([True])], results))
        if past == 0:
            dummy = ramp(batch, HEADS, 1, DIM)
            cases.append(case([inputs[0], dummy, dummy, np.array([False])], results))
    return model, cases


# --- a decoder that also attends to an encoder: BART, Whisper ---

@idiom
def decoder_with_encoder():
    """The cache of the encoder's keys and values passes through; the encoder's mask has the encoder's length."""
    t = Trace()
    past = t.size("past_key_values.0.key", 2)
    rows = t.op("Range", past, t.op("Add", past, t.size("input_ids", 1)), np.int64(1))
    x = t.op("Add", embed_tokens(t), t.op("Gather", t.weight("wpe.weight", POSITIONS), t.op("Add", rows, np.int64(2))))
    q, k, v = (split_heads(t, project(t, x, n)) for n in "qkv")
    k, v = with_past(t, "key", k), with_past(t, "value", v)
    mask = make_causal_mask(t, t.size("input_ids", 0), t.size("input_ids", 1), past)
    w = t.op("Softmax", t.op("Add", scores(t, q, k), mask), axis=-1)
    own = t.op("Add", project(t, merge_heads(t, t.op("MatMul", w, v)), "o"), x)
    q = split_heads(t, project(t, own, "q"))
    w = t.op("Add", scores(t, q, "past_key_values.0.encoder.key"),
             expand_mask(t, t.size("input_ids", 0), t.size("input_ids", 1)))
    context = t.op("MatMul", t.op("Softmax", w, axis=-1), "past_key_values.0.encoder.value")
    finish(t, context, own)
    encoder = ["batch_size", HEADS, "encoder_sequence_length", DIM]
    inputs = [tensor("input_ids", np.int64, ["batch_size", "decoder_sequence_length"]),
              tensor("attention_mask", np.int64, ["batch_size", "encoder_sequence_length"])]
    inputs += cache_inputs("past_decoder_sequence_length")
    inputs += [tensor(f"past_key_values.0.encoder.{n}", np.float32, encoder) for n in ("key", "value")]
    cases = []
    for (batch, past, sequence), columns in zip(LENGTHS, (3, 1, 6, 5, 2, 7)):
        shown = padding_mask(batch, columns)
        ids = tokens(batch, past + sequence)
        x = TABLE[ids] + POSITIONS[np.arange(past + sequence) + 2]
        q, k, v = (heads_of(x @ WEIGHTS[n]) for n in "qkv")
        own = merged(attend(q, k, v, causal(past + sequence))) @ WEIGHTS["o"] + x
        keys, values = ramp(batch, HEADS, columns, DIM), ramp(batch, HEADS, columns, DIM, scale=0.29)
        y = merged(attend(heads_of(own @ WEIGHTS["q"]), keys, values, hidden_bias(shown))) @ WEIGHTS["o"] + own
        cases.append(case([ids[:, past:], shown, k[:, :, :past], v[:, :, :past], keys, values], [y[:, past:], k, v]))
    return decoder_model(t, inputs), cases


@idiom
def merged_decoder_with_mask():
    """Both branches add a mask whose length is that of their keys: past + sequence in one, sequence in the other."""
    def masked(with_cache, name):
        t = Trace()
        sequence = t.size("input_ids", 1)
        past = t.size("past_key_values.0.key", 2) if with_cache else np.int64(0)
        x = t.op("Gather", "wte.weight", "input_ids")
        q, k, v = (split_heads(t, t.op("MatMul", x, f"onnx::MatMul_{n}")) for n in "qkv")
        if with_cache:
            k, v = with_past(t, "key", k), with_past(t, "value", v)
        else:
            k, v = t.op("Identity", k, out="present.0.key"), t.op("Identity", v, out="present.0.value")
        mask = t.op("Add", expand_mask(t, t.size("input_ids", 0), sequence),
                    make_causal_mask(t, t.size("input_ids", 0), sequence, past))
        w = t.op("Softmax", t.op("Max", t.op("Add", scores(t, q, k), mask), np.float32(-3.4e38)), axis=-1)
        y = t.op("MatMul", merge_heads(t, t.op("MatMul", w, v)), "onnx::MatMul_o")
        t.op("Add", y, x, out="logits")
        return graph(t.nodes, [], [tensor("logits", np.float32, ["batch_size", "sequence_length", WIDTH])] + cache_outputs(),
                     name=name)
    weights = {f"onnx::MatMul_{n}": w for n, w in WEIGHTS.items()}
    weights["wte.weight"] = TABLE
    names = ["logits", "present.0.key", "present.0.value"]
    choice = node("If", ["use_cache_branch"], names, name="optimum::if", then_branch=masked(True, "with_past"),
                  else_branch=masked(False, "no_past"))
    inputs = decoder_inputs() + [tensor("use_cache_branch", bool, [1])]
    outputs = [tensor("logits", np.float32, ["batch_size", "sequence_length", WIDTH])] + cache_outputs()
    cases = []
    for inputs_given, results in no_first_row(decoder_cases(lambda ids: TABLE[ids])):
        cases.append(case(inputs_given + [np.array([True])], results))
        if inputs_given[-1].shape[2] == 0:
            dummy = ramp(len(inputs_given[0]), HEADS, 1, DIM)
            cases.append(case(inputs_given[:2] + [dummy, dummy, np.array([False])], results))
    return make_model([choice], inputs, outputs, weights, opset=14), cases
