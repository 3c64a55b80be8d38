#include "cppgen/schedule_text/field_printer.h"

#include <fmt/format.h>

#include "cppgen/schedule/costs.h"

namespace cppgen::schedule_text {
namespace {

constexpr size_t kShortLine = 100;

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (char c : text) out += c == '\n' ? "\n  " : std::string(1, c);
  return out;
}

}  // namespace

std::string FieldPrinter::lines() const {
  std::string text;
  for (const std::string& entry : blocks_.back().entries) text += entry + "\n";
  return text;
}

std::string FieldPrinter::in_braces() const {
  const Block& block = blocks_.back();
  std::string line;
  for (const std::string& entry : block.entries) line += (line.empty() ? "" : ", ") + entry;
  if (!block.on_lines && line.size() <= kShortLine && line.find('\n') == line.npos) return "{" + line + "}";
  std::string text = "{\n";
  for (const std::string& entry : block.entries) text += indented(entry) + "\n";
  return text + "}";
}

void FieldPrinter::end(std::string_view name) {
  const std::string text = in_braces();
  blocks_.pop_back();
  add(fmt::format("{} {}", name, text));
}

void FieldPrinter::add_named_values() {
  if (!values_) return;
  for (std::string& line : values_->take_lines()) add(std::move(line));
}

void FieldPrinter::add_line(std::string entry) {
  add_named_values();
  add(std::move(entry));
  blocks_.back().on_lines = true;
}

void FieldPrinter::assign(std::string_view name, const std::string& text) {
  add_named_values();
  add(fmt::format("{} = {}", name, text));
}

std::string FieldPrinter::buffer_text(ir::BufferId b) { return fmt::format("b{}", b); }

void FieldPrinter::word(std::string_view name, const std::string& x) { assign(name, ir::exact_name(x)); }

void FieldPrinter::tuning(std::string_view name, const std::shared_ptr<const schedule::Tuning>& x) {
  if (x) assign(name, ir::quoted(tuning_differences(*tuning_, *x)));
}

void FieldPrinter::tuning(std::string_view name, const schedule::Tuning& x, const schedule::Tuning& usual) {
  tuning_ = x;
  if (!(x == usual)) assign(name, ir::quoted(tuning_differences(usual, x)));
}

void FieldPrinter::costs(std::string_view name, const std::shared_ptr<const schedule::Costs>& x) {
  if (const std::string text = x ? schedule::unusual_costs(*x) : ""; !text.empty()) assign(name, ir::quoted(text));
}

void FieldPrinter::values(std::vector<ir::Expr> roots) {
  std::erase(roots, nullptr);
  values_.emplace(roots, true);
}

void FieldPrinter::reductions(const std::vector<ir::Reduction>& all) {
  for (size_t i = 0; i < all.size(); i++) add_line(fmt::format("acc{} = {}", i, ir::reduction_text(*values_, all[i])));
}

void FieldPrinter::stores(const std::vector<ir::Store>& all) {
  for (const ir::Store& store : all) add_line(ir::store_text(*values_, store));
}

void FieldPrinter::stores_inside(std::string_view name, const std::vector<ir::Store>& all) {
  if (all.empty()) return;
  begin();
  stores(all);
  end(name);
}

void FieldPrinter::plan(const schedule::FusedKernel& kernel) {
  if (plan_) add("plan " + plan_(kernel));
}

}  // namespace cppgen::schedule_text
