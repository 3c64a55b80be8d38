#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cppgen/graph/graph.h"
#include "cppgen/graph/node_text.h"

namespace cppgen {
namespace {

std::string ref(ValueId id) { return id == kNoValue ? "-" : fmt::format("%{}", id); }

std::string refs(const std::vector<ValueId>& ids) {
  std::vector<std::string> parts;
  for (ValueId id : ids) parts.push_back(ref(id));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string indent(const std::string& text) {
  std::string out = "    ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  out.resize(out.find_last_not_of(' ') + 1);
  return out;
}

struct PrintAttribute {
  std::string operator()(int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(float v) const { return fmt::format("{}f", v); }
  std::string operator()(const std::string& v) const { return quoted(v); }
  std::string operator()(const std::vector<int64_t>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
  std::string operator()(const std::vector<float>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
  std::string operator()(const std::vector<std::string>& v) const {
    std::vector<std::string> parts;
    for (const std::string& s : v) parts.push_back(quoted(s));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  std::string operator()(const Tensor& t) const {
    return fmt::format("{}[{}]", name_of(t.dtype), fmt::join(t.dims, ", "));
  }
  std::string operator()(const std::shared_ptr<Graph>& g) const {
    return fmt::format("{{\n{}  }}", indent(to_string(*g)));
  }
};

std::string typed(const Value& v) {
  std::string type = v.type ? to_string(*v.type) : "?";
  return fmt::format("{} {}: {}", ref(v.id), quoted(v.name), type);
}

// Small integer constants and known shape values are worth seeing.
std::string known(const Value& v) {
  if (v.contents && v.contents->size() <= 8) return " = " + to_string(*v.contents);
  if (v.constant && is_int(v.constant->dtype) && v.constant->elements() <= 8)
    return fmt::format(" = [{}]", fmt::join(integers_of(*v.constant), ", "));
  return "";
}

std::vector<std::string> print_facts(const NodeFacts& facts) {
  std::vector<std::string> parts;
  for (const auto& [body, positions] : facts.captures)
    parts.push_back(fmt::format("captures of {}: [{}]", body, fmt::join(positions, ", ")));
  for (const auto& [output, dims] : facts.declared)
    parts.push_back(fmt::format("declared output {}: [{}]", output, fmt::join(dims, ", ")));
  if (facts.run_time_symbols)
    parts.push_back(fmt::format("run-time symbols: [{}]", fmt::join(*facts.run_time_symbols, ", ")));
  const std::pair<bool, const char*> marks[] = {
      {facts.resolves, "resolves"}, {facts.on_host, "on host"}, {facts.refused, "refused"}, {facts.hoisted, "hoisted"}};
  for (const auto& [holds, name] : marks)
    if (holds) parts.emplace_back(name);
  return parts;
}

}  // namespace

std::string to_string(const Graph& graph, const Node& node) {
  std::string out;
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (i) out += ", ";
    ValueId id = node.outputs[i];
    out += id == kNoValue ? "-" : typed(graph.value(id)) + known(graph.value(id));
  }
  std::string domain = node.domain.empty() ? "" : node.domain + ".";
  out += fmt::format(" = {}{}({})", domain, node.op, refs(node.inputs));
  if (!node.attributes.empty()) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : node.attributes) parts.push_back(name + "=" + std::visit(PrintAttribute{}, value));
    out += fmt::format(" {{{}}}", fmt::join(parts, ", "));
  }
  if (const auto facts = print_facts(node.facts); !facts.empty()) out += fmt::format(" [{}]", fmt::join(facts, "; "));
  return out + fmt::format("  # {}", quoted(node.name));
}

std::string type_text(const Value& value) {
  return value.type ? to_string(*value.type) : value.host ? to_string(*value.host) : "?";
}

std::string quoted(std::string_view name) {
  constexpr size_t kLongest = 120;
  std::string out = "\"";
  for (char c : name.substr(0, kLongest)) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + (name.size() > kLongest ? "\"..." : "\"");
}

std::string to_string(const Shape& shape) {
  std::vector<std::string> parts;
  for (const IndexExpr& d : shape) parts.push_back(ir::to_string(d));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string to_string(const TensorType& type) {
  return fmt::format("{}{}", name_of(type.dtype), to_string(type.shape));
}

std::string to_string(const HostType& type) {
  const std::string element = type.strings ? "string" : std::string(name_of(type.dtype));
  const bool ranked = type.dims && (type.dims->empty() || type.dims->front() >= -1);
  const std::string dims = ranked ? fmt::format("[{}]", fmt::join(*type.dims, ", ")) : " of unknown rank";
  switch (type.kind) {
    case ValueKind::tensor:
    case ValueKind::strings:
      return fmt::format("a {} tensor{}", element, dims);
    case ValueKind::sequence:
      return fmt::format("a sequence of {} tensors{}", element, dims);
    case ValueKind::optional:
      return fmt::format("an optional {} tensor{}", element, dims);
    case ValueKind::optional_sequence:
      return fmt::format("an optional sequence of {} tensors{}", element, dims);
  }
  return "?";
}

std::string to_string(const Graph& graph) {
  std::string out = fmt::format("graph {}", quoted(graph.name));
  for (const auto& [domain, version] : graph.opsets)
    out += fmt::format(" {}@{}", domain.empty() ? "onnx" : domain, version);
  out += "\n";
  for (ValueId id : graph.inputs) out += "  input " + typed(graph.value(id)) + "\n";
  for (const Value& v : graph.values)
    if (v.constant) out += "  constant " + typed(v) + known(v) + "\n";
  for (const Node& node : graph.nodes) out += "  " + to_string(graph, node) + "\n";
  return out + fmt::format("  return {}\n", refs(graph.outputs));
}

}  // namespace cppgen
