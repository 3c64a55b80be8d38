// Operators that run as calls of the library or on the host, against the interpreter, which runs the loops that are
// their meaning: the same bits, whatever the number of threads. Sizes are such that work is cut into chunks.
#include <cmath>
#include <limits>
#include <random>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Ints = std::vector<int64_t>;
constexpr int kInt64 = onnx::TensorProto::INT64;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

int64_t product(const Ints& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

std::vector<std::string> texts(const Ints& dims) {
  std::vector<std::string> result;
  for (int64_t d : dims) result.push_back(std::to_string(d));
  return result;
}

// Few different whole numbers, so that there are ties and sums are exact.
template <class T>
std::vector<T> whole_numbers(int64_t count, int least, int greatest, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& v : values) v = T(least + int(random() % unsigned(greatest - least + 1)));
  return values;
}

void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  set_attribute(node, name, value);
}

template <class T>
void expect_top_k(DType type, int onnx_type, const Ints& dims, int64_t axis, int64_t k, bool largest,
                  const std::vector<T>& values) {
  SCOPED_TRACE(fmt::format("{} of {} along {} of {}", k, testing::PrintToString(dims), axis, name_of(type)));
  ModelMaker m;
  m.input("x", texts(dims), onnx_type).output("values").output("indices");
  m.initializer("k", {1}, kInt64).add_int64_data(k);
  auto& node = m.node("TopK", {"x", "k"}, {"values", "indices"});
  set_attribute(node, "axis", axis), set_attribute(node, "largest", int64_t(largest));
  Model(m).run({tensor(type, dims, values)});
}

TEST(TopK, LengthsAndCounts) {
  const std::pair<int64_t, int64_t> cases[] = {{1, 1},   {31, 5},  {33, 3},    {33, 33},    {100, 0},
                                               {600, 7}, {600, 1}, {1100, 40}, {1500, 1500}};
  for (const auto& [n, k] : cases)
    for (bool largest : {true, false})
      expect_top_k(DType::f32, onnx::TensorProto::FLOAT, {2, n}, 1, k, largest,
                   whole_numbers<float>(2 * n, -40, 40, unsigned(n)));
}

TEST(TopK, AxesAndTypes) {
  expect_top_k(DType::f32, onnx::TensorProto::FLOAT, {70, 3, 5}, 0, 6, true, whole_numbers<float>(1050, 0, 9));
  expect_top_k(DType::f32, onnx::TensorProto::FLOAT, {2, 150, 3}, 1, 150, false, whole_numbers<float>(900, 0, 9));
  expect_top_k(DType::i64, kInt64, {3, 300}, 1, 20, true, whole_numbers<int64_t>(900, -50, 50));
  expect_top_k(DType::i64, kInt64, {3, 300}, 1, 200, false, whole_numbers<int64_t>(900, -50, 50));
  expect_top_k(DType::i8, onnx::TensorProto::INT8, {3, 300}, 1, 9, false, whole_numbers<int8_t>(900, -128, 127));
  expect_top_k(DType::u8, onnx::TensorProto::UINT8, {3, 300}, 1, 9, true, whole_numbers<uint8_t>(900, 0, 255));
  expect_top_k(DType::f64, onnx::TensorProto::DOUBLE, {3, 300}, 1, 9, true, whole_numbers<double>(900, -9, 9));
  expect_top_k(DType::f32, onnx::TensorProto::FLOAT, {8, 2000}, 1, 300, true, whole_numbers<float>(16000, -99, 99));
}

TEST(TopK, NanComesFirstAndZerosAreEqual) {
  std::vector<float> values = whole_numbers<float>(200, -3, 3);
  for (size_t i = 0; i < values.size(); i += 9) values[i] = kNan;
  for (size_t i = 4; i < values.size(); i += 13) values[i] = -0.0f;
  values[50] = kInf, values[51] = -kInf, values[52] = -kNan;
  for (int64_t k : {5, 40, 200})
    for (bool largest : {true, false})
      expect_top_k(DType::f32, onnx::TensorProto::FLOAT, {1, 200}, 1, k, largest, values);
}

