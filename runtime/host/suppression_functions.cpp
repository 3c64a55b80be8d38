// NonMaxSuppression: of each class the best boxes that do not overlap better ones.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::rt {
namespace {

float lesser(float a, float b) { return a < b || std::isnan(a) ? a : b; }
float greater(float a, float b) { return a > b || std::isnan(a) ? a : b; }

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Box box_at(const float* x, bool centers) {
  if (centers) return {x[1] - x[3] / 2, x[0] - x[2] / 2, x[1] + x[3] / 2, x[0] + x[2] / 2};  // x, y, width, height
  return {lesser(x[0], x[2]), lesser(x[1], x[3]), greater(x[0], x[2]), greater(x[1], x[3])};
}

// Edges and areas, a list each.
struct Boxes {
  std::vector<float> top, left, bottom, right, area;

  void add(const Box& b) {
    top.push_back(b.top), left.push_back(b.left), bottom.push_back(b.bottom), right.push_back(b.right);
    area.push_back(b.area());
  }
  void clear() {
    for (auto* list : {&top, &left, &bottom, &right, &area}) list->clear();
  }
};

// Tells whether a box overlaps one of the chosen. These are in blocks, which compilers make vectors of; most blocks
// have nothing in common with it, so they need no division.
class OverlapSearch {
 public:
  OverlapSearch(const Box& box, const Boxes& chosen) : box_(box), own_(box.area()), chosen_(chosen) {}

  bool finds(float threshold) const {
    if (!(own_ > 0)) return false;
    for (size_t begin = 0, count = chosen_.top.size(); begin < count; begin += kBlock) {
      const size_t size = std::min(kBlock, count - begin);
      if (size == kBlock ? block_overlaps(begin, kBlock, threshold) : block_overlaps(begin, size, threshold))
        return true;
    }
    return false;
  }

 private:
  static constexpr size_t kBlock = 16;

  __attribute__((always_inline)) bool block_overlaps(size_t begin, size_t size, float threshold) const {
    float common[kBlock];
    int any = threshold < 0 ? 1 : 0;
    for (size_t k = 0; k < size; k++) {
      const size_t i = begin + k;
      const float height =
          std::max(std::min(chosen_.bottom[i], box_.bottom) - std::max(chosen_.top[i], box_.top), 0.0f);
      const float width = std::max(std::min(chosen_.right[i], box_.right) - std::max(chosen_.left[i], box_.left), 0.0f);
      common[k] = height * width;
      any |= int(common[k] > 0);
    }
    if (!any) return false;
    int found = 0;
    for (size_t k = 0; k < size; k++) {
      const float all = chosen_.area[begin + k] + own_ - common[k];
      found |= int(chosen_.area[begin + k] > 0) & int(common[k] / all > threshold);
    }
    return found != 0;
  }

  Box box_;
  float own_;
  const Boxes& chosen_;
};

// Orders candidates: greater scores first, NaN before all, equal ones by their position.
uint64_t rank_of(float score, int64_t position) {
  uint32_t bits = score == 0 ? 0 : std::bit_cast<uint32_t>(score);
  bits = std::isnan(score) ? ~uint32_t(0) : bits >> 31 ? ~bits : bits | 0x80000000u;
  return uint64_t(bits) << 32 | uint32_t(~uint32_t(position));
}

struct Limits {
  int64_t most = 0;
  float overlap = 0, score = 0;
  bool has_score = false, center_point_box = false;
};

class Suppression {
 public:
  Suppression(const HostCall& call, const Limits& limits) : call_(call), limits_(limits) {}

  std::vector<int64_t> run() {
    const Tensor &boxes = call_.tensor(0), &scores = call_.tensor(1);
    const int64_t batches = scores.dims()[0], classes = scores.dims()[1], count = scores.dims()[2];
    for (int64_t b = 0; b < batches; b++) {
      for (int64_t c = 0; c < classes; c++) {
        choose(boxes.as<float>() + b * count * 4, scores.as<float>() + (b * classes + c) * count, count);
        for (int64_t box : taken_) rows_.insert(rows_.end(), {b, c, box});
      }
    }
    return std::move(rows_);
  }

