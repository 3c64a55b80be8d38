#include "cppgen/schedule/kernels/kernels.h"

#include <algorithm>
#include <set>

#include "cppgen/schedule/kernels/loop_order.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;
using ir::Store;

// Temporaries that only this group accesses.
std::vector<BufferId> private_buffers(const Program& program, const Uses& uses, const Group& group) {
  std::set<BufferId> found;
  auto inside = [&](int s) { return std::binary_search(group.statements.begin(), group.statements.end(), s); };
  for (const Segment& segment : group.segments)
    for (const Store& store : segment.stores) {
      const auto& readers = uses.readers[size_t(store.buffer)];
      const auto& writers = uses.writers[size_t(store.buffer)];
      if (program.buffer(store.buffer).kind == ir::BufferKind::temporary &&
          std::all_of(readers.begin(), readers.end(), inside) && std::all_of(writers.begin(), writers.end(), inside))
        found.insert(store.buffer);
    }
  return {found.begin(), found.end()};
}

// Elements of the buffer per outer point, or nullopt if an index mixes outer and inner loops.
std::optional<IndexExpr> elements_per_point(const Program& program, const FusedKernel& kernel, const Store& store) {
  IndexExpr elements = 1;
  for (size_t d = 0; d < store.indices.size(); d++) {
    bool is_outer =
        std::any_of(kernel.outer.begin(), kernel.outer.end(), [&](const Loop& l) { return store.indices[d] == l.var; });
    if (is_outer) continue;
    for (const Loop& l : kernel.outer)
      if (ir::depends_on(store.indices[d], l.var.node())) return std::nullopt;
    elements = elements * program.buffer(store.buffer).shape[d];
  }
  return elements;
}

void place_locals(const Program& program, const Uses& uses, const Group& group, const Tuning& tuning,
                  FusedKernel& kernel) {
  for (BufferId b : private_buffers(program, uses, group)) {
    Local local{b, Place::value, 1};
    int writers = 0;
    for (const Segment& s : kernel.segments)
      for (const Store& store : s.stores) {
        if (store.buffer != b) continue;
        writers++;
        auto elements = elements_per_point(program, kernel, store);
        if (!elements || !elements->is_constant() || elements->constant() > tuning.row_elements)
          local.place = Place::memory;
        else if (!s.loops.empty() && local.place != Place::memory)
          local.place = Place::row, local.elements = *elements;
      }
    if (writers != 1 && local.place == Place::value) local.place = Place::memory;
    if (local.place != Place::memory) kernel.locals.push_back(local);
  }
}

// Replaces loads of elements that an earlier store at the same point wrote by the stored value.
Expr forward_stores(Program& program, Expr value, const std::vector<Store>& earlier) {
  ir::Rewrite rewrite;
  rewrite.replace_load = [&](Expr load) -> Expr {
    if (!load->guards.empty() || !load->indirects.empty()) return nullptr;
    for (const Store& s : earlier) {
      if (s.buffer != load->buffer || s.indices != load->indices) continue;
      const auto rounding = ir::rounding_to(program.buffer(s.buffer).type);
      return rounding ? program.exprs->unary(*rounding, s.value) : s.value;
    }
    return nullptr;
  };
  return ir::rewrite(*program.exprs, value, rewrite);
}

bool same_extents(const std::vector<Loop>& a, const std::vector<Loop>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Loop& x, const Loop& y) { return x.extent == y.extent; });
}

std::vector<Loop> all_loops(const Segment& s) {
  std::vector<Loop> loops = s.loops;
  loops.insert(loops.end(), s.reduced.begin(), s.reduced.end());
  return loops;
}

// The segment with its loops renamed to `names`.
Segment renamed(Program& program, Segment s, const std::vector<Loop>& names) {
  ir::Rewrite rewrite;
  auto name = names.begin();
  for (auto* loops : {&s.loops, &s.reduced})
    for (Loop& l : *loops) rewrite.indices[l.var.node()] = name->var, l = *name++;
  ir::rewrite(*program.exprs, s, rewrite);
  return s;
}

// Returns whether `second` needs results of `first` from other points than its own.
bool needs_all_of(const Segment& first, const Segment& second) {
  for (Expr load : loads_of(second)) {
    for (const Store& s : first.body)
      if (s.buffer == load->buffer && s.indices != load->indices) return true;
    for (const Store& s : first.stores)
      if (s.buffer == load->buffer && (!first.reduced.empty() || s.indices != load->indices)) return true;
  }
  return false;
}

