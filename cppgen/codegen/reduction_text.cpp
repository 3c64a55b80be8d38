#include "cppgen/codegen/reduction_text.h"

#include "cppgen/codegen/names.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::ReduceOp;
using ir::Reduction;

bool is_arg(const Reduction& r) { return r.op == ReduceOp::argmin || r.op == ReduceOp::argmax; }

static bool is_mask(const Reduction& r) { return r.value->type == DType::boolean; }

Code accumulator_type(const Reduction& r) {
  if (is_arg(r))
    return code("vec::Best<{}, {}, {}>", lane_type(r.value->type), r.op == ReduceOp::argmax, r.select_last);
  return is_mask(r) ? "vec::M" : code("vec::V<{}>", lane_type(r.type));
}

static Code extreme(DType type, bool greatest) {
  if (is_float(type)) return code("{}__builtin_inf{}()", greatest ? "" : "-", type == DType::f64 ? "" : "f");
  return code("vec::int_{}<{}>", greatest ? "max" : "min", lane_type(type));
}

Code accumulator_start(const Reduction& r) {
  if (is_arg(r)) return accumulator_type(r) + "::none()";
  if (is_mask(r))
    return r.op == ReduceOp::all || r.op == ReduceOp::min || r.op == ReduceOp::prod ? "vec::first_n(vec::L)"
                                                                                    : "vec::first_n(0)";
  auto splat = [&](const Code& x) { return code("vec::set1<{}>({})", lane_type(r.type), x); };
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

Code combine_text(const Reduction& r, const Code& a, const Code& b) {
  bool mask = is_mask(r);
  switch (r.op) {
    case ReduceOp::sum:
      return mask ? code("vec::m_or({}, {})", a, b) : code("{} + {}", a, b);
    case ReduceOp::prod:
      return mask ? code("vec::m_and({}, {})", a, b) : code("{} * {}", a, b);
    case ReduceOp::min:
      return code("vec::{}({}, {})", mask ? "m_and" : "min", a, b);
    case ReduceOp::max:
      return code("vec::{}({}, {})", mask ? "m_or" : "max", a, b);
    case ReduceOp::any:
      return code("vec::m_or({}, {})", a, b);
    case ReduceOp::all:
      return code("vec::m_and({}, {})", a, b);
    default:
      internal_error("codegen: partial positions do not combine");
  }
}

Code accumulate_text(const Reduction& r, const Code& a, const Code& value, const Code& position, const Code& lanes) {
  if (is_arg(r)) return code("{}.add({}, {}, {});", a, value, position, lanes.empty() ? "vec::All{}" : lanes);
  Code kept = lanes.empty() ? value : code("vec::keep({}, {}, {})", value, lanes, accumulator_start(r));
  return code("{} = {};", a, combine_text(r, a, kept));
}

Code over_lanes_text(const Reduction& r, const Code& a) {
  if (is_arg(r)) return a + ".overall()";
  if (is_mask(r)) {
    bool all = r.op == ReduceOp::all || r.op == ReduceOp::min || r.op == ReduceOp::prod;
    return code("vec::all_{}({})", all ? "all" : "any", a);
  }
  const char* name = r.op == ReduceOp::sum    ? "sum"
                     : r.op == ReduceOp::prod ? "prod"
                     : r.op == ReduceOp::min  ? "min"
                                              : "max";
  return code("vec::all_{}({})", name, a);
}

Code per_lane_text(const Reduction& r, const Code& a) { return is_arg(r) ? a + ".position" : a; }

}  // namespace cppgen::codegen
