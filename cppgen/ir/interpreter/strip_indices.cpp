#include <algorithm>

#include "cppgen/ir/index/polynomial.h"
#include "cppgen/ir/interpreter/strip_program.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

class IotaStep : public StripStep {
 public:
  IotaStep(int dst, Affine affine) : dst_(dst), affine_(std::move(affine)) {}

  void run(StripContext& c, int n) const override {
    auto* dst = static_cast<int64_t*>(c.registers.write(dst_));
    const int64_t first = affine_.at(c.slots);
    for (int i = 0; i < n; i++) dst[i] = first + i * affine_.stride;
  }

 private:
  int dst_;
  Affine affine_;
};

class IndexStep : public StripStep {
 public:
  IndexStep(IndexStepOp op, int dst, int a, int b, int64_t scale, bool uniform)
      : op_(op), dst_(dst), a_(a), b_(b), scale_(scale), uniform_(uniform) {}

  void run(StripContext& c, int n) const override {
    const auto* a = static_cast<const int64_t*>(c.registers[a_]);
    const auto* b = static_cast<const int64_t*>(c.registers[b_]);
    auto* dst = static_cast<int64_t*>(c.registers.write(dst_));
    compute(dst, a, b, uniform_ ? 1 : n);
    if (uniform_) broadcast_first(dst, sizeof *dst, n);
  }

 private:
  IndexStepOp op_;
  int dst_, a_, b_;
  int64_t scale_;
  bool uniform_;

  void compute(int64_t* dst, const int64_t* a, const int64_t* b, int n) const {
    switch (op_) {
      case IndexStepOp::add_scaled:
        return each(dst, a, b, n, [&](int64_t x, int64_t y) { return x + scale_ * y; });
      case IndexStepOp::multiply:
        return each(dst, a, b, n, [](int64_t x, int64_t y) { return x * y; });
      case IndexStepOp::floordiv:
        return each(dst, a, b, n, [](int64_t x, int64_t y) { return y > 0 ? floor_div(x, y) : 0; });
      case IndexStepOp::mod:
        return each(dst, a, b, n, [](int64_t x, int64_t y) { return y > 0 ? floor_mod(x, y) : 0; });
      case IndexStepOp::min:
        return each(dst, a, b, n, [](int64_t x, int64_t y) { return std::min(x, y); });
      case IndexStepOp::max:
        return each(dst, a, b, n, [](int64_t x, int64_t y) { return std::max(x, y); });
    }
  }

  template <class F>
  static void each(int64_t* dst, const int64_t* a, const int64_t* b, int n, F f) {
    for (int i = 0; i < n; i++) dst[i] = f(a[i], b[i]);
  }
};

class SlotStep : public StripStep {
 public:
  SlotStep(int slot, int reg) : slot_(slot), reg_(reg) {}
  void run(StripContext& c, int) const override { c.slots[slot_] = static_cast<const int64_t*>(c.registers[reg_])[0]; }

 private:
  int slot_, reg_;
};

class MaskStep : public StripStep {
 public:
  MaskStep(int dst, StripMask mask) : dst_(dst), mask_(std::move(mask)) {}

  void run(StripContext& c, int n) const override {
    auto* dst = static_cast<uint8_t*>(c.registers.write(dst_));
    const Lanes lanes = lanes_inside(mask_.affine, c.slots, n);
    for (int i = 0; i < n; i++) dst[i] = i >= lanes.begin && i < lanes.end;
    for (int reg : mask_.registers) {
      const auto* v = static_cast<const int64_t*>(c.registers[reg]);
      for (int i = 0; i < n; i++) dst[i] = dst[i] && v[i] >= 0;
    }
  }

 private:
  int dst_;
  StripMask mask_;
};

class BindStep : public StripStep {
 public:
  BindStep(int dst, int value, int64_t extent, int mask, bool uniform, std::optional<std::string> sentence)
      : dst_(dst), value_(value), extent_(extent), mask_(mask), uniform_(uniform), sentence_(std::move(sentence)) {}

  void run(StripContext& c, int n) const override {
    const auto* values = static_cast<const int64_t*>(c.registers[value_]);
    const auto* mask = mask_ < 0 ? nullptr : static_cast<const uint8_t*>(c.registers[mask_]);
    auto* dst = static_cast<int64_t*>(c.registers.write(dst_));
    for (int i = 0; i < (uniform_ ? 1 : n); i++) {
      const int64_t v = values[i] < 0 ? values[i] + extent_ : values[i];
      const bool inside = v >= 0 && v < extent_;
      if (!inside && (!mask || mask[i])) fail(c, values[i]);
      dst[i] = inside ? v : 0;
    }
    if (uniform_) broadcast_first(dst, sizeof *dst, n);
  }

 private:
  int dst_, value_;
  int64_t extent_;
  int mask_;
  bool uniform_;
  std::optional<std::string> sentence_;

  [[noreturn]] void fail(const StripContext& c, int64_t value) const {
    if (sentence_) user_error("{}", *sentence_);
    if (extent_ == 0) user_error("{}: index {} into a dimension of size 0", c.origins, value);
    user_error("{}: index {} is out of range for a dimension of size {} (allowed: {} to {})", c.origins, value, extent_,
               -extent_, extent_ - 1);
  }
};

}  // namespace

Lanes lanes_inside(const std::vector<Affine>& conditions, const int64_t* slots, int n) {
  int64_t begin = 0, end = n;
  for (const Affine& a : conditions) {
    const int64_t first = a.at(slots);
    if (a.stride > 0)
      begin = std::max(begin, -floor_div(first, a.stride));
    else if (a.stride < 0)
      end = std::min(end, floor_div(first, -a.stride) + 1);
    else if (first < 0)
      return {0, 0};
  }
  return begin < end ? Lanes{static_cast<int>(begin), static_cast<int>(end)} : Lanes{0, 0};
}

std::unique_ptr<StripStep> make_iota(int dst, Affine affine) {
  return std::make_unique<IotaStep>(dst, std::move(affine));
}
std::unique_ptr<StripStep> make_index_step(IndexStepOp op, int dst, int a, int b, int64_t scale, bool uniform) {
  return std::make_unique<IndexStep>(op, dst, a, b, scale, uniform);
}
std::unique_ptr<StripStep> make_slot(int slot, int reg) { return std::make_unique<SlotStep>(slot, reg); }
std::unique_ptr<StripStep> make_mask(int dst, StripMask mask) {
  return std::make_unique<MaskStep>(dst, std::move(mask));
}
std::unique_ptr<StripStep> make_bind(int dst, int value, int64_t extent, int mask, bool uniform,
                                     std::optional<std::string> sentence) {
  return std::make_unique<BindStep>(dst, value, extent, mask, uniform, std::move(sentence));
}

}  // namespace cppgen::ir
