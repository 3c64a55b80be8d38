#include "cppgen/ops/strings.h"

#include <algorithm>
#include <limits>

#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/value_type.h"

namespace cppgen::ops {
namespace {

constexpr int64_t kStringType = 8;  // TensorProto.STRING

bool is_strings(InferContext& c, int i) { return c.host(i) && c.host(i)->strings; }

HostType strings_like(const HostType& type) { return {ValueKind::strings, DType::f32, true, type.dims}; }

bool casts_to_strings(InferContext& c) {
  if (c.node().op == "CastLike") return is_strings(c, 1);
  return c.opset() >= 6 ? c.integer("to") == kStringType : c.text("to", "") == "STRING";
}

rt::HostStep host_cast(InferContext& c) {
  if (casts_to_strings(c)) return host_call("cast_to_strings");
  rt::HostStep step = host_call("numbers_of_strings");
  const DType to = c.node().op == "CastLike" ? c.dtype(1) : dtype_of_onnx(c, c.integer("to"));
  step.texts = {std::string(name_of(to))};
  return step;
}

rt::HostStep host_equal(InferContext&) { return host_call("equal_strings"); }
rt::HostStep host_size(InferContext&) { return host_call("size"); }
rt::HostStep host_shape(InferContext& c) {
  return host_call("dims", {c.integer("start", 0), c.integer("end", std::numeric_limits<int64_t>::max())});
}

// --- Operators of strings alone

void infer_constant(InferContext& c) {
  c.set_host_output(0, {ValueKind::strings, DType::f32, true, c.integers("strings:dims")});
}

rt::HostStep host_constant(InferContext& c) {
  rt::HostStep step = host_call("string_constant", c.integers("strings:dims"));
  step.texts = std::get<std::vector<std::string>>(*c.attribute("strings:elements"));
  return step;
}

void require_strings(InferContext& c, int i) {
  if (!is_strings(c, i)) c.fail(fmt::format("input {} is no tensor of strings", i));
}

std::vector<std::string> texts(InferContext& c, const char* name) {
  const Attribute* a = c.attribute(name);
  if (!a) return {};
  const auto* list = std::get_if<std::vector<std::string>>(a);
  if (!list) c.fail(fmt::format("attribute '{}' is no list of strings", name));
  return *list;
}

int64_t case_change(InferContext& c) {
  const std::string action = c.text("case_change_action", "NONE");
  if (action == "NONE") return 0;
  if (action == "LOWER") return 1;
  if (action == "UPPER") return 2;
  c.fail(fmt::format("case_change_action '{}' is not NONE, LOWER or UPPER", action));
}

void infer_normalizer(InferContext& c) {
  require_strings(c, 0);
  case_change(c);
  HostType result = strings_like(*c.host(0));
  if (result.dims && !result.dims->empty()) result.dims->back() = -1;
  c.set_host_output(0, result);
}

rt::HostStep host_normalizer(InferContext& c) {
  rt::HostStep step = host_call("string_normalize", {case_change(c), c.integer("is_case_sensitive", 0)});
  step.texts = texts(c, "stopwords");
  return step;
}

std::optional<std::vector<int64_t>> broadcast_dims(const HostType& a, const HostType& b) {
  if (!a.dims || !b.dims) return std::nullopt;
  std::vector<int64_t> dims(std::max(a.dims->size(), b.dims->size()));
  for (size_t d = 0; d < dims.size(); ++d) {
    const size_t from_a = dims.size() - a.dims->size(), from_b = dims.size() - b.dims->size();
    const int64_t x = d < from_a ? 1 : (*a.dims)[d - from_a], y = d < from_b ? 1 : (*b.dims)[d - from_b];
    dims[d] = x == 1 ? y : y == 1 ? x : std::max(x, y);
  }
  return dims;
}

void infer_concat(InferContext& c) {
  require_strings(c, 0);
  require_strings(c, 1);
  c.set_host_output(0, {ValueKind::strings, DType::f32, true, broadcast_dims(*c.host(0), *c.host(1))});
}

rt::HostStep host_concat(InferContext&) { return host_call("string_concat"); }

}  // namespace

bool infer_string_cast(InferContext& c) {
  if (casts_to_strings(c)) {
    c.set_host_output(0, strings_like(host_type_of(c, 0)));
    return true;
  }
  if (!is_strings(c, 0)) return false;
  HostType result = *c.host(0);
  result.kind = ValueKind::tensor, result.strings = false;
  result.dtype = c.node().op == "CastLike" ? c.dtype(1) : dtype_of_onnx(c, c.integer("to"));
  set_tensor_output(c, 0, result);
  return true;
}

bool infer_string_comparison(InferContext& c) {
  if (!is_strings(c, 0) && !is_strings(c, 1)) return false;
  require_strings(c, 0);
  require_strings(c, 1);
  set_tensor_output(c, 0, {ValueKind::tensor, DType::boolean, false, broadcast_dims(*c.host(0), *c.host(1))});
  return true;
}

bool infer_host_shape(InferContext& c) {
  if (!c.host(0)) return false;
  const HostType& type = *c.host(0);
  if (type.kind != ValueKind::tensor && type.kind != ValueKind::strings) c.fail("input 0 is no tensor");
  int64_t count = -1;
  if (type.dims) {
    const auto rank = int64_t(type.dims->size());
    auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
    count = std::max<int64_t>(0, clamp(c.integer("end", rank)) - clamp(c.integer("start", 0)));
  }
  set_tensor_output(c, 0, {ValueKind::tensor, DType::i64, false, std::vector<int64_t>{count}});
  return true;
}

bool infer_host_size(InferContext& c) {
  if (!c.host(0)) return false;
  c.set_output(0, DType::i64, {});
  return true;
}

void add_string_forms(std::vector<Op>& t) {
  struct Form {
    const char* name;
    rt::HostStep (*host)(InferContext&);
  };
  constexpr Form kForms[] = {
      {"Cast", host_cast}, {"CastLike", host_cast}, {"Equal", host_equal}, {"Shape", host_shape}, {"Size", host_size}};
  for (Op& op : t)
    for (const Form& form : kForms)
      if (op.domain.empty() && op.name == form.name) op.host = form.host;
  add_host_versions(t, "StringConstant", {1}, {0, 0, 1}, infer_constant, host_constant, "cppgen");
  add_host_versions(t, "StringNormalizer", {10}, {1, 1, 1}, infer_normalizer, host_normalizer);
  add_host_versions(t, "StringConcat", {20}, {2, 2, 1}, infer_concat, host_concat);
}

}  // namespace cppgen::ops
