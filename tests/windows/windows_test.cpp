// Convolutions, poolings and transposed convolutions around the edges of tiles, images and windows, compiled for every
// instruction set and compared with the interpreter.
#include <gtest/gtest.h>

#include <limits>

#include "tests/property/expect_cases.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::property {
namespace {

using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

Case case_of(GraphMaker& g) { return property::case_of(std::move(g.g), Fact{64, 1e-4}); }

ValueId weights(GraphMaker& g, const Ints& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < count; i++) values.push_back(double(i * 7 % 23 - 11) / 8);
  return g.floats(dims, values);
}

// The node on an image [2, channels, height, width] with weights, then Relu.
Case windowed(const char* op, Ints image, const Ints& kernel, Attributes attributes) {
  GraphMaker g;
  Shape shape;
  for (int64_t d : image) shape.push_back(d);
  std::vector<ValueId> inputs{g.input("x", shape)};
  if (!kernel.empty()) inputs.push_back(weights(g, kernel));
  g.output(g.node("Relu", {g.node(op, inputs, std::move(attributes))}));
  return case_of(g);
}

Attributes window(int64_t stride, int64_t dilation, Ints pads, int64_t group = 1) {
  return {{"strides", Ints{stride, stride}},
          {"dilations", Ints{dilation, dilation}},
          {"pads", std::move(pads)},
          {"group", group}};
}

TEST(Windows, PaddedConvolutions) {
  std::vector<Case> cases;
  for (const Ints& size : {Ints{1, 1}, Ints{2, 3}, Ints{7, 7}, Ints{14, 13}, Ints{15, 29}, Ints{3, 40}}) {
    const Ints image{2, 5, size[0], size[1]};
    cases.push_back(windowed("Conv", image, {33, 5, 3, 3}, window(1, 1, {1, 1, 1, 1})));
    cases.push_back(windowed("Conv", image, {16, 5, 3, 3}, window(2, 1, {1, 2, 1, 0})));
    cases.push_back(windowed("Conv", image, {7, 5, 5, 3}, window(1, 2, {4, 2, 5, 3})));
    cases.push_back(windowed("Conv", image, {48, 5, 7, 7}, window(2, 1, {3, 3, 3, 3})));
  }
  expect_cases_agree(cases);
}

// Planes that become the channels of pixels.
TEST(Windows, FewChannelsSideBySide) {
  std::vector<Case> cases;
  for (int64_t channels : {1, 2, 3, 4, 5})
    for (const Ints& size : {Ints{1, 1}, Ints{3, 16}, Ints{2, 37}, Ints{0, 5}}) {
      for (const DType type : {DType::f32, DType::i32, DType::f16, DType::u8, DType::f64}) {
        GraphMaker g;
        const ValueId x = g.input("x", {2, channels, size[0], size[1]}, type);
        const Attributes last{{"perm", Ints{0, 2, 3, 1}}};
        g.output(g.node("Transpose", {g.node("Add", {x, x})}, last));
        cases.push_back(case_of(g));
      }
      if (size[0] > 0)
        cases.push_back(
            windowed("Conv", {2, channels, size[0], size[1]}, {33, channels, 3, 3}, window(1, 1, {1, 1, 1, 1})));
    }
  GraphMaker g;
  const ValueId x = g.input("x", {1, 3, g.symbol("size"), 21});
  g.output(g.node("Transpose", {g.node("Relu", {x})}, {{"perm", Ints{0, 2, 3, 1}}}));
  cases.push_back(case_of(g));
  expect_cases_agree(cases);
}

TEST(Windows, DepthwiseConvolutions) {
  std::vector<Case> cases;
  for (int64_t channels : {8, 17, 32, 50})
    for (const Ints& size : {Ints{2, 2}, Ints{5, 7}, Ints{9, 16}, Ints{4, 19}}) {
      const Ints image{2, channels, size[0], size[1]};
      cases.push_back(windowed("Conv", image, {channels, 1, 3, 3}, window(1, 1, {1, 1, 1, 1}, channels)));
      cases.push_back(windowed("Conv", image, {channels, 1, 3, 3}, window(2, 1, {0, 1, 1, 1}, channels)));
      cases.push_back(windowed("Conv", image, {channels, 1, 2, 5}, window(1, 2, {1, 4, 1, 5}, channels)));
    }
  expect_cases_agree(cases);
}

