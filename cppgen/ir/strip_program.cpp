#include "cppgen/ir/strip_program.h"

#include <algorithm>
#include <bit>

#include "cppgen/ir/fold.h"
#include "cppgen/ir/polynomial.h"
#include "cppgen/ir/value_ops.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

StripRegisters::StripRegisters(int count)
    : storage_(static_cast<size_t>(count) * kStripBytes), current_(static_cast<size_t>(count)) {
  for (int i = 0; i < count; i++) current_[i] = own(i);
}

void run_steps(const StripSteps& steps, StripContext& context, int n) {
  for (const auto& step : steps) step->run(context, n);
}

namespace {

class ElementwiseStep : public StripStep {
 public:
  ElementwiseStep(Elementwise kernel, int dst, std::vector<int> args, DType type, bool uniform)
      : kernel_(kernel), dst_(dst), args_(std::move(args)), type_(type), uniform_(uniform) {}

  void run(StripContext& c, int n) const override {
    const void* args[3];
    for (size_t i = 0; i < args_.size(); i++) args[i] = c.registers[args_[i]];
    void* dst = c.registers.write(dst_);
    kernel_(dst, args, uniform_ ? 1 : n);
    if (uniform_) broadcast_first(dst, size_of(type_), n);
  }

 private:
  Elementwise kernel_;
  int dst_;
  std::vector<int> args_;
  DType type_;
  bool uniform_;
};

class ConstantStep : public StripStep {
 public:
  ConstantStep(int dst, DType type, uint64_t bits) : dst_(dst), type_(type), bits_(bits) {}

  void run(StripContext& c, int n) const override {
    void* dst = c.registers.write(dst_);
    with_value_type(type_, [&](auto t) {
      using T = decltype(t);
      if constexpr (std::floating_point<T>)
        *static_cast<T*>(dst) = static_cast<T>(std::bit_cast<double>(bits_));
      else
        *static_cast<T*>(dst) = static_cast<T>(bits_);
    });
    broadcast_first(dst, size_of(type_), n);
  }

 private:
  int dst_;
  DType type_;
  uint64_t bits_;
};

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

struct Lanes {
  int begin, end;
};

// The lanes in [0, n) where the affine conditions are at least 0.
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
  BindStep(int dst, int value, int64_t extent, int mask, bool uniform)
      : dst_(dst), value_(value), extent_(extent), mask_(mask), uniform_(uniform) {}

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

  [[noreturn]] void fail(const StripContext& c, int64_t value) const {
    if (extent_ == 0) user_error("{}: index {} into a dimension of size 0", c.origins, value);
    user_error("{}: index {} is out of range for a dimension of size {} (allowed: {} to {})", c.origins, value, extent_,
               -extent_, extent_ - 1);
  }
};

// --- addresses ---

[[noreturn]] void leaves_tensor(const StripContext& c, const ElementAddress& a, int64_t index, int64_t extent) {
  internal_error("{}: index {} leaves [0, {}) of tensor {}", c.origins, index, extent, a.tensor->name);
}

void check_ends(const StripContext& c, const ElementAddress& a, const Affine& index, int64_t extent, Lanes lanes) {
  const int64_t first = index.at(c.slots);
  for (int64_t v : {first + lanes.begin * index.stride, first + (lanes.end - 1) * index.stride})
    if (v < 0 || v >= extent) leaves_tensor(c, a, v, extent);
}

void check_lanes(const StripContext& c, const ElementAddress& a, const int64_t* v, int64_t extent, const uint8_t* mask,
                 int n) {
  for (int i = 0; i < n; i++)
    if ((v[i] < 0 || v[i] >= extent) && (!mask || mask[i])) leaves_tensor(c, a, v[i], extent);
}

void check_address(const StripContext& c, const ElementAddress& a, const uint8_t* mask, int n) {
  for (const BoundsCheck& check : a.checks) {
    if (check.index.reg >= 0) {
      check_lanes(c, a, static_cast<const int64_t*>(c.registers[check.index.reg]), check.extent, mask, n);
      continue;
    }
    const int64_t first = check.index.affine.at(c.slots);
    for (int i = 0; i < n; i++) {
      const int64_t v = first + i * check.index.affine.stride;
      if ((v < 0 || v >= check.extent) && (!mask || mask[i])) leaves_tensor(c, a, v, check.extent);
    }
  }
}

const int64_t* offsets_of(const StripContext& c, const StripIndex& offset, int64_t* scratch, int n) {
  if (offset.reg >= 0) return static_cast<const int64_t*>(c.registers[offset.reg]);
  const int64_t first = offset.affine.at(c.slots);
  for (int i = 0; i < n; i++) scratch[i] = first + i * offset.affine.stride;
  return scratch;
}

