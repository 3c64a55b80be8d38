#include "cppgen/package/index_extents.h"

#include <algorithm>
#include <map>
#include <set>

#include "cppgen/ir/values/expr.h"
#include "cppgen/package/integer_values.h"

namespace cppgen::package {
namespace {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;

class IndexInputs {
 public:
  explicit IndexInputs(const ir::Program& program) : program_(program), values_(program) {
    ir::each_nest(program.statements, [&](const ir::LoopNest& nest) { visit(nest); });
  }

  std::map<BufferId, int64_t> extents;

 private:
  void visit(const ir::LoopNest& nest) {
    for (Expr load : loads_of(nest))
      for (const ir::Indirect& indirect : load->indirects) note(indirect);
    values_.add(nest);
    if (!nest.reductions.empty()) return;
    for (const ir::Store& store : nest.stores)
      if (is_int(program_.buffer(store.buffer).type)) sources_[store.buffer].merge(sources_of(store.value));
  }

  std::set<BufferId> sources_of(Expr value) const {
    std::set<BufferId> sources;
    for (Expr e : ir::postorder({&value, 1})) {
      if (e->kind != ir::ExprKind::load || !is_int(program_.buffer(e->buffer).type)) continue;
      if (program_.buffer(e->buffer).kind == ir::BufferKind::input) sources.insert(e->buffer);
      if (const auto it = sources_.find(e->buffer); it != sources_.end())
        sources.insert(it->second.begin(), it->second.end());
    }
    return sources;
  }

  void note(const ir::Indirect& indirect) {
    const std::set<BufferId> sources = sources_of(indirect.value);
    if (sources.empty()) return;
    const int64_t extent = allowed(indirect);
    for (BufferId input : sources) {
      const auto [at, is_new] = extents.emplace(input, extent);
      if (!is_new) at->second = std::min(at->second, extent);
    }
  }

  // The greatest extent of the inputs with which the index stays in its dimension; where values are not known well
  // enough, the extent of the dimension. A dimension without a constant size counts with its least one.
  int64_t allowed(const ir::Indirect& indirect) const {
    const IndexExpr extent = indirect.variable->extent;
    const int64_t size = std::max<int64_t>(extent.range().lo, 1);
    const auto fits = [&](int64_t bound) {
      const ir::IndexRange range = values_.range(indirect.value, bound);
      return range.lo >= -size && range.hi < size;
    };
    if (fits(size) || !fits(1)) return size;
    int64_t most = 1;
    for (int64_t too_many = size; too_many - most > 1;) {
      const int64_t middle = most + (too_many - most) / 2;
      (fits(middle) ? most : too_many) = middle;
    }
    return most;
  }

  const ir::Program& program_;
  IntegerValues values_;
  std::map<BufferId, std::set<BufferId>> sources_;
};

}  // namespace

std::vector<int64_t> index_extents(const ir::Program& program) {
  const auto found = IndexInputs(program).extents;
  std::vector<int64_t> extents;
  for (BufferId input : program.inputs) {
    const auto it = found.find(input);
    extents.push_back(it == found.end() ? 0 : it->second);
  }
  return extents;
}

std::map<BufferId, int64_t> extents_of_index_buffers(const ir::Program& program) {
  std::map<BufferId, int64_t> extents;
  const auto note = [&](const ir::Indirect& indirect) {
    const IndexExpr extent = indirect.variable->extent;
    const int64_t rows = extent.is_constant() ? extent.constant() : 1;
    for (Expr e : ir::postorder({&indirect.value, 1})) {
      if (e->kind != ir::ExprKind::load || !is_int(program.buffer(e->buffer).type)) continue;
      const auto [at, is_new] = extents.emplace(e->buffer, rows);
      if (!is_new) at->second = std::min(at->second, rows);
    }
  };
  ir::each_nest(program.statements, [&](const ir::LoopNest& nest) {
    for (Expr load : loads_of(nest))
      for (const ir::Indirect& indirect : load->indirects) note(indirect);
  });
  return extents;
}

}  // namespace cppgen::package
