// Models with states as texts (docs/ir.md).
#include <algorithm>
#include <sstream>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/reference/run_passes.h"
#include "cppgen/schedule_text/schedule_text.h"
#include "isa/vec_isa.h"
#include "tests/decoding/decoder.h"

namespace cppgen::decoding {
namespace {

schedule::Target scalar() { return target_of(*find_isa("scalar"), MachineDescription()); }

Graph with_states(const DecoderForm& form) {
  Graph graph = DecoderGraph(form).take();
  note_states(graph, states_of(form.layers, 64));
  return graph;
}

// The lines of each kernel, with their letters in alphabetical order: symbols are found in another order in a text,
// which gives factors theirs.
std::vector<std::string> texts_of(const std::vector<codegen::KernelText>& kernels) {
  std::vector<std::string> texts;
  for (const codegen::KernelText& kernel : kernels) {
    std::istringstream lines(kernel.name + " runs " + kernel.symbol() + "\n" + kernel.code());
    std::string& text = texts.emplace_back();
    for (std::string line; std::getline(lines, line); text += line + "\n") std::sort(line.begin(), line.end());
  }
  return texts;
}

std::vector<std::string> compiled_kernels(const DecoderForm& form, const Settings& settings) {
  Graph graph = with_states(form);
  passes::run_passes(graph, pass_options(graph, settings));
  ModelGraphs graphs = cut(std::move(graph));
  StageClock clock;
  return texts_of(make_parts(graphs, settings, schedule_options(settings), scalar(), clock).at(0).kernels);
}

// Runs each pass over what was read of the text before it.
std::vector<std::string> kernels_by_texts(const DecoderForm& form, const Settings& settings) {
  TextContent it = with_states(form);
  for (const std::string& pass : passes_in_order(settings)) {
    SCOPED_TRACE("before " + pass);
    const std::string text = complete_text(it);
    it = read_text(text, "printed");
    EXPECT_EQ(complete_text(it), text);
    PassRuns runs;
    runs.passes = {pass}, runs.target = scalar();
    run_chosen_passes(it, runs, settings);
  }
  const auto& draft = std::get<std::shared_ptr<schedule_text::TargetedDraft>>(it)->draft;
  return texts_of(emit_kernels(draft.schedule, scalar(), settings));
}

TEST(StateTexts, EachStageIsReadBackAndMakesTheKernelsOfACompilation) {
  const Settings settings;
  for (const DecoderForm& form :
       {DecoderForm{}, DecoderForm{1, 3, 5}, DecoderForm{2, 2, 16, DType::f16}, DecoderForm{.reads_past = true}}) {
    const std::vector<std::string> expected = compiled_kernels(form, settings);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(kernels_by_texts(form, settings), expected);
  }
}

// Passes change which values the outputs are, but not what is kept.
TEST(StateTexts, PassesLeaveStatesAsTheyAre) {
  const DecoderForm form{.reads_past = true};
  Graph graph = with_states(form);
  const std::vector<KeptOutput> states = graph.states;
  ASSERT_EQ(states.size(), 4u);
  passes::run_passes(graph, {});
  EXPECT_EQ(graph.states, states);
  for (size_t i = 0; i < states.size(); i++)
    EXPECT_EQ(option_of(graph, graph.states[i]), states_of(form.layers, 64)[i]);
}

}  // namespace
}  // namespace cppgen::decoding
