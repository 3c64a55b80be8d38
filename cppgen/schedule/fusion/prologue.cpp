#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/schedule/fusion/producer.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::ExprKind;

// The fusion of the nest that stores a contraction's left operand with the contraction.
class Prologue {
 public:
  Prologue(Draft& draft, const LoopNest& producer, const TileContraction& tiles)
      : draft_(draft), tuning_(tiles.tuning ? *tiles.tuning : draft.tuning()), producer_(producer), tiles_(tiles) {}

  FusionDecision fits() {
    if (FusionDecision tiles = tiles_fit(); !tiles) return tiles;
    if (operation_count(producer_) > tuning_.cheap_operations || has_heavy_operation(producer_))
      return FusionDecision::no(fmt::format("it takes more than {} simple operations", tuning_.cheap_operations));
    ir::Rewrite rewrite;
    rewrite.indices = element_map(producer_, tiles_.left->indices);
    value_ = ir::rewrite(*draft_.program().exprs, producer_.stores[0].value, rewrite);
    if (FusionDecision value = value_fits(); !value) return value;
    return stays_in_cache();
  }

  // Replaces the left operand of the contraction and of its nest. The value fits.
  void apply(LoopNest& nest, TileContraction& tiles) const {
    ir::Rewrite rewrite;
    rewrite.replace_load = [&](Expr load) { return load == tiles_.left ? value_ : nullptr; };
    Expr& product = nest.reductions[0].value;
    product = ir::rewrite(*draft_.program().exprs, product, rewrite);
    std::vector<std::string> origins = producer_.origins;
    add_origins(origins, nest.origins);
    nest.origins = std::move(origins);
    tiles.left_value = value_, tiles.left = rows_;
  }

 private:
  Draft& draft_;
  const Tuning& tuning_;
  const LoopNest& producer_;
  const TileContraction& tiles_;
  Expr value_ = nullptr;
  Expr rows_ = nullptr;  // a load of the value that moves with all rows

  FusionDecision tiles_fit() const {
    if (tiles_.form != kTilesForm || !rt::is_float32(tiles_.format))
      return FusionDecision::no("the tiles of the contraction do not read rows of float32");
    if (!points(tiles_.taps).is_constant(1))
      return FusionDecision::no("several taps of the contraction read each element");
    if (!tiles_.batch.empty()) return FusionDecision::no("the points of a batch have other columns");
    if (!tiles_.left->guards.empty() || !tiles_.left->indirects.empty())
      return FusionDecision::no("the contraction reads it under a condition");
    if (!tiles_.k.extent.is_constant() || !tiles_.columns.extent.is_constant())
      return FusionDecision::no("K or the number of columns is known only at run time");
    return FusionDecision::yes();
  }

  bool moves_with_all_rows(Expr load) const {
    return std::all_of(tiles_.rows.begin(), tiles_.rows.end(), [&](const ir::Loop& l) {
      return l.extent.is_constant(1) || std::any_of(load->indices.begin(), load->indices.end(),
                                                    [&](IndexExpr i) { return ir::depends_on(i, l.var.node()); });
    });
  }

  FusionDecision value_fits() {
    for (Expr e : ir::postorder({&value_, 1})) {
      if (e->kind == ExprKind::index || !e->guards.empty() || !e->indirects.empty())
        return FusionDecision::no("it reads elements under a condition, or depends on their positions");
      if (e->kind != ExprKind::load) continue;
      const auto stride = ir::stride_of(offset_of(draft_.program(), draft_.layouts(), e), tiles_.k.var.node());
      if (!stride || !(stride->is_constant(0) || stride->is_constant(1)))
        return FusionDecision::no("what it reads is not contiguous along K");
      if (!rows_ && stride->is_constant(1) && moves_with_all_rows(e)) rows_ = e;
    }
    if (!rows_) return FusionDecision::no("it has the same elements in several rows");
    return FusionDecision::yes();
  }

