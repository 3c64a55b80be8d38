"""Decoders with rotary positions and a cache, as transformers' Llama was exported over the years."""
import numpy as np

from caches import (DIM, LONGEST, TABLE, causal, decoder_cases, decoder_model, embed_tokens, expand_mask, finish,
                    make_causal_mask, no_first_row, project, scores, split_heads, with_past)
from idiom import idiom, idioms
from tracing import LARGEST, Trace

FREQUENCIES = (1 / 100 ** (np.arange(0, DIM, 2) / DIM)).astype(np.float32)


def angles(positions):
    a = positions[:, None].astype(np.float32) * FREQUENCIES
    return np.concatenate([a, a], -1)


def rotate(x):
    a = angles(np.arange(x.shape[2]))
    turned = np.concatenate([-x[..., DIM // 2:], x[..., :DIM // 2]], -1)
    return (x * np.cos(a) + turned * np.sin(a)).astype(np.float32)


def rotate_half(t, x):
    half = t.op("Div", t.size(x, -1), np.int64(2))
    half = t.op("Cast", t.op("Cast", half, to=7), to=7)
    first, second = t.slice(x, 3, 0, half), t.slice(x, 3, half, LARGEST)
    return t.op("Concat", t.op("Neg", second), first, axis=-1)


def rotated(t, x, cos, sin):
    return t.op("Add", t.op("Mul", x, cos), t.op("Mul", rotate_half(t, x), sin))


def llama_positions(t, past, sequence):
    rows = t.op("Range", past, t.op("Add", sequence, past), np.int64(1))
    return t.view(t.op("Unsqueeze", rows, np.int64([0])), [-1, sequence])


def cached_tables(t, positions, total, rank):
    """cos_cached[:, :, :total], or cos_cached[:total], gathered by the positions."""
    chosen = []
    for name, f in (("cos_cached", np.cos), ("sin_cached", np.sin)):
        table = f(angles(np.arange(LONGEST))).astype(np.float32)
        table = t.weight(name, table.reshape([1] * (rank - 2) + list(table.shape)))
        table = t.slice(table, rank - 2, 0, total)
        if rank == 4:
            table = t.op("Squeeze", t.op("Squeeze", table, np.int64([1])), np.int64([0]))
        chosen.append(t.op("Unsqueeze", t.op("Gather", table, positions, axis=0), np.int64([1])))
    return chosen


def computed_tables(t, positions):
    """inv_freq[None, :, None] @ position_ids[:, None, :], transposed, concatenated with itself; cos and sin."""
    frequencies = t.weight("inv_freq", FREQUENCIES.reshape(1, -1, 1))
    wide = t.expand(frequencies, [t.size(positions, 0), -1, 1])
    row = t.op("Cast", t.op("Unsqueeze", positions, np.int64([1])), to=1)
    a = t.op("Transpose", t.op("MatMul", wide, row), perm=[0, 2, 1])
    a = t.op("Concat", a, a, axis=-1)
    return [t.op("Unsqueeze", t.op(f, a), np.int64([1])) for f in ("Cos", "Sin")]


def llama(options):
    """Llama of transformers: rotary tables cut at past + sequence, masks of total length."""
    rank, opset = options
    t = Trace()
    batch, sequence = t.size("input_ids", 0), t.size("input_ids", 1)
    past = t.size("past_key_values.0.key", 2)
    positions = llama_positions(t, past, sequence)
    x = embed_tokens(t)
    mask = t.op("Add", expand_mask(t, batch, sequence), make_causal_mask(t, batch, sequence, past))
    q, k, v = (split_heads(t, project(t, x, n)) for n in "qkv")
    total = t.op("Add", t.size(k, -2), t.size("past_key_values.0.key", -2))
    cos, sin = cached_tables(t, positions, total, rank) if rank else computed_tables(t, positions)
    q, k = rotated(t, q, cos, sin), rotated(t, k, cos, sin)
    k, v = with_past(t, "key", k), with_past(t, "value", v)
    w = t.op("Add", scores(t, q, k), mask)
    w = t.op("Max", w, np.float32(-3.4e38))
    context = t.op("MatMul", t.op("Softmax", w, axis=-1), v)
    finish(t, context, x)
    return decoder_model(t, opset=opset), no_first_row(decoder_cases(lambda ids: TABLE[ids], rotate))


idioms({"tables_of_four_dimensions": (4, 13), "tables_of_rows": (2, 14), "computed_tables": (0, 17)},
       llama)


def causal_mask_by_cache_position(t, sequence, total, first):
    """_update_causal_mask: full, triu, times (arange(total) > cache_position[:, None])."""
    mask = t.full([sequence, total], -3.4e38)
    mask = t.op("Trilu", mask, np.int64(1), upper=1)
    columns = t.op("Range", np.int64(0), total, np.int64(1))
    rows = t.op("Range", first, t.op("Add", first, sequence), np.int64(1))
    later = t.op("Greater", columns, t.view(rows, [-1, 1]))
    return t.op("Mul", mask, t.op("Cast", later, to=1))


@idiom
def mask_by_cache_position():
    """Transformers 4.40 and later: the padding goes into the columns [:mask_length] of the causal mask."""
    t = Trace()
    batch, sequence = t.size("input_ids", 0), t.size("input_ids", 1)
    past, total = t.size("past_key_values.0.key", 2), t.size("attention_mask", -1)
    positions = llama_positions(t, past, sequence)
    x = embed_tokens(t)
    mask = causal_mask_by_cache_position(t, sequence, total, past)
    four = t.op("Unsqueeze", t.op("Unsqueeze", mask, np.int64([0])), np.int64([1]))
    mask = t.expand(four, [batch, 1, -1, -1])
    columns = t.size("attention_mask", -1)
    shown = t.op("Cast", t.op("Unsqueeze", t.op("Unsqueeze", "attention_mask", np.int64([1])), np.int64([2])), to=1)
    padded = t.op("Equal", t.op("Add", t.slice(mask, 3, 0, columns), shown), np.float32(0))
    mask = t.op("Where", padded, np.float32(-3.4e38), t.slice(mask, 3, 0, columns))
    cos, sin = computed_tables(t, positions)
    q, k, v = (split_heads(t, project(t, x, n)) for n in "qkv")
    q, k = rotated(t, q, cos, sin), rotated(t, k, cos, sin)
    k, v = with_past(t, "key", k), with_past(t, "value", v)
    mask = t.slice(mask, 3, 0, t.size(k, -2))
    w = t.op("Add", scores(t, q, k), mask)
    finish(t, t.op("MatMul", t.op("Softmax", w, axis=-1), v), x)
    return decoder_model(t, opset=17), no_first_row(decoder_cases(lambda ids: TABLE[ids], rotate))
