#include "cppgen/codegen/rounded_in_range.h"

#include <cmath>

namespace cppgen::codegen {
namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::ExprKind;
using ir::UnaryOp;

bool is_constant(Expr e) { return e->kind == ExprKind::constant; }

// A saturating cast of round(x) or of round(x) + zero.
std::optional<RoundedInRange> quantized(Expr e) {
  constexpr double kMostZero = 1 << 16;  // below, sums that are in range are exact
  if (e->type != DType::u8 && e->type != DType::u16) return std::nullopt;
  const int64_t most = e->type == DType::u8 ? UINT8_MAX : UINT16_MAX;
  Expr sum = e->args[0];
  double zero = 0;
  if (sum->kind == ExprKind::binary && sum->binary == BinaryOp::add && is_constant(sum->args[1])) {
    zero = sum->args[1]->type == DType::f32 ? sum->args[1]->float_value() : NAN;
    sum = sum->args[0];
  }
  const bool rounds = sum->kind == ExprKind::unary && sum->unary == UnaryOp::round && sum->type == DType::f32;
  if (!rounds || !(std::abs(zero) < kMostZero) || std::trunc(zero) != zero) return std::nullopt;
  const auto offset = int64_t(zero);
  return RoundedInRange{sum->args[0], -offset, most - offset, offset};
}

// Matches a quantized value, or one that is cast to int32.
std::optional<RoundedInRange> quantized_or_widened(Expr e) {
  if (e->kind != ExprKind::cast) return std::nullopt;
  return quantized(e->type == DType::i32 && e->args[0]->kind == ExprKind::cast ? e->args[0] : e);
}

}  // namespace

std::optional<RoundedInRange> rounded_in_range(Expr e) {
  if (e->kind == ExprKind::cast) return quantized_or_widened(e);
  const bool sum = e->kind == ExprKind::binary && (e->binary == BinaryOp::add || e->binary == BinaryOp::sub);
  if (!sum || e->type != DType::i32 || !is_constant(e->args[1])) return std::nullopt;
  auto r = quantized_or_widened(e->args[0]);
  const int64_t more = e->args[1]->int_value();
  if (!r || std::abs(more) >= 1 << 16) return std::nullopt;
  r->offset += e->binary == BinaryOp::add ? more : -more;
  return r;
}

}  // namespace cppgen::codegen
