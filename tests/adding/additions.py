"""What `Adding things` in docs/architecture.md says, as changes of the sources: an operator, a reduction, a pass, an
engine, forms of kernels, a setting, an element type and an instruction set that cppgen does not have."""


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
            return wanted ? FusionDecision::yes("K is 24") : FusionDecision::no("another K");
          },
          loops_engine().prepare};
}

}  // namespace cppgen::schedule
'''

FORM_PLAN = '''#pragma once
#include "cppgen/forms/form.h"

namespace cppgen::forms {

// Pointwise kernels of 29 points, one after the other.
struct AddedPlan : FormPlan {
  int64_t points = 1;

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelWork work(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

}  // namespace cppgen::forms
'''
FORM = '''#include "cppgen/forms/added/plan.h"

#include <fmt/format.h>

#include "cppgen/forms/forms.h"
#include "cppgen/kernel/accessed.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {
namespace {

constexpr int64_t kPoints = 29;

bool fits_added(const KernelView& view) {
  const auto& k = view.kernel;
  return schedule::is_loops(k) && k.vector_outer && k.locals.empty() && k.segments.size() == 1 &&
         k.segments[0].loops.empty() && k.segments[0].reduced.empty() && k.outer.size() == 1 &&
         k.outer[0].extent.is_constant(kPoints);
}

PlannedKernel plan_added(const KernelView& view) {
  PlannedKernel plan;
  auto form = std::make_unique<AddedPlan>();
  form->points = view.kernel.outer[0].extent.constant();
  plan.unit_work = form->points;
  plan.form = std::move(form);
  return plan;
}

}  // namespace

std::string AddedPlan::describe() const { return fmt::format("added: {} points one by one", points); }

void AddedPlan::print(FieldPrinter& v) { v("points", points); }

std::string AddedPlan::fault(const KernelView& view) const {
  return view.kernel.outer[0].extent.is_constant(points) ? "" : fmt::format("{} points", points);
}

KernelWork AddedPlan::work(const KernelView& view) const {
  KernelWork work;
  Accessed accessed(view);
  accessed.add_segments(view.kernel.outer);
  work.instructions = points, work.bytes = accessed.bytes();
  return work;
}

Form added_form() { return {"added", fits_added, plan_added}; }

}  // namespace cppgen::forms
'''
FORM_WRITER = '''#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/forms/added/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {
namespace {

class AddedWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 private:
  void write_body() override {
    const ir::Loop& loop = kernel_.outer[0];
    name_loop(loop);
    ValueEmitter values(context_, {loop.var.node()}, nullptr, "vec::Tail{1}");
    values.store(kernel_.segments[0].stores);
    body_.add(values.lines[0]);
    body_.open(loop_over(loop));
    body_.add(values.lines[1]);
    body_.close();
  }
};

}  // namespace

KernelText AddedPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return AddedWriter(view, options).write(plan);
}

}  // namespace cppgen::forms
'''
ENGINE_WITH_FORM = '''#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/tile_engine.h"

namespace cppgen::schedule {

Engine added_form_engine() {
  const Engine tiles = tile_engine("added-form", {rt::TileFormat::f32}, nullptr);
  Engine engine = tiles;
  engine.supports = [tiles](const Contraction& contraction, const Options& options, const Target& target) {
    if (!points(contraction.nest.reduced).is_constant(40)) return FusionDecision::no("K is not 40");
    return tiles.supports(contraction, options, target);
  };
  engine.prepare = [tiles](Program& program, Layouts& layouts, LoopNest nest, const Options& options,
                           const Target& target) {
    Prepared prepared = tiles.prepare(program, layouts, std::move(nest), options, target);
    std::get<TileContraction>(prepared.step).form = "added_panels";
    return prepared;
  };
  return engine;
}

}  // namespace cppgen::schedule
'''
FORM_OF_ENGINE = '''#include "cppgen/forms/contraction/contraction.h"
#include "cppgen/forms/forms.h"
#include "cppgen/forms/tiles/plan.h"

namespace cppgen::forms {
namespace {

// Tiles of which a unit has all panels.
struct AddedPanelsPlan : TilesPlan {
  explicit AddedPanelsPlan(TilesPlan&& plan) : TilesPlan(std::move(plan)) {}

  std::string describe() const override { return "all panels, " + TilesPlan::describe(); }
  std::string fault(const KernelView& view) const override {
    return panels.is_constant(panels_per_unit) ? TilesPlan::fault(view) : "a unit has some of the panels";
  }
};

PlannedKernel plan_added_panels(const KernelView& view) {
  PlannedKernel plan = tiles_form().plan(view);
  auto panels = std::make_unique<AddedPanelsPlan>(std::move(dynamic_cast<TilesPlan&>(*plan.form)));
  panels->panels_per_unit = panels->panels.constant();
  panels->batch_inside = panels->rows_outside = false;
  plan.units = panels->tiles * ir::points(view.kernel.contraction->batch), plan.column_groups = 1;
  plan.form = std::move(panels);
  return plan;
}

}  // namespace

Form added_panels_form() {
  return {"added_panels", [](const KernelView& view) { return is_contraction(view, "added_panels"); },
          plan_added_panels};
}

}  // namespace cppgen::forms
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
    Addition("form of kernels", 6, new={"cppgen/forms/added/plan.h": FORM_PLAN, "cppgen/forms/added/plan.cpp": FORM,
                                        "cppgen/forms/added/writer.cpp": FORM_WRITER}, lines=[
        ("cppgen/forms/forms.def", "// Loops: columns fit all that others do not", "CPPGEN_FORM(added)"),
    ]),
    Addition("engine with a form of its own", 8, new={
        "cppgen/schedule/engines/added_form.cpp": ENGINE_WITH_FORM,
        "cppgen/forms/added_panels/plan.cpp": FORM_OF_ENGINE}, lines=[
        ("cppgen/schedule/engines/engines.def", "// float32, by parts in bfloat16 where FPMATH_MODE allows their error, or on FMA units",
         "CPPGEN_ENGINE(added_form_engine)"),
        ("cppgen/forms/forms.def", "// Attentions, likewise (Attention::form)", "CPPGEN_FORM(added_panels)"),
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
