#include "cppgen/schedule/fusion/size_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace cppgen::schedule {
namespace {

constexpr int64_t kMostOperations = 64;  // of one nest
constexpr int64_t kMostStatements = 64;  // of one kernel
constexpr int64_t kMostWeight = 256;     // of one kernel
constexpr int64_t kWeightOfHeavy = 8;    // a polynomial, where others are an instruction

int64_t weight_of(const LoopNest& nest) {
  int64_t weight = 0;
  for (Expr e : ir::postorder(roots_of(nest)))
    weight += is_heavy(e) ? kWeightOfHeavy : e->kind != ir::ExprKind::constant;
  return weight;
}

void add_sorted(std::vector<std::string>& nodes, const std::vector<std::string>& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

FusionDecision too_many_nodes(const Options& options) {
  return FusionDecision::no(fmt::format("more than MAX_FUSION_SIZE={} nodes", options.max_fusion_size));
}

}  // namespace

void KernelSize::add(const LoopNest& nest) {
  add_sorted(nodes_, nest.origins);
  statements_++;
  weight_ += weight_of(nest);
}

int64_t KernelSize::nodes_with(const KernelSize& more) const {
  std::vector<std::string> all;
  std::set_union(nodes_.begin(), nodes_.end(), more.nodes_.begin(), more.nodes_.end(), std::back_inserter(all));
  return int64_t(all.size());
}

FusionDecision KernelSize::fits(const KernelSize& more, const Options& options) const {
  if (statements_ + more.statements_ > kMostStatements)
    return FusionDecision::no(fmt::format("the kernel has {} statements", statements_));
  if (weight_ + more.weight_ > kMostWeight) return FusionDecision::no("the kernel would take long to compile");
  if (nodes_with(more) > options.max_fusion_size) return too_many_nodes(options);
  return FusionDecision::yes();
}

FusionDecision fits_into_nest(const LoopNest& producer, const LoopNest& reader, const Options& options) {
  if (operation_count(producer) + operation_count(reader) > kMostOperations)
    return FusionDecision::no(fmt::format("more than {} operations", kMostOperations));
  if (producer.reductions.empty() && producer.stores[0].value->kind == ir::ExprKind::load) return FusionDecision::yes();
  std::vector<std::string> nodes = producer.origins;
  add_sorted(nodes, reader.origins);
  return int64_t(nodes.size()) > options.max_fusion_size ? too_many_nodes(options) : FusionDecision::yes();
}

bool is_long(const LoopNest& nest) { return operation_count(nest) > kMostOperations; }

}  // namespace cppgen::schedule
