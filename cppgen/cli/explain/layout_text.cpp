#include "cppgen/cli/explain/layout_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cppgen/cli/shared/command_support.h"

namespace cppgen {
namespace {

using schedule::LayoutReport;

constexpr size_t kMostNames = 6;

std::string names(const std::vector<std::string>& all) {
  std::string text;
  for (size_t i = 0; i < all.size() && i < kMostNames; i++) text += (i ? ", " : "") + printable(all[i]);
  return all.size() > kMostNames ? text + fmt::format(" and {} more", all.size() - kMostNames) : text;
}

std::string bytes(ir::IndexExpr e) { return e.is_constant() ? bytes_text(e.constant()) : ir::to_string(e) + " B"; }

// For the most frequent order of each rank only the number of tensors is printed; tensors with other orders are named.
std::string orders_text(const std::vector<LayoutReport::Order>& orders) {
  std::string text;
  size_t rank = 0;
  for (const auto& o : orders) {
    text += fmt::format("  {:>4} of {} dimensions {}", o.tensors.size(), o.order.size(), schedule::order_text(o.order));
    text += o.order.size() == rank ? ": " + names(o.tensors) + "\n" : "\n";
    rank = o.order.size();
  }
  return text;
}

std::string gaps_text(const std::vector<LayoutReport::Gap>& gaps) {
  std::map<int64_t, std::vector<std::string>> tensors;
  for (const auto& gap : gaps) tensors[gap.bytes].push_back(gap.tensor);
  std::string text;
  for (const auto& [size, all] : tensors)
    text += fmt::format("  {:>4} with gaps of {} bytes between their rows: {}\n", all.size(), size, names(all));
  return text;
}

std::string movement_text(const LayoutReport::Movement& m) {
  return fmt::format("  {:<8} {}: {} -> {}: {}; {}\n", m.kind, printable(m.tensor), names(m.from), names(m.to),
                     printable(m.reason), bytes(m.bytes));
}

std::string total_text(const std::vector<LayoutReport::Movement>& movements) {
  ir::IndexExpr total = 0;
  for (const auto& m : movements) total = total + m.bytes;
  return fmt::format("  {} moved per run\n", bytes(total));
}

}  // namespace

std::string layout_text(const LayoutReport& report) {
  std::string text;
  if (!report.orders.empty()) text += "\nlayouts of temporaries\n" + orders_text(report.orders);
  text += gaps_text(report.gaps);
  if (report.movements.empty()) return text;
  text += "\nmovements\n";
  for (const auto& m : report.movements) text += movement_text(m);
  return text + total_text(report.movements);
}

}  // namespace cppgen
