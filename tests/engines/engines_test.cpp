// Every contraction engine of the choice list, compiled for every instruction set and compared with the interpreter:
// products and convolutions around the edges of panels, blocks and images.
#include <set>

#include "cppgen/schedule/engines/engine_list.h"
#include "tests/isas_to_test.h"
#include "tests/property/differential.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::property {
namespace {

using Dims = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

Case case_of(GraphMaker& g, const std::string& backend) {
  Case c;
  c.seed = 1;
  c.random.facts.assign(g.g.values.size(), Fact{2, 1e-3});
  c.random.graph = std::move(g.g);
  c.random.symbol_value = 5;
  c.options.max_autotune_gemm_backends = c.options.max_autotune_conv_backends = {backend};
  return c;
}

std::vector<double> values(const Dims& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<double> list;
  for (int64_t i = 0; i < count; i++) list.push_back(double(i * 37 % 101 - 50) / 64);
  return list;
}

ValueId weights(GraphMaker& g, const Dims& dims) { return g.floats(dims, values(dims)); }

// relu(a * b + bias)
void add_product(GraphMaker& g, Shape a, const Dims& b, bool constant) {
  Shape shape(b.begin(), b.end());
  const ValueId right = constant ? weights(g, b) : g.input("b", shape);
  const ValueId product = g.node("MatMul", {g.input("a", std::move(a)), right});
  g.output(g.node("Relu", {g.node("Add", {product, weights(g, {b.back()})})}));
}

struct Image {
  Dims input, kernel;  // [n, c, spatial...], [out, c / groups, kernel...]
  int64_t stride = 1, pad = 0, dilation = 1, groups = 1;
};

// Channels-last on both sides, with a residual addition.
void add_convolution(GraphMaker& g, const Image& image) {
  const size_t axes = image.kernel.size() - 2;
  Shape dims(image.input.begin(), image.input.end());
  const Attributes attributes{{"strides", Dims(axes, image.stride)},
                              {"pads", Dims(2 * axes, image.pad)},
                              {"dilations", Dims(axes, image.dilation)},
                              {"group", image.groups}};
  const ValueId x = g.node("Relu", {g.input("x", std::move(dims))});
  const ValueId y = g.node("Conv", {x, weights(g, image.kernel), weights(g, {image.kernel[0]})}, attributes);
  g.output(g.node("Relu", {g.node("Add", {y, g.input("z", g.g.value(y).type->shape)})}));
}

// Convolutions whose images, channels and numbers of images are known or not.
void add_convolution_of_any_size(GraphMaker& g, int64_t taps, int64_t in, int64_t out, std::array<bool, 3> is_symbol) {
  const auto dim = [&](bool symbol, int64_t size) { return symbol ? g.symbol("N") : IndexExpr(size); };
  const ValueId x = g.input("x", {dim(is_symbol[0], 2), in, dim(is_symbol[1], 9), dim(is_symbol[2], 10)});
  const ValueId y = g.node("Conv", {x, weights(g, {out, in, taps, taps})}, {{"pads", Dims(4, taps / 2)}});
  g.output(g.node("Tanh", {y}));
}

// Convolutions of sequences, along the only direction that has taps.
void add_sequence_of_any_size(GraphMaker& g, int64_t taps, int64_t in, int64_t out, bool is_symbol) {
  const ValueId x = g.input("x", {2, in, is_symbol ? g.symbol("N") : IndexExpr(19)});
  const ValueId y = g.node("Conv", {x, weights(g, {out, in, taps})}, {{"pads", Dims(2, taps / 2)}});
  g.output(g.node("Tanh", {y}));
}

// Convolutions with taps along one direction: of sequences, and along the lines or the columns of images.
std::vector<Image> flat_images(const std::vector<int64_t>& numbers_of_taps) {
  std::vector<Image> images;
  for (const int64_t taps : numbers_of_taps)
    for (const Image& image :
         {Image{{1, 1, 5}, {1, 1, taps}}, Image{{1, 16, 4}, {16, 16, taps}, 1, taps / 2},
          Image{{3, 17, 33}, {35, 17, taps}, 1, 1}, Image{{2, 70, 130}, {40, 70, taps}, 1, 2},
          Image{{2, 24, 7, 9}, {48, 24, 1, taps}}, Image{{1, 40, 9, 6}, {33, 40, taps, 1}, 1, 1},
          Image{{2, 18, 12, 13}, {20, 18, 1, taps}, 1, 2}, Image{{1, 16, 20}, {9, 16, taps}, 2, 1},
          Image{{1, 6, 25}, {10, 6, taps}, 1, 2, 2}, Image{{1, 16, 20}, {24, 4, taps}, 1, 1, 1, 4}})
      images.push_back(image);
  return images;
}

// Along one direction of images, with strides, or with one line or column, along the other; also where an image of one
// line is a view of a sequence.
void add_flat_images(std::vector<Case>& cases, const std::string& backend, int64_t taps) {
  const auto add = [&](const Dims& input, const Dims& kernel, const Dims& strides, bool of_symbol = false) {
    GraphMaker g;
    Shape dims(input.begin(), input.end());
    if (of_symbol) dims[2] = dims[3] = g.symbol("N");
    const Dims pads{kernel[2] / 2, kernel[3] / 2, kernel[2] / 2, kernel[3] / 2};
    const ValueId x = g.node("Relu", {g.input("x", std::move(dims))});
    g.output(g.node("Tanh", {g.node("Conv", {x, weights(g, kernel)}, {{"strides", strides}, {"pads", pads}})}));
    cases.push_back(case_of(g, backend));
  };
  add({1, 20, 9, 14}, {24, 20, 1, taps}, {2, 1});
  add({2, 20, 14, 9}, {24, 20, taps, 1}, {1, 3});
  add({1, 20, 1, 19}, {24, 20, 1, taps}, {1, 1});
  add({1, 20, 19, 1}, {24, 20, taps, 1}, {1, 1});
  add({2, 20, 9, 9}, {24, 20, 1, taps}, {1, 1}, true);
  add({2, 20, 9, 9}, {24, 20, taps, 1}, {1, 1}, true);
  GraphMaker g;
  const ValueId image = g.node("Unsqueeze", {g.node("Relu", {g.input("x", {2, 20, 30})}), g.ints({2})});
  const Dims pads{0, taps / 2, 0, taps / 2};
  g.output(g.node("Tanh", {g.node("Conv", {image, weights(g, {24, 20, 1, taps})}, {{"pads", pads}})}));
  cases.push_back(case_of(g, backend));
}

// Convolutions of 5 x 5 taps around the edges of patches, blocks of patches and panels.
std::vector<Image> images_of_five_taps() {
  return {Image{{1, 1, 1, 1}, {1, 1, 5, 5}, 1, 2},      Image{{1, 2, 5, 5}, {3, 2, 5, 5}},
          Image{{1, 16, 4, 4}, {16, 16, 5, 5}, 1, 2},   Image{{1, 17, 6, 7}, {33, 17, 5, 5}, 1, 2},
          Image{{2, 24, 7, 7}, {48, 24, 5, 5}, 1, 4},   Image{{1, 3, 23, 20}, {65, 3, 5, 5}, 1, 0},
          Image{{3, 40, 13, 30}, {31, 40, 5, 5}, 1, 1}, Image{{2, 16, 8, 7}, {9, 16, 5, 5}, 2, 2},
          Image{{1, 6, 12, 13}, {10, 6, 5, 5}, 1, 4, 2}};
}

// Around the edges of patches, blocks of patches and panels; then what only other engines can run.
std::vector<Case> winograd_cases(const std::string& backend) {
  std::vector<Case> cases;
  const auto add = [&](auto&& build) {
    GraphMaker g;
    build(g);
    cases.push_back(case_of(g, backend));
  };
  const std::vector<int64_t> numbers_of_taps =
      backend == "WINOGRAD_2X2" ? std::vector<int64_t>{3, 5} : std::vector<int64_t>{3};
  for (const Image& image :
       {Image{{1, 1, 1, 1}, {1, 1, 3, 3}, 1, 1}, Image{{1, 2, 3, 3}, {3, 2, 3, 3}},
        Image{{1, 16, 4, 4}, {16, 16, 3, 3}, 1, 1}, Image{{1, 17, 5, 6}, {33, 17, 3, 3}, 1, 1},
        Image{{2, 24, 7, 7}, {48, 24, 3, 3}, 1, 2}, Image{{1, 3, 23, 20}, {65, 3, 3, 3}, 1, 0},
        Image{{3, 8, 13, 30}, {31, 8, 3, 3}, 1, 1}, Image{{1, 64, 30, 9}, {96, 64, 3, 3}, 1, 1},
        Image{{1, 40, 7, 7}, {130, 40, 3, 3}, 1, 1}, Image{{2, 16, 8, 7}, {9, 16, 3, 3}, 2, 1},
        Image{{1, 6, 12, 13}, {10, 6, 3, 3}, 1, 2, 2}, Image{{1, 16, 6, 9}, {24, 4, 3, 3}, 1, 1, 1, 4}})
    add([&](GraphMaker& g) { add_convolution(g, image); });
  if (numbers_of_taps.size() > 1)
    for (const Image& image : images_of_five_taps()) add([&](GraphMaker& g) { add_convolution(g, image); });
  for (const std::array<bool, 3>& is_symbol :
       {std::array{false, false, false}, {true, false, false}, {true, true, true}})
    for (const int64_t taps : numbers_of_taps)
      add([&](GraphMaker& g) { add_convolution_of_any_size(g, taps, 20, 40, is_symbol); });
  for (const Image& image : flat_images(numbers_of_taps)) add([&](GraphMaker& g) { add_convolution(g, image); });
  for (const int64_t taps : numbers_of_taps) add_flat_images(cases, backend, taps);
  for (const bool is_symbol : {false, true})
    for (const int64_t taps : numbers_of_taps)
      add([&](GraphMaker& g) { add_sequence_of_any_size(g, taps, 20, 40, is_symbol); });
  return cases;
}

std::vector<Case> cases_of(const std::string& backend) {
  if (backend.starts_with("WINOGRAD")) return winograd_cases(backend);
  std::vector<Case> cases;
  const auto add = [&](auto&& build) {
    GraphMaker g;
    build(g);
    cases.push_back(case_of(g, backend));
  };
  for (bool constant : {true, false}) {
    for (int64_t m : {1, 7, 64, 65, 130}) add([&](GraphMaker& g) { add_product(g, {m, 33}, {33, 70}, constant); });
    for (int64_t n : {1, 3, 16, 63, 64, 129}) add([&](GraphMaker& g) { add_product(g, {5, 20}, {20, n}, constant); });
    add([&](GraphMaker& g) { add_product(g, {3, 2100}, {2100, 66}, constant); });  // several blocks of K
    add([&](GraphMaker& g) { add_product(g, {2, 3, 9, 17}, {2, 3, 17, 35}, constant); });
    add([&](GraphMaker& g) { add_product(g, {2, 9, 17}, {17, 35}, constant); });
    add([&](GraphMaker& g) { add_product(g, {g.symbol("N"), 9, 17}, {17, 35}, constant); });
    for (int64_t n : {35, 350}) add([&](GraphMaker& g) { add_product(g, {0, 17}, {17, n}, constant); });
  }
  for (const Image& image : {Image{{1, 5, 9, 11}, {70, 5, 3, 3}, 1, 1}, Image{{2, 16, 8, 7}, {9, 16, 3, 3}, 2, 1},
                             Image{{1, 3, 23, 20}, {64, 3, 7, 7}, 2, 3}, Image{{2, 40, 7, 7}, {65, 40, 1, 1}},
                             Image{{1, 8, 9, 9}, {12, 8, 1, 1}, 2}, Image{{1, 6, 12, 13}, {10, 6, 3, 3}, 1, 2, 2},
                             Image{{1, 16, 6, 9}, {24, 4, 3, 3}, 1, 1, 1, 4}, Image{{2, 7, 30}, {20, 7, 5}, 1, 2},
                             Image{{1, 4, 5, 6, 7}, {8, 4, 3, 3, 3}, 1, 1}, Image{{1, 64, 7, 7}, {64, 64, 3, 3}, 1, 1},
                             // Several images: tiles of rows within one and across two.
                             Image{{3, 8, 33}, {37, 8, 3}, 1, 1}, Image{{3, 8, 9, 20}, {33, 8, 1, 1}}})
    add([&](GraphMaker& g) { add_convolution(g, image); });
  return cases;
}

std::set<std::string> engines_of(const Case& c, const VecISA& isa) {
  std::set<std::string> engines;
  for (const auto& step : schedule_of(c, isa).steps)
    if (const auto* call = std::get_if<schedule::LibraryStep>(&step))
      engines.insert(call->engine);
    else if (std::get<schedule::FusedKernel>(step).contraction)
      engines.insert("cppgen");
  return engines;
}

class Engines : public testing::TestWithParam<std::string> {};

TEST_P(Engines, GiveWhatTheInterpreterGives) {
  const std::vector<Case> cases = cases_of(GetParam());
  DifferentialOptions options;
  options.isas = isas_to_test();
  for (const Failure& f : check_cases(cases, options))
    ADD_FAILURE() << f.isa << ": " << f.what << "\n" << describe(cases[f.index]);
}

// A case that loops run tells nothing about the engine.
TEST_P(Engines, TakeMostCases) {
  size_t taken = 0;
  const std::vector<Case> cases = cases_of(GetParam());
  for (const Case& c : cases) taken += !engines_of(c, *isas_to_test().back()).empty();
  if (taken == 0 && GetParam() == "XSMM") GTEST_SKIP() << "libxsmm has no kernels for this CPU";
  EXPECT_GE(taken, cases.size() * 3 / 5);
}

std::set<std::string> backends() {
  std::set<std::string> names;
  for (const auto& engine : schedule::engine_list())
    if (!engine.backend.empty()) names.insert(engine.backend);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(backends()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cppgen::property
