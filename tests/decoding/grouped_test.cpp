// Operators of attention whose caches are states.
#include "tests/decoding/decoder.h"

namespace cppgen::decoding {
namespace {

constexpr int64_t kHeads = 4, kKeyHeads = 2, kHeadSize = 8;

// Has the inputs x, lengths (seqlens_k) and mask, of whose size total_sequence_length is; and caches.
Graph grouped(std::map<std::string, Attribute> more = {}) {
  GraphMaker g;
  g.g.opsets["com.microsoft"] = 1;
  const IndexExpr batch = g.symbol("B"), rows = g.symbol("n"), past = g.symbol("P");
  const auto part = [&](const char* name, int64_t heads) { return g.input(name, {batch, rows, heads * kHeadSize}); };
  const ValueId q = part("q", kHeads), k = part("k", kKeyHeads), v = part("v", kKeyHeads);
  const ValueId lengths = g.input("lengths", {batch}, DType::i32);
  const ValueId mask = g.input("mask", {batch, past + rows}, DType::i64);
  const ValueId pk = g.input("past_k0", {batch, kKeyHeads, past, kHeadSize}),
                pv = g.input("past_v0", {batch, kKeyHeads, past, kHeadSize});
  const ValueId total =
      g.node("Cast", {g.node("Gather", {g.node("Shape", {mask}), g.ints({1})})}, {{"to", int64_t{6}}});
  const ValueId cosine = g.floats({64, kHeadSize / 2}, numbers(64 * kHeadSize / 2, 3, 1)),
                sine = g.floats({64, kHeadSize / 2}, numbers(64 * kHeadSize / 2, 4, 1));
  std::vector<ValueId> outputs;
  for (const char* name : {"y", "present_k0", "present_v0"}) outputs.push_back(g.g.add_value(name));
  Node& n = g.g.add_node("GroupQueryAttention", {q, k, v, pk, pv, lengths, total, cosine, sine}, outputs, 1);
  n.name = "grouped", n.domain = "com.microsoft", n.attributes = std::move(more);
  n.attributes["num_heads"] = kHeads, n.attributes["kv_num_heads"] = kKeyHeads, n.attributes["do_rotary"] = int64_t{1};
  ops::infer_node(g.g, n.id);
  for (const ValueId out : outputs) g.output(out);
  return std::move(g.g);
}

std::vector<rt::Tensor> inputs_of(int64_t batch, int64_t rows, int64_t past, std::vector<int32_t> lengths) {
  std::vector<rt::Tensor> inputs;
  for (const int64_t heads : {kHeads, kKeyHeads, kKeyHeads})
    inputs.push_back(tensor(DType::f32, {batch, rows, heads * kHeadSize}, uint32_t(past + heads)));
  inputs.emplace_back(DType::i32, std::vector<int64_t>{batch});
  std::copy(lengths.begin(), lengths.end(), inputs.back().as<int32_t>());
  inputs.emplace_back(DType::i64, std::vector<int64_t>{batch, past + rows});
  return inputs;
}

TEST(GroupedStates, StepsHaveTheBitsOfRunsWithoutStates) {
  for (const auto& more :
       {std::map<std::string, Attribute>{}, {{"local_window_size", int64_t{7}}}, {{"softcap", 2.0f}}})
    for (const int threads : {1, 2}) {
      const auto kept = session_of(grouped(more), states_of(1, 40), threads),
                 plain = session_of(grouped(more), {}, threads);
      for (const int64_t batch : {1, 3}) {
        Sequence sequence(*kept, *plain, batch);
        int64_t length = 0;
        for (const int64_t rows : {1, 1, 9, 1, 3}) {
          const std::vector<int32_t> lengths(size_t(batch), int32_t(length + rows - 1));
          sequence.step(inputs_of(batch, rows, length, lengths));
          length += rows;
        }
      }
    }
}

TEST(AttentionStates, CausalAttentionOfOnnx) {
  const auto graph = [] {
    GraphMaker g(24);
    const IndexExpr batch = g.symbol("B"), rows = g.symbol("n"), past = g.symbol("P");
    const auto part = [&](const char* name) { return g.input(name, {batch, kHeads, rows, kHeadSize}); };
    const ValueId q = part("q"), k = part("k"), v = part("v");
    const ValueId pk = g.input("past_k0", {batch, kHeads, past, kHeadSize}),
                  pv = g.input("past_v0", {batch, kHeads, past, kHeadSize});
    std::vector<ValueId> outputs;
    for (const char* name : {"y", "present_k0", "present_v0"}) outputs.push_back(g.g.add_value(name));
    Node& n = g.g.add_node("Attention", {q, k, v, kNoValue, pk, pv}, outputs, 24);
    n.attributes["is_causal"] = int64_t{1};
    ops::infer_node(g.g, n.id);
    for (const ValueId out : outputs) g.output(out);
    return std::move(g.g);
  };
  const auto kept = session_of(graph(), states_of(1, 40)), plain = session_of(graph(), {});
  for (const int64_t batch : {1, 3}) {
    Sequence sequence(*kept, *plain, batch);
    uint32_t seed = 1;
    for (const int64_t rows : {3, 1, 1, 9, 1}) {
      std::vector<rt::Tensor> inputs;
      for (int i = 0; i < 3; i++) inputs.push_back(tensor(DType::f32, {batch, kHeads, rows, kHeadSize}, seed++));
      sequence.step(inputs);
    }
  }
}

// Members of a batch that are shorter may only be padded in the first run, after which the data say other positions.
TEST(GroupedStates, OtherPositionsAreRefused) {
  const auto kept = session_of(grouped(), states_of(1, 40)), plain = session_of(grouped(), {});
  Sequence sequence(*kept, *plain, 2);
  sequence.step(inputs_of(2, 5, 0, {4, 4}));
  const std::vector<rt::Tensor> shorter = inputs_of(2, 1, 5, {5, 3});
  try {
    kept->run(sequence.state(), views(shorter));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "node 'grouped' (GroupQueryAttention): its caches are states, so seqlens_k + 1 must be the number of "
                 "positions with those of the run");
  }
  EXPECT_EQ(sequence.state().length(), 5);
  sequence.step(inputs_of(2, 1, 5, {5, 5}));
}

}  // namespace
}  // namespace cppgen::decoding
