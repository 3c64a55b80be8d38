#include "cppgen/ops/value_type.h"

#include <algorithm>
#include <iterator>

#include "cppgen/graph/string_elements.h"
#include "runtime/base/errors.h"

namespace cppgen::ops {

void set_type(Value& v, const ValueType& type) {
  v.type = type.tensor;
  v.host = type.host;
  v.contents.reset();
}

void set_output_type(InferContext& c, int output, const ValueType& type) {
  if (type.tensor) {
    c.set_output(output, type.tensor->dtype, type.tensor->shape);
  } else if (type.host) {
    c.set_host_output(output, *type.host);
  }
}

std::vector<int64_t> known_dims(const Shape& shape) {
  std::vector<int64_t> dims;
  for (IndexExpr d : shape) dims.push_back(d.is_constant() ? d.constant() : -1);
  return dims;
}

HostType as_host(const ValueType& type) {
  if (type.host) return *type.host;
  check(type.tensor.has_value(), "a value without a type");
  const bool strings = type.tensor->dtype == kString;
  return {strings ? ValueKind::strings : ValueKind::tensor, strings ? DType::f32 : type.tensor->dtype, strings,
          known_dims(type.tensor->shape)};
}

std::set<std::string> visible_symbols(const InferContext& c) {
  std::set<std::string> names;
  auto add = [&](IndexExpr e) {
    for (const ir::IndexNode* n : ir::variables_of(e)) names.insert(n->name);
  };
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.has_input(i)) continue;
    const Value& v = c.input_value(i);
    if (v.type) std::for_each(v.type->shape.begin(), v.type->shape.end(), add);
    if (v.contents) std::for_each(v.contents->begin(), v.contents->end(), add);
  }
  return names;
}

namespace {

bool is_marked(const HostType& type, int64_t mark) {
  return type.dims && !type.dims->empty() && type.dims->front() == mark;
}

// None if either is unknown.
std::optional<std::vector<int64_t>> joined_ranks(const HostType& a, const HostType& b) {
  const std::vector<int64_t> of_a = possible_ranks(a), of_b = possible_ranks(b);
  if (of_a.empty() || of_b.empty()) return std::nullopt;
  std::vector<int64_t> ranks{kOneOfRanks};
  std::set_union(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(ranks));
  constexpr size_t kMostRanks = 4;  // what reads the value is there once for each
  return ranks.size() <= 1 + kMostRanks ? std::optional(ranks) : std::nullopt;
}

bool is_tensor(const HostType& type) { return type.kind == ValueKind::tensor || type.kind == ValueKind::strings; }

bool no_run_gives(const ValueType& type) { return type.host && is_nothing(*type.host) && is_tensor(*type.host); }

}  // namespace

bool has_dims(const HostType& type) { return type.dims && !is_marked(type, kOneOfRanks) && !is_marked(type, kNothing); }

bool is_nothing(const HostType& type) { return is_marked(type, kNothing); }

std::vector<int64_t> possible_ranks(const HostType& type) {
  if (has_dims(type)) return {int64_t(type.dims->size())};
  if (is_marked(type, kOneOfRanks)) return {type.dims->begin() + 1, type.dims->end()};
  return {};
}

bool is_unranked(const Value& v) { return v.host && is_tensor(*v.host) && !has_dims(*v.host) && !is_nothing(*v.host); }

bool is_nothing(const Value& v) { return no_run_gives(ValueType::of(v)); }

HostType with_rank_moved(HostType type, int64_t by) {
  if (!is_marked(type, kOneOfRanks)) return type;
  for (size_t i = 1; i < type.dims->size(); ++i) (*type.dims)[i] += by;
  std::erase(*type.dims, int64_t(-1));
  return type;
}

HostType join_host(InferContext& c, const char* what, const HostType& a, const HostType& b) {
  HostType joined = a;
  // An optional covers what it may hold; an empty one says nothing of its elements.
  if (a.kind != b.kind) {
    auto covers = [](ValueKind optional, ValueKind held) {
      return (optional == ValueKind::optional && held == ValueKind::tensor) ||
             (optional == ValueKind::optional_sequence && held == ValueKind::sequence);
    };
    if (covers(b.kind, a.kind)) {
      joined.kind = b.kind;
    } else if (!covers(a.kind, b.kind)) {
      c.fail_invalid(fmt::format("{} is {} or {}", what, to_string(a), to_string(b)));
    }
  }
  if (is_nothing(a) || is_nothing(b)) {
    const ValueKind kind = joined.kind;
    joined = is_nothing(a) ? b : a;
    joined.kind = kind;
    return joined;
  }
  if (a.dtype != b.dtype || a.strings != b.strings)
    c.fail_invalid(fmt::format("{} is {} or {}", what, to_string(a), to_string(b)));
  if (!has_dims(a) || !has_dims(b) || a.dims->size() != b.dims->size()) {
    joined.dims = joined_ranks(a, b);
    return joined;
  }
  for (size_t d = 0; d < a.dims->size(); ++d)
    if ((*a.dims)[d] != (*b.dims)[d]) (*joined.dims)[d] = -1;
  return joined;
}

ValueType join_types(InferContext& c, const char* what, const ValueType& a, const ValueType& b,
                     const std::set<std::string>& visible, const std::function<IndexExpr(size_t d)>& unknown) {
  if (no_run_gives(a) && !no_run_gives(b)) return join_types(c, what, b, b, visible, unknown);
  if (no_run_gives(b) && !no_run_gives(a)) return join_types(c, what, a, a, visible, unknown);
  const bool tensors = a.tensor && b.tensor && a.tensor->shape.size() == b.tensor->shape.size();
  if (!tensors) return {std::nullopt, join_host(c, what, as_host(a), as_host(b))};
  if (a.tensor->dtype != b.tensor->dtype)
    c.fail_invalid(fmt::format("{} is {} or {}", what, to_string(*a.tensor), to_string(*b.tensor)));
  auto means_something = [&](IndexExpr e) {
    const auto variables = ir::variables_of(e);
    return std::all_of(variables.begin(), variables.end(), [&](const auto* n) { return visible.count(n->name) > 0; });
  };
  TensorType joined = *a.tensor;
  for (size_t d = 0; d < joined.shape.size(); ++d)
    if (!ir::prove_equal(joined.shape[d], b.tensor->shape[d]) || !means_something(joined.shape[d]))
      joined.shape[d] = unknown(d);
  return {joined, std::nullopt};
}

void set_tensor_output(InferContext& c, int output, const HostType& element) {
  if (!c.has_output(output)) return;
  if (!has_dims(element)) {
    HostType tensor = element;
    tensor.kind = element.strings ? ValueKind::strings : ValueKind::tensor;
    return c.set_host_output(output, tensor);
  }
  Shape shape;
  for (size_t d = 0; d < element.dims->size(); ++d)
    shape.push_back((*element.dims)[d] >= 0 ? IndexExpr((*element.dims)[d]) : c.unknown_dimension(output, d, "dim"));
  c.set_output(output, element.strings ? kString : element.dtype, shape);
}

}  // namespace cppgen::ops
