#include "cppgen/schedule/layout/layout_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

class Reporter {
 public:
  explicit Reporter(const Schedule& schedule)
      : schedule_(schedule), program_(schedule.program), uses_(collect_uses(schedule.program)) {
    for (const auto& step : schedule.steps)
      std::visit(
          [&](const auto& s) {
            in_memory_.insert(s.inputs.begin(), s.inputs.end());
            in_memory_.insert(s.outputs.begin(), s.outputs.end());
          },
          step);
  }

  LayoutReport run() {
    LayoutReport report;
    report.orders = orders();
    for (const auto& b : program_.buffers)
      if (const int64_t pad = layout(b.id).pad; pad && in_memory_.contains(b.id))
        report.gaps.push_back({b.name, pad * int64_t(size_of(b.type))});
    for (const auto& statement : program_.statements)
      if (const LoopNest* nest = as_nest(statement); nest && nest->reductions.empty())
        for (const auto& store : nest->stores)
          if (auto m = movement(*nest, store)) report.movements.push_back(std::move(*m));
    return report;
  }

 private:
  const Schedule& schedule_;
  const Program& program_;
  Uses uses_;
  std::set<BufferId> in_memory_;

  const Layout& layout(BufferId b) const { return schedule_.layouts[size_t(b)]; }

  std::vector<LayoutReport::Order> orders() const {
    std::map<std::vector<int>, std::vector<std::string>> found;
    for (const auto& b : program_.buffers)
      if (b.kind == ir::BufferKind::temporary && b.shape.size() > 1 && in_memory_.contains(b.id))
        found[layout(b.id).order].push_back(b.name);
    std::vector<LayoutReport::Order> all;
    for (auto& [order, tensors] : found) all.push_back({order, std::move(tensors)});
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      if (a.order.size() != b.order.size()) return a.order.size() < b.order.size();
      return a.tensors.size() > b.tensors.size();
    });
    return all;
  }

  const DecisionLog::Copy* added(BufferId b) const {
    for (const auto& copy : schedule_.log.copies)
      if (copy.buffer == b) return &copy;
    return nullptr;
  }

  // A movement: a store to memory that only copies elements.
  std::optional<LayoutReport::Movement> movement(const LoopNest& nest, const ir::Store& store) const {
    Expr value = store.value;
    while (value->kind == ir::ExprKind::cast) value = value->args[0];
    if (value->kind != ir::ExprKind::load || !in_memory_.contains(store.buffer)) return std::nullopt;
    const DecisionLog::Copy* copy = added(store.buffer);
    const ir::Buffer &source = program_.buffer(value->buffer), &target = program_.buffer(store.buffer);
    LayoutReport::Movement m;
    m.kind = copy ? copy->kind : "node";
    m.tensor = source.name;
    m.from = nodes(uses_.writers[size_t(source.id)], source);
    m.to = nodes(uses_.readers[size_t(target.id)], target);
    m.reason = copy ? copy->reason : "part of the model:";
    const IndexExpr count = ir::points(nest.loops);
    m.bytes = count * int64_t(size_of(target.type));
    if (in_memory_.contains(source.id))
      m.bytes = m.bytes + ir::min(count, ir::product(source.shape)) * int64_t(size_of(source.type));
    if (!copy) m.reason += " " + (nest.origins.empty() ? nest.name : nest.origins[0]);
    return m;
  }

  // The nodes of these statements, each once; a description of the buffer if there are none.
  std::vector<std::string> nodes(const std::vector<int>& statements, const ir::Buffer& buffer) const {
    std::vector<std::string> all;
    for (int s : statements)
      for (const std::string& name : origins_of(program_.statements[size_t(s)]))
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    if (!all.empty()) return all;
    switch (buffer.kind) {
      case ir::BufferKind::input:
        return {"(input)"};
      case ir::BufferKind::output:
        return {"(output)"};
      case ir::BufferKind::constant:
        return {"(constant)"};
      case ir::BufferKind::temporary:
        return {};
    }
    return {};
  }
};

}  // namespace

std::string order_text(const std::vector<int>& order) {
  const size_t rank = order.size();
  const std::string plain = fmt::format("({})", fmt::join(order, " "));
  if (order == row_major(rank).order) return "row-major " + plain;
  if (rank > 2 && order == with_last(rank, 1).order) return "channels-last " + plain;
  return plain;
}

LayoutReport layout_report(const Schedule& schedule) { return Reporter(schedule).run(); }

}  // namespace cppgen::schedule
