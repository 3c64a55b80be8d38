#include "cppgen/codegen/reduction_text.h"

#include <fmt/format.h>

#include "cppgen/codegen/names.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::ReduceOp;
using ir::Reduction;

bool is_arg(const Reduction& r) { return r.op == ReduceOp::argmin || r.op == ReduceOp::argmax; }

static bool is_mask(const Reduction& r) { return r.value->type == DType::boolean; }

std::string accumulator_type(const Reduction& r) {
  if (is_arg(r))
    return fmt::format("vec::Best<{}, {}, {}>", lane_type(r.value->type), r.op == ReduceOp::argmax, r.select_last);
  return is_mask(r) ? "vec::M" : fmt::format("vec::V<{}>", lane_type(r.type));
}

static std::string extreme(DType type, bool greatest) {
  if (is_float(type)) return fmt::format("{}__builtin_inf{}()", greatest ? "" : "-", type == DType::f64 ? "" : "f");
  return fmt::format("vec::int_{}<{}>", greatest ? "max" : "min", lane_type(type));
}

std::string accumulator_start(const Reduction& r) {
  if (is_arg(r)) return accumulator_type(r) + "::none()";
  if (is_mask(r))
    return r.op == ReduceOp::all || r.op == ReduceOp::min || r.op == ReduceOp::prod ? "vec::first_n(vec::L)"
                                                                                    : "vec::first_n(0)";
  auto splat = [&](const std::string& x) { return fmt::format("vec::set1<{}>({})", lane_type(r.type), x); };
  switch (r.op) {
    case ReduceOp::prod:
      return splat("1");
    case ReduceOp::min:
      return splat(extreme(r.type, true));
    case ReduceOp::max:
      return splat(extreme(r.type, false));
    default:
      return splat("0");
  }
}

std::string combine_text(const Reduction& r, const std::string& a, const std::string& b) {
  bool mask = is_mask(r);
  switch (r.op) {
    case ReduceOp::sum:
      return mask ? fmt::format("vec::m_or({}, {})", a, b) : fmt::format("{} + {}", a, b);
    case ReduceOp::prod:
      return mask ? fmt::format("vec::m_and({}, {})", a, b) : fmt::format("{} * {}", a, b);
    case ReduceOp::min:
      return fmt::format("vec::{}({}, {})", mask ? "m_and" : "min", a, b);
    case ReduceOp::max:
      return fmt::format("vec::{}({}, {})", mask ? "m_or" : "max", a, b);
    case ReduceOp::any:
      return fmt::format("vec::m_or({}, {})", a, b);
    case ReduceOp::all:
      return fmt::format("vec::m_and({}, {})", a, b);
    default:
      internal_error("codegen: partial positions do not combine");
  }
}

std::string accumulate_text(const Reduction& r, const std::string& a, const std::string& value,
                            const std::string& position, const std::string& lanes) {
  if (is_arg(r)) return fmt::format("{}.add({}, {}, {});", a, value, position, lanes.empty() ? "vec::All{}" : lanes);
  std::string kept = lanes.empty() ? value : fmt::format("vec::keep({}, {}, {})", value, lanes, accumulator_start(r));
  return fmt::format("{} = {};", a, combine_text(r, a, kept));
}

std::string over_lanes_text(const Reduction& r, const std::string& a) {
  if (is_arg(r)) return a + ".overall()";
  if (is_mask(r)) {
    bool all = r.op == ReduceOp::all || r.op == ReduceOp::min || r.op == ReduceOp::prod;
    return fmt::format("vec::all_{}({})", all ? "all" : "any", a);
  }
  const char* name = r.op == ReduceOp::sum    ? "sum"
                     : r.op == ReduceOp::prod ? "prod"
                     : r.op == ReduceOp::min  ? "min"
                                              : "max";
  return fmt::format("vec::all_{}({})", name, a);
}

std::string per_lane_text(const Reduction& r, const std::string& a) { return is_arg(r) ? a + ".position" : a; }

}  // namespace cppgen::codegen
