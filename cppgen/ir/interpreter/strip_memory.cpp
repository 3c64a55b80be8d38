#include <algorithm>

#include "cppgen/ir/interpreter/strip_program.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

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
