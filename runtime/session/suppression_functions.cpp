// NonMaxSuppression: of each class the best boxes that do not overlap better ones.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/base/errors.h"
#include "runtime/session/host_functions.h"

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

// Whether a box overlaps one of the chosen. In blocks, which compilers make vectors of.
bool overlaps(const Box& box, const Boxes& chosen, float threshold) {
  constexpr size_t kBlock = 16;
  const float own = box.area();
  if (!(own > 0)) return false;
  for (size_t begin = 0, count = chosen.top.size(); begin < count; begin += kBlock) {
    int found = 0;
    for (size_t k = begin, end = std::min(count, begin + kBlock); k < end; k++) {
      const float height = std::max(std::min(chosen.bottom[k], box.bottom) - std::max(chosen.top[k], box.top), 0.0f);
      const float width = std::max(std::min(chosen.right[k], box.right) - std::max(chosen.left[k], box.left), 0.0f);
      const float common = height * width, all = chosen.area[k] + own - common;
      found |= int(chosen.area[k] > 0) & int(common / all > threshold);
    }
    if (found) return true;
  }
  return false;
}

// Orders candidates: greater scores first, NaN before all, equal ones by their position.
uint64_t rank_of(float score, int64_t position) {
  uint32_t bits = score == 0 ? 0 : std::bit_cast<uint32_t>(score);
  bits = std::isnan(score) ? ~uint32_t(0) : bits >> 31 ? ~bits : bits | 0x80000000u;
  return uint64_t(bits) << 32 | uint32_t(~uint32_t(position));
}

struct Limits {
  int64_t most = 0;
  float overlap = 0, score = 0;
  bool has_score = false;
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
  // Candidates leave a heap in their order, until there are enough.
  void choose(const float* boxes, const float* scores, int64_t count) {
    taken_.clear(), chosen_.clear(), heap_.clear();
    if (limits_.most <= 0) return;
    for (int64_t i = 0; i < count; i++)
      if (!limits_.has_score || scores[i] > limits_.score) heap_.push_back(rank_of(scores[i], i));
    std::make_heap(heap_.begin(), heap_.end());
    while (!heap_.empty() && int64_t(taken_.size()) < limits_.most) {
      std::pop_heap(heap_.begin(), heap_.end());
      const auto position = int64_t(uint32_t(~uint32_t(heap_.back())));
      heap_.pop_back();
      const Box box = box_at(boxes + position * 4, call_.step.integers[0] != 0);
      if (overlaps(box, chosen_, limits_.overlap)) continue;
      chosen_.add(box);
      taken_.push_back(position);
    }
  }

  const HostCall& call_;
  Limits limits_;
  Boxes chosen_;
  std::vector<int64_t> taken_, rows_;
  std::vector<uint64_t> heap_;
};

float number_or(const HostCall& call, size_t i, float otherwise) {
  if (!call.has(i)) return otherwise;
  const Tensor& t = call.tensor(i);
  if (t.type() != DType::f32 || t.elements() != 1) call.fail(fmt::format("input {} is not one float32", i));
  return *t.as<float>();
}

// integers: center_point_box
std::vector<Value> non_max_suppression(const HostCall& call) {
  const Tensor &boxes = call.tensor(0), &scores = call.tensor(1);
  const bool ranked = boxes.dims().size() == 3 && scores.dims().size() == 3;
  if (!ranked || boxes.type() != DType::f32 || scores.type() != DType::f32 || boxes.dims()[2] != 4 ||
      boxes.dims()[0] != scores.dims()[0] || boxes.dims()[1] != scores.dims()[2])
    call.fail(
        fmt::format("boxes of shape {} and scores of shape {}", shape_text(boxes.dims()), shape_text(scores.dims())));
  if (boxes.dims()[1] > int64_t(std::numeric_limits<uint32_t>::max())) call.fail("there are too many boxes");
  Limits limits;
  limits.most = call.has(2) ? call.integer(2) : 0;
  limits.overlap = number_or(call, 3, 0), limits.score = number_or(call, 4, 0), limits.has_score = call.has(4);
  const std::vector<int64_t> rows = Suppression(call, limits).run();
  Tensor result(DType::i64, {int64_t(rows.size()) / 3, 3});
  if (!rows.empty()) std::memcpy(result.data(), rows.data(), rows.size() * sizeof(int64_t));
  return one_value(std::move(result));
}

constexpr NamedHostFunction kFunctions[] = {
    {"non_max_suppression", 2, 1, 0, non_max_suppression},
};

}  // namespace

std::span<const NamedHostFunction> suppression_functions() { return kFunctions; }

}  // namespace cppgen::rt