 private:
  // The best candidates are sorted until there are enough, each time some more of them.
  void choose(const float* boxes, const float* scores, int64_t count) {
    constexpr size_t kFirst = 128, kGrowth = 4;
    taken_.clear(), chosen_.clear(), candidates_.clear();
    if (limits_.most <= 0) return;
    for (int64_t i = 0; i < count; i++)
      if (!limits_.has_score || scores[i] > limits_.score) candidates_.push_back(rank_of(scores[i], i));
    const auto at = [&](size_t i) { return candidates_.begin() + ptrdiff_t(i); };
    for (size_t begin = 0, some = kFirst; begin < candidates_.size(); begin += some, some *= kGrowth) {
      const size_t end = begin + std::min(some, candidates_.size() - begin);
      if (end < candidates_.size()) std::nth_element(at(begin), at(end), candidates_.end(), std::greater<>());
      std::sort(at(begin), at(end), std::greater<>());
      if (!choose_among(boxes, {candidates_.data() + begin, end - begin})) return;
    }
  }

  // False when there are enough.
  bool choose_among(const float* boxes, std::span<const uint64_t> candidates) {
    for (const uint64_t candidate : candidates) {
      if (int64_t(taken_.size()) == limits_.most) return false;
      const auto position = int64_t(uint32_t(~uint32_t(candidate)));
      const Box box = box_at(boxes + position * 4, limits_.center_point_box);
      if (OverlapSearch(box, chosen_).finds(limits_.overlap)) continue;
      chosen_.add(box);
      taken_.push_back(position);
    }
    return int64_t(taken_.size()) < limits_.most;
  }

  const HostCall& call_;
  Limits limits_;
  Boxes chosen_;
  std::vector<int64_t> taken_, rows_;
  std::vector<uint64_t> candidates_;
};

float number_or(const HostCall& call, size_t i, float otherwise) {
  if (!call.has(i)) return otherwise;
  const Tensor& t = call.tensor(i);
  if (t.type() != DType::f32 || t.elements() != 1) call.fail(fmt::format("input {} is not a single float32", i));
  return *t.as<float>();
}

std::vector<Value> non_max_suppression(const HostCall& call, const SuppressionCall& fields) {
  const Tensor &boxes = call.tensor(0), &scores = call.tensor(1);
  const bool ranked = boxes.dims().size() == 3 && scores.dims().size() == 3;
  if (!ranked || boxes.type() != DType::f32 || scores.type() != DType::f32 || boxes.dims()[2] != 4 ||
      boxes.dims()[0] != scores.dims()[0] || boxes.dims()[1] != scores.dims()[2])
    call.fail(fmt::format("boxes have the shape {} and scores the shape {}", shape_text(boxes.dims()),
                          shape_text(scores.dims())));
  if (boxes.dims()[1] > int64_t(std::numeric_limits<uint32_t>::max())) call.fail("there are too many boxes");
  Limits limits;
  limits.most = call.has(2) ? call.integer(2) : 0;
  limits.overlap = number_or(call, 3, 0), limits.score = number_or(call, 4, 0), limits.has_score = call.has(4);
  limits.center_point_box = fields.center_point_box;
  const std::vector<int64_t> rows = Suppression(call, limits).run();
  Tensor result(DType::i64, {int64_t(rows.size()) / 3, 3});
  if (!rows.empty()) std::memcpy(result.data(), rows.data(), rows.size() * sizeof(int64_t));
  return one_value(std::move(result));
}

}  // namespace

HostFunction prepare_non_max_suppression(const HostStep& step) { return prepared(non_max_suppression, step); }

}  // namespace cppgen::rt
