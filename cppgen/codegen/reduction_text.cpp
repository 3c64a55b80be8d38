#include "cppgen/codegen/reduction_text.h"

#include "cppgen/codegen/names.h"
#include "cppgen/codegen/operation_text.h"
#include "cppgen/ir/values/op_table.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::Reduction;
using ir::ReductionStart;

bool is_arg(const Reduction& r) { return ir::gives_position(r.op); }

static bool is_mask(const Reduction& r) { return r.value->type == DType::boolean; }

// Returns whether a reduction of bools starts with true.
static bool starts_true(const Reduction& r) {
  const ReductionStart start = ir::row_of(r.op).start;
  return start == ReductionStart::one || start == ReductionStart::greatest;
}

Code accumulator_type(const Reduction& r) {
  if (is_arg(r))
    return code("vec::Best<{}, {}, {}>", lane_type(r.value->type), ir::row_of(r.op).greatest, r.select_last);
  return is_mask(r) ? "vec::M" : code("vec::V<{}>", lane_type(r.type));
}

static Code extreme(DType type, bool greatest) {
  if (is_float(type)) return code("{}__builtin_inf{}()", greatest ? "" : "-", type == DType::f64 ? "" : "f");
  return code("vec::int_{}<{}>", greatest ? "max" : "min", lane_type(type));
}

Code accumulator_start(const Reduction& r) {
  if (is_arg(r)) return accumulator_type(r) + "::none()";
  if (is_mask(r)) return starts_true(r) ? "vec::first_n(vec::L)" : "vec::first_n(0)";
  auto splat = [&](const Code& x) { return code("vec::set1<{}>({})", lane_type(r.type), x); };
  switch (ir::row_of(r.op).start) {
    case ReductionStart::zero:
      return splat("0");
    case ReductionStart::one:
      return splat("1");
    case ReductionStart::greatest:
      return splat(extreme(r.type, true));
    case ReductionStart::least:
      return splat(extreme(r.type, false));
  }
  internal_error("codegen: a reduction without a start");
}

Code combine_text(const Reduction& r, const Code& a, const Code& b) {
  const auto combine = ir::combining(r.op);
  if (!combine) internal_error("codegen: partial positions do not combine");
  return binary_text(*combine, is_mask(r), a, b);
}

Code accumulate_text(const Reduction& r, const Code& a, const Code& value, const Code& position, const Code& lanes) {
  if (is_arg(r)) return code("{}.add({}, {}, {});", a, value, position, lanes.empty() ? "vec::All{}" : lanes);
  Code kept = lanes.empty() ? value : code("vec::keep({}, {}, {})", value, lanes, accumulator_start(r));
  return code("{} = {};", a, combine_text(r, a, kept));
}

Code over_lanes_text(const Reduction& r, const Code& a) {
  if (is_arg(r)) return a + ".overall()";
  const ir::ReductionRow& row = ir::row_of(r.op);
  const std::string_view whole = is_mask(r) ? row.over_masks : row.over_lanes;
  if (whole.empty())
    return code("vec::combine_lanes({}, {})", a, function("auto a, auto b", combine_text(r, "a", "b")));
  return Code(fmt::format(fmt::runtime(whole), a)).using_names_of(a);
}

Code per_lane_text(const Reduction& r, const Code& a) { return is_arg(r) ? a + ".position" : a; }

}  // namespace cppgen::codegen