template <class T>
void expect_cum_sum(DType type, int onnx_type, const Ints& dims, int64_t axis, const std::vector<T>& values) {
  for (int64_t way = 0; way < 4; way++) {
    SCOPED_TRACE(fmt::format("{} along {}, {}", testing::PrintToString(dims), axis, way));
    for (bool known : {true, false}) {
      ModelMaker m;
      m.input("x", texts(dims), onnx_type).output("y");
      known ? m.initializer("axis", {}, kInt64).add_int64_data(axis) : (void)m.input("axis", {}, kInt64);
      auto& node = m.node("CumSum", {"x", "axis"}, {"y"});
      set_attribute(node, "exclusive", way % 2), set_attribute(node, "reverse", way / 2);
      std::vector<Value> inputs{tensor(type, dims, values)};
      if (!known) inputs.push_back(ints({}, {axis}));
      Model(m).run(inputs);
    }
  }
}

TEST(CumSum, ShapesAndTypes) {
  for (int64_t n : {0, 1, 7, 8, 21})
    expect_cum_sum(DType::f32, onnx::TensorProto::FLOAT, {n}, 0, whole_numbers<float>(n, -9, 9));
  expect_cum_sum(DType::f32, onnx::TensorProto::FLOAT, {5, 3, 67}, 1, whole_numbers<float>(1005, -9, 9));
  expect_cum_sum(DType::i8, onnx::TensorProto::INT8, {3, 50}, 1, whole_numbers<int8_t>(150, -128, 127));
  expect_cum_sum(DType::u64, onnx::TensorProto::UINT64, {30, 2}, -2, whole_numbers<uint64_t>(60, 0, 99));
}

TEST(CumSum, ManyChunks) {
  expect_cum_sum(DType::f32, onnx::TensorProto::FLOAT, {200, 150}, 1, whole_numbers<float>(30000, -9, 9));
  expect_cum_sum(DType::f32, onnx::TensorProto::FLOAT, {40, 700}, 0, whole_numbers<float>(28000, -9, 9));
}

struct Scatter {
  std::string op, reduction;
  Ints data, indices, updates;
  int64_t axis = 0;
};

ModelMaker model_of(const Scatter& s, int index_type) {
  ModelMaker m(18);
  m.input("x", texts(s.data)).input("i", texts(s.indices), index_type).input("u", texts(s.updates)).output("y");
  auto& node = m.node(s.op, {"x", "i", "u"}, {"y"}, "aimed");
  set_text(node, "reduction", s.reduction);
  if (s.op == "ScatterElements") set_attribute(node, "axis", s.axis);
  return m;
}

// Indices that repeat, some counted from the end.
std::vector<int64_t> indices_for(const Scatter& s) {
  std::vector<int64_t> indices;
  std::mt19937 random(3);
  const bool elements = s.op == "ScatterElements";
  for (int64_t k = 0; k < product(s.indices); k++) {
    const int64_t extent = s.data[size_t(elements ? s.axis : k % s.indices.back())];
    indices.push_back(int64_t(random() % uint64_t(2 * extent)) - extent);
  }
  return indices;
}

void expect_scatter(const Scatter& s, bool nan = false) {
  SCOPED_TRACE(fmt::format("{} {} into {}", s.op, s.reduction, testing::PrintToString(s.data)));
  const bool powers = s.reduction == "mul";  // products stay exact
  auto values = whole_numbers<float>(product(s.updates), powers ? 1 : -5, powers ? 2 : 5);
  for (size_t i = 0; nan && i < values.size(); i += 7) values[i] = kNan;
  const Value data = floats(s.data, whole_numbers<float>(product(s.data), -3, 3, 2));
  Model(model_of(s, kInt64)).run({data, ints(s.indices, indices_for(s)), floats(s.updates, values)});
}

const char* const kReductions[] = {"none", "add", "mul", "max", "min"};

