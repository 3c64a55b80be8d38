// Tests which nests share a kernel, and in what order kernels run.
#include <set>

#include "cppgen/schedule/fusion/group.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

TEST(Group, SoftmaxIsOneKernel) {
  GraphMaker g;
  g.output(g.node("Softmax", {g.input("x", {64, 100})}, {{"axis", int64_t{1}}}));
  Schedule s = scheduled(g);
  ASSERT_EQ(s.steps.size(), 1u);
  EXPECT_GE(kernels_of(s)[0]->segments.size(), 2u);
  EXPECT_TRUE(decision(s.log, "group").fused);
}

TEST(Group, ANormalisationPatternIsOneKernel) {
  GraphMaker g;
  ValueId x = g.input("x", {64, 100}), scale = g.input("scale", {100});
  auto axes = [] { return std::map<std::string, Attribute>{{"axes", std::vector<int64_t>{1}}}; };
  ValueId centred = g.node("Sub", {x, g.node("ReduceMean", {x}, axes())});
  ValueId variance = g.node("ReduceMean", {g.node("Mul", {centred, centred})}, axes());
  ValueId deviation = g.node("Sqrt", {g.node("Add", {variance, g.floats({}, {1e-5})})});
  g.output(g.node("Mul", {g.node("Div", {centred, deviation}), scale}));
  EXPECT_EQ(scheduled(g).steps.size(), 1u);
}

TEST(Group, AReaderOfOtherPointsHasAKernelOfItsOwn) {
  GraphMaker g;
  ValueId e = g.node("Softmax", {g.input("x", {64, 100})}, {{"axis", int64_t{1}}});
  g.output(g.node("ReduceMax", {e}, {{"axes", std::vector<int64_t>{0}}}));
  Schedule s = scheduled(g);
  EXPECT_EQ(s.steps.size(), 2u);
  EXPECT_EQ(decision(s.log, "group", "reduce_max").reason,
            "the reader needs more than one point of the producer, or has different loops");
}

TEST(Group, WindowsStayApartFromReductionsOfTheirResults) {
  GraphMaker g;
  const std::vector<double> ones(128 * 9, 1);
  const ValueId x = g.input("x", {1, 128, 12, 12}), weights = g.floats({128, 1, 3, 3}, ones);
  const ValueId y = g.node("Conv", {x, weights}, {{"group", int64_t{128}}});
  g.output(y).output(g.node("GlobalAveragePool", {y}));
  EXPECT_EQ(decision(scheduled(g).log, "group", "global_average_pool").reason,
            "the windows of the producer would be computed one by one");
}

TEST(Group, SiblingsOverOtherLoopsStayApart) {
  GraphMaker g;
  g.output(g.node("Exp", {g.input("x", {64, 32})})).output(g.node("Exp", {g.input("y", {64, 33})}));
  EXPECT_EQ(scheduled(g).steps.size(), 2u);
}

TEST(Group, AReductionOverOnePointStaysAReduction) {
  GraphMaker g;
  ValueId y = g.node("MatMul", {g.input("x", {17, 1}), g.input("w", {1, 17})});
  g.output(g.node("Mul", {y, y}));
  Options options;
  options.unroll_reductions_threshold = 0;
  Schedule s = scheduled(g, options);
  for (const FusedKernel* k : kernels_of(s))
    for (const Segment& segment : k->segments) EXPECT_EQ(segment.reductions.empty(), segment.reduced.empty());
}

