#include "cppgen/schedule/fusion/size_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace cppgen::schedule {
namespace {

bool orders_floats(Expr e) {
  return e->kind == ir::ExprKind::binary && (e->binary == ir::BinaryOp::min || e->binary == ir::BinaryOp::max) &&
         is_float(e->type);
}

void add_sorted(std::vector<std::string>& nodes, const std::vector<std::string>& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

FusionDecision too_many_nodes(const Options& options) {
  return FusionDecision::no(
      fmt::format("the kernel would have more than MAX_FUSION_SIZE={} nodes", options.max_fusion_size));
}

FusionDecision fits_buffers(size_t count, const Options& options) {
  const int64_t most = options.max_fusion_unique_io_buffers;
  if (most == 0 || int64_t(count) <= most) return FusionDecision::yes();
  return FusionDecision::no(
      fmt::format("the kernel would access {} buffers (MAX_FUSION_UNIQUE_IO_BUFFERS={})", count, most));
}

// The buffers of the reader once it computes what it reads of the producer.
std::set<BufferId> buffers_of_both(const LoopNest& producer, const LoopNest& reader) {
  std::set<BufferId> all;
  for (const LoopNest* nest : {&producer, &reader})
    for (Expr load : loads_of(*nest)) all.insert(load->buffer);
  for (const auto& store : producer.stores) all.erase(store.buffer);
  for (const auto& store : reader.stores) all.insert(store.buffer);
  return all;
}

}  // namespace

int64_t weight_of(const std::vector<Expr>& roots, const Tuning& tuning) {
  int64_t weight = 0;
  for (Expr e : ir::postorder(roots))
    weight += is_heavy(e)        ? tuning.heavy_weight
              : orders_floats(e) ? tuning.ordering_weight
                                 : e->kind != ir::ExprKind::constant;
  return weight;
}

void KernelSize::add(const LoopNest& nest, const Tuning& tuning) {
  add_sorted(nodes_, nest.origins);
  statements_++;
  weight_ += weight_of(roots_of(nest), tuning);
}

int64_t KernelSize::nodes_with(const KernelSize& more) const {
  std::vector<std::string> all;
  std::set_union(nodes_.begin(), nodes_.end(), more.nodes_.begin(), more.nodes_.end(), std::back_inserter(all));
  return int64_t(all.size());
}

FusionDecision KernelSize::fits(const KernelSize& more, const Options& options, const Tuning& tuning) const {
  if (statements_ + more.statements_ > tuning.kernel_statements)
    return FusionDecision::no(fmt::format("the kernel already has {} statements", statements_));
  if (weight_ + more.weight_ > tuning.kernel_weight)
    return FusionDecision::no("the kernel would take too long to compile");
  if (nodes_with(more) > options.max_fusion_size) return too_many_nodes(options);
  return FusionDecision::yes();
}

FusionDecision fits_buffers(const Program& program, const Uses& uses, const std::vector<int>& statements,
                            const Options& options) {
  const auto inside = [&](int s) { return std::find(statements.begin(), statements.end(), s) != statements.end(); };
  const auto is_private = [&](BufferId b) {
    const auto &readers = uses.readers[size_t(b)], &writers = uses.writers[size_t(b)];
    return program.buffer(b).kind == ir::BufferKind::temporary && std::all_of(readers.begin(), readers.end(), inside) &&
           std::all_of(writers.begin(), writers.end(), inside);
  };
  std::set<BufferId> accessed;
  for (int s : statements)
    for (const auto& buffers :
         {buffers_read(program.statements[size_t(s)]), buffers_written(program.statements[size_t(s)])})
      for (BufferId b : buffers)
        if (!is_private(b)) accessed.insert(b);
  return fits_buffers(accessed.size(), options);
}

FusionDecision fits_into_nest(const LoopNest& producer, const LoopNest& reader, const Options& options,
                              const Tuning& tuning) {
  const int64_t most = tuning.nest_operations;
  if (operation_count(producer) + operation_count(reader) > most)
    return FusionDecision::no(fmt::format("the nest would have more than {} operations", most));
  if (producer.reductions.empty() && producer.stores[0].value->kind == ir::ExprKind::load) return FusionDecision::yes();
  if (auto fits = fits_buffers(buffers_of_both(producer, reader).size(), options); !fits) return fits;
  std::vector<std::string> nodes = producer.origins;
  add_sorted(nodes, reader.origins);
  return int64_t(nodes.size()) > options.max_fusion_size ? too_many_nodes(options) : FusionDecision::yes();
}

bool is_long(const LoopNest& nest, const Tuning& tuning) { return operation_count(nest) > tuning.nest_operations; }

}  // namespace cppgen::schedule
