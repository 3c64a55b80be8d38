// Settings of the loops of kernels: their order, their tails, and how they pass over memory.
#include "cppgen/schedule/kernels/loop_order.h"
#include "tests/settings/effect.h"
#include "tests/settings/schedules.h"

namespace cppgen {
namespace {

using namespace schedule;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) found++;
  return found;
}

// Tests whether a pooling between two convolutions, which are channels-last, runs along its channels.
TEST_F(SettingEffect, PICK_LOOP_ORDERS) {
  const auto lanes_are_channels = [&] {
    GraphMaker g;
    const auto conv = [&](ValueId in, const char* w) { return g.node("Conv", {in, g.input(w, {16, 16, 3, 3})}); };
    const ValueId x = conv(g.input("x", {1, 16, 32, 32}), "w1");
    g.output(conv(g.node("MaxPool", {x}, {{"kernel_shape", std::vector<int64_t>{3, 3}}}), "w2"));
    const Schedule s = schedule_of(std::move(g), settings());
    for (const FusedKernel* k : kernels_of(s)) {
      if (!contains(k->name, "pool")) continue;
      const auto* lanes = k->outer.back().var.node();
      for (const Access& a : accesses_of(s.program, s.layouts, *k))
        if (!a.load) return ir::stride_of(a.offset, lanes)->is_constant(1);
    }
    ADD_FAILURE() << "there is no pooling";
    return false;
  };
  expect_effect<bool>("0", lanes_are_channels, true, false);
}

TEST_F(SettingEffect, ENABLE_TILING_HEURISTICS) {
  const auto in_tiles = [&] {
    GraphMaker g;
    const ValueId e = g.node("Exp", {g.input("x", {64, 48})});
    g.output(g.node("Transpose", {e}, {{"perm", std::vector<int64_t>{1, 0}}}));
    const Schedule s = schedule_of(std::move(g), settings());
    return kernels_of(s).at(0)->transpose_loop >= 0;
  };
  expect_effect<bool>("0", in_tiles, true, false);
}

GraphMaker exponentials() {
  GraphMaker g;
  return g.output(g.node("Exp", {g.input("x", {g.symbol("N")})}));
}

// Tests how the points that fill no vector are computed: in one masked vector, or in a loop.
TEST_F(SettingEffect, ENABLE_LOOP_TAIL_VEC) {
  using Tails = std::pair<bool, bool>;
  const auto tails = [&] {
    const std::string text = text_of(exponentials(), settings());
    return Tails(contains(text, "vec::tail("), contains(text, "vec::Tail{1}"));
  };
  expect_effect<Tails>("0", tails, {true, false}, {false, true});
}

// A tile is one of those that kernels are linked with, or part of the kernel. Without rows, there is none.
TEST_F(SettingEffect, PREBUILT_TILES) {
  using Uses = std::pair<bool, bool>;
  const auto uses_of = [&](int64_t rows) {
    GraphMaker g;
    const ValueId w = g.floats({64, 32}, std::vector<double>(64 * 32, 0.5));
    g.output(g.node("Relu", {g.node("MatMul", {g.input("x", {rows, 64}), w})}));
    const Target target = target_of(*find_isa("avx2"), settings());
    const auto kernels = emit_kernels(schedule_of(std::move(g), settings()), target, settings());
    const std::string text = kernels.at(0).code();
    return Uses(contains(text, "finished_tiles["), contains(text, "vec::tile<"));
  };
  expect_effect<Uses>("0", [&] { return uses_of(20); }, {true, false}, {false, true});
  EXPECT_EQ(uses_of(0), Uses(false, false));
}

// The rows of a strided convolution with a single tap are found in loops over its taps.
TEST_F(SettingEffect, NO_REDUNDANT_LOOPS) {
  const auto loops = [&] {
    GraphMaker g;
    const ValueId w = g.floats({16, 16, 1, 1}, std::vector<double>(256, 0.5));
    const ValueId x = g.node("Relu", {g.input("x", {1, 16, 12, 12})});
    g.output(g.node("Conv", {x, w}, {{"strides", std::vector<int64_t>{2, 2}}}));
    return count(text_of(std::move(g), settings()), "for (");
  };
  const size_t needed = loops(), redundant = 2;  // over two dimensions of taps
  expect_effect<size_t>("0", loops, needed, needed + redundant);
}

// The steps of an attention over few keys, and of one over many.
TEST_F(SettingEffect, ONLINE_SOFTMAX) {
  using Steps = std::pair<size_t, size_t>;
  const auto attention = [](int64_t length) {
    GraphMaker g;
    ValueId scores = g.node("MatMul", {g.input("q", {length, 16}), g.input("k", {16, length})});
    ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
    return g.output(g.node("MatMul", {weights, g.input("v", {length, 16})}));
  };
  const auto steps = [&] {
    return Steps(schedule_of(attention(64), settings()).steps.size(),
                 schedule_of(attention(1024), settings()).steps.size());
  };
  const size_t apart = 3;  // two products, the softmax
  expect_effect<Steps>("0", steps, {1, 1}, {1, apart});
  environment["CPPGEN_ONLINE_SOFTMAX"] = "0";
  EXPECT_TRUE(is_refused(schedule_of(attention(1024), settings()),
                         "its softmax would be computed in blocks of keys (ONLINE_SOFTMAX=0)"));
}

}  // namespace
}  // namespace cppgen
