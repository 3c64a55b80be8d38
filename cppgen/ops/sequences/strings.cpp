#include "cppgen/ops/sequences/strings.h"

#include <algorithm>
#include <limits>

#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/value_type.h"
#include "runtime/plan/calls/host_strings.h"

namespace cppgen::ops {
namespace {

constexpr int64_t kStringType = 8;  // TensorProto.STRING

bool is_strings(InferContext& c, int i) {
  if (!c.has_input(i)) return false;
  return c.host(i) ? c.host(i)->kind == ValueKind::strings : c.dtype(i) == kString;
}

// Broadcasts like the host: conditions that cannot be checked before a run are not required.
Shape broadcast_dims(InferContext& c, Shape a, Shape b) {
  a.insert(a.begin(), b.size() > a.size() ? b.size() - a.size() : 0, IndexExpr(int64_t(1)));
  b.insert(b.begin(), a.size() - b.size(), IndexExpr(int64_t(1)));
  for (size_t d = 0; d < a.size(); ++d) {
    if (b[d].is_constant(1) || ir::prove_equal(a[d], b[d])) continue;
    if (!a[d].is_constant(1) && a[d].is_constant() && b[d].is_constant())
      c.fail(fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b)));
    a[d] = a[d].is_constant(1) ? b[d] : c.unknown_dimension(0, d, "dim");
  }
  return a;
}

// The output of this element type that inputs 0 and 1 broadcast to.
void set_broadcast(InferContext& c, DType dtype) {
  if (!c.host(0) && !c.host(1)) return c.set_output(0, dtype, broadcast_dims(c, c.shape(0), c.shape(1)));
  const bool strings = dtype == kString;
  c.set_host_output(0, {strings ? ValueKind::strings : ValueKind::tensor, strings ? DType::f32 : dtype, strings, {}});
}

bool casts_to_strings(InferContext& c) {
  if (c.node().op == "CastLike") return is_strings(c, 1);
  return c.opset() >= 6 ? c.integer("to") == kStringType : c.text("to", "") == "STRING";
}

DType target_of_numbers(InferContext& c) {
  return c.node().op == "CastLike" ? c.dtype(1) : dtype_of_onnx(c, c.integer("to"));
}

// --- Operators of strings alone

void infer_string_constant(InferContext& c) {
  const std::vector<int64_t> dims = c.integers("dims");
  c.set_output(0, kString, Shape(dims.begin(), dims.end()));
}

rt::HostStep host_constant(InferContext& c) {
  const auto& elements = std::get<std::vector<std::string>>(*c.attribute("elements"));
  return host_call("string_constant", rt::StringConstantCall{c.integers("dims"), elements});
}

rt::CaseChange case_change(InferContext& c) {
  const std::string action = c.text("case_change_action", "NONE");
  if (action == "NONE") return rt::CaseChange::none;
  if (action == "LOWER") return rt::CaseChange::lower;
  if (action == "UPPER") return rt::CaseChange::upper;
  c.fail_invalid(fmt::format("case_change_action '{}' is not NONE, LOWER or UPPER", action));
}

void infer_normalizer(InferContext& c) {
  require_strings(c, 0);
  case_change(c);
  if (c.host(0)) return set_like(c, 0, kString, 0);
  Shape shape = c.shape(0);
  if (shape.size() != 1 && shape.size() != 2) c.fail("the input has neither one nor two dimensions");
  shape.back() = c.unknown_dimension(0, shape.size() - 1, "words");
  c.set_output(0, kString, shape);
}

rt::HostStep host_normalizer(InferContext& c) {
  const bool case_counts = c.integer("is_case_sensitive", 0) != 0;
  return host_call("string_normalize", rt::NormalizeCall{case_change(c), case_counts, texts(c, "stopwords")});
}

void infer_string_concat(InferContext& c) {
  require_strings(c, 0);
  require_strings(c, 1);
  set_broadcast(c, kString);
}

rt::HostStep host_string_concat(InferContext&) { return host_call("string_concat"); }

}  // namespace

void require_strings(InferContext& c, int i) {
  if (!is_strings(c, i)) c.fail_invalid(fmt::format("input {} is not a tensor of strings", i));
}

std::vector<std::string> texts(InferContext& c, const char* name) {
  const Attribute* a = c.attribute(name);
  if (!a) return {};
  const auto* list = std::get_if<std::vector<std::string>>(a);
  if (!list) c.fail_invalid(fmt::format("attribute '{}' is not a list of strings", name));
  return *list;
}

void set_like(InferContext& c, int output, DType dtype, int input) {
  if (!c.host(input)) return c.set_output(output, dtype, c.shape(input));
  HostType type = *c.host(input);
  if (type.kind != ValueKind::tensor && type.kind != ValueKind::strings)
    c.fail_invalid(fmt::format("input {} is {}, not a tensor", input, to_string(type)));
  type.strings = dtype == kString;
  type.kind = type.strings ? ValueKind::strings : ValueKind::tensor;
  type.dtype = type.strings ? DType::f32 : dtype;
  c.set_host_output(output, type);
}

bool infer_string_cast(InferContext& c) {
  const bool to_strings = casts_to_strings(c);
  if (!to_strings && !is_strings(c, 0)) return false;
  set_like(c, 0, to_strings ? kString : target_of_numbers(c), 0);
  c.run_on_host();
  return true;
}

bool infer_string_comparison(InferContext& c) {
  if (!is_strings(c, 0) && !is_strings(c, 1)) return false;
  require_strings(c, 0);
  require_strings(c, 1);
  set_broadcast(c, DType::boolean);
  c.run_on_host();
  return true;
}

bool infer_host_shape(InferContext& c) {
  if (!c.host(0)) return false;
  const HostType& type = *c.host(0);
  if (type.kind != ValueKind::tensor && type.kind != ValueKind::strings) c.fail_invalid("input 0 is not a tensor");
  int64_t count = -1;
  if (has_dims(type)) {
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

rt::HostStep host_string_cast(InferContext& c) {
  if (casts_to_strings(c)) return host_call("cast_to_strings");
  return host_call("numbers_of_strings", rt::TypeCall{target_of_numbers(c)});
}

rt::HostStep host_equal_strings(InferContext&) { return host_call("equal_strings"); }
rt::HostStep host_size(InferContext&) { return host_call("size"); }
rt::HostStep host_shape(InferContext& c) {
  return host_call("dims", rt::DimsCall{c.integer("start", 0), c.integer("end", std::numeric_limits<int64_t>::max())});
}

std::vector<Op> string_ops() {
  return {
      {.name = "StringConstant",
       .domain = "cppgen",
       .versions = {{1, "dims:ints elements:strings"}},
       .inputs = 0,
       .infer = infer_string_constant,
       .host = host_constant},
      {.name = "StringNormalizer",
       .versions = {{10, "case_change_action:string is_case_sensitive:int locale:string stopwords:strings"}},
       .inputs = 1,
       .infer = infer_normalizer,
       .host = host_normalizer},
      {.name = "StringConcat", .versions = {20}, .inputs = 2, .infer = infer_string_concat, .host = host_string_concat},
  };
}

}  // namespace cppgen::ops
