// NonMaxSuppression of as many boxes as the data decide.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/base/errors.h"
#include "runtime/session/host_functions.h"

namespace cppgen::rt {
namespace {

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Box box_of(const float* x, bool by_center) {
  if (by_center)  // x, y, width, height
    return {x[1] - x[3] / 2, x[0] - x[2] / 2, x[1] + x[3] / 2, x[0] + x[2] / 2};
  return {std::min(x[0], x[2]), std::min(x[1], x[3]), std::max(x[0], x[2]), std::max(x[1], x[3])};
}

bool overlaps(const Box& a, const Box& b, float threshold) {
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.f);
  const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.f);
  const float common = height * width, all = a.area() + b.area() - common;
  return a.area() > 0 && b.area() > 0 && common / all > threshold;
}

struct Suppression {
  int64_t most = 0;  // boxes of one class
  float overlap = 0, least_score = 0;
  bool has_least_score = false;

  // Positions of the boxes that one class takes, best first; of equal scores the first.
  std::vector<int64_t> select(const std::vector<Box>& boxes, const float* scores) const {
    std::vector<int64_t> order, taken;
    for (int64_t i = 0; i < int64_t(boxes.size()); i++)
      if (!has_least_score || scores[i] > least_score) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const bool unknown = std::isnan(scores[a]);  // before all numbers, as the greatest
      return unknown != std::isnan(scores[b]) ? unknown : scores[a] > scores[b];
    });
    for (int64_t i : order) {
      if (int64_t(taken.size()) >= most) break;
      const bool covered = std::any_of(
          taken.begin(), taken.end(), [&](int64_t t) { return overlaps(boxes[size_t(t)], boxes[size_t(i)], overlap); });
      if (!covered) taken.push_back(i);
    }
    return taken;
  }
};

float number_of(const HostCall& call, size_t input) {
  if (!call.has(input)) return 0;
  const Tensor& t = call.tensor(input);
  if (t.type() != DType::f32 || t.elements() != 1) call.fail(fmt::format("input {} is not one float32", input));
  return *t.as<float>();
}

// integers: center_point_box
std::vector<Value> non_max_suppression(const HostCall& call) {
  const Tensor &boxes = call.tensor(0), &scores = call.tensor(1);
  const auto &b = boxes.dims(), &s = scores.dims();
  const bool fit = b.size() == 3 && s.size() == 3 && b[0] == s[0] && b[1] == s[2] && b[2] == 4;
  if (!fit || boxes.type() != DType::f32 || scores.type() != DType::f32)
    call.fail(fmt::format("boxes of shape {} and scores of shape {} do not fit", shape_text(b), shape_text(s)));
  const Suppression suppression{call.has(2) ? call.integer(2) : 0, number_of(call, 3), number_of(call, 4), call.has(4)};
  std::vector<int64_t> rows;
  std::vector<Box> own(static_cast<size_t>(b[1]));
  for (int64_t n = 0; n < s[0]; n++) {
    for (int64_t i = 0; i < b[1]; i++)
      own[size_t(i)] = box_of(boxes.as<float>() + (n * b[1] + i) * 4, call.step.integers[0] != 0);
    for (int64_t c = 0; c < s[1]; c++)
      for (int64_t i : suppression.select(own, scores.as<float>() + (n * s[1] + c) * s[2]))
        rows.insert(rows.end(), {n, c, i});
  }
  Tensor result(DType::i64, {int64_t(rows.size() / 3), 3});
  std::copy(rows.begin(), rows.end(), result.as<int64_t>());
  return one_value(std::move(result));
}

constexpr NamedHostFunction kFunctions[] = {{"non_max_suppression", 2, 1, 0, non_max_suppression}};

}  // namespace

std::span<const NamedHostFunction> suppression_functions() { return kFunctions; }

}  // namespace cppgen::rt
