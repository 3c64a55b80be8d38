// The plan of each form has no fault, and has one once a field does not fit the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/forms/attention/plan.h"
#include "cppgen/forms/forms.h"
#include "cppgen/forms/rows/plan.h"
#include "cppgen/forms/tiles/plan.h"
#include "cppgen/forms/transposed/plan.h"
#include "cppgen/forms/windows/plan.h"
#include "cppgen/forms/winograd/plan.h"
#include "cppgen/schedule/schedule.h"
#include "runtime/base/errors.h"
#include "tests/codegen/emitted.h"

namespace cppgen::forms {
namespace {

struct Change {
  std::string fault;  // that it makes
  std::function<void(FormPlan&)> make;
};

template <class Plan>
Change change(const std::string& fault, void (*make)(Plan&)) {
  return {fault, [make](FormPlan& plan) { make(dynamic_cast<Plan&>(plan)); }};
}

const std::map<std::string, std::vector<Change>>& changes() {
  static const std::map<std::string, std::vector<Change>> all = {
      {"rows",
       {change<RowsPlan>("plans of 0 of", [](RowsPlan& p) { p.segments.clear(); }),
        change<RowsPlan>("locals", [](RowsPlan& p) { p.scratch_offsets.push_back(0); }),
        change<RowsPlan>("totals of", [](RowsPlan& p) { p.segments[0].has_total.push_back(true); }),
        change<RowsPlan>("is run in parts of 1",
                         [](RowsPlan& p) {
                           p.segments[0].sum_parts = SumParts{9, 1, 1};
                         }),
        change<RowsPlan>("b999 is prefetched",
                         [](RowsPlan& p) {
                           p.segments[0].prefetches.push_back(Prefetch{999, 0});
                         })}},
      {"columns",
       {change<ColumnsPlan>("blocks of 0", [](ColumnsPlan& p) { p.block = 0; }),
        change<ColumnsPlan>("plans of 0 of", [](ColumnsPlan& p) { p.segments.clear(); })}},
      {"windows", {change<WindowsPlan>("windows are side by side", [](WindowsPlan& p) { p.vectors = 1000; })}},
      {"transposed",
       {change<TransposedPlan>("sides of 0", [](TransposedPlan& p) { p.side = 0; }),
        change<TransposedPlan>("have no tile of", [](TransposedPlan& p) { p.width = 1; })}},
      {"tiles",
       {change<TilesPlan>("0 panels in a unit", [](TilesPlan& p) { p.panels_per_unit = 0; }),
        change<TilesPlan>("tiles of 99 rows", [](TilesPlan& p) { p.row_counts = {99}; }),
        change<TilesPlan>("tiles of 99 columns", [](TilesPlan& p) { p.width = 99; }),
        change<TilesPlan>("do not prefetch", [](TilesPlan& p) { p.fetches_ahead = true; }),
        change<TilesPlan>("8 bytes ahead", [](TilesPlan& p) { p.even_rows = false, p.rows_ahead = 8; }),
        change<TilesPlan>("tiles 99 finish", [](TilesPlan& p) { p.end = TilesPlan::End{99}; }),
        change<TilesPlan>("computed rows of 1", [](TilesPlan& p) { p.computed_row = 1; }),
        change<TilesPlan>("no neighbours", [](TilesPlan& p) { p.batch_inside = false, p.batch_distance = 8; })}},
      {"winograd",
       {change<WinogradPlan>("panels at once", [](WinogradPlan& p) { p.panels_at_once = p.panels_per_unit + 1; }),
        change<WinogradPlan>("overlap", [](WinogradPlan& p) { p.sums_plane = 0; })}},
      {"winograd_inputs",
       {change<WinogradInputsPlan>("1 products of a patch", [](WinogradInputsPlan& p) { p.products = 1; })}},
      {"attention",
       {change<AttentionPlan>("blocks of 0 keys", [](AttentionPlan& p) { p.key_block = 0; }),
        change<AttentionPlan>("no number of rows", [](AttentionPlan& p) { p.may_be_few = p.may_be_many = false; })}},
  };
  return all;
}

class FormFaults : public ::testing::Test {
 protected:
  std::set<std::string> seen;

  void expect_faults(const Form& form, const KernelView& view) {
    EXPECT_EQ(form.plan(view).form->fault(view), "") << form.name;
    for (const Change& it : changes().at(form.name)) {
      const PlannedKernel planned = form.plan(view);
      it.make(*planned.form);
      EXPECT_NE(planned.form->fault(view).find(it.fault), std::string::npos)
          << form.name << ", expected: " << it.fault << "\nfound: " << planned.form->fault(view);
    }
    seen.insert(form.name);
  }
};

TEST_F(FormFaults, AreFoundInPlansOfEachForm) {
  for (const char* isa : {"avx2", "avx512"})
    for (const codegen::Sample& sample : codegen::samples()) {
      SCOPED_TRACE(sample.name);
      const schedule::Target target = target_of(*find_isa(isa), MachineDescription{});
      GraphMaker g = sample.make();
      const auto schedule = schedule::make_schedule(ops::lower(g.g), {}, target);
      schedule::each_kernel(schedule.steps, [&](const schedule::FusedKernel& kernel) {
        const KernelView view{schedule, kernel, target};
        const auto& all = form_list();
        expect_faults(*std::find_if(all.begin(), all.end(), [&](const Form& f) { return f.fits(view); }), view);
      });
    }
  for (const Form& form : form_list()) EXPECT_TRUE(seen.count(form.name)) << "no sample has the form " << form.name;
}

TEST_F(FormFaults, ContractionsNameTheirForm) {
  const schedule::Target target = target_of(*find_isa("avx2"), MachineDescription{});
  GraphMaker g;
  g.output(g.node("MatMul", {g.input("x", {64, 64}), g.input("y", {64, 64})}));
  auto schedule = schedule::make_schedule(ops::lower(g.g), {}, target);
  size_t contractions = 0;
  schedule::each_kernel(schedule.steps, [&](schedule::FusedKernel& kernel) {
    if (!kernel.contraction) return;
    contractions++;
    kernel.contraction->form = "spirals";
    EXPECT_THROW(plan_kernel({schedule, kernel, target}), UserError);
  });
  EXPECT_EQ(contractions, size_t{1});
}

TEST_F(FormFaults, AttentionsNameTheirForm) {
  const schedule::Target target = target_of(*find_isa("avx2"), MachineDescription{});
  GraphMaker g;
  const ValueId scores = g.node("MatMul", {g.input("q", {1, 16, 8}), g.input("k", {1, 8, 32})});
  g.output(g.node("MatMul", {g.node("Softmax", {scores}), g.input("v", {1, 32, 8})}));
  auto schedule = schedule::make_schedule(ops::lower(g.g), {}, target);
  size_t attentions = 0;
  schedule::each_kernel(schedule.steps, [&](schedule::FusedKernel& kernel) {
    if (!kernel.attention) return;
    attentions++;
    EXPECT_EQ(kernel.attention->form, schedule::kAttentionForm);
    kernel.attention->form = "spirals";
    EXPECT_THROW(plan_kernel({schedule, kernel, target}), UserError);
  });
  EXPECT_EQ(attentions, size_t{1});
}

}  // namespace
}  // namespace cppgen::forms
