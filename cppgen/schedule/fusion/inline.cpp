#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/schedule/fusion/producer.h"
#include "cppgen/schedule/fusion/size_limits.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::ExprKind;

// The condition under which all guards hold.
Expr guard_condition(ir::ExprArena& exprs, const std::vector<ir::Guard>& guards) {
  Expr all = nullptr;
  for (const auto& g : guards) {
    Expr in =
        exprs.binary(ir::BinaryOp::bit_and, exprs.binary(ir::BinaryOp::le, exprs.index(g.lo), exprs.index(g.index)),
                     exprs.binary(ir::BinaryOp::lt, exprs.index(g.index), exprs.index(g.hi)));
    all = all ? exprs.binary(ir::BinaryOp::bit_and, all, in) : in;
  }
  return all;
}

bool uses_variable(const std::vector<IndexExpr>& indices, const std::vector<ir::Guard>& guards,
                   const ir::IndexNode* variable) {
  return std::any_of(indices.begin(), indices.end(), [&](IndexExpr i) { return ir::depends_on(i, variable); }) ||
         std::any_of(guards.begin(), guards.end(), [&](const ir::Guard& g) {
           return ir::depends_on(g.index, variable) || ir::depends_on(g.lo, variable) || ir::depends_on(g.hi, variable);
         });
}

// Returns whether a guard of the load depends on one of its indirect variables, which are only known to the load.
bool guarded_by_indirects(Expr load) {
  return std::any_of(load->indirects.begin(), load->indirects.end(),
                     [&](const ir::Indirect& i) { return uses_variable({}, load->guards, i.variable); });
}

Expr without_casts(Expr e) {
  while (e->kind == ExprKind::cast) e = e->args[0];
  return e;
}

// Returns whether all positions that the value reads remain in range if the elements that they come from are read as 0:
// an index is checked even if a guard prevents its use.
bool may_be_guarded(Expr value) {
  for (Expr e : ir::postorder({&value, 1}))
    for (const ir::Indirect& i : e->indirects) {
      Expr position = without_casts(i.value);
      if (position->kind != ExprKind::load || !position->guards.empty() || i.variable->extent.range().lo < 1)
        return false;
    }
  return true;
}

// `inner`, a load of the producer, under its guards and those of the consumer's `load`.
Expr guarded_load(Program& program, Expr inner, Expr load, Expr fallback) {
  auto guards = inner->guards;
  guards.insert(guards.end(), load->guards.begin(), load->guards.end());
  auto indirects = inner->indirects;
  for (const auto& outer : load->indirects)
    if (uses_variable(inner->indices, guards, outer.variable)) indirects.push_back(outer);
  DType storage = program.buffer(inner->buffer).type;
  if (!guards.empty() && !fallback) fallback = program.exprs->zero(ir::value_type(storage));
  return program.exprs->load(inner->buffer, storage, inner->indices, std::move(guards), fallback, std::move(indirects));
}

// The producer's value at the element that `load` reads; null if that cannot be expressed.
Expr value_at(Program& program, const LoopNest& producer, Expr load) {
  auto& exprs = *program.exprs;
  const Expr value = producer.stores[0].value;
  const Expr fallback = load->guards.empty() ? nullptr : load->args[0];
  for (Expr e : ir::postorder({&value, 1}))
    if (e->kind == ExprKind::index && !load->indirects.empty()) return nullptr;
  if (fallback && !may_be_guarded(value)) return nullptr;
  if (is_view(producer) && fallback && !value->guards.empty() && value->args[0] != fallback) return nullptr;
  if (!is_view(producer) && guarded_by_indirects(load)) return nullptr;
  ir::Rewrite rewrite;
  rewrite.indices = element_map(producer, load->indices);
  rewrite.replace_load = [&](Expr inner) -> Expr {
    if (load->guards.empty() && load->indirects.empty()) return nullptr;
    return guarded_load(program, inner, load, inner->guards.empty() ? nullptr : inner->args[0]);
  };
  Expr result = ir::rewrite(exprs, value, rewrite);
  if (!fallback) return result;
  if (!is_view(producer)) return exprs.select(guard_condition(exprs, load->guards), result, fallback);
  return exprs.load(result->buffer, program.buffer(result->buffer).type, result->indices, result->guards, fallback,
                    result->indirects);
}

bool affine_in(const ir::Loop& l, const std::vector<IndexExpr>& indices) {
  return std::all_of(indices.begin(), indices.end(),
                     [&](IndexExpr i) { return ir::stride_of(i, l.var.node()).has_value(); });
}

// If `any_batch` is set, a contraction's batch loops may select elements in any way, if another loop runs along the
// last dimension.
bool affine_in_loops(const LoopNest& nest, const std::vector<IndexExpr>& indices, bool any_batch) {
  bool along_last = !any_batch;
  for (size_t i = 0; i < nest.loops.size() + nest.reduced.size(); i++) {
    const ir::Loop& l = i < nest.loops.size() ? nest.loops[i] : nest.reduced[i - nest.loops.size()];
    if (any_batch && nest.roles[i] == ir::AxisRole::batch) continue;
    if (!affine_in(l, indices)) return false;
    along_last |= !indices.empty() && ir::stride_of(indices.back(), l.var.node())->is_constant(1);
  }
  return along_last;
}

