"""Decoders with a cache of keys and values, as torch's exporter and optimum write them: every length is symbolic.

The expected results come from the whole text at once, without a cache: the cache holds what the first tokens gave.
"""
import numpy as np

from idiom import case, idiom, idioms, ramp, tensor
from tracing import LARGEST, Trace

HEADS, DIM, LONGEST, TOKENS = 2, 4, 26, 13
WIDTH = HEADS * DIM
LENGTHS = [(1, 0, 5), (2, 3, 1), (1, 7, 4), (2, 4, 4), (1, 0, 1), (1, 12, 12)]  # batch, past, sequence
TABLE, POSITIONS = ramp(TOKENS, WIDTH), ramp(LONGEST, WIDTH, scale=0.21)
WEIGHTS = {n: ramp(WIDTH, WIDTH, scale=s) for n, s in (("q", 0.11), ("k", 0.13), ("v", 0.17), ("o", 0.19))}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def heads_of(x, heads=HEADS):
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


def attend(q, k, v, bias):
    """Attention of heads over all keys; `bias` is added to the scores."""
    return softmax(q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(DIM)) + bias).astype(np.float32) @ v


def merged(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def causal(length):
    return np.where(np.tril(np.ones((length, length), bool)), 0, -1e30).astype(np.float32)


def tokens(batch, length):
    return (np.arange(batch * length, dtype=np.int64).reshape(batch, length) * 7 + 3) % TOKENS


def padding_mask(batch, length):
    """The first rows' first token is padding, if there are two rows."""
    mask = np.ones((batch, length), np.int64)
    if batch > 1 and length > 1:
        mask[0, 0] = 0
    return mask


def hidden_bias(mask):
    return np.where(mask[:, None, None, :] > 0, 0, -1e30).astype(np.float32)


def split_heads(t, x, heads=HEADS):
    return t.op("Transpose", t.view(x, [t.size(x, 0), t.size(x, 1), heads, DIM]), perm=[0, 2, 1, 3])


def merge_heads(t, x):
    turned = t.op("Transpose", x, perm=[0, 2, 1, 3])
    return t.view(turned, [t.size(turned, 0), t.size(turned, 1), WIDTH])


def project(t, x, name):
    return t.op("MatMul", x, t.weight(f"onnx::MatMul_{name}", WEIGHTS[name]))


def cache_inputs(past="past_sequence_length", heads=HEADS):
    return [tensor(f"past_key_values.0.{n}", np.float32, ["batch_size", heads, past, DIM]) for n in ("key", "value")]


def cache_outputs(heads=HEADS):
    return [tensor(f"present.0.{n}", np.float32, ["batch_size", heads, "past_sequence_length + sequence_length", DIM])
            for n in ("key", "value")]


def with_past(t, name, x):
    """torch.cat((past, x), dim=-2), which is the present."""
    return t.op("Concat", f"past_key_values.0.{name}", x, axis=-2, out=f"present.0.{name}")


def scores(t, q, k):
    turned = t.op("Transpose", k, perm=[0, 1, 3, 2])
    return t.op("Div", t.op("MatMul", q, turned), np.float32(np.sqrt(DIM)))


def rows_of_bias(t, table, q, k):
    """bias[:, :, key_length - query_length : key_length, :key_length]"""
    query, key = t.size(q, -2), t.size(k, -2)
    rows = t.slice(table, 2, t.op("Sub", key, query), key)
    return t.slice(rows, 3, 0, key)


def make_causal_mask(t, batch, sequence, past):
    """_make_causal_mask: full, arange, masked_fill, zeros in front for the past, expand."""
    mask = t.full([sequence, sequence], -3.4e38)
    columns = t.op("Range", np.int64(0), t.size(mask, -1), np.int64(1))
    after = t.view(t.op("Add", columns, np.int64(1)), [t.size(mask, -1), 1])
    mask = t.op("Where", t.op("Less", columns, after), np.float32(0), mask)
    mask = t.op("Concat", t.full([sequence, past], 0), mask, axis=-1)
    four = t.op("Unsqueeze", t.op("Unsqueeze", mask, np.int64([0])), np.int64([1]))
    return t.expand(four, [batch, 1, sequence, t.op("Add", sequence, past)])


def expand_mask(t, batch, sequence):
    """_expand_mask: mask[:, None, None, :].expand(batch, 1, sequence, columns), 1 - mask, masked_fill."""
    columns = t.size("attention_mask", 1)
    four = t.op("Unsqueeze", t.op("Unsqueeze", "attention_mask", np.int64([1])), np.int64([2]))
    wide = t.op("Cast", t.expand(four, [batch, 1, sequence, columns]), to=1)
    inverted = t.op("Sub", np.float32(1), wide)
    return t.op("Where", t.op("Cast", inverted, to=9), np.float32(-3.4e38), inverted)


def finish(t, context, residual):
    return t.op("Add", project(t, merge_heads(t, context), "o"), residual, out="logits")


def additive_mask(t):
    """(1 - attention_mask[:, None, None, :]) * min, of a mask of past + sequence columns."""
    m = t.op("Unsqueeze", t.op("Unsqueeze", "attention_mask", np.int64([1])), np.int64([2]))
    return t.op("Mul", t.op("Sub", np.float32(1), t.op("Cast", m, to=1)), np.float32(-3.4e38))


def decoder_inputs(mask=True, positions=False):
    inputs = [tensor("input_ids", np.int64, ["batch_size", "sequence_length"])]
    if mask:
        inputs.append(tensor("attention_mask", np.int64, ["batch_size", "past_sequence_length + sequence_length"]))
    if positions:
        inputs.append(tensor("position_ids", np.int64, ["batch_size", "sequence_length"]))
    return inputs + cache_inputs()


def decoder_model(t, inputs=None, opset=14):
    outputs = [tensor("logits", np.float32, ["batch_size", "sequence_length", WIDTH])] + cache_outputs()
    return t.model(inputs or decoder_inputs(), outputs, opset=opset)


def decoder_cases(embed, rotate=lambda x: x, mask=True, positions=False, hide=True, lengths=LENGTHS):
    """Logits of the last tokens and the whole cache, computed without one. `embed` maps tokens to rows."""
    cases = []
    for batch, past, sequence in lengths:
        ids = tokens(batch, past + sequence)
        shown = padding_mask(batch, past + sequence)
        x = embed(ids).astype(np.float32)
        q, k, v = (heads_of(x @ WEIGHTS[n]) for n in "qkv")
        q, k = rotate(q), rotate(k)
        bias = causal(past + sequence) + (hidden_bias(shown) if mask and hide else 0)
        y = merged(attend(q, k, v, np.maximum(bias, np.float32(-1e30)))) @ WEIGHTS["o"] + x
        if not mask:
            shown = None
        inputs = [ids[:, past:]] + ([shown] if mask else [])
        if positions:
            inputs.append(np.tile(np.arange(past, past + sequence, dtype=np.int64), (batch, 1)))
        y = y[:, past:]
        cases.append(case(inputs + [k[:, :, :past], v[:, :, :past]], [y, k, v]))
    return cases


def embed_gpt2(ids):
    return TABLE[ids] + POSITIONS[np.arange(ids.shape[1])]


def embed_tokens(t):
    return t.op("Gather", t.weight("wte.weight", TABLE), "input_ids", axis=0)


def bias_table(t, dtype=bool):
    return t.weight("attn.bias", np.tril(np.ones((1, 1, LONGEST, LONGEST), dtype)))


def gpt2_attention(t, x, dtype):
    q, k, v = (split_heads(t, project(t, x, n)) for n in "qkv")
    k, v = with_past(t, "key", k), with_past(t, "value", v)
    seen = rows_of_bias(t, bias_table(t, dtype), q, k)
    if dtype != bool:
        seen = t.op("Cast", seen, to=9)
    w = t.op("Where", seen, scores(t, q, k), np.float32(-3.4e38))
    w = t.op("Softmax", t.op("Add", w, additive_mask(t)), axis=-1)
    return t.op("MatMul", w, v)


def no_first_row(cases):
    """Where a mask hides all that a row sees, that row is unspecified; such cases are left out."""
    return [c for c in cases if len(c[0][0]) == 1 or c[0][-1].shape[2] > 0]


def gpt2(options):
    """GPT-2 of transformers: positions by arange(past, past + sequence), rows of a triangular table."""
    dtype, opset, given = options
    t = Trace()
    past, sequence = t.size("past_key_values.0.key", -2), t.size("input_ids", -1)
    if given:
        positions = t.view("position_ids", [-1, sequence])
    else:
        rows = t.op("Range", past, t.op("Add", sequence, past), np.int64(1))
        positions = t.view(t.op("Unsqueeze", rows, np.int64([0])), [-1, sequence])
    x = t.op("Add", embed_tokens(t), t.op("Gather", t.weight("wpe.weight", POSITIONS), positions, axis=0))
    finish(t, gpt2_attention(t, x, dtype), x)
    cases = no_first_row(decoder_cases(embed_gpt2, positions=given))
    return decoder_model(t, decoder_inputs(positions=given), opset), cases


idioms({"gpt2": (bool, 14, False), "gpt2_uint8_bias": (np.uint8, 13, False), "gpt2_position_ids": (bool, 17, True)}, gpt2)


@idiom
def positions_by_slice_of_table():
    """weight[past : past + sequence], as BART's and Whisper's learned positions do."""
    t = Trace()
    past, sequence = t.size("past_key_values.0.key", 2), t.size("input_ids", 1)
    rows = t.slice(t.weight("embed_positions.weight", POSITIONS), 0, past, t.op("Add", past, sequence))
    x = t.op("Add", embed_tokens(t), rows)
    finish(t, gpt2_attention(t, x, bool), x)
    return decoder_model(t), no_first_row(decoder_cases(embed_gpt2))


@idiom
def positions_by_cumulated_mask():
    """OPT: (cumsum(mask) * mask - 1)[:, past:] + 2"""
    t = Trace()
    long = t.op("Cast", "attention_mask", to=7)
    counted = t.op("Sub", t.op("Mul", t.op("CumSum", long, np.int64(1)), long), np.int64(1))
    positions = t.op("Add", t.slice(counted, 1, t.size("past_key_values.0.key", 2), LARGEST), np.int64(2))
    table = t.weight("embed_positions.weight", POSITIONS)
    x = t.op("Add", embed_tokens(t), t.op("Gather", table, positions, axis=0))
    finish(t, gpt2_attention(t, x, bool), x)

    def embed(ids):
        shown = padding_mask(*ids.shape)
        return TABLE[ids] + POSITIONS[np.cumsum(shown, 1) * shown - 1 + 2]
    return decoder_model(t), no_first_row(decoder_cases(embed))


@idiom
def gpt2_mask_of_total_length():
    """The names of the dimensions say nothing of each other; positions and the mask are cut at the past."""
    t = Trace()
    past = t.size("past_key_values.0.key", -2)
    positions = t.op("Sub", t.op("CumSum", "attention_mask", np.int64(1)), np.int64(1))
    positions = t.op("Where", t.op("Equal", "attention_mask", np.int64(0)), np.int64(1), positions)
    positions = t.slice(positions, 1, past, LARGEST)
    x = t.op("Add", embed_tokens(t), t.op("Gather", t.weight("wpe.weight", POSITIONS), positions, axis=0))
    finish(t, gpt2_attention(t, x, bool), x)

    def embed(ids):
        shown = padding_mask(*ids.shape)
        return TABLE[ids] + POSITIONS[np.where(shown == 0, 1, np.cumsum(shown, 1) - 1)]
    inputs = [tensor("input_ids", np.int64, ["batch", "sequence"]), tensor("attention_mask", np.int64, ["batch", "total"])]
    return decoder_model(t, inputs + cache_inputs("past")), no_first_row(decoder_cases(embed))


@idiom
def one_token_at_a_time():
    """input_ids [batch, 1] and a mask of "past_sequence_length + 1" columns."""
    t = Trace()
    past = t.size("past_key_values.0.key", -2)
    rows = t.op("Range", past, t.op("Add", t.size("input_ids", 1), past), np.int64(1))
    x = t.op("Add", embed_tokens(t), t.op("Gather", t.weight("wpe.weight", POSITIONS), rows, axis=0))
    finish(t, gpt2_attention(t, x, bool), x)
    inputs = [tensor("input_ids", np.int64, ["batch_size", 1]),
              tensor("attention_mask", np.int64, ["batch_size", "past_sequence_length + 1"])] + cache_inputs()
    lengths = [(1, 1, 1), (2, 5, 1), (1, 0, 1), (3, 17, 1)]
    return decoder_model(t, inputs), no_first_row(decoder_cases(embed_gpt2, lengths=lengths))