TEST(Scatter, Elements) {
  for (const char* reduction : kReductions) {
    expect_scatter({"ScatterElements", reduction, {11}, {9}, {9}, 0});
    expect_scatter({"ScatterElements", reduction, {4, 5, 3}, {4, 7, 3}, {4, 7, 3}, 1});
    expect_scatter({"ScatterElements", reduction, {4, 5, 3}, {2, 5, 6}, {2, 5, 6}, 2});
    expect_scatter({"ScatterElements", reduction, {1, 5, 3}, {6, 4, 2}, {6, 4, 2}, 0});
  }
  expect_scatter({"ScatterElements", "max", {30}, {20}, {20}, 0}, true);
}

TEST(Scatter, Tuples) {
  for (const char* reduction : kReductions) {
    expect_scatter({"ScatterND", reduction, {11}, {9, 1}, {9}});
    expect_scatter({"ScatterND", reduction, {4, 5, 3}, {2, 6, 2}, {2, 6, 3}});
    expect_scatter({"ScatterND", reduction, {4, 5, 3}, {8, 3}, {8}});
    expect_scatter({"ScatterND", reduction, {1, 5, 3}, {7, 1}, {7, 5, 3}});
  }
  expect_scatter({"ScatterND", "min", {30}, {20, 1}, {20}}, true);
}

TEST(Scatter, ManyChunks) {
  expect_scatter({"ScatterElements", "none", {20000}, {3000}, {3000}, 0});
  expect_scatter({"ScatterElements", "add", {300, 90}, {300, 40}, {300, 40}, 1});
  expect_scatter({"ScatterND", "none", {4000, 7}, {500, 1}, {500, 7}});
  expect_scatter({"ScatterND", "add", {4000, 7}, {3000, 2}, {3000}});
}

// One scatter writes over its data, one copies much data past the caches.
TEST(Scatter, IntoDataThatDiesAndIntoMuch) {
  const Scatter s{"ScatterND", "none", {70000, 64}, {900, 1}, {900, 64}};
  ModelMaker m(18);
  m.input("x", texts(s.data)).input("i", texts(s.indices), kInt64).input("u", texts(s.updates));
  m.node("Neg", {"x"}, {"data"});
  m.node("ScatterND", {"data", "i", "u"}, {"scattered"});
  set_attribute(m.node("TopK", {"scattered", "k"}, {"y", "positions"}), "axis", int64_t(1));
  m.initializer("k", {1}, kInt64).add_int64_data(2);
  m.node("ScatterND", {"x", "i", "u"}, {"z"});
  const Value data = floats(s.data, whole_numbers<float>(product(s.data), -3, 3, 2));
  const std::vector<Value> inputs{data, ints(s.indices, indices_for(s)),
                                  floats(s.updates, whole_numbers<float>(product(s.updates), -5, 5))};
  const Model model(m.output("y").output("z"));
  const auto one = model.compiled(inputs, 1), two = model.compiled(inputs, 2);
  for (size_t i = 0; i < 2; i++) Model::expect_same(one[i], two[i]);
  std::vector<float> expected = numbers(data);
  for (int64_t row = 0; row < s.indices[0]; row++) {
    const int64_t to = (inputs[1].tensor()->as<int64_t>()[row] + s.data[0]) % s.data[0];
    std::copy_n(inputs[2].tensor()->as<float>() + row * 64, 64, expected.data() + to * 64);
  }
  EXPECT_EQ(numbers(one[1]), expected);
}

TEST(Scatter, IndicesOutsideAreRefusedByName) {
  for (int64_t index : {4, -5}) {
    const Model model(model_of({"ScatterElements", "none", {4}, {1}, {1}, 0}, kInt64));
    const std::vector<Value> inputs{floats({4}, {1, 2, 3, 4}), ints({1}, {index}), floats({1}, {9})};
    EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("aimed"), std::string::npos);
    EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("aimed"), std::string::npos);
  }
}

