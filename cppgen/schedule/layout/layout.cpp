#include "cppgen/schedule/layout/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

using ir::AxisRole;
using ir::Buffer;
using ir::BufferKind;

Layout row_major(size_t rank) {
  Layout l;
  l.order.resize(rank);
  std::iota(l.order.begin(), l.order.end(), 0);
  return l;
}

Layout with_last(size_t rank, int last) {
  Layout l = row_major(rank);
  std::erase(l.order, last);
  l.order.push_back(last);
  return l;
}

std::vector<IndexExpr> strides_of(const Buffer& buffer, const Layout& layout) {
  std::vector<IndexExpr> strides(buffer.shape.size());
  IndexExpr step = 1;
  for (size_t i = layout.order.size(); i-- > 0;) {
    size_t d = size_t(layout.order[i]);
    strides[d] = step;
    step = step * buffer.shape[d];
    if (i + 1 == layout.order.size()) step = step + layout.pad;
  }
  return strides;
}

IndexExpr storage_elements(const Buffer& buffer, const Layout& layout) {
  if (layout.pad == 0) return ir::product(buffer.shape);
  const size_t slowest = size_t(layout.order[0]);
  return buffer.shape[slowest] * strides_of(buffer, layout)[slowest];
}

IndexExpr offset_of(const Buffer& buffer, const Layout& layout, const std::vector<IndexExpr>& indices) {
  auto strides = strides_of(buffer, layout);
  IndexExpr offset = 0;
  for (size_t d = 0; d < indices.size(); d++) offset = offset + indices[d] * strides[d];
  return offset;
}

IndexExpr offset_of(const Program& program, const Layouts& layouts, Expr load) {
  return offset_of(program.buffer(load->buffer), layouts[size_t(load->buffer)], load->indices);
}

namespace {

// The dimension whose index moves with `variable`, if exactly one does.
std::optional<int> moved_dimension(const std::vector<IndexExpr>& indices, const ir::IndexNode* variable) {
  std::optional<int> found;
  for (size_t d = 0; d < indices.size(); d++) {
    if (!ir::depends_on(indices[d], variable)) continue;
    if (found) return std::nullopt;
    found = int(d);
  }
  return found;
}

// The same, if it moves with stride 1.
std::optional<int> dimension_of(const std::vector<IndexExpr>& indices, const ir::IndexNode* variable) {
  const auto d = moved_dimension(indices, variable);
  const auto stride = d ? ir::stride_of(indices[size_t(*d)], variable) : std::nullopt;
  return stride && stride->is_constant(1) ? d : std::nullopt;
}

class Planner {
 public:
  Planner(Program& program, DecisionLog& log) : program_(program), log_(log), chosen_(program.buffers.size()) {}

  // Library functions expect rows without gaps, as do the steps of a repetition, which are planned separately.
  void settle_library_calls() {
    for (const auto& statement : program_.statements)
      if (!as_nest(statement))
        for (const auto& buffers : {buffers_read(statement), buffers_written(statement)})
          for (BufferId b : buffers) chosen_[size_t(b)] = row_major(program_.buffer(b).shape.size());
  }

  void request_for_contractions() {
    for (size_t i = 0; i < program_.statements.size(); i++) {
      LoopNest* nest = as_nest(program_.statements[i]);
      if (!nest || !nest->is_contraction()) continue;
      request_result(*nest);
      if (Expr copy_of = unsatisfied_left(*nest)) i += insert_copy(i, copy_of);
    }
  }

  // Buffers without a requested layout get the layout of the operands of their statement.
  void propagate() {
    for (const auto& statement : program_.statements) {
      const LoopNest* nest = as_nest(statement);
      if (!nest) continue;
      for (const auto& store : nest->stores)
        if (is_free(store.buffer)) follow_loads(*nest, store);
    }
  }