// A row reduction moves outer loops into the segments before it, each of which changes its own loops later.
TEST(Group, SegmentsShareNoInnerLoops) {
  GraphMaker g;
  ValueId a = g.node("Add", {g.input("x", {15, 4, 15, 1}), g.floats({}, {1})});
  ValueId d = g.node("Div", {g.input("y", {15, 4, 15, 5}), g.node("Sqrt", {a})});
  ValueId t = g.node("Transpose", {d}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  g.output(a).output(t).output(
      g.node("ReduceSum", {g.node("Cos", {t}), g.ints({1, 2, 3})}, {{"keepdims", int64_t{0}}}));
  Schedule s = scheduled(g);
  for (const FusedKernel* k : kernels_of(s)) {
    std::set<const ir::IndexNode*> seen;
    for (const ir::Loop& l : k->outer) EXPECT_TRUE(seen.insert(l.var.node()).second) << k->name;
    for (const Segment& segment : k->segments)
      for (const auto* loops : {&segment.loops, &segment.reduced})
        for (const ir::Loop& l : *loops) EXPECT_TRUE(seen.insert(l.var.node()).second) << k->name;
  }
}

// Short ones are one kernel, which one thread computes.
TEST(Groups, OneRowOfANormalizationIsOneKernel) {
  const auto steps = [](const char* op, std::vector<int64_t> dims, bool scaled) {
    GraphMaker g;
    const int64_t width = dims.back();
    std::vector<ValueId> inputs{g.node("Relu", {g.input("x", Shape(dims.begin(), dims.end()))})};
    if (scaled) inputs.push_back(g.floats({width}, std::vector<double>(size_t(width), 2)));
    g.output(g.node(op, inputs, {{"axis", int64_t(-1)}}));
    return scheduled(g).steps.size();
  };
  EXPECT_EQ(steps("Softmax", {1, 1000}, false), 1u);
  EXPECT_EQ(steps("Softmax", {1000}, false), 1u);
  EXPECT_EQ(steps("LogSoftmax", {1, 1, 768}, false), 1u);
  EXPECT_EQ(steps("LayerNormalization", {1, 768}, true), 1u);
  EXPECT_GT(steps("Softmax", {1, 1'000'000}, false), 1u);
}

TEST(InPlace, AnInputThatALaterStoreReadsIsKept) {
  GraphMaker g;
  ValueId a = g.node("Div", {g.input("x", {64}), g.floats({}, {2})}), b = g.node("HardSigmoid", {g.input("y", {64})});
  g.output(g.node("Max", {a, g.input("z", {64})})).output(g.node("Relu", {b}));
  g.output(g.node("ReduceL1", {g.node("Sub", {a, g.floats({}, {1})})}));
  Options options;
  options.max_fusion_size = options.realize_reads_threshold = options.realize_acc_reads_threshold = 1;
  options.max_horizontal_fusion_size = 2;
  Schedule s = scheduled(g, options);
  for (const auto& [output, input] : s.in_place)
    for (const FusedKernel* k : kernels_of(s)) {
      if (k->segments.size() != 1) continue;
      bool stored = false;
      for (const ir::Store& store : k->segments[0].stores) {
        auto values = ir::postorder({&store.value, 1});
        bool loads = std::any_of(values.begin(), values.end(), [&, in = input](ir::Expr e) {
          return e->kind == ir::ExprKind::load && e->buffer == in;
        });
        EXPECT_FALSE(stored && loads) << k->name;
        stored |= store.buffer == output;
      }
    }
}

// The inputs of every kernel exist when it runs.
TEST(Order, ProducersRunFirst) {
  GraphMaker g;
  ValueId x = g.input("x", {8, 32});
  ValueId a = g.node("MatMul", {x, g.input("w", {32, 32})});
  ValueId b = g.node("Softmax", {a}, {{"axis", int64_t{1}}});
  g.output(g.node("MatMul", {g.node("Add", {b, x}), g.input("v", {32, 8})})).output(g.node("Exp", {a}));
  Schedule s = scheduled(g);
  std::set<BufferId> there(s.program.inputs.begin(), s.program.inputs.end());
  for (const auto& b2 : s.program.buffers)
    if (b2.kind == ir::BufferKind::constant) there.insert(b2.id);
  for (const FusedKernel* k : kernels_of(s)) {
    for (BufferId in : k->inputs) EXPECT_TRUE(there.count(in)) << k->name << " reads b" << in;
    there.insert(k->outputs.begin(), k->outputs.end());
  }
}

}  // namespace
}  // namespace cppgen::schedule
