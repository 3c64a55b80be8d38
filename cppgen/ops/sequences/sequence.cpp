// Sequences, optionals, Unique: functions of the host on whole values.
#include <algorithm>

#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/value_type.h"
#include "runtime/plan/calls/host_choices.h"
#include "runtime/plan/calls/host_sequences.h"

namespace cppgen::ops {
namespace {

const HostType& sequence(InferContext& c, int i) {
  const HostType* type = c.host(i);
  if (!type || type->kind != ValueKind::sequence) c.fail_invalid(fmt::format("input {} is not a sequence", i));
  return *type;
}

HostType element_of(const HostType& sequence) {
  HostType element = sequence;
  element.kind = sequence.strings ? ValueKind::strings : ValueKind::tensor;
  return element;
}

HostType sequence_of(HostType element) {
  element.kind = ValueKind::sequence;
  return element;
}

void require_position(InferContext& c, int i) {
  if (c.has_input(i) && !c.host(i)) require_dtype(c, i, bit(DType::i32) | bit(DType::i64));
}

void infer_empty(InferContext& c) {
  const int64_t number = c.integer("dtype", 1);
  HostType type{ValueKind::sequence, DType::f32, number == 8, std::nullopt};
  if (!type.strings) type.dtype = dtype_of_onnx(c, number);
  type.dims = {kNothing};
  c.set_host_output(0, type);
}

void infer_construct(InferContext& c) {
  HostType element = host_type_of(c, 0);
  for (int i = 1; i < c.input_count(); ++i) element = join_host(c, "an element", element, host_type_of(c, i));
  c.set_host_output(0, sequence_of(element));
}

void infer_insert(InferContext& c) {
  require_position(c, 2);
  const HostType element = element_of(sequence(c, 0));
  c.set_host_output(0, sequence_of(join_host(c, "an element", element, host_type_of(c, 1))));
}

void infer_erase(InferContext& c) {
  require_position(c, 1);
  c.set_host_output(0, sequence(c, 0));
}

void infer_at(InferContext& c) {
  require_position(c, 1);
  set_tensor_output(c, 0, element_of(sequence(c, 0)));
}

void infer_length(InferContext& c) {
  sequence(c, 0);
  c.set_output(0, DType::i64, {});
}

// Lengths that are one number as often as a run says.
std::optional<int64_t> repeated_length(InferContext& c) {
  const Tensor* value = c.host(1) ? nullptr : c.fill(1);
  return value && !c.shape(1).empty() && value->dtype == DType::i64 ? std::optional(value->as<int64_t>()[0])
                                                                    : std::nullopt;
}

// The length of the parts that input 1 requests, if all have the same known length; else -1.
int64_t common_length(InferContext& c, int64_t extent) {
  if (const auto each = repeated_length(c)) return std::max<int64_t>(*each, -1);
  const std::vector<IndexExpr>* lengths = c.host(1) ? nullptr : c.contents(1);
  if (!lengths || lengths->empty() || !(*lengths)[0].is_constant()) return -1;
  const int64_t each = (*lengths)[0].constant();
  const bool equal = std::all_of(lengths->begin(), lengths->end(), [&](IndexExpr l) { return l.is_constant(each); });
  const bool divides = each == 1 || (each > 0 && extent >= 0 && extent % each == 0);
  return equal && (!c.shape(1).empty() || divides) ? each : -1;
}

// Returns whether the parts lose the axis. ONNX ignores keepdims where lengths are given; exporters rely on ONNX
// Runtime, which follows it where the length is a scalar, and can do so where that is 1.
bool drops_axis(InferContext& c) {
  if (c.integer("keepdims", 1) != 0) return false;
  return !c.has_input(1) || (!c.host(1) && c.shape(1).empty() && common_length(c, -1) == 1);
}

void infer_split_to_sequence(InferContext& c) {
  require_position(c, 1);
  const bool drops = drops_axis(c);
  HostType part = with_rank_moved(host_type_of(c, 0), drops ? -1 : 0);
  if (has_dims(part)) {
    const int axis = normalized_axis(c, c.integer("axis", 0), int(part.dims->size()));
    if (drops) {
      part.dims->erase(part.dims->begin() + axis);
    } else if (c.has_input(1)) {
      (*part.dims)[size_t(axis)] = common_length(c, (*part.dims)[size_t(axis)]);
    } else {
      (*part.dims)[size_t(axis)] = 1;
    }
  }
  c.set_host_output(0, sequence_of(part));
}

rt::HostStep host_split_to_sequence(InferContext& c) {
  return host_call("split_to_sequence", rt::SplitToSequenceCall{c.integer("axis", 0), !drops_axis(c)});
}

void infer_concat_from_sequence(InferContext& c) {
  const bool new_axis = c.integer("new_axis", 0) != 0;
  HostType whole = with_rank_moved(element_of(sequence(c, 0)), new_axis);
  if (has_dims(whole)) {
    const int axis = normalized_axis(c, c.integer("axis"), int(whole.dims->size()) + new_axis);
    if (new_axis) {
      whole.dims->insert(whole.dims->begin() + axis, -1);
    } else {
      (*whole.dims)[size_t(axis)] = -1;
    }
  }
  set_tensor_output(c, 0, whole);
}

rt::HostStep host_concat_from_sequence(InferContext& c) {
  return host_call("concat_from_sequence",
                   rt::ConcatFromSequenceCall{c.integer("axis"), c.integer("new_axis", 0) != 0});
}

// --- Optionals

void infer_optional(InferContext& c) {
  if (!c.has_input(0)) {
    const std::vector<int64_t> type = c.integers("type");
    const ValueKind kind = ValueKind(type.at(0));
    HostType empty{kind == ValueKind::sequence ? ValueKind::optional_sequence : ValueKind::optional, DType::f32,
                   type.at(1) == 8, std::nullopt};
    if (!empty.strings) empty.dtype = dtype_of_onnx(c, type.at(1));
    return c.set_host_output(0, empty);
  }
  HostType type = host_type_of(c, 0);
  type.kind = type.kind == ValueKind::sequence || type.kind == ValueKind::optional_sequence
                  ? ValueKind::optional_sequence
                  : ValueKind::optional;
  c.set_host_output(0, type);
}

void infer_has_element(InferContext& c) { c.set_output(0, DType::boolean, {}); }

void infer_get_element(InferContext& c) {
  HostType type = host_type_of(c, 0);
  if (type.kind == ValueKind::optional_sequence || type.kind == ValueKind::sequence)
    return c.set_host_output(0, sequence_of(type));
  set_tensor_output(c, 0, type);
}

// --- Unique

void infer_unique(InferContext& c) {
  const HostType type = host_type_of(c, 0);
  IndexExpr count = c.unknown_dimension(0, 0, "unique");
  if (c.has("axis") && type.strings && has_dims(type) && type.dims->size() != 1)
    c.fail("an axis is not supported for strings of several dimensions");
  if (c.has("axis") && !type.strings) {
    Shape shape = c.shape(0);
    const int axis = normalized_axis(c, c.integer("axis"), int(shape.size()));
    if (c.has_output(0)) count = c.unknown_dimension(0, size_t(axis), "unique");
    const IndexExpr extent = shape[size_t(axis)];
    shape[size_t(axis)] = count;
    c.set_output(0, c.dtype(0), shape);
    c.set_output(2, DType::i64, {extent});
  } else {
    c.set_output(0, type.strings ? kString : c.dtype(0), {count});
    c.set_output(2, DType::i64, {c.host(0) ? c.unknown_dimension(2, 0, "unique") : ir::product(c.shape(0))});
  }
  c.set_output(1, DType::i64, {count});
  c.set_output(3, DType::i64, {count});
}

rt::HostStep host_unique(InferContext& c) {
  return host_call("unique", rt::UniqueCall{c.integer("sorted", 1) != 0, c.has("axis"), c.integer("axis", 0)});
}

// --- Tensors whose number of dimensions only a run knows, and what ends a run: cppgen's own operators

void infer_rank_is(InferContext& c) { c.set_output(0, DType::boolean, {}); }

rt::HostStep host_rank_is(InferContext& c) { return host_call("rank_is", rt::RankCall{c.integer("rank")}); }

void infer_with_rank(InferContext& c) {
  HostType element = host_type_of(c, 0);
  element.dims = std::vector<int64_t>(size_t(c.integer("rank")), -1);
  set_tensor_output(c, 0, element);
}

rt::HostStep host_with_rank(InferContext& c) { return host_call("with_rank", rt::RankCall{c.integer("rank")}); }

void infer_refuse(InferContext& c) {
  HostType nothing;
  nothing.dims = {kNothing};
  for (int i = 0; i < c.output_count(); ++i) c.set_host_output(i, nothing);
}

rt::HostStep host_refuse(InferContext& c) { return host_call("refuse", rt::MessageCall{c.text("message", "")}); }

constexpr char kEmpty[] = "sequence_empty", kConstruct[] = "sequence_construct", kInsert[] = "sequence_insert",
               kErase[] = "sequence_erase", kAt[] = "sequence_at", kLength[] = "sequence_length",
               kOptional[] = "optional", kHas[] = "optional_has_element", kGet[] = "optional_get_element";

}  // namespace

std::vector<Op> sequence_ops() {
  return {
      {.name = "SequenceEmpty",
       .versions = {{11, "dtype:int"}},
       .inputs = 0,
       .infer = infer_empty,
       .host = host_call_of<kEmpty>},
      {.name = "SequenceConstruct",
       .versions = {11},
       .inputs = {1, kAny},
       .infer = infer_construct,
       .host = host_call_of<kConstruct>},
      {.name = "SequenceInsert",
       .versions = {11},
       .inputs = {2, 3},
       .infer = infer_insert,
       .host = host_call_of<kInsert>},
      {.name = "SequenceErase", .versions = {11}, .inputs = {1, 2}, .infer = infer_erase, .host = host_call_of<kErase>},
      {.name = "SequenceAt", .versions = {11}, .inputs = 2, .infer = infer_at, .host = host_call_of<kAt>},
      {.name = "SequenceLength", .versions = {11}, .inputs = 1, .infer = infer_length, .host = host_call_of<kLength>},
      {.name = "SplitToSequence",
       .versions = {{11, "axis:int keepdims:int"}, 24},
       .inputs = {1, 2},
       .infer = infer_split_to_sequence,
       .host = host_split_to_sequence},
      {.name = "ConcatFromSequence",
       .versions = {{11, "axis:int new_axis:int"}},
       .inputs = 1,
       .infer = infer_concat_from_sequence,
       .host = host_concat_from_sequence},
      {.name = "Optional",
       .versions = {{15, "type:type"}},
       .inputs = {0, 1},
       .infer = infer_optional,
       .host = host_call_of<kOptional>},
      {.name = "OptionalHasElement",
       .versions = {15, 18},
       .inputs = {0, 1},
       .infer = infer_has_element,
       .host = host_call_of<kHas>},
      {.name = "OptionalGetElement",
       .versions = {15, 18},
       .inputs = 1,
       .infer = infer_get_element,
       .host = host_call_of<kGet>},
      {.name = "Unique",
       .versions = {{11, "axis:int sorted:int"}},
       .inputs = 1,
       .outputs = 4,
       .infer = infer_unique,
       .host = host_unique},
      {.name = "RankIs",
       .domain = "cppgen",
       .versions = {{1, "rank:int"}},
       .inputs = 1,
       .infer = infer_rank_is,
       .host = host_rank_is},
      {.name = "WithRank",
       .domain = "cppgen",
       .versions = {{1, "rank:int"}},
       .inputs = 1,
       .infer = infer_with_rank,
       .host = host_with_rank},
      {.name = "Refuse",
       .domain = "cppgen",
       .versions = {{1, "message:string"}},
       .inputs = 0,
       .outputs = kAny,
       .infer = infer_refuse,
       .host = host_refuse},
  };
}

}  // namespace cppgen::ops
