#include <algorithm>

#include "cppgen/schedule/fusion/invert.h"
#include "cppgen/schedule/fusion/size_limits.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

// The only element of the buffer that the nest reads; null if it reads several, or reads under conditions.
Expr only_load(const LoopNest& nest, BufferId buffer) {
  Expr found = nullptr;
  for (Expr load : loads_of(nest)) {
    if (load->buffer != buffer) continue;
    if (found || !load->guards.empty() || !load->indirects.empty()) return nullptr;
    found = load;
  }
  return found;
}

struct Merge {
  Expr load;
  ir::IndexMap solution;
};

FusionDecision can_merge(const Draft& draft, const LoopNest& producer, const LoopNest& consumer, Merge& merge) {
  if (!consumer.reduced.empty() || !consumer.reductions.empty()) return FusionDecision::no("the reader is a reduction");
  BufferId buffer = producer.stores[0].buffer;
  merge.load = only_load(consumer, buffer);
  if (!merge.load) return FusionDecision::no("the reader reads several elements, or reads under a condition");
  if (!ir::prove_equal(points(producer.loops), points(consumer.loops)))
    return FusionDecision::no("the two have different numbers of points");
  auto solution = invert(consumer.loops, merge.load->indices, producer.stores[0].indices);
  if (!solution) return FusionDecision::no("the reads are not a permutation of the writes");
  merge.solution = std::move(*solution);
  if (FusionDecision size = fits_into_nest(producer, consumer, draft.options, draft.tuning()); !size) return size;
  return FusionDecision::yes(producer.is_contraction() ? "epilogue" : "computed after the reduction");
}

// The producer with the consumer's stores instead of its own.
LoopNest merged_epilogue(Program& program, const LoopNest& producer, const LoopNest& consumer, const Merge& merge) {
  LoopNest result = producer;
  Expr value = producer.stores[0].value;
  ir::Rewrite rewrite;
  rewrite.indices = merge.solution;
  BufferId buffer = producer.stores[0].buffer;
  rewrite.replace_load = [&](Expr load) -> Expr { return load->buffer == buffer ? value : nullptr; };
  LoopNest tail = consumer;
  ir::rewrite(*program.exprs, tail, rewrite);
  result.stores = std::move(tail.stores);
  add_origins(result.origins, consumer.origins);
  return result;
}

}  // namespace

void fuse_epilogues(Draft& draft) {
  Program& program = draft.program();
  std::vector<bool> dead(program.statements.size(), false);
  Uses uses = collect_uses(program);
  for (size_t i = 0; i < program.statements.size(); i++) {
    const LoopNest* producer = as_nest(program.statements[i]);
    if (!producer || producer->reductions.empty() || producer->stores.size() != 1) continue;
    BufferId buffer = producer->stores[0].buffer;
    const auto& readers = uses.readers[size_t(buffer)];
    if (program.buffer(buffer).kind != ir::BufferKind::temporary || uses.writers[size_t(buffer)].size() != 1) continue;
    if (readers.size() != 1) continue;
    int reader = readers[0];
    const LoopNest* consumer = as_nest(program.statements[size_t(reader)]);
    if (!consumer) continue;
    Merge merge;
    std::string subject = describe(program.statements[i]) + " + " + describe(program.statements[size_t(reader)]);
    if (!draft.log().add("epilogue", subject, can_merge(draft, *producer, *consumer, merge))) continue;
    // Everything that the reader reads exists at its position, and nothing else depends on the producer. The merged
    // nest is visited again there.
    program.statements[size_t(reader)] = merged_epilogue(program, *producer, *consumer, merge);
    dead[i] = true;
    uses.readers[size_t(buffer)].clear();
    uses.writers[size_t(buffer)].clear();
    replace_reader(program, uses, int(i), reader);
  }
  erase_statements(program, dead);
}

}  // namespace cppgen::schedule