// Runs `second` in the loops of `first`, if both run over the same points and no order between points matters.
bool merge_segments(Program& program, Segment& first, const Segment& second_as_is) {
  if (!same_extents(all_loops(first), all_loops(second_as_is))) return false;
  bool both_reduce = !first.reduced.empty() && !second_as_is.reduced.empty();
  if (!first.reduced.empty() && (!both_reduce || first.loops.size() != second_as_is.loops.size())) return false;
  if (first.reduced.empty() && !second_as_is.reduced.empty() && !first.reductions.empty()) return false;
  Segment second = renamed(program, second_as_is, all_loops(first));
  if (needs_all_of(first, second)) return false;
  std::vector<Store> at_point = first.reduced.empty() ? first.stores : first.body;
  ir::Rewrite shift;
  int count = int(first.reductions.size());
  shift.replace_accumulator = [&](Expr a) { return program.exprs->accumulator(a->accumulator + count, a->type); };
  each_value(second, [&](Expr& e) { e = ir::rewrite(*program.exprs, forward_stores(program, e, at_point), shift); });

  Segment merged = second;
  if (first.reduced.empty() && !second.reduced.empty()) {
    merged.body.insert(merged.body.begin(), first.stores.begin(), first.stores.end());
  } else {
    merged.body.insert(merged.body.begin(), first.body.begin(), first.body.end());
    merged.stores.insert(merged.stores.begin(), first.stores.begin(), first.stores.end());
    merged.reductions.insert(merged.reductions.begin(), first.reductions.begin(), first.reductions.end());
  }
  first = std::move(merged);
  return true;
}

void merge_all(Program& program, FusedKernel& kernel) {
  std::vector<Segment> merged;
  for (Segment& s : kernel.segments)
    if (merged.empty() || !merge_segments(program, merged.back(), s)) merged.push_back(std::move(s));
  kernel.segments = std::move(merged);
}

// Removes stores to private buffers that no segment loads any more.
void drop_dead_locals(FusedKernel& kernel) {
  std::erase_if(kernel.locals, [&](const Local& local) {
    for (const Segment& s : kernel.segments)
      if (reads(s, local.buffer)) return false;
    for (Segment& s : kernel.segments)
      for (auto* stores : {&s.body, &s.stores})
        std::erase_if(*stores, [&](const Store& st) { return st.buffer == local.buffer; });
    return true;
  });
}

// Rows belong to one point. If lanes are points, rows would interleave, so they stay in memory.
void settle_rows(FusedKernel& kernel) {
  if (kernel.vector_outer) std::erase_if(kernel.locals, [](const Local& l) { return l.place == Place::row; });
}

}  // namespace

// Arguments are in the order in which the kernel has them, whatever their numbers: the operands of a contraction first.
// So kernels that differ in sizes alone have the same text.
void collect_arguments(FusedKernel& kernel) {
  std::vector<BufferId> in, out;
  const auto add = [&](std::vector<BufferId>& to, BufferId b) {
    const bool is_local =
        std::any_of(kernel.locals.begin(), kernel.locals.end(), [&](const Local& l) { return l.buffer == b; });
    if (!is_local && std::find(to.begin(), to.end(), b) == to.end()) to.push_back(b);
  };
  if (const auto& c = kernel.contraction) {
    add(in, c->left->buffer);
    add(in, c->packed);
    if (c->transformed >= 0) add(in, c->transformed);
  }
  for (Expr load : loads_of(kernel)) add(in, load->buffer);
  each_store(kernel, [&](const Store& s) { add(out, s.buffer); });
  kernel.reads_back.clear();
  for (BufferId b : out)
    if (std::erase(in, b) > 0) kernel.reads_back.push_back(b);
  kernel.inputs = std::move(in), kernel.outputs = std::move(out);
}

FusedKernel make_kernel(Program& program, const Layouts& layouts, const Uses& uses, const Group& group,
                        const Options& options, const Tuning& tuning, const std::string& name) {
  FusedKernel kernel;
  kernel.name = name;
  kernel.outer = group.outer;
  kernel.segments = group.segments;
  for (int s : group.statements) add_origins(kernel.origins, as_nest(program.statements[size_t(s)])->origins);
  place_locals(program, uses, group, tuning, kernel);
  merge_all(program, kernel);
  drop_dead_locals(kernel);
  order_loops(program, layouts, options, tuning, kernel);
  settle_rows(kernel);
  collect_arguments(kernel);
  return kernel;
}

FusedKernel make_tile_kernel(const LoopNest& nest, TileContraction contraction, const std::string& name) {
  FusedKernel kernel;
  kernel.name = name;
  kernel.site = contraction.site, kernel.tuning = contraction.tuning;
  kernel.contraction = std::move(contraction);
  Segment epilogue;
  epilogue.loops = kernel.contraction->rows, epilogue.stores = nest.stores;
  kernel.segments.push_back(std::move(epilogue));
  kernel.origins = nest.origins;
  collect_arguments(kernel);
  return kernel;
}

}  // namespace cppgen::schedule
