// Kernels of every form in two sizes, which share functions where they differ in numbers alone, against the
// interpreter.
#include <cmath>

#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

class TwoSizes {
 public:
  explicit TwoSizes(GraphMaker& graph) : g_(graph) {
    for (const int64_t size : {0, 1}) add(size);
  }
  const std::vector<ir::HostTensor>& inputs() const { return inputs_; }

 private:
  GraphMaker& g_;
  std::vector<ir::HostTensor> inputs_;

  ValueId input(const std::vector<int64_t>& dims) {
    const auto number = inputs_.size();
    inputs_.push_back(sample(DType::f32, dims, uint32_t(number + 1)));
    return g_.input("x" + std::to_string(number), {dims.begin(), dims.end()});
  }

  ValueId weights(const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (const int64_t d : dims) count *= d;
    std::vector<double> values;
    for (int64_t i = 0; i < count; i++) values.push_back(double(i * 7 % 23 - 11) / 64);
    return g_.floats(dims, values);
  }

  ValueId convolution(ValueId x, int64_t in, int64_t out, int64_t side, int64_t group = 1) {
    const int64_t pad = side / 2;
    return g_.node("Conv", {x, weights({out, in / group, side, side}), weights({out})},
                   {{"pads", std::vector<int64_t>{pad, pad, pad, pad}}, {"group", group}});
  }

  void add_image(int64_t s) {
    const int64_t channels = 32 + 16 * s, side = 14 + 4 * s;
    const ValueId x = input({1, channels, side, side});
    const ValueId one = g_.node("Relu", {convolution(x, channels, 64, 1)});
    const ValueId three = g_.node("Relu", {convolution(one, 64, 64, 3)});
    const ValueId deep = convolution(three, 64, 64, 3, 64);
    g_.output(g_.node("MaxPool", {deep}, {{"kernel_shape", std::vector<int64_t>{2, 2}}}));
  }

  void add_attention(int64_t s) {
    const int64_t keys = 20 + 9 * s;
    const ValueId q = input({2, 12, 16}), k = input({2, 16, keys}), v = input({2, keys, 16});
    g_.output(g_.node("MatMul", {g_.node("Softmax", {g_.node("MatMul", {q, k})}), v}));
  }

  void add(int64_t s) {
    add_image(s);
    add_attention(s);
    const int64_t rows = 11 + 2 * s, columns = 40 + 27 * s;
    const ValueId x = input({rows, columns});
    g_.output(g_.node("Softmax", {x}));
    g_.output(g_.node("ReduceSum", {x, g_.ints({0})}));
    g_.output(g_.node("ReduceSum", {g_.node("Exp", {x}), g_.ints({1})}));
    g_.output(g_.node("Relu", {g_.node("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}})}));
    g_.output(g_.node("Relu", {g_.node("MatMul", {x, weights({columns, 48})})}));
  }
};

void expect_meaning(const char* isa) {
  const auto m = machine(isa);
  if (!m) return;
  SCOPED_TRACE(isa);
  GraphMaker graph(13), meaning(13);
  const TwoSizes sizes(graph), same(meaning);
  const Result r = run_on(*m, graph.g, {}, sizes.inputs());
  const auto want = ir::interpret(ops::lower(meaning.g), same.inputs());
  ASSERT_EQ(r.outputs.size(), want.size());
  for (size_t i = 0; i < want.size(); i++)
    for (int64_t e = 0; e < want[i].elements(); e++) {
      const double expected = value(want[i], e);
      ASSERT_NEAR(value(r.outputs[i], e), expected, 2e-5 * (1 + std::abs(expected))) << "output " << i;
    }
}

TEST(TwoSizes, GiveTheMeaningOfEachForm) {
  for (const char* isa : {"scalar", "avx2", "avx512"}) expect_meaning(isa);
}

}  // namespace
}  // namespace cppgen::engines