// Returns whether the consumer reads each element of the load once: every loop of it selects among the elements, and no
// index combines two loops.
bool reads_each_element_once(const LoopNest& consumer, Expr load) {
  size_t seen = 0;
  for (IndexExpr i : load->indices) {
    auto vars = ir::variables_of(i);
    size_t loops =
        size_t(std::count_if(vars.begin(), vars.end(), [](auto* v) { return v->kind == ir::VarKind::loop; }));
    seen += loops;
    if (loops > 1 && !consumer.reduced.empty()) return false;
  }
  auto real = [](const auto& loops) {
    return size_t(std::count_if(loops.begin(), loops.end(), [](const auto& l) { return !l.extent.is_constant(1); }));
  };
  return seen >= real(consumer.loops) + real(consumer.reduced);
}

// The operations that inlining may duplicate: with `cheap`, a few simple operations may be computed several times per
// element; `batch` is for contractions that read each point of their batch separately.
enum class Repetition : uint8_t { none, cheap, batch };

// Returns whether `producer` may be inlined where `consumer` reads it.
FusionDecision can_inline(Draft& draft, const LoopNest& producer, const LoopNest& consumer, Repetition repetition) {
  BufferId buffer = producer.stores[0].buffer;
  bool cheap = repetition == Repetition::cheap && consumer.reduced.empty() &&
               operation_count(producer) <= draft.tuning().cheap_operations && !has_heavy_operation(producer);
  for (Expr load : loads_of(producer))
    for (const auto& store : consumer.stores)
      if (store.buffer == load->buffer)
        return FusionDecision::no("it reads part of a buffer that the reader stores to");
  for (Expr load : loads_of(consumer)) {
    if (load->buffer != buffer) continue;
    Expr value = value_at(draft.program(), producer, load);
    if (!value) return FusionDecision::no("their guards or indices cannot be combined");
    if (consumer.is_contraction()) {
      if (!draft.options.prologue_fusion) return FusionDecision::no("PROLOGUE_FUSION is 0");
      if (value->kind != ExprKind::load)
        return FusionDecision::no("an operand of a contraction is read many times, so it is stored");
      if (!value->indirects.empty() || !affine_in_loops(consumer, value->indices, repetition == Repetition::batch))
        return FusionDecision::no("the operand of a contraction must be strided");
      if (!value->guards.empty() && load->guards.empty())
        return FusionDecision::no("the contraction would read padding many times");
    } else if (!is_view(producer) && !cheap && !reads_each_element_once(consumer, load)) {
      return FusionDecision::no("it would be computed more than once per element");
    } else if (!is_view(producer) && !load->guards.empty() && !cheap) {
      return FusionDecision::no("it would be computed under a guard");
    }
  }
  return fits_into_nest(producer, consumer, draft.options, draft.tuning());
}

// The bytes of all buffers that the nest reads.
int64_t bytes_read(const Program& program, const LoopNest& nest) {
  std::set<BufferId> buffers;
  for (Expr load : loads_of(nest)) buffers.insert(load->buffer);
  int64_t bytes = 0;
  for (BufferId b : buffers) bytes += most_bytes_of(program.buffer(b));
  return bytes;
}

void inline_into(Program& program, const LoopNest& producer, LoopNest& consumer) {
  ir::Rewrite rewrite;
  rewrite.replace_load = [&](Expr load) -> Expr {
    return load->buffer == producer.stores[0].buffer ? value_at(program, producer, load) : nullptr;
  };
  ir::rewrite(*program.exprs, consumer, rewrite);
  std::vector<std::string> origins = producer.origins;
  add_origins(origins, consumer.origins);
  consumer.origins = std::move(origins);
}

// Returns whether it stores fewer bytes than it reads of a contraction's result: as the contraction's epilogue, only
// these few bytes are written and read.
bool narrows_contraction(const Program& program, const Uses& uses, const LoopNest& nest) {
  const size_t stored = size_of(program.buffer(nest.stores[0].buffer).type);
  for (Expr load : loads_of(nest)) {
    const auto& writers = uses.writers[size_t(load->buffer)];
    if (writers.size() != 1 || size_of(program.buffer(load->buffer).type) <= stored) continue;
    const LoopNest* writer = as_nest(program.statements[size_t(writers[0])]);
    if (writer && writer->is_contraction()) return true;
  }
  return false;
}

// Returns whether a contraction can store its result in the order of this view, whose readers would have to divide
// indices to find the elements where they are.
bool divides_indices_of_contraction(const Program& program, const Uses& uses, const LoopNest& view) {
  const Expr load = view.stores[0].value;
  const size_t source = size_t(load->buffer);
  if (program.buffer(load->buffer).kind != ir::BufferKind::temporary || affine_in_loops(view, load->indices, false))
    return false;
  if (uses.writers[source].size() != 1 || uses.readers[source].size() != 1) return false;
  const LoopNest* writer = as_nest(program.statements[size_t(uses.writers[source][0])]);
  return writer && writer->is_contraction() && writer->stores.size() == 1;
}

