"""What `Adding things` in docs/architecture.md says, as changes of the sources: an operator, a reduction, a pass, an
engine, a setting, an element type and an instruction set that cppgen does not have."""


class Addition:
    def __init__(self, name, files, new=None, lines=()):
        self.name = name
        self.files = files  # of the product that it may touch at most
        self.new = new or {}  # path: text
        self.lines = lines  # (path, the line behind which it stands, text)


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

PASS_HEADER = '''#pragma once
#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Notes how many statements there are, ADDED_TIMES times.
void count_statements(const ir::Program&, const Options&, DecisionLog&);

}  // namespace cppgen::schedule
'''
PASS = '''#include "cppgen/schedule/fusion/count_statements.h"

#include <fmt/format.h>

namespace cppgen::schedule {

void count_statements(const ir::Program& program, const Options& options, DecisionLog& log) {
  for (int64_t i = 0; i < options.added_times; i++)
    log.add("count", "statements", FusionDecision::yes(fmt::format("{} of them", program.statements.size())));
}

}  // namespace cppgen::schedule
'''
ENGINE_HEADER = '''#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Runs contractions of a depth of 24 as loops.
Engine added_engine();

}  // namespace cppgen::schedule
'''
ENGINE = '''#include "cppgen/schedule/engines/added.h"

#include "cppgen/schedule/engines/loops.h"

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
    # The row, and how kernels combine the lanes of a vector; the operator shows it.
    Addition("reduction", 2, new={"cppgen/ops/pointwise/added.cpp": OPERATORS % (BITS, BITS_ROW)}, lines=[
        ("cppgen/ir/operations.def", "CPPGEN_REDUCTION(prod, number, mul, wide, one)",
         "CPPGEN_REDUCTION(bits, integer, bit_or, same, zero)"),
        ("vec/generic/kernel.h", "// ---- reductions ----", '''template <class T>
VEC_FN V<T> all_bits(V<T> a) {
  T bits = 0;
  for (int i = 0; i < L; i++) bits |= lane(a, i);
  return set1<T>(bits);
}'''),
    ]),
    Addition("setting", 1, lines=[
        ("runtime/base/settings.def", "// Fusion and scheduling",
         'CPPGEN_SCHEDULE_SETTING(integer, added_times, ADDED_TIMES, "1", "0..9", "", key, "How often statements are counted.")'),
    ]),
    Addition("pass", 3, new={"cppgen/schedule/fusion/count_statements.h": PASS_HEADER,
                             "cppgen/schedule/fusion/count_statements.cpp": PASS}, lines=[
        ("cppgen/schedule/pipeline.cpp", '#include "cppgen/schedule/engines/pad_rows.h"',
         '#include "cppgen/schedule/fusion/count_statements.h"'),
        ("cppgen/schedule/pipeline.cpp", "constexpr Pass kKernels[] = {",
         '    {"count_statements", [](Draft& d) { count_statements(d.program(), d.options, d.log()); }},'),
    ]),
    Addition("engine", 3, new={"cppgen/schedule/engines/added.h": ENGINE_HEADER,
                               "cppgen/schedule/engines/added.cpp": ENGINE}, lines=[
        ("cppgen/schedule/engines/engine_list.cpp", '#include "cppgen/schedule/engines/engine_list.h"',
         '#include "cppgen/schedule/engines/added.h"'),
        ("cppgen/schedule/engines/engine_list.cpp", "  static const std::vector<Engine> list = {", "      added_engine(),"),
    ]),
    Addition("element type", 2, lines=[
        ("runtime/base/dtypes.def", 'CPPGEN_BYTE_TYPE(f8e8m0, FLOAT8E8M0, "float8e8m0", code, floating, 8, 24, "u1", u8)',
         'CPPGEN_FLOAT8(f8e3m4, FLOAT8E3M4, "float8e3m4", 99, 4, 3, false, true)'),
        ("vec/generic/types.h", "typedef float8<2, 16, false, false> f8e5m2fnuz;", "typedef float8<4, 3, false, true> f8e3m4;"),
    ]),
    Addition("instruction set", 1, lines=[
        ("runtime/base/isas.def", '           "-march=x86-64", "-mavx2", "-mfma", "-mf16c", "-fno-tree-slp-vectorize")',
         'CPPGEN_ISA_TILES(added_avx2, avx2, (), "AVX2 by another name", "-mavx2")'),
    ]),
]
