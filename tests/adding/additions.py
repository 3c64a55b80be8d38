"""What `Adding things` in docs/architecture.md says, as changes of the sources: an operator, a reduction, a pass, an
engine, a setting, an element type and an instruction set that cppgen does not have."""


class Addition:
    def __init__(self, name, files, new=None, lines=()):
        self.name = name
        self.files = files  # the maximum number of files of the product that it touches
        self.new = new or {}  # path: text
        self.lines = lines  # (path, the line after which it is inserted, text)


OPERATORS = '''// Cubes, and the bits that any element has.
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

void infer_cube(InferContext& c) {
  require_dtype(c, 0, kFloats);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_cube(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    const Scalar x = load_input(c, 0, at);
    return x * x * x;
  });
}
%s
}  // namespace

std::vector<Op> added_ops() {
  return {{.name = "Cube", .domain = "added", .versions = {1}, .inputs = 1, .infer = infer_cube, .lower = lower_cube},%s
  };
}

}  // namespace cppgen::ops
'''
BITS = '''
void infer_bits(InferContext& c) {
  require_dtype(c, 0, kInts);
  c.set_output(0, c.dtype(0), {});
}

void lower_bits(LowerContext& c) {
  using At = std::vector<IndexExpr>;
  emit_reduction(c, {"", c.output_buffer(0), c.shape(0), ir::ReduceOp::bits,
                     [&](const At&, const At& inner) { return load_input(c, 0, inner); }, nullptr});
}
'''
BITS_ROW = '''
          {.name = "ReduceBits", .domain = "added", .versions = {1}, .inputs = 1, .infer = infer_bits, .lower = lower_bits},'''

MOVE = '''#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

void infer_reversed(InferContext& c) {
  require_rank(c, 0, 1, 1);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_reversed(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0),
                   [&](const auto& at) { return load_input(c, 0, {c.shape(0)[0] - 1 - at[0]}); });
}

}  // namespace

std::vector<Op> added_move_ops() {
  return {{.name = "Reversed", .domain = "added", .versions = {1}, .inputs = 1, .elements = Elements::any,
           .infer = infer_reversed, .lower = lower_reversed}};
}

}  // namespace cppgen::ops
'''

PASS = '''#include <fmt/format.h>

#include "cppgen/schedule/passes.h"

namespace cppgen::schedule {

void count_statements(Draft& draft) {
  for (int64_t i = 0; i < draft.options.added_times; i++)
    draft.log().add("count", "statements", FusionDecision::yes(fmt::format("{} of them", draft.program().statements.size())));
}

}  // namespace cppgen::schedule
'''
ENGINE = '''#include "cppgen/schedule/engines/engine_list.h"

namespace cppgen::schedule {

Engine added_engine() {
  return {"added", "CPP",
          [](const Contraction& contraction, const Options&, const Target&) {
            const bool wanted = points(contraction.nest.reduced).is_constant(24);
            return wanted ? FusionDecision::yes("the depth of 24") : FusionDecision::no("another depth");
          },
          loops_engine().prepare};
}

}  // namespace cppgen::schedule
'''

ADDITIONS = [
    Addition("operator", 1, new={"cppgen/ops/pointwise/added.cpp": OPERATORS % ("", "")}),
    Addition("operator that moves any elements", 1, new={"cppgen/ops/shapes/added_move.cpp": MOVE}),
    # The reduction is one row; the operator makes use of it.
    Addition("reduction", 1, new={"cppgen/ops/pointwise/added.cpp": OPERATORS % (BITS, BITS_ROW)}, lines=[
        ("cppgen/ir/values/operations.def", 'CPPGEN_REDUCTION(prod, number, mul, wide, one, "vec::all_prod({})", "")',
         'CPPGEN_REDUCTION(bits, integer, bit_or, same, zero, "", "")'),
    ]),
    Addition("setting", 2, lines=[
        ("runtime/base/settings/diagnostics.def",
         'CPPGEN_SESSION_SETTING(path, trace_dir, TRACE_DIR, "<CACHE_DIR/trace>", "", "", running)',
         'CPPGEN_SCHEDULE_SETTING(integer, added_times, ADDED_TIMES, "1", "0..9", "", key)'),
        ("runtime/base/settings/texts/diagnostics.def",
         'CPPGEN_SETTING_TEXT(TRACE_DIR, "The directory of traces and of the arguments of kernels.")',
         'CPPGEN_SETTING_TEXT(ADDED_TIMES, "How often statements are counted.")'),
    ]),
    Addition("pass", 2, new={"cppgen/schedule/fusion/count_statements.cpp": PASS}, lines=[
        ("cppgen/schedule/passes.def", "CPPGEN_FUSION_PASS(split_long_reductions, optional, &Options::split_reductions)",
         "CPPGEN_KERNEL_PASS(count_statements, optional, nullptr)"),
    ]),
    Addition("engine", 2, new={"cppgen/schedule/engines/added.cpp": ENGINE}, lines=[
        ("cppgen/schedule/engines/engines.def", "// float32, by parts in bfloat16 where FPMATH_MODE allows their error, or on FMA units",
         "CPPGEN_ENGINE(added_engine)"),
    ]),
    Addition("element type", 3, lines=[
        ("runtime/base/dtypes.def", 'CPPGEN_BYTE_TYPE(f8e8m0, FLOAT8E8M0, "float8e8m0", code, floating, 8, 24, "u1", u8)',
         'CPPGEN_FLOAT8(f8e3m4, FLOAT8E3M4, "float8e3m4", 99, 4, 3, false, true)'),
        ("vec/generic/types.h", "typedef float8<2, 16, false, false> f8e5m2fnuz;", "typedef float8<4, 3, false, true> f8e3m4;"),
        ("runtime/session/cppgen.h", "  CPPGEN_FLOAT8E8M0 = 22,", "  CPPGEN_FLOAT8E3M4 = 23,"),
    ]),
    Addition("instruction set", 1, lines=[
        ("runtime/base/isas/x86_64.def", '           "-march=x86-64", "-mtune=skylake", "-mavx2", "-mfma", "-mf16c", "-fno-tree-slp-vectorize")',
         'CPPGEN_ISA_TILES(added_avx2, avx2, (), "AVX2 by another name", "-mavx2")'),
    ]),
]
