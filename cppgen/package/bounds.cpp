#include "cppgen/package/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/ir/index/bounds_for_equality.h"
#include "cppgen/ir/program/producers.h"
#include "cppgen/package/dim_code.h"
#include "runtime/base/printable.h"

namespace cppgen::package {
namespace {

using ir::IndexExpr;

class Bounds {
 public:
  explicit Bounds(const std::vector<rt::Symbol>& symbols) : numbers_(numbered(symbols)), coder_(numbers_) {}

  // Omitted if it depends on other symbols. `text` says it.
  void add(const ir::IndexBound& bound, std::string text) {
    if (!are_known(bound.least) || !are_known(bound.most)) return;
    rt::Bound coded{coder_.code(bound.least), coder_.code(bound.most), std::move(text)};
    const auto same = [&](const rt::Bound& b) { return b.least == coded.least && b.most == coded.most; };
    if (std::none_of(bounds_.begin(), bounds_.end(), same)) bounds_.push_back(std::move(coded));
  }

  std::vector<rt::Bound> take() { return std::move(bounds_); }

 private:
  const std::map<std::string, int64_t> numbers_;
  const DimCoder coder_;
  std::vector<rt::Bound> bounds_;

  static std::map<std::string, int64_t> numbered(const std::vector<rt::Symbol>& symbols) {
    std::map<std::string, int64_t> numbers;
    for (size_t i = 0; i < symbols.size(); i++) numbers[symbols[i].name] = int64_t(i);
    return numbers;
  }

  bool are_known(IndexExpr e) const {
    const auto variables = ir::variables_of(e);
    return std::all_of(variables.begin(), variables.end(), [&](const auto* v) { return numbers_.contains(v->name); });
  }
};

}  // namespace

ir::IndexBound not_negative(IndexExpr dim) {
  const int64_t constant = dim.node()->op == ir::IndexOp::sum ? dim.node()->constant : 0;
  return {-constant, dim - constant};
}

std::vector<SizeBound> size_bounds(const ir::Program& program) {
  std::vector<SizeBound> bounds;
  for (const ir::Stored& stored : ir::stored_buffers(program))
    for (IndexExpr dim : program.buffer(stored.buffer).shape)
      if (!dim.is_constant() && !ir::prove_less_equal(0, dim)) bounds.push_back({not_negative(dim), stored.node});
  return bounds;
}

std::vector<rt::Bound> bounds_of(const ir::IndexArena& arena, const std::vector<rt::Symbol>& symbols,
                                 std::span<const SizeBound> sizes) {
  Bounds bounds(symbols);
  for (const ir::IndexBound& bound : arena.assumptions()) bounds.add(bound, ir::to_string(bound, arena.assumptions()));
  for (const SizeBound& size : sizes) {
    const std::string of = size.node.empty() ? "" : fmt::format(" for node '{}'", one_line(size.node));
    bounds.add(size.bound, ir::to_string(size.bound) + of);
  }
  return bounds.take();
}

}  // namespace cppgen::package