  FusionDecision stays_in_cache() const {
    const int64_t l2 = draft_.target.l2_bytes, number = int64_t(sizeof(float));
    const int64_t panels = pieces(tiles_.columns.extent.constant(), tiles_.shape.nr);
    if (panels * tiles_.panel_elements.constant() * number > l2 / tuning_.panel_cache_share)
      return FusionDecision::no(
          "not all panels stay in the second-level cache, so each group of them would compute it");
    if (tiles_.shape.mr * tiles_.k.extent.constant() * number > l2 / tuning_.block_cache_share)
      return FusionDecision::no("the rows of a tile would take too much of the second-level cache");
    return FusionDecision::yes("the contraction computes it for the rows of a tile");
  }
};

// The statements that belong to attentions.
std::set<int> of_attentions(const Draft& draft) {
  std::set<int> all;
  for (const auto& statements : statements_of(draft.schedule.program, draft.attentions))
    all.insert(statements.begin(), statements.end());
  return all;
}

// The position of the pointwise nest whose result only statement `reader` reads, as this operand; -1 if there is none.
int producer_of(const Program& program, const Uses& uses, Expr operand, int reader) {
  const auto buffer = size_t(operand->buffer);
  if (program.buffer(operand->buffer).kind != ir::BufferKind::temporary || uses.writers[buffer].size() != 1 ||
      uses.readers[buffer] != std::vector<int>{reader})
    return -1;
  const int writer = uses.writers[buffer][0];
  const LoopNest* nest = as_nest(program.statements[size_t(writer)]);
  return nest && is_pointwise_producer(program, *nest) && !is_view(*nest) ? writer : -1;
}

// Returns whether the nest can join the kernel of a nest over as many points, which computes the last of its operands:
// the rows of a softmax, or a tensor that has other readers. That saves reading this operand.
bool joins_its_producer(const Draft& draft, const Uses& uses, const ir::Statement& statement) {
  const LoopNest& nest = *as_nest(statement);
  int last = -1;
  for (const BufferId b : buffers_read(statement))
    for (const int writer : uses.writers[size_t(b)]) last = std::max(last, writer);
  if (last < 0 || !std::holds_alternative<std::monostate>(draft.contractions[size_t(last)])) return false;
  const LoopNest* before = as_nest(draft.schedule.program.statements[size_t(last)]);
  return before && ir::prove_equal(points(before->loops) * points(before->reduced), points(nest.loops));
}

}  // namespace

void fuse_prologues(Draft& draft) {
  Program& program = draft.program();
  const Uses uses = collect_uses(program);
  const std::set<int> taken = of_attentions(draft);
  std::vector<bool> dead(program.statements.size(), false);
  for (size_t i = 0; i < draft.contractions.size(); i++) {
    auto* tiles = std::get_if<TileContraction>(&draft.contractions[i]);
    const int writer = tiles ? producer_of(program, uses, tiles->left, int(i)) : -1;
    if (writer < 0 || taken.contains(writer)) continue;
    const ir::Statement &from = program.statements[size_t(writer)], &to = program.statements[i];
    Prologue prologue(draft, *as_nest(from), *tiles);
    const FusionDecision decision = joins_its_producer(draft, uses, from)
                                        ? FusionDecision::no("it joins the kernel that computes what it reads")
                                        : prologue.fits();
    if (!draft.log().add("prologue", describe(from) + " -> " + describe(to), decision)) continue;
    prologue.apply(*as_nest(program.statements[i]), *tiles);
    dead[size_t(writer)] = true;
  }
  std::vector<ContractionStep> kept;
  for (size_t i = 0; i < draft.contractions.size(); i++)
    if (!dead[i]) kept.push_back(std::move(draft.contractions[i]));
  draft.contractions = std::move(kept);
  erase_statements(program, dead);
}

}  // namespace cppgen::schedule
