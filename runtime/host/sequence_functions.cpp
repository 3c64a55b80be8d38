// Sequences and optionals.
#include <algorithm>
#include <cstring>

#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/host/value_parts.h"
#include "runtime/plan/calls/host_sequences.h"

namespace cppgen::rt {
namespace {

using Values = std::vector<Value>;

Values one_sequence(Value::Sequence elements) { return one_value(Value(std::move(elements))); }

// A position counted from either end, as one in [0, size).
size_t position_in(const HostCall& call, int64_t at, int64_t size) {
  if (at < -size || at >= size)
    call.fail(
        fmt::format("position {} is out of range for a sequence of {} (allowed: {} to {})", at, size, -size, size - 1));
  return size_t(at < 0 ? at + size : at);
}

Values empty_sequence(const HostCall&) { return one_sequence({}); }

Values make_sequence(const HostCall& call) {
  Value::Sequence elements;
  for (size_t i = 0; i < call.inputs.size(); i++) {
    if (!call.has(i)) call.fail(fmt::format("input {} is missing", i));
    elements.push_back(*call.inputs[i]);
  }
  return one_sequence(std::move(elements));
}

Values insert(const HostCall& call) {
  Value::Sequence elements = call.sequence(0);
  if (!call.has(1)) call.fail("input 1 is missing");
  const auto size = int64_t(elements.size());
  // The position after the last element is allowed, too.
  int64_t at = call.has(2) ? call.integer(2) : size;
  if (at < -size || at > size)
    call.fail(
        fmt::format("position {} is out of range for a sequence of {} (allowed: {} to {})", at, size, -size, size));
  elements.insert(elements.begin() + (at < 0 ? at + size : at), *call.inputs[1]);
  return one_sequence(std::move(elements));
}

Values erase(const HostCall& call) {
  Value::Sequence elements = call.sequence(0);
  const auto size = int64_t(elements.size());
  elements.erase(elements.begin() + int64_t(position_in(call, call.has(1) ? call.integer(1) : -1, size)));
  return one_sequence(std::move(elements));
}

Values element_at(const HostCall& call) {
  const Value::Sequence& elements = call.sequence(0);
  return one_value(elements[position_in(call, call.integer(1), int64_t(elements.size()))]);
}

Values length(const HostCall& call) { return one_value(tensor_of(int64_t(call.sequence(0).size()))); }

int64_t axis_in(const HostCall& call, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) call.fail(fmt::format("axis {} is not in [{}, {}]", axis, -rank, rank - 1));
  return axis < 0 ? axis + rank : axis;
}

// Lengths of the parts: those of input 1, or one for all of them (the last may be shorter), or 1.
std::vector<int64_t> split_lengths(const HostCall& call, int64_t extent) {
  std::vector<int64_t> lengths;
  if (!call.has(1)) {
    lengths.assign(size_t(extent), 1);
    return lengths;
  }
  const Tensor& split = call.tensor(1);
  if (split.dims().empty()) {
    const int64_t each = call.integer(1);
    if (each < 1) call.fail(fmt::format("parts of {} elements", each));
    for (int64_t at = 0; at < extent; at += each) lengths.push_back(std::min(each, extent - at));
    return lengths;
  }
  int64_t left = extent;
  for (int64_t i = 0; i < split.elements(); i++) {
    const int64_t n = split.type() == DType::i32 ? split.as<int32_t>()[i] : split.as<int64_t>()[i];
    if (n < 0 || n > left) call.fail(fmt::format("part {} has {} elements, but only {} are left", i, n, left));
    lengths.push_back(n);
    left -= n;
  }
  if (left) call.fail(fmt::format("the parts do not cover {} of {} elements", left, extent));
  return lengths;
}

Values split_to_sequence(const HostCall& call, const SplitToSequenceCall& fields) {
  if (!call.has(0)) call.fail("input 0 is missing");
  const Value& x = *call.inputs[0];
  const std::vector<int64_t>& dims = dims_of(call, x);
  if (call.has(1) && call.tensor(1).type() != DType::i32 && call.tensor(1).type() != DType::i64)
    call.fail("input 1 is not int32 or int64");
  const int64_t axis = axis_in(call, fields.axis, int64_t(dims.size()));
  Value::Sequence parts;
  int64_t at = 0;
  for (int64_t n : split_lengths(call, dims[size_t(axis)])) {
    parts.push_back(part_of(call, x, axis, at, n, !fields.keeps_axis));
    at += n;
  }
  return one_sequence(std::move(parts));
}

Values concat_from_sequence(const HostCall& call, const ConcatFromSequenceCall& fields) {
  const Value::Sequence& elements = call.sequence(0);
  if (elements.empty()) call.fail("the sequence is empty");
  std::vector<const Value*> parts;
  for (const Value& element : elements) parts.push_back(&element);
  const auto rank = int64_t(dims_of(call, elements[0]).size()) + fields.new_axis;
  return one_value(join_values(call, parts, axis_in(call, fields.axis, rank), fields.new_axis));
}

Values make_optional(const HostCall& call) { return one_value(call.has(0) ? *call.inputs[0] : Value()); }

Values has_element(const HostCall& call) { return one_value(tensor_of(call.has(0) && !call.inputs[0]->is_empty())); }

Values get_element(const HostCall& call) {
  if (!call.has(0) || call.inputs[0]->is_empty()) call.fail("the optional is empty");
  return one_value(*call.inputs[0]);
}

// A tensor without elements, of a dimension 0 followed by those that int64 tensor 0 contains: it binds their symbols.
Values dimension_carrier(const HostCall& call, const MessageCall& fields) {
  const Tensor& dims = call.tensor(0);
  std::vector<int64_t> shape{0};
  shape.insert(shape.end(), dims.as<int64_t>(), dims.as<int64_t>() + dims.elements());
  if (std::any_of(shape.begin(), shape.end(), [](int64_t d) { return d < 0; })) call.fail(fields.message);
  return one_value(Tensor(DType::u8, std::move(shape)));
}

// Fails unless the elements of int64 tensor 0 are pairs of equal dimensions.
Values compare_dimensions(const HostCall& call) {
  const Tensor& dims = call.tensor(0);
  for (int64_t k = 0; k + 1 < dims.elements(); k += 2) {
    const int64_t a = dims.as<int64_t>()[k], b = dims.as<int64_t>()[k + 1];
    if (a != b) call.fail(fmt::format("dimensions of its inputs must be equal but are {} and {}", a, b));
  }
  return one_value(Tensor(DType::u8, {0}));
}

// A list of maps with the same keys is these and the values, a row for each map.
Values zip_map(const HostCall& call, const KeysCall& given) {
  const Tensor& x = call.tensor(0);
  const auto count = int64_t(given.integers.size() + given.texts.size());
  if (x.type() != DType::f32 || x.dims().empty() || x.dims().back() != count)
    call.fail(fmt::format("there are {} keys for values of shape {}", count, shape_text(x.dims())));
  Value keys;
  if (!given.texts.empty()) {
    keys = StringTensor{{count}, given.texts};
  } else {
    Tensor numbers(DType::i64, {count});
    std::copy(given.integers.begin(), given.integers.end(), numbers.as<int64_t>());
    keys = std::move(numbers);
  }
  Tensor rows(DType::f32, {count == 0 ? 0 : x.elements() / count, count});
  if (x.bytes() > 0) std::memcpy(rows.data(), x.data(), size_t(x.bytes()));
  Value::Sequence parts;
  parts.push_back(std::move(keys));
  parts.emplace_back(std::move(rows));
  return one_sequence(std::move(parts));
}

Values rank_is(const HostCall& call, const RankCall& fields) {
  if (!call.has(0)) call.fail("input 0 is missing");
  return one_value(tensor_of(int64_t(dims_of(call, *call.inputs[0]).size()) == fields.rank));
}

Values with_rank(const HostCall& call, const RankCall& fields) {
  if (!call.has(0)) call.fail("input 0 is missing");
  const size_t rank = dims_of(call, *call.inputs[0]).size();
  if (int64_t(rank) != fields.rank)
    call.fail(fmt::format("a tensor has rank {} where {} is required", rank, fields.rank));
  return one_value(*call.inputs[0]);
}

// Ends the run.
Values refuse(const HostCall&, const MessageCall& fields) { throw UserError(fields.message); }

}  // namespace

