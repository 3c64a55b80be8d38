// Chooses the order of the dimensions of each buffer: the K axis of a contraction's left operand and its columns last,
// the channels of windows last, and what follows from these.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cppgen/schedule/layout/layout.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

using ir::AxisRole;
using ir::Buffer;
using ir::BufferKind;

namespace {

// Images of fewer channels keep their order: the channels would not fill a vector.
constexpr int64_t kFewestChannels = 16;

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

// The dimension that moves with the variable, if its stride is 1.
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
      if (Expr copy_of = unsatisfied_left(*nest))
        i += insert_copy(i, copy_of, *dimension_of(copy_of->indices, nest->reduced.back().var.node()));
    }
  }

  // A depthwise convolution or pooling over a channels-last image gives a channels-last result, which is copied where
  // another order is wanted. So it is with an image whose size only a run knows, and that of a transposed depthwise
  // convolution with a stride, which are copied themselves: a kernel slides windows along the rows of other images, but
  // only if their size is constant and neighbours are read by neighbours.
  void request_for_windows() {
    for (size_t i = 0; i < program_.statements.size(); i++) {
      LoopNest* nest = as_nest(program_.statements[i]);
      if (!nest || nest->is_contraction() || nest->reductions.size() > 1 || nest->stores.size() != 1) continue;
      const auto window = window_of(*nest);
      const auto last = window ? dimension_of(nest->stores[0].indices, window->channel) : std::nullopt;
      if (!last || !(window->cannot_slide || contiguous(window->load->buffer, window->dimension))) continue;
      const bool satisfied = request(nest->stores[0].buffer, *last);
      if (!satisfied && !stores_all(i)) continue;
      if (!satisfied) redirect_result(i, *last);
      const bool copied = !request(window->load->buffer, window->dimension);
      if (copied) i += insert_copy(i, window->load, window->dimension);
      i += satisfied ? 0 : 1;
    }
  }

  // Where the channels of a result are contiguous, and elements of an image are gathered at indices that are values, an
  // image whose channels are contiguous gives whole vectors, and the indices are the same for all of them. It is copied
  // if that is less than what is read.
  void request_for_gathers() {
    for (size_t i = 0; i < program_.statements.size(); i++) {
      const LoopNest* nest = as_nest(program_.statements[i]);
      if (!nest || nest->is_contraction() || !nest->reductions.empty() || nest->stores.size() != 1) continue;
      const auto gather = gather_of_channels(*nest);
      if (gather && !request(gather->load->buffer, gather->dimension))
        i += insert_copy(i, gather->load, gather->dimension);
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

  // Returns whether dimension `d` is the fastest of those that move.
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

  // A load of a window of an image, with the dimension of its channels and the loop over them.
  struct Window {
    Expr load;
    int dimension;
    const ir::IndexNode* channel;
    bool cannot_slide;  // along a row, because its size is not constant, or because it is read unevenly
  };
  std::optional<Window> window_of(const LoopNest& nest) const {
    for (Expr load : loads_of(nest)) {
      if (program_.buffer(load->buffer).kind == BufferKind::constant || !load->indirects.empty()) continue;
      const auto [is_window, of_unknown_row] = windows_along(nest, load);
      const bool uneven = unevenly_weighted(nest, load);
      if (!is_window && !uneven) continue;
      std::optional<Window> most;
      int64_t channels = kFewestChannels - 1;
      for (const ir::Loop& l : nest.loops) {
        const auto d = dimension_of(load->indices, l.var.node());
        if (!d || !l.extent.is_constant() || l.extent.constant() <= channels) continue;
        channels = l.extent.constant();
        most = Window{load, *d, l.var.node(), of_unknown_row || uneven};
      }
      if (most) return most;
    }
    return std::nullopt;
  }

  // Returns whether several neighbours read the same element of a row, each with another weight: element floor(i / 2)
  // with weight i mod 2.
  static bool unevenly_weighted(const LoopNest& nest, Expr load) {
    const auto uneven = [](IndexExpr index, const ir::Loop& l) {
      return ir::depends_on(index, l.var.node()) && !ir::stride_of(index, l.var.node());
    };
    const auto weighted_along = [&](const ir::Loop& l) {
      const auto moves_unevenly = [&](IndexExpr index) { return uneven(index, l); };
      return std::ranges::any_of(loads_of(nest), [&](Expr other) {
        return other->buffer != load->buffer && std::ranges::any_of(other->indices, moves_unevenly);
      });
    };
    return !load->indices.empty() && std::ranges::any_of(nest.loops, [&](const ir::Loop& l) {
      return uneven(load->indices.back(), l) && weighted_along(l);
    });
  }

  // Returns whether a dimension moves with a reduced loop and with another one, and with one whose extent is not
  // constant.
  static std::pair<bool, bool> windows_along(const LoopNest& nest, Expr load) {
    std::pair<bool, bool> found;
    for (IndexExpr index : load->indices) {
      const auto moves = [&](const ir::Loop& l) { return ir::depends_on(index, l.var.node()); };
      if (std::none_of(nest.reduced.begin(), nest.reduced.end(), moves)) continue;
      for (const ir::Loop& l : nest.loops) {
        found.first |= moves(l);
        found.second |= moves(l) && !l.extent.is_constant();
      }
    }
    return found;
  }

  // A load at indices that are values, with the dimension that moves with the fastest loop of what the nest stores.
  struct ChannelGather {
    Expr load;
    int dimension;
  };
  std::optional<ChannelGather> gather_of_channels(const LoopNest& nest) const {
    const ir::IndexNode* channel = fastest_of_store(nest);
    if (!channel || !channel->extent.is_constant() || channel->extent.constant() < kFewestChannels) return std::nullopt;
    for (Expr load : loads_of(nest)) {
      if (load->indirects.empty() || program_.buffer(load->buffer).kind == BufferKind::constant) continue;
      const auto d = dimension_of(load->indices, channel);
      if (!d || contiguous(load->buffer, *d)) continue;
      const IndexExpr elements = ir::product(program_.buffer(load->buffer).shape), read = points(nest.loops);
      if (elements.is_constant() && read.is_constant() && elements.constant() <= read.constant())
        return ChannelGather{load, *d};
    }
    return std::nullopt;
  }

  // Returns whether a nest stores all elements of a buffer. A state has others, from earlier runs.
  bool stores_all(size_t i) const {
    const LoopNest& nest = *as_nest(program_.statements[i]);
    const BufferId b = nest.stores[0].buffer;
    if (!ir::prove_equal(points(nest.loops), ir::product(program_.buffer(b).shape))) return false;
    return std::count_if(program_.statements.begin(), program_.statements.end(), [&](const auto& statement) {
             const auto written = buffers_written(statement);
             return std::find(written.begin(), written.end(), b) != written.end();
           }) == 1;
  }

  // The left operand's load if its K axis is not contiguous and cannot be made so.
  Expr unsatisfied_left(const LoopNest& nest) {
    if (nest.reduced.empty()) return nullptr;
    Expr left = nest.reductions[0].value->args[0];
    while (left->kind == ir::ExprKind::cast) left = left->args[0];
    if (left->kind != ir::ExprKind::load || !left->indirects.empty()) return nullptr;
    auto d = dimension_of(left->indices, nest.reduced.back().var.node());
    if (!d || request(left->buffer, *d)) return nullptr;
    return left;
  }

  // Adds `copy[...] = source[...]`, with dimension `last` fastest, before statement `i`, which then reads the copy.
  size_t insert_copy(size_t i, Expr operand, int last) {
    LoopNest* nest = as_nest(program_.statements[i]);
    const Buffer source = program_.buffer(operand->buffer);
    const std::string reason =
        nest->is_contraction() ? "its K axis is not contiguous" : "its channels are not contiguous";
    const BufferId copy = add_copy(source, last);
    note(source, copy, i, reason);
    // Only the operand reads the copy; stores after a reduction may read the source in place for other reasons.
    Expr& value = nest->reductions.empty() ? nest->stores[0].value : nest->reductions[0].value;
    value = ir::rewrite(*program_.exprs, value, reading(copy, source.id));
    LoopNest copying = copying_nest(source.id, copy, nest->origins);
    copying.name = nest->is_contraction() ? "to_k_last" : "to_channels_last";
    program_.statements.insert(program_.statements.begin() + long(i), std::move(copying));
    return 1;
  }

  // The result of statement `i` gets a copy with dimension `last` fastest, which the statement stores and others read,
  // and from which the next statement stores the result.
  void redirect_result(size_t i, int last) {
    const auto result = program_.buffer(as_nest(program_.statements[i])->stores[0].buffer);
    const BufferId copy = add_copy(result, last);
    note(result, result.id, i, "its channels are contiguous where it is computed");
    for (size_t later = i + 1; later < program_.statements.size(); later++)
      if (LoopNest* reader = as_nest(program_.statements[later]); reader && reads(*reader, result.id))
        ir::rewrite(*program_.exprs, *reader, reading(copy, result.id));
    LoopNest* nest = as_nest(program_.statements[i]);
    nest->stores[0].buffer = copy;
    LoopNest copying = copying_nest(copy, result.id, nest->origins);
    copying.name = "from_channels_last";
    program_.statements.insert(program_.statements.begin() + long(i) + 1, std::move(copying));
  }

  BufferId add_copy(const Buffer& of, int last) {
    const BufferId copy = program_.add_buffer(of.name, of.type, of.shape, BufferKind::temporary);
    chosen_.resize(program_.buffers.size());
    chosen_[size_t(copy)] = with_last(of.shape.size(), last);
    return copy;
  }

  // Notes for the statement why what the source holds is stored in another buffer, too.
  void note(const Buffer& source, BufferId added, size_t statement, const std::string& reason) {
    log_.add("layout", fmt::format("{} of {}", source.name, describe(program_.statements[statement])),
             FusionDecision::no(reason + ", so it is copied"));
    log_.copies.push_back({added, "layout",
                           reason + (source.kind == BufferKind::temporary ? ", and others need a different layout"
                                                                          : ", and it is not a temporary")});
  }

  ir::Rewrite reading(BufferId copy, BufferId source) {
    ir::Rewrite redirect;
    redirect.replace_load = [this, copy, source](Expr load) -> Expr {
      if (load->buffer != source) return nullptr;
      return program_.exprs->load(copy, program_.buffer(source).type, load->indices, load->guards,
                                  load->guards.empty() ? nullptr : load->args[0], load->indirects);
    };
    return redirect;
  }

  LoopNest copying_nest(BufferId from, BufferId to, const std::vector<std::string>& origins) {
    LoopNest copying;
    copying.origins = origins;
    std::vector<IndexExpr> indices;
    for (IndexExpr extent : program_.buffer(from).shape) {
      IndexExpr var = program_.index->loop("i", extent);
      copying.loops.push_back({var, extent});
      indices.push_back(var);
    }
    copying.stores.push_back({to, indices, program_.exprs->load(from, program_.buffer(from).type, indices)});
    return copying;
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
    const ir::IndexNode* fastest = fastest_of_store(nest);
    return fastest && load->indirects.empty() ? dimension_of(load->indices, fastest) : std::nullopt;
  }

  // The only loop variable of the fastest dimension of the first store that has more than one element.
  const ir::IndexNode* fastest_of_store(const LoopNest& nest) const {
    if (nest.stores.empty()) return nullptr;
    const auto& store = nest.stores[0];
    const Buffer& target = program_.buffer(store.buffer);
    Layout layout = current(target.id);
    for (size_t i = layout.order.size(); i-- > 0;) {
      size_t d = size_t(layout.order[i]);
      if (target.shape[d].is_constant(1)) continue;
      auto vars = ir::variables_of(store.indices[d]);
      return vars.size() == 1 ? vars[0] : nullptr;
    }
    return nullptr;
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
    planner.request_for_gathers();
    planner.request_for_windows();
    planner.propagate();
    if (draft.options.weight_prepack) planner.settle_constants();
  }
  draft.layouts() = planner.finish();
}

}  // namespace cppgen::schedule
