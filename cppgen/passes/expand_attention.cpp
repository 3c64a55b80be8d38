// Attentions of com.microsoft that become MultiHeadAttention or Attention with their operands in order.
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

std::vector<ValueId> split(Expansion& e, ValueId x, int64_t axis, int64_t parts) {
  return e.add_several("Split", {x}, {{"axis", axis}, {"num_outputs", parts}}, size_t(parts));
}

// Parts of [batch, sequence, heads, parts, features], each with the features of all heads side by side.
std::vector<ValueId> unpacked_heads(Expansion& e, ValueId packed, int64_t parts) {
  std::vector<ValueId> apart = split(e, packed, 3, parts);
  for (ValueId& part : apart) part = e.add("Reshape", {part, e.ints({0, 0, -1})});
  return apart;
}

}  // namespace

// --- QAttention: x, weights, bias, scale of x, scale of the weights, mask, zero points of both, past

void expand_quantized_attention(Expansion& e) {
  if (e.integer("do_rotary", 0) != 0) return;
  const ValueId x = e.add("DequantizeLinear", {e.input(0), e.scalar(3), e.scalar(6)});
  const ValueId weights = e.add("DequantizeLinear", {e.input(1), e.scalar(4), e.scalar(7)}, {{"axis", int64_t(1)}});
  if (e.input(8) != kNoValue || e.old.outputs.size() > 1)
    return e.become("Attention", {x, weights, e.input(2), e.input(5), e.input(8)}, e.old.attributes, kMicrosoft);
  ValueId all = e.add("MatMul", {x, weights});
  if (e.input(2) != kNoValue) all = e.add("Add", {all, e.input(2)});
  std::vector<ValueId> inputs = split(e, all, 2, 3);
  if (e.input(5) != kNoValue) inputs.insert(inputs.end(), {kNoValue, e.input(5)});
  e.become("MultiHeadAttention", std::move(inputs), e.old.attributes, kMicrosoft);
}

// --- MultiHeadAttention: keys and values packed in the keys, or all three in the queries

void expand_packed_attention(Expansion& e) {
  if (e.input(2) != kNoValue || e.input(0) == kNoValue) return;
  std::vector<ValueId> inputs = e.old.inputs;
  inputs.resize(std::max<size_t>(inputs.size(), 3), kNoValue);
  if (e.input(1) == kNoValue) {
    const auto parts = unpacked_heads(e, e.input(0), 3);
    std::copy(parts.begin(), parts.end(), inputs.begin());
  } else {
    const auto parts = unpacked_heads(e, e.input(1), 2);
    std::copy(parts.begin(), parts.end(), inputs.begin() + 1);
  }
  e.replace_inputs(std::move(inputs));
}

// --- Attention of one row with a buffer that holds the keys and values of earlier rows