  // Constants that only loops read get the order in which the loops read them: weights of a depthwise convolution are
  // channels-last.
  void settle_constants() {
    std::vector<bool> refused(program_.buffers.size(), false);
    for (const auto& statement : program_.statements) {
      const LoopNest* nest = as_nest(statement);
      if (!nest) {
        for (BufferId b : buffers_read(statement)) refused[size_t(b)] = true;
        continue;
      }
      for (Expr load : loads_of(*nest)) {
        if (program_.buffer(load->buffer).kind != BufferKind::constant) continue;
        auto last = nest->is_contraction() ? std::nullopt : walked_dimension(*nest, load);
        auto& choice = chosen_[size_t(load->buffer)];
        std::optional<Layout> wanted;
        if (last) wanted = with_last(load->indices.size(), *last);
        if (!wanted || (choice && !(*choice == *wanted))) refused[size_t(load->buffer)] = true;
        choice = wanted;
      }
    }
    for (const Buffer& b : program_.buffers)
      if (b.kind == BufferKind::constant && refused[size_t(b.id)]) chosen_[size_t(b.id)].reset();
  }

  Layouts finish() {
    Layouts layouts;
    for (const Buffer& b : program_.buffers) {
      const auto& choice = chosen_[size_t(b.id)];
      layouts.push_back(choice ? *choice : row_major(b.shape.size()));
    }
    return layouts;
  }

 private:
  Program& program_;
  DecisionLog& log_;
  std::vector<std::optional<Layout>> chosen_;

  bool is_free(BufferId b) const { return program_.buffer(b).kind == BufferKind::temporary && !chosen_[size_t(b)]; }

  Layout current(BufferId b) const {
    return chosen_[size_t(b)] ? *chosen_[size_t(b)] : row_major(program_.buffer(b).shape.size());
  }

  bool request(BufferId b, int last) {
    Layout wanted = with_last(program_.buffer(b).shape.size(), last);
    if (is_free(b)) chosen_[size_t(b)] = wanted;
    return contiguous(b, last);
  }

  // Whether dimension `d` is the fastest of those that move.
  bool contiguous(BufferId b, int d) const {
    auto strides = strides_of(program_.buffer(b), current(b));
    return strides[size_t(d)].is_constant(1);
  }

  void request_result(const LoopNest& nest) {
    const ir::IndexNode* column = nullptr;
    for (size_t i = 0; i < nest.loops.size(); i++)
      if (nest.roles[i] == AxisRole::columns) column = nest.loops[i].var.node();
    for (const auto& store : nest.stores) {
      if (!column) continue;
      if (auto d = moved_dimension(store.indices, column)) request(store.buffer, *d);
    }
  }

  // The left operand's load if its depth is not contiguous and cannot be made so.
  Expr unsatisfied_left(const LoopNest& nest) {
    if (nest.reduced.empty()) return nullptr;
    Expr left = nest.reductions[0].value->args[0];
    while (left->kind == ir::ExprKind::cast) left = left->args[0];
    if (left->kind != ir::ExprKind::load || !left->indirects.empty()) return nullptr;
    auto d = dimension_of(left->indices, nest.reduced.back().var.node());
    if (!d || request(left->buffer, *d)) return nullptr;
    return left;
  }

