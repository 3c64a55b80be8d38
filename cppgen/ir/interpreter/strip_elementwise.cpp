#include <cstring>

#include "cppgen/ir/interpreter/strip_kernels.h"
#include "cppgen/ir/values/value_ops.h"
#include "runtime/base/errors.h"
#include "runtime/base/narrow_floats.h"

namespace cppgen::ir {

namespace {

namespace ops = value_ops;

template <class R, class T, auto F>
void map1(void* dst, const void* const* args, int n) {
  auto* __restrict r = static_cast<R*>(dst);
  const auto* __restrict a = static_cast<const T*>(args[0]);
  for (int i = 0; i < n; i++) r[i] = F(a[i]);
}

template <class R, class T, auto F>
void map2(void* dst, const void* const* args, int n) {
  auto* __restrict r = static_cast<R*>(dst);
  const auto* a = static_cast<const T*>(args[0]);
  const auto* b = static_cast<const T*>(args[1]);
  for (int i = 0; i < n; i++) r[i] = F(a[i], b[i]);
}

// Transcendentals go through double and are rounded once.
template <class T, double (*F)(double)>
T via_double(T x) {
  return static_cast<T>(F(static_cast<double>(x)));
}

template <class T, double (*F)(double)>
constexpr Elementwise transcendental = map1<T, T, via_double<T, F>>;

template <DType T>
float rounded(float x) {
  return NarrowFloat<T>::widened(NarrowFloat<T>::narrowed(x));
}

template <class T>
Elementwise unary_of(UnaryOp op) {
  switch (op) {
#define CPPGEN_UNARY(op, operand, ...)                                                                 \
  case UnaryOp::op:                                                                                    \
    if constexpr (takes<T>(OperandClass::operand)) return map1<decltype(ops::op(T())), T, ops::op<T>>; \
    return nullptr;
#define CPPGEN_FUNCTION(op, of_double, ...)                                    \
  case UnaryOp::op:                                                            \
    if constexpr (std::floating_point<T>) return transcendental<T, of_double>; \
    return nullptr;
#define CPPGEN_ROUNDING(op, type)                                                  \
  case UnaryOp::op:                                                                \
    if constexpr (std::same_as<T, float>) return map1<T, T, rounded<DType::type>>; \
    return nullptr;
#include "cppgen/ir/values/operations.def"
  }
  return nullptr;
}

template <class T>
Elementwise binary_of(BinaryOp op) {
  switch (op) {
#define CPPGEN_BINARY(op, operands, ...)                                                                     \
  case BinaryOp::op:                                                                                         \
    if constexpr (takes<T>(OperandClass::operands)) return map2<decltype(ops::op(T(), T())), T, ops::op<T>>; \
    return nullptr;
#include "cppgen/ir/values/operations.def"
  }
  return nullptr;
}

template <class T>
void select(void* dst, const void* const* args, int n) {
  auto* __restrict r = static_cast<T*>(dst);
  const auto* c = static_cast<const bool*>(args[0]);
  const auto* a = static_cast<const T*>(args[1]);
  const auto* b = static_cast<const T*>(args[2]);
  for (int i = 0; i < n; i++) r[i] = c[i] ? a[i] : b[i];
}

template <class T>
void broadcast(void* dst, int n) {
  auto* r = static_cast<T*>(dst);
  const T value = r[0];
  for (int i = 1; i < n; i++) r[i] = value;
}

}  // namespace

Elementwise unary_kernel(UnaryOp op, DType operand) {
  const Elementwise f = with_value_type(operand, [&](auto t) { return unary_of<decltype(t)>(op); });
  if (!f) internal_error("no kernel for {} of {}", name_of(op), name_of(operand));
  return f;
}

Elementwise binary_kernel(BinaryOp op, DType operands) {
  const Elementwise f = with_value_type(operands, [&](auto t) { return binary_of<decltype(t)>(op); });
  if (!f) internal_error("no kernel for {} of {}", name_of(op), name_of(operands));
  return f;
}

Elementwise select_kernel(DType type) {
  return with_value_type(type, [](auto t) -> Elementwise { return select<decltype(t)>; });
}

Elementwise cast_kernel(DType to, DType from) {
  return with_value_type(from, [&](auto f) {
    return with_value_type(
        to, [](auto t) -> Elementwise { return map1<decltype(t), decltype(f), ops::cast<decltype(t), decltype(f)>>; });
  });
}

void broadcast_first(void* dst, size_t element_size, int n) {
  switch (element_size) {
    case 1:
      return broadcast<uint8_t>(dst, n);
    case 2:
      return broadcast<uint16_t>(dst, n);
    case 4:
      return broadcast<uint32_t>(dst, n);
    default:
      return broadcast<uint64_t>(dst, n);
  }
}

}  // namespace cppgen::ir
