#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cppgen/graph/graph_text.h"
#include "cppgen/ir/text/exact_text.h"
#include "cppgen/ir/text/print_expr.h"

namespace cppgen {
namespace {

template <class T, class F>
std::string list_text(const std::vector<T>& items, const F& text_of) {
  std::vector<std::string> parts;
  for (const T& item : items) parts.push_back(text_of(item));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string ints_text(const std::vector<int64_t>& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }
std::string strings_text(const std::vector<std::string>& v) { return list_text(v, ir::quoted); }

// An empty list says of what it is.
struct AttributePrinter {
  size_t most_bytes;
  const BodyText& inner;

  std::string operator()(int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(float v) const { return ir::exact_number(v); }
  std::string operator()(const std::string& v) const { return ir::quoted(v); }
  std::string operator()(const std::vector<int64_t>& v) const { return v.empty() ? "ints []" : ints_text(v); }
  std::string operator()(const std::vector<float>& v) const {
    return v.empty() ? "floats []" : list_text(v, [](float f) { return ir::exact_number(f); });
  }
  std::string operator()(const std::vector<std::string>& v) const { return v.empty() ? "strings []" : strings_text(v); }
  std::string operator()(const Tensor& t) const {
    return fmt::format("{}[{}] {}", name_of(t.dtype), fmt::join(t.dims, ", "),
                       ir::data_text(t.dtype, t.data, t.elements(), most_bytes));
  }
  std::string operator()(const std::shared_ptr<Graph>& g) const { return inner(*g); }
};

}  // namespace

std::string attributes_text(const Node& node, size_t most_bytes, const BodyText& inner) {
  if (node.attributes.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& [name, value] : node.attributes)
    parts.push_back(ir::exact_name(name) + " = " + std::visit(AttributePrinter{most_bytes, inner}, value));
  return fmt::format(" {{{}}}", fmt::join(parts, ", "));
}

std::string facts_text(const NodeFacts& facts) {
  std::vector<std::string> parts;
  for (const auto& [body, positions] : facts.captures)
    parts.push_back(fmt::format("captures {} = {}", ir::exact_name(body), ints_text(positions)));
  for (const auto& [output, dims] : facts.declared)
    parts.push_back(fmt::format("declared {} = {}", output, ints_text(dims)));
  if (facts.run_time_symbols) parts.push_back("run_time_symbols = " + strings_text(*facts.run_time_symbols));
  const std::pair<bool, const char*> marks[] = {{facts.resolves, "resolves"},
                                                {facts.appends, "appends"},
                                                {facts.on_host, "on_host"},
                                                {facts.refused, "refused"},
                                                {facts.hoisted, "hoisted"}};
  for (const auto& [holds, name] : marks)
    if (holds) parts.emplace_back(name);
  return parts.empty() ? "" : fmt::format(" [{}]", fmt::join(parts, ", "));
}

}  // namespace cppgen
