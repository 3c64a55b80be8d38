#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ir/interpreter/strip_kernels.h"

namespace cppgen::ir {

// A nest's values compiled into steps over strips (see compile_strip.h). Registers hold kStripLength values of one
// type. Loop variables have slots; within a strip the lane variable counts up by one from its slot's value. Further
// slots take index values that are the same in all lanes, such as a gather's row, so that indices with them are affine.

// constant + sum of coefficient * slot, at lane 0, and what it grows by per lane.
struct Affine {
  int64_t constant = 0;
  int64_t stride = 0;
  std::vector<std::pair<int, int64_t>> terms;

  int64_t at(const int64_t* slots) const {
    int64_t value = constant;
    for (const auto& [slot, coefficient] : terms) value += coefficient * slots[slot];
    return value;
  }
};

// An index: affine, or a register of int64 if reg >= 0.
struct StripIndex {
  Affine affine;
  int reg = -1;
};

struct TensorView {
  std::byte* data;
  DType type;
  std::vector<int64_t> dims;
  int64_t elements;
  std::string name;  // for messages
};

class StripRegisters {
 public:
  explicit StripRegisters(int count);
  void* own(int reg) { return storage_.data() + static_cast<size_t>(reg) * kStripBytes; }
  const void* operator[](int reg) const { return current_[reg]; }
  void* write(int reg) { return const_cast<void*>(current_[reg] = own(reg)); }
  void alias(int reg, const void* data) { current_[reg] = data; }  // reads go to `data` until the next write

 private:
  std::vector<std::byte> storage_;
  std::vector<const void*> current_;
};

struct StripContext {
  StripRegisters& registers;
  int64_t* slots;
  const std::string& origins;  // for messages
};

class StripStep {
 public:
  virtual ~StripStep() = default;
  virtual void run(StripContext&, int n) const = 0;
};

using StripSteps = std::vector<std::unique_ptr<StripStep>>;
void run_steps(const StripSteps&, StripContext&, int n);

// An index that must lie in [0, extent).
struct BoundsCheck {
  StripIndex index;
  int64_t extent;
};

// The element of a tensor that each lane refers to.
struct ElementAddress {
  const TensorView* tensor;
  StripIndex offset;                // in elements
  std::vector<BoundsCheck> checks;  // dimensions that are not known to be in range
};

// Lanes where all `conditions` are at least 0; those of affine indices form an interval.
struct StripMask {
  std::vector<Affine> affine;
  std::vector<int> registers;
  bool empty() const { return affine.empty() && registers.empty(); }
};

struct Lanes {
  int begin, end;
};
// The lanes in [0, n) where the affine conditions are at least 0.
Lanes lanes_inside(const std::vector<Affine>& conditions, const int64_t* slots, int n);

// Steps on values (strip_program.cpp).
std::unique_ptr<StripStep> make_elementwise(Elementwise, int dst, std::vector<int> args, DType type, bool uniform);
std::unique_ptr<StripStep> make_constant(int dst, DType type, uint64_t bits);

// Steps on indices (strip_indices.cpp).
std::unique_ptr<StripStep> make_iota(int dst, Affine);
enum class IndexStepOp { add_scaled, multiply, floordiv, mod, min, max };  // add_scaled: a + scale * b
std::unique_ptr<StripStep> make_index_step(IndexStepOp, int dst, int a, int b, int64_t scale, bool uniform);
std::unique_ptr<StripStep> make_slot(int slot, int reg);   // slot = the register's first lane
std::unique_ptr<StripStep> make_mask(int dst, StripMask);  // to a register of uint8
// Checks and wraps the value that an indirect variable is bound to. mask: a register, or -1; sentence: see
// check_message.h.
std::unique_ptr<StripStep> make_bind(int dst, int value, int64_t extent, int mask, bool uniform,
                                     std::optional<std::string> sentence);

// Steps on memory (strip_memory.cpp). Affine address, mask of affine conditions only:
std::unique_ptr<StripStep> make_affine_load(int dst, ElementAddress, std::vector<Affine> conditions, int fallback);
std::unique_ptr<StripStep> make_gather(int dst, ElementAddress, int mask, int fallback);
std::unique_ptr<StripStep> make_store(ElementAddress, int value);

}  // namespace cppgen::ir