HostFunction prepare_sequence_empty(const HostStep& step) { return prepared(empty_sequence, step); }
HostFunction prepare_sequence_construct(const HostStep& step) { return prepared(make_sequence, step); }
HostFunction prepare_sequence_insert(const HostStep& step) { return prepared(insert, step); }
HostFunction prepare_sequence_erase(const HostStep& step) { return prepared(erase, step); }
HostFunction prepare_sequence_at(const HostStep& step) { return prepared(element_at, step); }
HostFunction prepare_sequence_length(const HostStep& step) { return prepared(length, step); }
HostFunction prepare_split_to_sequence(const HostStep& step) { return prepared(split_to_sequence, step); }
HostFunction prepare_concat_from_sequence(const HostStep& step) { return prepared(concat_from_sequence, step); }
HostFunction prepare_optional(const HostStep& step) { return prepared(make_optional, step); }
HostFunction prepare_optional_has_element(const HostStep& step) { return prepared(has_element, step); }
HostFunction prepare_optional_get_element(const HostStep& step) { return prepared(get_element, step); }
HostFunction prepare_identity(const HostStep& step) { return prepared(make_optional, step); }
HostFunction prepare_rank_is(const HostStep& step) { return prepared(rank_is, step); }
HostFunction prepare_with_rank(const HostStep& step) { return prepared(with_rank, step); }
HostFunction prepare_refuse(const HostStep& step) { return prepared(refuse, step); }
HostFunction prepare_dimension_carrier(const HostStep& step) { return prepared(dimension_carrier, step); }
HostFunction prepare_compare_dimensions(const HostStep& step) { return prepared(compare_dimensions, step); }
HostFunction prepare_zip_map(const HostStep& step) { return prepared(zip_map, step); }

}  // namespace cppgen::rt
