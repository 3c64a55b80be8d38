// Faults in what passes make, which are valid schedules all the same: no verifier finds them, but the file of the pass.
#include <gtest/gtest.h>

#include <algorithm>

#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule_text/check_draft.h"
#include "cppgen/schedule_text/schedule_text.h"
#include "runtime/base/errors.h"
#include "tests/passes/pass_file.h"

namespace cppgen {
namespace {

using schedule::DraftState;

struct Fault {
  const char *pass, *what;
  void (*seed)(DraftState&);
};

template <class F>
void each_kernel_of(DraftState& draft, const F& f) {
  schedule::each_kernel(draft.schedule.steps, f);
}

const Fault kFaults[] = {
    {"mark_attentions", "it marks nothing", [](DraftState& draft) { draft.inside_attentions.clear(); }},
    {"plan_layouts", "every layout is row-major",
     [](DraftState& draft) {
       for (schedule::Layout& layout : draft.schedule.layouts) layout = schedule::row_major(layout.order.size());
     }},
    {"find_attentions", "it finds none", [](DraftState& draft) { draft.attentions.clear(); }},
    {"choose_engines", "all contractions are loops",
     [](DraftState& draft) {
       for (schedule::EngineChoice& choice : draft.engines)
         if (choice.engine) choice.engine = &schedule::engine_list().back();
     }},
    {"prepare_contractions", "contractions keep their roles but have no step",
     [](DraftState& draft) {
       for (schedule::ContractionStep& step : draft.contractions) step = std::monostate();
     }},
    {"fuse_prologues", "rows are read as they are",
     [](DraftState& draft) {
       for (schedule::ContractionStep& step : draft.contractions)
         if (auto* tiles = std::get_if<schedule::TileContraction>(&step)) tiles->left_value = nullptr;
     }},
    {"pad_conflicting_rows", "rows are padded by two cache lines",
     [](DraftState& draft) {
       for (schedule::Layout& layout : draft.schedule.layouts) layout.pad *= 2;
     }},
    {"group_statements", "other statements may join any group",
     [](DraftState& draft) {
       for (schedule::Group& group : draft.groups) group.closed = false;
     }},
    {"order_for_peak_memory", "groups are in the order of their statements",
     [](DraftState& draft) {
       std::sort(draft.groups.begin(), draft.groups.end(),
                 [](const auto& a, const auto& b) { return a.statements < b.statements; });
     }},
    {"make_steps", "other loops are vectorised",
     [](DraftState& draft) {
       each_kernel_of(draft, [](auto& kernel) { kernel.vector_outer = !kernel.vector_outer; });
     }},
    {"find_in_place", "it finds no pair", [](DraftState& draft) { draft.schedule.in_place.clear(); }},
    {"find_non_temporal_stores", "all stores bypass the caches",
     [](DraftState& draft) { each_kernel_of(draft, [](auto& kernel) { kernel.non_temporal = kernel.outputs; }); }},
    {"choose_register_tiles", "tiles are never part of a kernel",
     [](DraftState& draft) {
       each_kernel_of(draft, [](auto& kernel) {
         if (kernel.contraction) kernel.contraction->in_registers = false;
       });
     }},
};

// The output of the case if the pass has the fault. The verifiers throw if they find it.
std::string printed_with(const Fault& fault, const PassCase& it) {
  const PassCommand command = command_of(it);
  TextContent content = read_text(it.input, "input");
  run_chosen_passes(content, command.runs, command.settings);
  DraftState& draft = std::get<std::shared_ptr<schedule_text::TargetedDraft>>(content)->draft;
  fault.seed(draft);
  schedule_text::check_draft(draft);
  return complete_text(content);
}

TEST(SeededFaults, AreFoundByTheFileOfThePass) {
  const std::vector<PassFile> files = read_pass_files(CPPGEN_PASS_TESTS "/files");
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(std::string(fault.pass) + ": " + fault.what);
    const auto file = std::find_if(files.begin(), files.end(), [&](const PassFile& f) { return f.pass == fault.pass; });
    ASSERT_NE(file, files.end());
    size_t found = 0;
    for (const PassCase& it : file->cases) found += printed_with(fault, it) != it.expected;
    EXPECT_GE(found, size_t{1});
  }
}

// The text of the first case of choose_engines with an attention.
std::string text_with_attention() {
  for (const PassFile& file : read_pass_files(CPPGEN_PASS_TESTS "/files"))
    for (const PassCase& it : file.cases)
      if (file.pass == "choose_engines" && it.expected.find("\n  engine = attention\n") != it.expected.npos)
        return it.expected;
  return "";
}

TEST(SeededFaults, EnginesOfAttentionsAreChecked) {
  const std::string text = text_with_attention(), field = "\n  engine = attention\n";
  ASSERT_NE(text, "") << "no case of choose_engines has an attention";
  const auto error_with = [&](std::string_view engine, std::string_view after) {
    std::string changed = text;
    changed.replace(changed.find(field), field.size(), engine);
    changed.replace(changed.find("choose_engines"), std::string_view("choose_engines").size(), after);
    try {
      read_text(changed, "f");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_with(field, "choose_engines"), "none");
  EXPECT_TRUE(
      error_with("\n  engine = others\n", "choose_engines").ends_with("there is no engine of attentions \"others\""));
  EXPECT_EQ(error_with("\n", "choose_engines"), "f:1:1: an attention has no engine, but choose_engines has run");
  EXPECT_EQ(error_with(field, "find_attentions"), "f:1:1: an attention has an engine, but choose_engines has not run");
}

}  // namespace
}  // namespace cppgen