TEST(Windows, ImagesOfUnknownSize) {
  std::vector<Case> cases;
  for (int64_t channels : {8, 17, 32})
    for (int64_t size : {0, 1, 2, 7, 30})
      for (bool inside : {false, true}) {
        GraphMaker g;
        const Shape shape{2, channels, g.symbol("height"), g.symbol("width")};
        ValueId x = g.input("x", shape);
        if (inside) x = g.node("Softmax", {x});
        const ValueId y = g.node("Conv", {x, weights(g, {channels, 1, 3, 5})}, window(1, 1, {1, 2, 1, 2}, channels));
        const ValueId z =
            g.node("MaxPool", {g.node("Add", {y, x})}, {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 0, 0, 1}}});
        g.output(inside ? g.node("Softmax", {z}) : z);
        cases.push_back(case_of(g));
        cases.back().random.symbol_value = size;
      }
  expect_cases_agree(cases);
}

TEST(Windows, ConvolutionsOfNarrowGroups) {
  std::vector<Case> cases;
  for (const Ints& channels :
       {Ints{1, 2}, Ints{2, 1}, Ints{2, 2}, Ints{3, 4}, Ints{4, 4}, Ints{5, 3}, Ints{8, 7}, Ints{8, 8}})
    for (int64_t groups : {3, 16}) {
      const int64_t in = channels[0], out = channels[1];
      GraphMaker g;
      const ValueId image = g.node("Conv", {g.input("x", {2, 6, 9, 13}), weights(g, {in * groups, 6, 1, 1})});
      const ValueId y =
          g.node("Conv", {image, weights(g, {out * groups, in, 3, 3})}, window(2, 1, {1, 1, 1, 0}, groups));
      g.output(g.node("Conv", {g.node("Relu", {y}), weights(g, {7, out * groups, 1, 1})}));
      cases.push_back(case_of(g));
      cases.push_back(
          windowed("Conv", {1, in * groups, 6, 5}, {out * groups, in, 3, 2}, window(1, 2, {2, 1, 2, 1}, groups)));
    }
  expect_cases_agree(cases);
}

TEST(Windows, DepthwiseConvolutionsWithAResidual) {
  std::vector<Case> cases;
  for (int64_t width : {3, 8, 13}) {
    GraphMaker g;
    const ValueId x = g.node("Exp", {g.input("x", {1, 24, 5, width})});
    const ValueId y = g.node("Conv", {x, weights(g, {24, 1, 3, 3})}, window(1, 1, {1, 1, 1, 1}, 24));
    g.output(g.node("Sigmoid", {g.node("Add", {g.node("Mul", {y, g.floats({}, {0.125})}), x})}));
    cases.push_back(case_of(g));
  }
  expect_cases_agree(cases);
}

TEST(Windows, Poolings) {
  std::vector<Case> cases;
  for (const char* op : {"MaxPool", "AveragePool"})
    for (const Ints& size : {Ints{3, 3}, Ints{7, 12}, Ints{8, 17}}) {
      Attributes attributes = {{"kernel_shape", Ints{3, 2}}, {"strides", Ints{1, 1}}, {"pads", Ints{1, 1, 1, 0}}};
      cases.push_back(windowed(op, {2, 19, size[0], size[1]}, {}, attributes));
      attributes["strides"] = Ints{2, 2};
      cases.push_back(windowed(op, {1, 32, size[0], size[1]}, {}, attributes));
    }
  expect_cases_agree(cases);
}

TEST(Windows, TransposedConvolutions) {
  std::vector<Case> cases;
  for (const Ints& size : {Ints{1, 1}, Ints{3, 5}, Ints{8, 9}})
    for (int64_t group : {1, 2}) {
      const Ints image{2, 6, size[0], size[1]};
      cases.push_back(windowed("ConvTranspose", image, {6, 18, 2, 2}, window(2, 1, {0, 0, 0, 0}, group)));
      cases.push_back(windowed("ConvTranspose", image, {6, 5, 4, 3}, window(2, 1, {0, 1, 0, 1}, group)));
      cases.push_back(windowed("ConvTranspose", image, {6, 33, 3, 3}, window(1, 2, {0, 0, 1, 1}, group)));
    }
  expect_cases_agree(cases);
}