  // Adds `copy[...] = source[...]`, with the depth fastest, before statement `i`, which then reads the copy.
  size_t insert_copy(size_t i, Expr left) {
    LoopNest* nest = as_nest(program_.statements[i]);
    Buffer source = program_.buffer(left->buffer);
    int depth = *dimension_of(left->indices, nest->reduced.back().var.node());
    BufferId copy = program_.add_buffer(source.name, source.type, source.shape, BufferKind::temporary);
    chosen_.resize(program_.buffers.size());
    chosen_[size_t(copy)] = with_last(source.shape.size(), depth);
    log_.add("layout", fmt::format("{} of {}", source.name, describe(program_.statements[i])),
             FusionDecision::no("its depth is not contiguous, so it is copied"));
    log_.copies.push_back({copy, "layout",
                           source.kind == BufferKind::temporary
                               ? "its depth is not contiguous, and others need a different layout"
                               : "its depth is not contiguous, and it is not a temporary"});

    ir::Rewrite redirect;
    redirect.replace_load = [&](Expr load) -> Expr {
      if (load->buffer != source.id) return nullptr;
      return program_.exprs->load(copy, source.type, load->indices, load->guards,
                                  load->guards.empty() ? nullptr : load->args[0], load->indirects);
    };
    // Only the operand reads the copy; stores may read the source in place for other reasons.
    auto& reduction = nest->reductions[0];
    reduction.value = ir::rewrite(*program_.exprs, reduction.value, redirect);

    LoopNest copying;
    copying.name = "to_depth_last";
    copying.origins = nest->origins;
    std::vector<IndexExpr> indices;
    for (IndexExpr extent : source.shape) {
      IndexExpr var = program_.index->loop("i", extent);
      copying.loops.push_back({var, extent});
      indices.push_back(var);
    }
    copying.stores.push_back({copy, indices, program_.exprs->load(source.id, source.type, indices), {}});
    program_.statements.insert(program_.statements.begin() + long(i), std::move(copying));
    return 1;
  }

  // The loop variable of the nest with which the fastest dimension of a load moves, if it is one.
  static const ir::IndexNode* fastest_variable(const LoopNest& nest, const Buffer& buffer, const Layout& layout,
                                               Expr load) {
    const auto is_reduced = [&](const ir::IndexNode* v) {
      return std::any_of(nest.reduced.begin(), nest.reduced.end(), [&](const auto& l) { return l.var.node() == v; });
    };
    for (size_t i = layout.order.size(); i-- > 0;) {
      size_t d = size_t(layout.order[i]);
      if (buffer.shape[d].is_constant(1)) continue;
      auto vars = ir::variables_of(load->indices[d]);
      std::erase_if(vars, is_reduced);
      return vars.size() == 1 ? vars[0] : nullptr;
    }
    return nullptr;
  }

  // The dimension of a load that moves by 1 with the fastest loop of what the nest stores.
  std::optional<int> walked_dimension(const LoopNest& nest, Expr load) const {
    if (nest.stores.empty() || !load->indirects.empty()) return std::nullopt;
    const auto& store = nest.stores[0];
    const Buffer& target = program_.buffer(store.buffer);
    Layout layout = current(target.id);
    for (size_t i = layout.order.size(); i-- > 0;) {
      size_t d = size_t(layout.order[i]);
      if (target.shape[d].is_constant(1)) continue;
      auto vars = ir::variables_of(store.indices[d]);
      return vars.size() == 1 ? dimension_of(load->indices, vars[0]) : std::nullopt;
    }
    return std::nullopt;
  }

  void follow_loads(const LoopNest& nest, const ir::Store& store) {
    int64_t best = -1;
    std::optional<int> last;
    for (Expr load : loads_of(nest)) {
      const Buffer& b = program_.buffer(load->buffer);
      if (b.shape.size() < store.indices.size() || b.kind == BufferKind::constant) continue;
      Layout layout = current(b.id);
      const ir::IndexNode* v = fastest_variable(nest, b, layout, load);
      if (!v) continue;
      auto d = dimension_of(store.indices, v);
      int64_t size = std::min<int64_t>(ir::product(b.shape).range().hi, int64_t(1) << 40);
      if (d && size > best) best = size, last = d;
    }
    if (last) chosen_[size_t(store.buffer)] = with_last(store.indices.size(), *last);
  }
};

}  // namespace

void plan_layouts(Draft& draft) {
  Planner planner(draft.program(), draft.log());
  if (draft.options.layout_optimization) {
    planner.settle_library_calls();
    planner.request_for_contractions();
    planner.propagate();
    if (draft.options.weight_prepack) planner.settle_constants();
  }
  draft.layouts() = planner.finish();
}

}  // namespace cppgen::schedule
