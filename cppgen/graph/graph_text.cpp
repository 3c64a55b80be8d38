#include "cppgen/graph/graph_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cppgen/graph/host_dims.h"
#include "cppgen/graph/node_text.h"
#include "cppgen/ir/text/exact_text.h"
#include "cppgen/ir/text/print_expr.h"
#include "cppgen/ir/text/program_text.h"

namespace cppgen {
namespace {

constexpr size_t kShownBytes = 1024;

std::string exact_shape(const std::vector<IndexExpr>& shape) {
  std::vector<std::string> parts;
  for (const IndexExpr& d : shape) parts.push_back(ir::exact_text(d));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string host_dims(const std::vector<int64_t>& dims) {
  const int64_t marker = dims.empty() ? 0 : dims[0];
  if (marker == kNothing) return "[nothing]";
  std::vector<std::string> parts;
  for (size_t i = marker == kOneOfRanks; i < dims.size(); i++)
    parts.push_back(dims[i] == -1 ? "?" : fmt::format("{}", dims[i]));
  return fmt::format("[{}{}]", marker == kOneOfRanks ? "rank " : "", fmt::join(parts, ", "));
}

std::string host_type(const HostType& type) {
  constexpr const char* kKinds[] = {"host", "strings", "sequence", "optional", "optional_sequence"};
  return fmt::format("{} {}{}", kKinds[int(type.kind)], type.strings ? "string" : name_of(type.dtype),
                     type.dims ? host_dims(*type.dims) : "[*]");
}

// Letters, digits and some signs: what exporters make names of.
bool is_plain_value_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./") == name.npos;
}

// Plain names with points between them.
bool is_dotted_name(const std::string& name) {
  size_t at = 0, point = 0;
  do {
    point = std::min(name.find('.', at), name.size());
    if (!ir::is_plain_name(std::string_view(name).substr(at, point - at))) return false;
    at = point + 1;
  } while (point < name.size());
  return true;
}

// `Gelu`, `com.microsoft.Gelu`, or "domain" "operator" if they have other characters.
std::string operator_text(const Node& node) {
  if (ir::is_plain_name(node.op) && node.domain.empty()) return node.op;
  if (ir::is_plain_name(node.op) && is_dotted_name(node.domain)) return node.domain + "." + node.op;
  return ir::quoted(node.domain) + " " + ir::quoted(node.op);
}

// Symbols of the values that are printed, those of bodies included.
void see_symbols(ir::SymbolLines& symbols, const Value& value) {
  if (value.type) symbols.see(value.type->shape);
  if (value.contents) symbols.see(*value.contents);
}

void see_symbols(ir::SymbolLines& symbols, const Graph& graph) {
  for (ValueId id : graph.inputs) see_symbols(symbols, graph.value(id));
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.outputs)
      if (id != kNoValue) see_symbols(symbols, graph.value(id));
    for (const auto& body : bodies_of(node)) see_symbols(symbols, *body);
  }
}

std::string symbol_lines(const Graph& graph) {
  ir::SymbolLines symbols;
  see_symbols(symbols, graph);
  return symbols.lines(*graph.index);
}

class GraphPrinter {
 public:
  GraphPrinter(const Graph& graph, size_t most_bytes) : graph_(graph), most_bytes_(most_bytes) { name_values(); }

  // `outer`: of the graph around a body.
  std::string print(const std::string& indent, const Graph* outer) const {
    std::string text = "graph " + ir::quoted(graph_.name);
    if (!outer || graph_.opsets != outer->opsets)
      for (const auto& [domain, version] : graph_.opsets) text += fmt::format(" {}@{}", domain_text(domain), version);
    text += " {\n";
    if (!outer) text += symbol_lines(graph_);
    const std::string inside = indent + "  ";
    for (ValueId id : graph_.inputs) text += inside + input(graph_.value(id)) + "\n";
    for (const Value& v : graph_.values)
      if (v.constant) text += inside + constant(v) + "\n";
    for (const Node& node : graph_.nodes) text += inside + line(node, inside) + "\n";
    const std::string results = refs(graph_.outputs);
    text += inside + (results.empty() ? "return" : "return " + results) + "\n";
    for (const KeptOutput& state : graph_.states) text += inside + kept(state) + "\n";
    return text + indent + "}";
  }