namespace {

struct Decoder {
  ValueId query, key, value;                         // [batch, 1, heads * features]
  ValueId past_key, past_value;                      // [batch, heads, rows of the buffer, features]
  ValueId used;                                      // how many rows of the buffer are in use
  ValueId mask, score_bias;                          // [batch, rows in use and one]; the addend of the scores
  std::optional<size_t> present_key, present_value;  // outputs
};

// One row of each head: [batch, heads, 1, features].
ValueId heads_apart(Expansion& e, ValueId x) {
  const ValueId apart = e.add("Reshape", {x, e.ints({0, 0, e.integer("num_heads", 0), -1})});
  return e.add("Transpose", {apart}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}

// The buffer with this run's row after those in use.
ValueId with_row(Expansion& e, ValueId buffer, ValueId row, ValueId used, std::optional<size_t> output) {
  const ValueId rows = e.add("Squeeze", {e.extent(buffer, 2), e.ints({0})}), zero = e.add("Squeeze", {e.ints({0})}),
                one = e.add("Squeeze", {e.ints({1})});
  const ValueId positions = e.add("Unsqueeze", {e.add("Range", {zero, rows, one}), e.ints({1})});
  const std::vector<ValueId> inputs{e.add("Equal", {positions, used}), heads_apart(e, row), buffer};
  return output ? e.give(*output, "Where", inputs) : e.add("Where", inputs);
}

// The bias that is added to the scores for all rows of the buffer; 0 after the rows of `x`.
ValueId widened(Expansion& e, ValueId x, ValueId buffer) {
  const ValueId missing = e.add("Sub", {e.extent(buffer, 2), e.extent(x, 3)});
  const ValueId pads = e.add("Concat", {e.ints({0}), missing}, {{"axis", int64_t(0)}});
  return e.add("Pad", {x, pads, kNoValue, e.ints({3})});
}

ValueId score_bias(Expansion& e, const Decoder& d, ValueId buffer) {
  ValueId sum = d.score_bias == kNoValue ? kNoValue : widened(e, d.score_bias, buffer);
  if (d.mask == kNoValue) return sum;
  const float hidden = float_attribute(e.old, "mask_filter_value", -10000);
  const ValueId seen = e.add("Cast", {d.mask}, {{"to", int64_t(9)}});
  const ValueId own = e.add("Where", {seen, e.floats({}, {0}), e.floats({}, {double(hidden)})});
  const ValueId mask = widened(e, e.add("Unsqueeze", {own, e.ints({1, 2})}), buffer);
  return sum == kNoValue ? mask : e.add("Add", {mask, sum});
}

// The operator's attributes that MultiHeadAttention has, too.
Attributes attention_attributes(const Expansion& e) {
  Attributes own = e.old.attributes;
  std::erase_if(own, [](const auto& a) { return a.first != "num_heads" && a.first != "scale"; });
  return own;
}

void become_decoder(Expansion& e, const Decoder& d) {
  const ValueId used = e.add("Cast", {d.used}, {{"to", int64_t(7)}});
  const ValueId key = with_row(e, d.past_key, d.key, used, d.present_key),
                value = with_row(e, d.past_value, d.value, used, d.present_value);
  const ValueId bias = score_bias(e, d, key);
  const ValueId all = e.add("Cast", {e.add("Add", {used, e.ints({1})})}, {{"to", int64_t(6)}});
  const ValueId lengths = e.add("Expand", {all, e.extent(d.query, 0)});
  if (!d.present_key)
    e.give(1, "Concat", {e.add("Unsqueeze", {key, e.ints({0})}), e.add("Unsqueeze", {value, e.ints({0})})},
           {{"axis", int64_t(0)}});
  e.become("MultiHeadAttention", {d.query, key, value, kNoValue, lengths, bias}, attention_attributes(e), kMicrosoft);
}

}  // namespace

// --- DecoderMaskedMultiHeadAttention: query, key, value, mask, the addend of the scores, earlier keys and values,
// how many of them are in use if their buffer is shared, the number of beams, the sources of the beams, the bias

void expand_decoder_attention(Expansion& e) {
  if (e.input(9) != kNoValue) return;
  ValueId query = e.input(0), key = e.input(1), value = e.input(2), bias = e.input(10);
  if (key == kNoValue && value == kNoValue) {
    const auto parts = split(e, query, 2, 3);
    query = parts[0], key = parts[1], value = parts[2];
  }
  if (e.integer("past_present_share_buffer", 0) == 0 || e.input(5) == kNoValue) {
    const std::vector<ValueId> inputs{query, key, value, bias, e.input(3), e.input(4), e.input(5), e.input(6)};
    Attributes own = e.old.attributes;
    own.erase("past_present_share_buffer"), own.erase("output_qk");
    return e.become("MultiHeadAttention", inputs, std::move(own), kMicrosoft);
  }
  if (e.wants(3)) return;
  if (bias != kNoValue) {
    const auto parts = split(e, bias, 0, 3);
    query = e.add("Add", {query, parts[0]}), key = e.add("Add", {key, parts[1]}),
    value = e.add("Add", {value, parts[2]});
  }
  become_decoder(e, {query, key, value, e.input(5), e.input(6), e.input(7), e.input(3), e.input(4), 1, 2});
}

// --- DecoderMaskedSelfAttention: x, weights and bias of its projections, mask, earlier keys and values in one tensor,
// the addend of the scores, how many rows are in use if the buffer is shared, the beams

void expand_decoder_self_attention(Expansion& e) {
  if (e.input(8) != kNoValue || e.integer("do_rotary", 0) != 0) return;
  if (e.integer("past_present_share_buffer", 0) == 0 || e.input(4) == kNoValue) {
    Attributes own = e.old.attributes;
    own.erase("past_present_share_buffer");
    const std::vector<ValueId> inputs{e.input(0), e.input(1), e.input(2), e.input(3), e.input(4), e.input(5)};
    return e.become("Attention", inputs, std::move(own), kMicrosoft);
  }
  const ValueId product = e.add("MatMul", {e.input(0), e.input(1)});
  const auto own = split(e, e.input(2) == kNoValue ? product : e.add("Add", {product, e.input(2)}), 2, 3);
  auto past = split(e, e.input(4), 0, 2);
  for (ValueId& part : past) part = e.add("Squeeze", {part, e.ints({0})});
  become_decoder(e, {own[0], own[1], own[2], past[0], past[1], e.input(6), e.input(3), e.input(5), {}, {}});
}

}  // namespace cppgen::passes