// With a declared result the loops run, without one the host.
ModelMaker suppression(int64_t center, const std::optional<int64_t>& declared) {
  ModelMaker m(11);
  m.input("boxes", {"2", "12", "4"}).input("scores", {"2", "2", "12"});
  m.input("most", {}, kInt64).input("overlap", {}).input("score", {});
  auto& node = m.node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "score"}, {"y"});
  set_attribute(node, "center_point_box", center);
  if (!declared) return m.output("y"), m;
  ModelMaker::set_type(*m.graph.add_output(), "y", {std::to_string(*declared), "3"}, kInt64);
  return m;
}

TEST(NonMaxSuppression, HostAndLoopsAgree) {
  std::vector<float> boxes = whole_numbers<float>(2 * 12 * 4, 0, 6, 5);
  std::vector<float> scores = whole_numbers<float>(2 * 2 * 12, 0, 8, 6);
  for (float& s : scores) s /= 8;
  scores[3] = kNan;
  for (int64_t center : {0, 1})
    for (float overlap : {0.0f, 0.25f, 1.0f}) {
      const std::vector<Value> inputs{floats({2, 12, 4}, boxes), floats({2, 2, 12}, scores), ints({}, {3}),
                                      floats({}, {overlap}), floats({}, {0.25f})};
      const Value found = Model(suppression(center, std::nullopt)).run(inputs)[0];
      const int64_t count = found.tensor()->dims()[0];
      EXPECT_GT(count, 4);
      Model::expect_same(Model(suppression(center, count)).run(inputs)[0], found);
    }
}

// Squares of this size at these corners: those that do not overlap a better one by more than 0.3.
constexpr float kSize = 7;
std::vector<int64_t> chosen_squares(const std::vector<float>& corners, const std::vector<float>& scores, int64_t most) {
  std::vector<int64_t> order, chosen;
  for (size_t i = 0; i < scores.size(); i++) order.push_back(int64_t(i));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return scores[size_t(a)] > scores[size_t(b)]; });
  auto overlap = [&](int64_t a, int64_t b) {
    float common = 1;
    for (size_t side : {0, 1})
      common *= std::max(0.0f, kSize - std::abs(corners[size_t(2 * a) + side] - corners[size_t(2 * b) + side]));
    return common / (2 * kSize * kSize - common);
  };
  for (int64_t box : order) {
    const bool hidden = std::any_of(chosen.begin(), chosen.end(), [&](int64_t c) { return overlap(c, box) > 0.3f; });
    if (!hidden && int64_t(chosen.size()) < most) chosen.push_back(box);
  }
  return chosen;
}

// There are so many that they are sorted in parts, and compared in blocks.
TEST(NonMaxSuppression, ManyCandidates) {
  constexpr int64_t kCount = 700;
  const auto scores = whole_numbers<float>(kCount, 0, 300, 8), corners = whole_numbers<float>(2 * kCount, 0, 60, 9);
  std::vector<float> boxes;
  for (size_t i = 0; i < corners.size(); i += 2)
    boxes.insert(boxes.end(), {corners[i], corners[i + 1], corners[i] + kSize, corners[i + 1] + kSize});
  ModelMaker m(11);
  m.input("boxes", {"1", "700", "4"}).input("scores", {"1", "1", "700"}).input("most", {}, kInt64).input("overlap", {});
  m.node("NonMaxSuppression", {"boxes", "scores", "most", "overlap"}, {"y"});
  const Model model(m.output("y"));
  for (int64_t most : {5, 100, 1000}) {
    const std::vector<Value> inputs{floats({1, kCount, 4}, boxes), floats({1, 1, kCount}, scores), ints({}, {most}),
                                    floats({}, {0.3f})};
    const Value found = model.compiled(inputs, 1)[0];
    const auto expected = chosen_squares(corners, scores, most);
    ASSERT_EQ(found.tensor()->dims()[0], int64_t(expected.size()));
    for (size_t i = 0; i < expected.size(); i++) EXPECT_EQ(found.tensor()->as<int64_t>()[3 * i + 2], expected[i]);
  }
}

}  // namespace
}  // namespace cppgen::modules