class AffineLoadStep : public StripStep {
 public:
  AffineLoadStep(int dst, ElementAddress address, std::vector<Affine> conditions, int fallback)
      : dst_(dst),
        address_(std::move(address)),
        conditions_(std::move(conditions)),
        fallback_(fallback),
        kernels_(storage_kernels(address_.tensor->type)),
        storage_size_(size_of(address_.tensor->type)),
        value_size_(size_of(value_type(address_.tensor->type))),
        may_alias_(address_.offset.affine.stride == 1 && address_.tensor->type != DType::boolean &&
                   value_type(address_.tensor->type) == address_.tensor->type) {}

  void run(StripContext& c, int n) const override {
    const Lanes lanes = conditions_.empty() ? Lanes{0, n} : lanes_inside(conditions_, c.slots, n);
    if (lanes.begin == lanes.end) return copy_fallback(c, 0, n);
    for (const BoundsCheck& check : address_.checks) check_ends(c, address_, check.index.affine, check.extent, lanes);
    const Affine& offset = address_.offset.affine;
    const int64_t first = offset.at(c.slots) + lanes.begin * offset.stride;
    const std::byte* src = address_.tensor->data + first * static_cast<int64_t>(storage_size_);
    if (may_alias_ && lanes.begin == 0 && lanes.end == n) return c.registers.alias(dst_, src);
    auto* dst = static_cast<std::byte*>(c.registers.write(dst_));
    kernels_.load(dst + lanes.begin * value_size_, src, offset.stride, lanes.end - lanes.begin);
    if (lanes.begin > 0) copy_fallback(c, 0, lanes.begin);
    if (lanes.end < n) copy_fallback(c, lanes.end, n);
  }

 private:
  int dst_;
  ElementAddress address_;
  std::vector<Affine> conditions_;
  int fallback_;
  const StorageKernels& kernels_;
  size_t storage_size_, value_size_;
  bool may_alias_;

  void copy_fallback(StripContext& c, int begin, int end) const {
    const auto* from = static_cast<const std::byte*>(c.registers[fallback_]);
    auto* to = static_cast<std::byte*>(c.registers.write(dst_));
    std::copy(from + begin * value_size_, from + end * value_size_, to + begin * value_size_);
  }
};

class GatherStep : public StripStep {
 public:
  GatherStep(int dst, ElementAddress address, int mask, int fallback)
      : dst_(dst), address_(std::move(address)), mask_(mask), fallback_(fallback) {}

  void run(StripContext& c, int n) const override {
    const auto* mask = mask_ < 0 ? nullptr : static_cast<const uint8_t*>(c.registers[mask_]);
    check_address(c, address_, mask, n);
    int64_t scratch[kStripLength];
    const int64_t* offsets = offsets_of(c, address_.offset, scratch, n);
    auto* dst = static_cast<std::byte*>(c.registers.write(dst_));
    if (mask) {
      const auto* from = static_cast<const std::byte*>(c.registers[fallback_]);
      std::copy(from, from + n * size_of(value_type(address_.tensor->type)), dst);
    }
    storage_kernels(address_.tensor->type).gather(dst, address_.tensor->data, offsets, mask, n);
  }

 private:
  int dst_;
  ElementAddress address_;
  int mask_, fallback_;
};

class StoreStep : public StripStep {
 public:
  StoreStep(ElementAddress address, int value) : address_(std::move(address)), value_(value) {}

  void run(StripContext& c, int n) const override {
    check_address(c, address_, nullptr, n);
    const TensorView& t = *address_.tensor;
    const void* value = c.registers[value_];
    if (address_.offset.reg >= 0) {
      const auto* offsets = static_cast<const int64_t*>(c.registers[address_.offset.reg]);
      return storage_kernels(t.type).scatter(t.data, offsets, value, n);
    }
    const Affine& offset = address_.offset.affine;
    std::byte* dst = t.data + offset.at(c.slots) * static_cast<int64_t>(size_of(t.type));
    storage_kernels(t.type).store(dst, offset.stride, value, n);
  }

 private:
  ElementAddress address_;
  int value_;
};

}  // namespace

std::unique_ptr<StripStep> make_elementwise(Elementwise kernel, int dst, std::vector<int> args, DType type,
                                            bool uniform) {
  return std::make_unique<ElementwiseStep>(kernel, dst, std::move(args), type, uniform);
}
std::unique_ptr<StripStep> make_constant(int dst, DType type, uint64_t bits) {
  return std::make_unique<ConstantStep>(dst, type, bits);
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
std::unique_ptr<StripStep> make_bind(int dst, int value, int64_t extent, int mask, bool uniform) {
  return std::make_unique<BindStep>(dst, value, extent, mask, uniform);
}
std::unique_ptr<StripStep> make_affine_load(int dst, ElementAddress address, std::vector<Affine> conditions,
                                            int fallback) {
  return std::make_unique<AffineLoadStep>(dst, std::move(address), std::move(conditions), fallback);
}
std::unique_ptr<StripStep> make_gather(int dst, ElementAddress address, int mask, int fallback) {
  return std::make_unique<GatherStep>(dst, std::move(address), mask, fallback);
}
std::unique_ptr<StripStep> make_store(ElementAddress address, int value) {
  return std::make_unique<StoreStep>(std::move(address), value);
}

}  // namespace cppgen::ir
