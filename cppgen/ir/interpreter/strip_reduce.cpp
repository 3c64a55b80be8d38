#include "cppgen/ir/interpreter/strip_kernels.h"
#include "cppgen/ir/values/value_ops.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

// A reduction of T is a struct: State, identity(), combine(State&, T), result(State).

// Float sums and products are kept in double; integers wrap in 64 bits, of which the result keeps the low ones.
template <class T>
using Wide = std::conditional_t<std::floating_point<T>, double, uint64_t>;

template <class T, ReductionStart Start>
T start_of() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Start == ReductionStart::greatest) return std::floating_point<T> ? Limits::infinity() : Limits::max();
  if constexpr (Start == ReductionStart::least) return std::floating_point<T> ? -Limits::infinity() : Limits::lowest();
  return T(Start == ReductionStart::one);
}

template <class T, class S, ReductionStart Start, S (*Combine)(S, S)>
struct Combined {
  using State = S;
  using Result = T;
  static State identity() { return start_of<S, Start>(); }
  static void combine(State& s, T v) { s = Combine(s, static_cast<S>(v)); }
  static T result(State s) { return static_cast<T>(s); }
};

template <class T>
using Sum = Combined<T, Wide<T>, ReductionStart::zero, value_ops::add<Wide<T>>>;

// Several partial states let the compiler keep vectors of them; their number is fixed, so results are too.
template <class T>
double sum_in_parts(const T* v, int n) {
  double parts[8] = {};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int j = 0; j < 8; j++) parts[j] += static_cast<double>(v[i + j]);
  for (; i < n; i++) parts[0] += static_cast<double>(v[i]);
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

template <class R>
void init(void* state, int n) {
  for (int i = 0; i < n; i++) static_cast<typename R::State*>(state)[i] = R::identity();
}

template <class R, class T>
void across(void* state, const void* const* args, int n) {
  auto* __restrict s = static_cast<typename R::State*>(state);
  const auto* __restrict v = static_cast<const T*>(args[0]);
  for (int i = 0; i < n; i++) R::combine(s[i], v[i]);
}

template <class R, class T>
void along(void* state, const void* const* args, int n) {
  auto* s = static_cast<typename R::State*>(state);
  const auto* v = static_cast<const T*>(args[0]);
  if constexpr (std::same_as<R, Sum<T>> && std::floating_point<T>) {
    *s += sum_in_parts(v, n);
  } else {
    auto local = *s;
    for (int i = 0; i < n; i++) R::combine(local, v[i]);
    *s = local;
  }
}

template <class R>
void finish(void* dst, const void* state, int n) {
  for (int i = 0; i < n; i++)
    static_cast<typename R::Result*>(dst)[i] = R::result(static_cast<const typename R::State*>(state)[i]);
}

template <class R, class T>
ReduceKernels plain() {
  return {sizeof(typename R::State), init<R>, across<R, T>, along<R, T>, finish<R>};
}

// --- argmin, argmax ---

template <class T>
struct ArgState {
  T best;
  bool any;
  int64_t position;
};

// NaN wins over everything but an earlier (or, with last, is replaced by a later) NaN.
template <class T, bool Greatest, bool Last>
bool better(T v, T best) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(best)) return Last && std::isnan(v);
    if (std::isnan(v)) return true;
  }
  if (v == best) return Last;
  return Greatest ? v > best : v < best;
}

template <class T, bool Greatest, bool Last>
void arg_combine(ArgState<T>& s, T v, int64_t position) {
  if (s.any && !better<T, Greatest, Last>(v, s.best)) return;
  s = {v, true, position};
}

template <class T>
void arg_init(void* state, int n) {  // of no values: -1, as in kernels
  for (int i = 0; i < n; i++) static_cast<ArgState<T>*>(state)[i] = {T(), false, -1};
}

template <class T, bool Greatest, bool Last, bool Along>
void arg_step(void* state, const void* const* args, int n) {
  auto* s = static_cast<ArgState<T>*>(state);
  const auto* v = static_cast<const T*>(args[0]);
  const auto* position = static_cast<const int64_t*>(args[1]);
  for (int i = 0; i < n; i++) arg_combine<T, Greatest, Last>(s[Along ? 0 : i], v[i], position[i]);
}

template <class T>
void arg_finish(void* dst, const void* state, int n) {
  for (int i = 0; i < n; i++) static_cast<int64_t*>(dst)[i] = static_cast<const ArgState<T>*>(state)[i].position;
}

template <class T, bool Greatest, bool Last>
ReduceKernels arg() {
  return {sizeof(ArgState<T>), arg_init<T>, arg_step<T, Greatest, Last, false>, arg_step<T, Greatest, Last, true>,
          arg_finish<T>};
}

template <class T>
ReduceKernels arg_kernels(bool greatest, bool last) {
  if (greatest) return last ? arg<T, true, true>() : arg<T, true, false>();
  return last ? arg<T, false, true>() : arg<T, false, false>();
}

template <class T>
ReduceKernels kernels_of(ReduceOp op, bool last) {
  using wide = Wide<T>;
  using same = T;
  switch (op) {
#define CPPGEN_REDUCTION(op, operands, combine, state, start, ...)                             \
  case ReduceOp::op:                                                                           \
    if constexpr (takes<T>(OperandClass::operands))                                            \
      return plain<Combined<T, state, ReductionStart::start, value_ops::combine<state>>, T>(); \
    break;
#define CPPGEN_POSITION_REDUCTION(op, greatest) \
  case ReduceOp::op:                            \
    return arg_kernels<T>(greatest, last);
#include "cppgen/ir/values/operations.def"
  }
  internal_error("{} of such values", name_of(op));
}

void products_across(void* state, const void* const* args, int n) {
  auto* __restrict s = static_cast<double*>(state);
  const auto* __restrict a = static_cast<const float*>(args[0]);
  const auto* __restrict b = static_cast<const float*>(args[1]);
  for (int i = 0; i < n; i++) s[i] += static_cast<double>(a[i] * b[i]);
}

void products_along(void* state, const void* const* args, int n) {
  const auto* a = static_cast<const float*>(args[0]);
  const auto* b = static_cast<const float*>(args[1]);
  float products[kStripLength];
  for (int i = 0; i < n; i++) products[i] = a[i] * b[i];
  *static_cast<double*>(state) += sum_in_parts(products, n);
}

}  // namespace

ReduceKernels reduce_kernels(ReduceOp op, DType value, bool select_last) {
  return with_value_type(value, [&](auto t) { return kernels_of<decltype(t)>(op, select_last); });
}

ReduceKernels sum_of_products_kernels() {
  return {sizeof(double), init<Sum<float>>, products_across, products_along, finish<Sum<float>>};
}

}  // namespace cppgen::ir