  std::string line(const Node& node, const std::string& indent) const {
    std::string text = node.outputs.empty() ? "" : refs(node.outputs) + " = ";
    text += operator_text(node);
    const auto declared = graph_.opsets.find(node.domain);
    if (declared == graph_.opsets.end() || declared->second != node.opset) text += fmt::format("@{}", node.opset);
    text += "(" + refs(node.inputs) + ")";
    text += attributes_text(node, most_bytes_,
                            [&](const Graph& body) { return GraphPrinter(body, most_bytes_).print(indent, &graph_); });
    text += facts_text(node.facts) + result_types(node);
    return node.name == usual_name(node) ? text : text + "  # " + ir::quoted(node.name);
  }

 private:
  const Graph& graph_;
  size_t most_bytes_;
  std::vector<std::string> names_;  // by ValueId

  static std::string domain_text(const std::string& domain) {
    if (domain.empty()) return "onnx";
    return domain != "onnx" && is_dotted_name(domain) ? domain : ir::quoted(domain);
  }

  // Values of the same name are numbered.
  void name_values() {
    names_.resize(graph_.values.size());
    std::map<std::string, int> uses;
    const auto name = [&](ValueId id) {
      if (id == kNoValue) return;
      const std::string& own = graph_.value(id).name;
      const int number = uses[own]++;
      names_[size_t(id)] = "%" + (is_plain_value_name(own) ? own : ir::quoted(own));
      if (number) names_[size_t(id)] += fmt::format("#{}", number);
    };
    for (ValueId id : graph_.inputs) name(id);
    for (const Value& v : graph_.values)
      if (v.constant) name(v.id);
    for (const Node& node : graph_.nodes)
      for (ValueId id : node.outputs) name(id);
  }

  std::string ref(ValueId id) const { return id == kNoValue ? "-" : names_[size_t(id)]; }

  std::string refs(const std::vector<ValueId>& ids) const {
    std::vector<std::string> parts;
    for (ValueId id : ids) parts.push_back(ref(id));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // Nodes without a name are called after their first output.
  std::string usual_name(const Node& node) const {
    for (ValueId id : node.outputs)
      if (id != kNoValue) return graph_.value(id).name;
    return "";
  }

  static std::string typed(const Value& v) {
    return exact_type(v) + (v.contents ? " is " + exact_shape(*v.contents) : "");
  }

  std::string data(const Tensor& t) const { return " = " + ir::data_text(t.dtype, t.data, t.elements(), most_bytes_); }

  std::string input(const Value& v) const {
    return "input " + ref(v.id) + " : " + typed(v) + (v.preset ? data(*v.preset) : "");
  }

  std::string constant(const Value& v) const {
    return "constant " + ref(v.id) + " : " + exact_type(v) + data(*v.constant);
  }

  std::string kept(const KeptOutput& state) const {
    return fmt::format("keep {} in {} capacity {}", ref(graph_.outputs[state.output]), ref(graph_.inputs[state.input]),
                       state.capacity);
  }

  std::string result_types(const Node& node) const {
    std::vector<std::string> parts;
    bool any = false;
    for (ValueId id : node.outputs) {
      parts.push_back(id == kNoValue ? "?" : typed(graph_.value(id)));
      any = any || parts.back() != "?";
    }
    return any ? fmt::format(" : {}", fmt::join(parts, ", ")) : "";
  }
};

}  // namespace

std::string exact_type(const Value& v) {
  return v.type ? std::string(name_of(v.type->dtype)) + exact_shape(v.type->shape) : v.host ? host_type(*v.host) : "?";
}

std::string graph_text(const Graph& graph, size_t most_bytes) {
  return GraphPrinter(graph, most_bytes).print("", nullptr) + "\n";
}

std::string to_string(const Graph& graph) { return graph_text(graph, kShownBytes); }

std::string to_string(const Graph& graph, const Node& node) { return GraphPrinter(graph, kShownBytes).line(node, ""); }

}  // namespace cppgen