// Elements are gathered for all channels at once if there are enough of them; offset groups have moves of their own.
TEST(Windows, DeformableConvolutions) {
  std::vector<Case> cases;
  for (int64_t channels : {6, 18, 32})
    for (int64_t groups : {1, 2})
      for (int64_t moves : {1, 2}) {
        GraphMaker g(19);
        const ValueId x = g.input("x", {2, channels, 5, 7}), w = weights(g, {8, channels / groups, 3, 2});
        const ValueId offsets = g.input("offsets", {2, moves * 12, 5, 8}), bias = weights(g, {8});
        const ValueId mask = g.input("mask", {2, moves * 6, 5, 8});
        Attributes attributes = window(1, 1, {1, 1, 1, 1}, groups);
        attributes["offset_group"] = moves;
        g.output(g.node("DeformConv", {x, w, offsets, bias, mask}, attributes));
        cases.push_back(case_of(g));
      }
  expect_cases_agree(cases);
}

// A convolution wants the channels of the samples last, so they are read from a channels-last image.
TEST(Windows, ConvolutionsOfSampledImages) {
  std::vector<Case> cases;
  for (int64_t channels : {5, 17, 32}) {
    GraphMaker g;
    const ValueId x = g.input("x", {2, channels, 5, 7}), grid = g.input("grid", {2, 6, 9, 2});
    const ValueId samples = g.node("GridSample", {x, grid}, {{"padding_mode", std::string("border")}});
    g.output(g.node("Conv", {samples, weights(g, {8, channels, 3, 3})}, window(1, 1, {1, 1, 1, 1})));
    g.output(g.node("Relu", {x}));
    cases.push_back(case_of(g));
  }
  expect_cases_agree(cases);
}

// There are few channels, or enough of them for lanes; strides, taps and dilations leave gaps, overlap, or reach beyond
// the image.
TEST(Windows, TransposedDepthwiseConvolutions) {
  std::vector<Case> cases;
  for (int64_t channels : {5, 24})
    for (const Ints& size : {Ints{1, 1}, Ints{3, 5}, Ints{8, 17}}) {
      const Ints image{2, channels, size[0], size[1]};
      const auto add = [&](const Ints& taps, int64_t stride, int64_t dilation, const Ints& pads) {
        cases.push_back(windowed("ConvTranspose", image, {channels, 1, taps[0], taps[1]},
                                 window(stride, dilation, pads, channels)));
      };
      add({4, 4}, 2, 1, {0, 0, 0, 0});
      add({3, 4}, 2, 1, {1, 1, 0, 1});
      add({2, 2}, 2, 1, {0, 0, 0, 0});
      add({2, 2}, 3, 1, {0, 0, 0, 0});
      add({3, 3}, 1, 1, {1, 1, 1, 1});
      add({3, 5}, 1, 2, {0, 1, 1, 0});
      add({3, 3}, 2, 2, {1, 0, 0, 1});
    }
  expect_cases_agree(cases);
}

// Only terms that exist count: an infinite weight makes no NaN beyond the border of the image.
TEST(Windows, TransposedDepthwiseConvolutionsOfInfiniteWeights) {
  std::vector<Case> cases;
  for (int64_t stride : {1, 2}) {
    GraphMaker g;
    std::vector<double> values(24 * 9, 1.0);
    for (size_t i = 0; i < values.size(); i += 7) values[i] = std::numeric_limits<double>::infinity();
    const ValueId x = g.node("Exp", {g.input("x", {1, 24, 4, 9})});
    g.output(g.node("ConvTranspose", {x, g.floats({24, 1, 3, 3}, values)}, window(stride, 1, {1, 1, 1, 1}, 24)));
    cases.push_back(case_of(g));
  }
  expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::property
