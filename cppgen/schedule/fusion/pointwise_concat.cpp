// Copies into slices of one temporary become one nest that selects among masked loads.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

// A nest that copies one tensor into a slice of the result.
struct Piece {
  const LoopNest* nest;
  IndexExpr offset, extent;  // of the slice, along the axis
};

// The pieces of a result, in order, which cover it along one axis.
struct Concat {
  BufferId result;
  size_t axis = 0;
  std::vector<Piece> pieces;
};

bool is_plain_copy(const LoopNest& nest) {
  if (!nest.reduced.empty() || !nest.reductions.empty() || nest.stores.size() != 1) return false;
  const ir::Store& store = nest.stores[0];
  return store.value->kind == ir::ExprKind::load && store.value->guards.empty() && store.value->indirects.empty();
}

// The extent of an index that is `offset` plus a loop of the nest that no other index uses; nullopt for other indices.
std::optional<IndexExpr> extent_of(const LoopNest& nest, IndexExpr index, IndexExpr offset,
                                   std::set<const ir::IndexNode*>& used) {
  const IndexExpr position = index - offset;
  if (position.is_constant(0)) return IndexExpr(1);
  for (const ir::Loop& loop : nest.loops)
    if (loop.var == position && used.insert(position.node()).second) return loop.extent;
  return std::nullopt;
}

// The slice that the nest writes along `axis` from `offset` on, if it is one and whole in all other dimensions.
std::optional<Piece> piece_at(const Program& program, const LoopNest& nest, size_t axis, IndexExpr offset) {
  if (!is_plain_copy(nest)) return std::nullopt;
  const ir::Store& store = nest.stores[0];
  const std::vector<IndexExpr>& shape = program.buffer(store.buffer).shape;
  std::set<const ir::IndexNode*> used;
  Piece piece{&nest, offset, {}};
  for (size_t d = 0; d < shape.size(); d++) {
    const auto extent = extent_of(nest, store.indices[d], d == axis ? offset : IndexExpr(), used);
    if (!extent || (d != axis && !(*extent == shape[d]))) return std::nullopt;
    if (d == axis) piece.extent = *extent;
  }
  const auto loops = std::count_if(nest.loops.begin(), nest.loops.end(),
                                   [](const ir::Loop& loop) { return !loop.extent.is_constant(1); });
  if (int64_t(used.size()) < loops) return std::nullopt;
  return piece;
}

std::optional<Concat> concat_along(const Program& program, BufferId result, size_t axis,
                                   const std::vector<int>& writers) {
  Concat concat{result, axis, {}};
  IndexExpr offset;
  for (int w : writers) {
    const LoopNest* nest = as_nest(program.statements[size_t(w)]);
    const auto piece = nest ? piece_at(program, *nest, axis, offset) : std::nullopt;
    if (!piece) return std::nullopt;
    concat.pieces.push_back(*piece);
    offset = offset + piece->extent;
  }
  if (!(offset == program.buffer(result).shape[axis])) return std::nullopt;
  return concat;
}

std::optional<Concat> find_concat(const Program& program, BufferId result, const std::vector<int>& writers) {
  for (size_t axis = 0; axis < program.buffer(result).shape.size(); axis++)
    if (auto concat = concat_along(program, result, axis, writers)) return concat;
  return std::nullopt;
}

bool is_pointwise(const ir::Statement& statement) {
  const LoopNest* nest = as_nest(statement);
  return nest && nest->reductions.empty() && nest->reduced.empty();
}

// The piece's value at this element; 0 outside of its slice.
Expr masked(Program& program, const Piece& piece, size_t axis, const std::vector<IndexExpr>& element) {
  const ir::Store& store = piece.nest->stores[0];
  ir::IndexMap map;
  for (size_t d = 0; d < element.size(); d++) {
    const IndexExpr position = store.indices[d] - (d == axis ? piece.offset : IndexExpr());
    if (!position.is_constant()) map[position.node()] = d == axis ? element[d] - piece.offset : element[d];
  }
  std::vector<IndexExpr> indices;
  for (IndexExpr index : store.value->indices) indices.push_back(ir::substitute(index, map));
  const DType storage = program.buffer(store.value->buffer).type;
  return program.exprs->load(store.value->buffer, storage, std::move(indices),
                             {{element[axis], piece.offset, piece.offset + piece.extent}},
                             program.exprs->zero(ir::value_type(storage)));
}

LoopNest merged_concat(Program& program, const Concat& concat) {
  LoopNest nest;
  nest.name = concat.pieces[0].nest->name;
  std::vector<IndexExpr> element;
  for (IndexExpr extent : program.buffer(concat.result).shape) {
    element.push_back(program.index->loop("i", extent));
    nest.loops.push_back({element.back(), extent});
  }
  ir::ExprArena& exprs = *program.exprs;
  Expr value = masked(program, concat.pieces.back(), concat.axis, element);
  for (size_t k = concat.pieces.size() - 1; k-- > 0;) {
    const Piece& piece = concat.pieces[k];
    const Expr inside =
        exprs.binary(ir::BinaryOp::lt, exprs.index(element[concat.axis]), exprs.index(piece.offset + piece.extent));
    value = exprs.select(inside, masked(program, piece, concat.axis, element), value);
  }
  nest.stores.push_back({concat.result, element, value});
  for (const Piece& piece : concat.pieces)
    for (const std::string& origin : piece.nest->origins)
      if (std::find(nest.origins.begin(), nest.origins.end(), origin) == nest.origins.end())
        nest.origins.push_back(origin);
  return nest;
}

int64_t most_merged_inputs(const Options& options) {
  return options.force_pointwise_cat ? std::numeric_limits<int64_t>::max() : options.max_pointwise_cat_inputs;
}

}  // namespace

void merge_concats(Draft& draft) {
  Program& program = draft.program();
  const int64_t most_inputs = most_merged_inputs(draft.options);
  if (most_inputs == 0) return;
  const Uses uses = collect_uses(program);
  std::vector<bool> dead(program.statements.size(), false);
  for (size_t b = 0; b < program.buffers.size(); b++) {
    const std::vector<int>&writers = uses.writers[b], &readers = uses.readers[b];
    if (program.buffers[b].kind != ir::BufferKind::temporary || writers.size() < 2 || readers.empty() ||
        readers.front() < writers.back() || int64_t(writers.size()) > most_inputs)
      continue;
    if (!std::all_of(readers.begin(), readers.end(),
                     [&](int r) { return is_pointwise(program.statements[size_t(r)]); }))
      continue;
    const std::optional<Concat> concat = find_concat(program, BufferId(b), writers);
    if (!concat) continue;
    LoopNest nest = merged_concat(program, *concat);
    for (int w : writers) dead[size_t(w)] = true;
    dead[size_t(writers.back())] = false;
    program.statements[size_t(writers.back())] = std::move(nest);
  }
  erase_statements(program, dead);
}

}  // namespace cppgen::schedule