bool is_candidate(const Program& program, const Uses& uses, const LoopNest& nest) {
  if (!is_pointwise_producer(program, nest)) return false;
  BufferId b = nest.stores[0].buffer;
  return program.buffer(b).kind == ir::BufferKind::temporary && uses.writers[size_t(b)].size() == 1;
}

// Inlines statement `i` into all its readers if every one allows it.
bool try_inline(Draft& draft, Uses& uses, int i, Repetition repetition) {
  Program& program = draft.program();
  LoopNest producer = *as_nest(program.statements[size_t(i)]);
  BufferId buffer = producer.stores[0].buffer;
  auto& readers = uses.readers[size_t(buffer)];
  for (int r : readers) {
    const LoopNest* consumer = as_nest(program.statements[size_t(r)]);
    std::string subject = describe(program.statements[size_t(i)]) + " -> " + describe(program.statements[size_t(r)]);
    FusionDecision d = consumer ? can_inline(draft, producer, *consumer, repetition)
                                : FusionDecision::no("the reader is a library call, which reads memory");
    if (!draft.log().add("inline", std::move(subject), std::move(d))) return false;
  }
  for (int r : readers) {
    inline_into(program, producer, *as_nest(program.statements[size_t(r)]));
    replace_reader(program, uses, i, r);
  }
  readers.clear();
  return true;
}

template <class Allowed>
void inline_where(Draft& draft, Repetition repetition, Allowed allowed) {
  Program& program = draft.program();
  Uses uses = collect_uses(program);
  std::vector<bool> dead(program.statements.size(), false);
  for (int i = 0; i < int(program.statements.size()); i++) {
    const LoopNest* nest = as_nest(program.statements[size_t(i)]);
    if (!nest || !is_candidate(program, uses, *nest)) continue;
    if (uses.readers[size_t(nest->stores[0].buffer)].empty() || !allowed(*nest, uses)) continue;
    if (draft.options.epilogue_fusion && narrows_contraction(program, uses, *nest)) {
      draft.log().add(
          "inline", nest->name,
          FusionDecision::no("it narrows a contraction's result, so it is left for the contraction's epilogue"));
      continue;
    }
    dead[size_t(i)] = try_inline(draft, uses, i, repetition);
  }
  erase_statements(program, dead);
}

}  // namespace

void inline_single_use(Draft& draft) {
  inline_where(draft, Repetition::none, [&](const LoopNest& nest, const Uses& uses) {
    if (uses.readers[size_t(nest.stores[0].buffer)].size() == 1) return true;
    if (!is_view(nest)) return false;
    if (!divides_indices_of_contraction(draft.program(), uses, nest)) return true;
    draft.log().add("inline", nest.name, FusionDecision::no("a contraction can store its result in this order"));
    return false;
  });
}

void inline_cheap(Draft& draft) {
  const Options& options = draft.options;
  inline_where(draft, Repetition::cheap, [&](const LoopNest& nest, const Uses& uses) {
    auto refuse = [&](std::string why) {
      draft.log().add("inline", nest.name, FusionDecision::no(std::move(why)));
      return false;
    };
    int64_t readers = int64_t(uses.readers[size_t(nest.stores[0].buffer)].size());
    if (readers > options.realize_reads_threshold)
      return refuse(fmt::format("it has {} readers, so it is stored (REALIZE_READS_THRESHOLD={})", readers,
                                options.realize_reads_threshold));
    if (operation_count(nest) > options.realize_opcount_threshold)
      return refuse(
          fmt::format("it has more than REALIZE_OPCOUNT_THRESHOLD={} operations", options.realize_opcount_threshold));
    if (int64_t(loads_of(nest).size()) > options.realize_acc_reads_threshold)
      return refuse(
          fmt::format("it has more than REALIZE_ACC_READS_THRESHOLD={} reads", options.realize_acc_reads_threshold));
    const int64_t most_bytes = options.realize_acc_reads_size_threshold;
    if (most_bytes > 0 && bytes_read(draft.program(), nest) > most_bytes)
      return refuse(fmt::format("it reads more than REALIZE_ACC_READS_SIZE_THRESHOLD={} bytes", most_bytes));
    if (readers > 1 && has_heavy_operation(nest))
      return refuse("it is expensive and has several readers, so it is stored");
    return true;
  });
}

void inline_into_attentions(Draft& draft) {
  const std::vector<int> contractions = contractions_of_attentions(draft.program(), draft.options, draft.tuning());
  inline_where(draft, Repetition::batch, [&](const LoopNest& nest, const Uses& uses) {
    const auto& readers = uses.readers[size_t(nest.stores[0].buffer)];
    return is_view(nest) && std::all_of(readers.begin(), readers.end(), [&](int r) {
             return std::find(contractions.begin(), contractions.end(), r) != contractions.end();
           });
  });
}

}  // namespace cppgen::schedule
