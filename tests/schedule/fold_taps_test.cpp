#include "cppgen/schedule/passes.h"
#include "tests/quantized/quantized_graph.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

struct Row {
  std::vector<int64_t> w;
  std::vector<int64_t> dilations{1, 1};
  int64_t group = 1;
  bool constant = true;
  std::vector<int64_t> pads{1, 2, 0, 1};
};

ir::Program program_of(const Row& r) {
  QuantizedMaker m;
  ValueId x = m.input("x", {1, r.w[1] * r.group, 9, 8}, DType::u8);
  ValueId w = r.constant ? m.weights(DType::i8, r.w) : m.input("w", Shape(r.w.begin(), r.w.end()), DType::i8);
  m.output(m.node("ConvInteger", {x, w, m.bytes(DType::u8, {}, {7})},
                  {{"pads", r.pads}, {"dilations", r.dilations}, {"group", r.group}}));
  return ops::lower(m.g);
}

const LoopNest* contraction_of(const ir::Program& p) {
  for (const auto& s : p.statements)
    if (const auto* nest = std::get_if<LoopNest>(&s); nest && nest->is_contraction()) return nest;
  return nullptr;
}

ir::HostTensor pixels() {
  ir::HostTensor t{DType::u8, {1, 3, 9, 8}, {}};
  for (int i = 0; i < 3 * 9 * 8; i++) t.bytes.push_back(std::byte(i * 37));
  return t;
}

// With and without padding in the model; six or nine products of bytes fill two or three groups.
TEST(FoldTaps, TapsAndChannelsBecomeOneLoopOverAPaddedCopy) {
  const Options options;
  const Target target = small_target();
  for (const std::vector<int64_t>& pads : {std::vector<int64_t>{1, 2, 0, 1}, std::vector<int64_t>{0, 0, 0, 0}})
    for (const auto& [taps, terms] : std::vector<std::pair<int64_t, int64_t>>{{2, 8}, {3, 12}, {4, 12}}) {
      const Row row{.w = {5, 3, 3, taps}, .pads = pads};
      const ir::Program before = program_of(row);
      Draft draft{options, target};
      draft.program() = program_of(row);
      fold_taps_into_k(draft);
      const ir::Program& after = draft.program();
      ir::verify(after);
      const LoopNest* nest = contraction_of(after);
      ASSERT_EQ(nest->reduced.size(), 2u);
      EXPECT_TRUE(nest->reduced[0].extent.is_constant(3));
      EXPECT_TRUE(nest->reduced[1].extent.is_constant(terms));
      const Expr load = nest->reductions[0].value->args[0]->args[0];
      EXPECT_TRUE(load->guards.empty());
      EXPECT_EQ(ir::interpret(after, {pixels()})[0].bytes, ir::interpret(before, {pixels()})[0].bytes);
    }
}

TEST(FoldTaps, Refuses) {
  const std::vector<std::pair<Row, const char*>> rows = {
      {{{5, 9, 3, 3}}, "there are enough channels to fill a group, or only a single tap"},
      {{{5, 3, 3, 1}}, "there are enough channels to fill a group, or only a single tap"},
      {{{5, 3, 3, 3}, {1, 2}}, "taps and channels do not have dimensions of their own"},
      {{{20, 3, 3, 3}, {1, 1}, 2}, "the nest does not have this form"},
      {{{5, 3, 3, 3}, {1, 1}, 1, false}, "an operand is read under a condition, or the weights are not constant"}};
  const Options options;
  const Target target = small_target();
  for (const auto& [row, reason] : rows) {
    Draft draft{options, target};
    draft.program() = program_of(row);
    fold_taps_into_k(draft);
    const FusionDecision d = decision(draft.log(), "fold taps");
    EXPECT_FALSE(d);
    EXPECT_EQ(d.reason, reason);
  }
}

}  // namespace
}  // namespace cppgen::schedule
