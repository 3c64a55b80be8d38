#include "cppgen/ir/interpreter/strip_program.h"

#include <bit>

#include "cppgen/ir/values/value_ops.h"

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

}  // namespace

std::unique_ptr<StripStep> make_elementwise(Elementwise kernel, int dst, std::vector<int> args, DType type,
                                            bool uniform) {
  return std::make_unique<ElementwiseStep>(kernel, dst, std::move(args), type, uniform);
}
std::unique_ptr<StripStep> make_constant(int dst, DType type, uint64_t bits) {
  return std::make_unique<ConstantStep>(dst, type, bits);
}

}  // namespace cppgen::ir
