#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/custom/operator.h"
#include "cppgen/ir/index/index_expr.h"
#include "runtime/plan/plan.h"

namespace cppgen::custom {

// Dimension expressions over the inputs' dimensions: as the compiler's (IndexExpr), or as code that is evaluated at run
// time.
struct DimCode {
  rt::DimExpr expr;
  DimCode(int64_t constant) : expr(rt::DimExpr::of(constant)) {}
  explicit DimCode(rt::DimExpr expr) : expr(std::move(expr)) {}
  static DimCode symbol(int64_t k) { return DimCode(rt::DimExpr{{int64_t(rt::DimOp::symbol), k}}); }
};
DimCode joined(rt::DimOp, DimCode, const DimCode&);
inline DimCode operator+(DimCode a, const DimCode& b) { return joined(rt::DimOp::add, std::move(a), b); }
inline DimCode operator*(DimCode a, const DimCode& b) { return joined(rt::DimOp::mul, std::move(a), b); }
inline DimCode operator-(DimCode a, const DimCode& b) { return std::move(a) + b * DimCode(-1); }
inline DimCode floordiv(DimCode a, const DimCode& b) { return joined(rt::DimOp::floordiv, std::move(a), b); }
inline DimCode mod(DimCode a, const DimCode& b) { return joined(rt::DimOp::mod, std::move(a), b); }
inline DimCode min(DimCode a, const DimCode& b) { return joined(rt::DimOp::min, std::move(a), b); }
inline DimCode max(DimCode a, const DimCode& b) { return joined(rt::DimOp::max, std::move(a), b); }
// The greater of two dimensions of which one is 1 or both are equal, or 0 if one is 0.
DimCode broadcast(const DimCode&, const DimCode&);

// The values of the names of dimensions.
template <class D>
struct Dims {
  std::map<std::string, D> names{};
  std::map<std::string, std::vector<D>> groups{};
  std::map<std::string, std::vector<D>> tensors{};
  const Attributes* attributes = nullptr;
};

// Binds the names of the inputs' shapes, whose dimensions are in `tensors`. UserError naming the node if the number of
// dimensions is wrong, or dimensions of the same name are not equal.
void bind(ops::InferContext&, const rt::CustomDescription&, Dims<ir::IndexExpr>&);
void bind(ops::InferContext&, const rt::CustomDescription&, Dims<DimCode>&);

// The operations on dimensions.
enum class DimArithmetic : uint8_t { add, sub, mul, floordiv, mod, min, max };
std::optional<DimArithmetic> dim_arithmetic(const Operation&);  // nullopt: it does not yield a dimension

// The dimension that a term represents; UserError naming its place if it is not a dimension.
ir::IndexExpr dim_of(const Term&, const Dims<ir::IndexExpr>&);
DimCode dim_of(const Term&, const Dims<DimCode>&);

// The shape of an output.
std::vector<ir::IndexExpr> shape_of(ops::InferContext&, const ops::CustomOperator&, size_t output,
                                    const Dims<ir::IndexExpr>&);
std::vector<DimCode> shape_of(ops::InferContext&, const ops::CustomOperator&, size_t output, const Dims<DimCode>&);

}  // namespace cppgen::custom
