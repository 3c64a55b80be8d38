#include <algorithm>

#include "cppgen/diagram/display_text.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/explain/drawing.h"
#include "cppgen/graph/graph.h"
#include "cppgen/graph/node_text.h"

namespace cppgen {
namespace {

class GraphDrawer {
 public:
  explicit GraphDrawer(const DrawOptions& options) : options_(options) {}

  DrawnGraph run(const Graph& graph) {
    std::vector<Writers> inputs;
    for (const ValueId v : graph.inputs) inputs.push_back({add_value(graph.value(v), "input")});
    const std::vector<Writers> results = add(graph, inputs);
    for (size_t i = 0; i < results.size(); i++)
      connect(drawn_.diagram, results[i], add_value(graph.value(graph.outputs[i]), "output"));
    return std::move(drawn_);
  }

 private:
  const DrawOptions& options_;
  DrawnGraph drawn_;

  int32_t add_box(Diagram::Box box, DrawnGraph::Node node) {
    drawn_.diagram.boxes.push_back(std::move(box));
    drawn_.nodes.push_back(std::move(node));
    return int32_t(drawn_.nodes.size()) - 1;
  }

  std::string short_name(const std::string& name) const { return shortened(name, options_.most_columns); }

  int32_t add_value(const Value& value, const std::string& kind) {
    return add_box({kind, short_name(value.name), {kind + ", " + type_text(value)}},
                   {value.name, kind, type_text(value), {}});
  }

  int32_t add_node(const Graph& graph, const Node& node) {
    const std::string op = node.domain.empty() ? node.op : node.domain + "." + node.op;
    Diagram::Box box{"operator", op, {short_name(node.name)}};
    for (const ValueId v : node.outputs)
      if (options_.tensors && v != kNoValue)
        box.lines.push_back(short_name(graph.value(v).name) + " " + type_text(graph.value(v)));
    std::vector<std::string> inputs;
    for (const ValueId v : node.inputs)
      inputs.push_back(v == kNoValue ? "-" : graph.value(v).name + " " + type_text(graph.value(v)));
    return add_box(std::move(box), {node.name, op, to_string(graph, node), std::move(inputs)});
  }

  // Returns the writers of the outputs, given those of the inputs.
  std::vector<Writers> add(const Graph& graph, const std::vector<Writers>& inputs) {
    std::vector<Writers> writers(graph.values.size());
    for (size_t i = 0; i < inputs.size(); i++) writers[size_t(graph.inputs[i])] = inputs[i];
    for (const Node& node : graph.nodes) {
      const int32_t box = add_node(graph, node);
      for (const ValueId v : node.inputs)
        if (v != kNoValue) connect(drawn_.diagram, writers[size_t(v)], box);
      Writers own{box};
      for (const auto& [name, attribute] : node.attributes)
        if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute))
          merge(own, add_body(node, name, **body, box, writers));
      for (const ValueId v : node.outputs)
        if (v != kNoValue) writers[size_t(v)] = own;
    }
    std::vector<Writers> results;
    for (const ValueId v : graph.outputs) results.push_back(writers[size_t(v)]);
    return results;
  }

  // The last inputs of a body are what it captures from the graph around it.
  Writers add_body(const Node& node, const std::string& name, const Graph& body, int32_t box,
                   const std::vector<Writers>& outside) {
    const std::vector<int64_t>& captures = node.captures(name);
    const size_t own = body.inputs.size() - std::min(captures.size(), body.inputs.size());
    std::vector<Writers> inputs(body.inputs.size(), Writers{box});
    for (size_t i = own; i < inputs.size(); i++)
      merge(inputs[i], outside[size_t(node.inputs[size_t(captures[i - own])])]);
    Writers all;
    for (const Writers& result : add(body, inputs)) merge(all, result);
    return all;
  }
};

}  // namespace

void merge(Writers& into, const Writers& more) {
  for (const int32_t box : more)
    if (std::find(into.begin(), into.end(), box) == into.end()) into.push_back(box);
}

void connect(Diagram& diagram, const Writers& from, int32_t to) {
  // The arrows to a box are the last ones: it has just been added.
  auto first = diagram.arrows.end();
  while (first != diagram.arrows.begin() && (first - 1)->to == to) --first;
  const auto known = first - diagram.arrows.begin();
  for (const int32_t box : from) {
    const Diagram::Arrow arrow{box, to};
    if (std::find(diagram.arrows.begin() + known, diagram.arrows.end(), arrow) == diagram.arrows.end())
      diagram.arrows.push_back(arrow);
  }
}

DrawnGraph draw(const Graph& graph, const DrawOptions& options) { return GraphDrawer(options).run(graph); }

}  // namespace cppgen
