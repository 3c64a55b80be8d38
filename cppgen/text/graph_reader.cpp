#include "cppgen/text/graph_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cppgen/text/index_reader.h"
#include "cppgen/text/node_reader.h"
#include "cppgen/text/tensor_reader.h"
#include "cppgen/text/type_reader.h"

namespace cppgen::text {
namespace {

constexpr int kMostBodies = 16;  // bodies, as in models
constexpr int kMostOpset = 1 << 20;

// Reads one graph: the whole, or a body.
class GraphReader {
 public:
  GraphReader(Reader& reader, SymbolTable& symbols, Graph& graph, int& depth)
      : reader_(reader), symbols_(symbols), graph_(graph), depth_(depth), find_(symbols.finder()) {}

  void read() {
    const Reader::Level level(reader_, depth_, kMostBodies, "bodies");
    reader_.expect_word("graph");
    graph_.name = reader_.string("the name of the graph, a string");
    read_opsets();
    reader_.expect_sign("{");
    while (!reader_.at_word("return")) statement();
    reader_.take();
    if (!reader_.at_sign("}")) reader_.items([&] { graph_.outputs.push_back(used()); });
    while (depth_ == 1 && reader_.accept_word("keep")) state();
    reader_.expect_sign("}");
  }

 private:
  using Key = std::pair<std::string, int>;  // name, and number among those of the same name

  Reader& reader_;
  SymbolTable& symbols_;
  Graph& graph_;
  int& depth_;  // 1: the whole
  FindVariable find_;
  std::map<Key, ValueId> values_;

  void read_opsets() {
    std::set<std::string> given;
    while (reader_.at(TokenKind::name) || reader_.at(TokenKind::quoted)) {
      const Token domain = reader_.take();
      const bool is_onnx = domain.kind == TokenKind::name && domain.text == "onnx";
      const std::string name = is_onnx ? "" : domain.text;
      if (!given.insert(name).second) reader_.fail_at(domain.place, "the domain is given twice");
      if (given.size() == 1) graph_.opsets.clear();  // those of the graph around a body
      reader_.expect_sign("@");
      graph_.opsets[name] = int(reader_.integer("the version of an opset", 0, kMostOpset));
    }
  }

  // A word that also begins an operator is one of ours if a value or a name follows.
  void statement() {
    if (reader_.accept_word("input")) return input();
    if (reader_.accept_word("constant")) return constant();
    if (depth_ == 1 && reader_.accept_word("symbol")) return symbols_.read_symbol(reader_);
    if (depth_ == 1 && reader_.accept_word("assume")) return symbols_.read_assumption(reader_);
    if (reader_.at(TokenKind::end) || reader_.at_sign("}")) reader_.expected("a node, or return");
    node();
  }

  std::string shown(const Token& value) const {
    return value.number ? fmt::format("{}#{}", quoted(value.text), value.number) : quoted(value.text);
  }

  ValueId define() {
    if (!reader_.at(TokenKind::value)) reader_.expected("a value, such as %x");
    const Token value = reader_.take();
    const auto [at, added] = values_.emplace(Key(value.text, value.number), ValueId(graph_.values.size()));
    if (!added) reader_.fail_at(value.place, fmt::format("the value {} is defined twice", shown(value)));
    return graph_.add_value(value.text);
  }

  ValueId used() {
    if (!reader_.at(TokenKind::value)) reader_.expected("a value, such as %x");
    const Token value = reader_.take();
    const auto found = values_.find(Key(value.text, value.number));
    if (found == values_.end())
      reader_.fail_at(value.place, fmt::format("the value {} is not defined before it is used", shown(value)));
    return found->second;
  }

  void input() {
    const ValueId id = define();
    graph_.inputs.push_back(id);
    reader_.expect_sign(":");
    const Place place = reader_.peek().place;
    read_type(reader_, find_, graph_.value(id));
    if (reader_.accept_sign("=")) graph_.value(id).preset = data_of(graph_.value(id), place);
  }

  void constant() {
    const ValueId id = define();
    reader_.expect_sign(":");
    const Place place = reader_.peek().place;
    read_type(reader_, find_, graph_.value(id));
    reader_.expect_sign("=");
    graph_.value(id).constant = data_of(graph_.value(id), place);
  }

  void state() {
    KeptOutput state{};
    state.output = used_among(graph_.outputs, "output");
    reader_.expect_word("in");
    state.input = used_among(graph_.inputs, "input");
    reader_.expect_word("capacity");
    state.capacity = reader_.integer("a number of positions", 1, std::numeric_limits<int64_t>::max());
    graph_.states.push_back(state);
  }

  // The position of the next value in a list.
  size_t used_among(const std::vector<ValueId>& values, const char* what) {
    const Token value = reader_.peek();
    const auto found = std::find(values.begin(), values.end(), used());
    if (found == values.end())
      reader_.fail_at(value.place, fmt::format("the value {} is no {} of the graph", shown(value), what));
    return size_t(found - values.begin());
  }

  // The elements of a tensor of the value's type, which is at `place`.
  Tensor data_of(const Value& value, Place place) {
    Tensor tensor;
    if (!value.type) reader_.fail_at(place, "a constant has the type of a tensor");
    tensor.dtype = value.type->dtype;
    tensor.dims = constant_dims(reader_, tensor.dtype, value.type->shape, place);
    tensor.data = read_data(reader_, tensor.dtype, tensor.dims);
    return tensor;
  }

  void node() {
    Node node{};
    node.id = NodeId(graph_.nodes.size());
    const bool has_outputs = reader_.at(TokenKind::value) || reader_.at_sign("-");
    std::vector<Token> outputs;
    if (has_outputs) {
      do {
        if (!reader_.at(TokenKind::value) && !reader_.at_sign("-")) reader_.expected("an output, or - if it is absent");
        outputs.push_back(reader_.take());
      } while (reader_.accept_sign(","));
      reader_.expect_sign("=");
    }
    const Place place = reader_.peek().place;
    read_operator(reader_, node);
    node.opset = opset_of(node.domain, place);
    reader_.list("(", ")", [&] { node.inputs.push_back(reader_.accept_sign("-") ? kNoValue : used()); });
    node.attributes = read_attributes(reader_, [&] { return body(); });
    node.facts = read_facts(reader_);
    define_outputs(node, outputs);
    read_result_types(node);
    name(node);
    graph_.nodes.push_back(std::move(node));
  }

  int opset_of(const std::string& domain, Place place) {
    if (reader_.accept_sign("@")) return int(reader_.integer("the version of an opset", 0, kMostOpset));
    const auto found = graph_.opsets.find(domain);
    if (found == graph_.opsets.end())
      reader_.fail_at(place,
                      fmt::format("the graph has no opset of the domain {}: expected {}@VERSION in its first line",
                                  domain.empty() ? "onnx" : domain, domain.empty() ? "onnx" : domain));
    return found->second;
  }

  std::shared_ptr<Graph> body() {
    auto body = std::make_shared<Graph>();
    body->index = graph_.index, body->opsets = graph_.opsets, body->custom_operators = graph_.custom_operators;
    GraphReader(reader_, symbols_, *body, depth_).read();
    return body;
  }

  void define_outputs(Node& node, const std::vector<Token>& outputs) {
    for (const Token& token : outputs) {
      if (token.kind == TokenKind::sign) {
        node.outputs.push_back(kNoValue);
        continue;
      }
      const ValueId id = graph_.add_value(token.text);
      if (!values_.emplace(Key(token.text, token.number), id).second)
        reader_.fail_at(token.place, fmt::format("the value {} is defined twice", shown(token)));
      graph_.value(id).producer = node.id;
      node.outputs.push_back(id);
    }
  }

  void read_result_types(const Node& node) {
    const Place place = reader_.peek().place;
    if (!reader_.accept_sign(":")) return;
    size_t count = 0;
    do {
      if (count == node.outputs.size()) reader_.fail(fmt::format("more types than the {} outputs of the node", count));
      Value absent{};
      const ValueId id = node.outputs[count++];
      read_type(reader_, find_, id == kNoValue ? absent : graph_.value(id));
      if (absent.type || absent.host) reader_.fail("an absent output has no type but ?");
    } while (reader_.accept_sign(","));
    if (count != node.outputs.size())
      reader_.fail_at(place,
                      fmt::format("expected {} types, one for each output, found {}", node.outputs.size(), count));
  }

  void name(Node& node) {
    if (reader_.accept_sign("#")) {
      node.name = reader_.string("the name of the node, a string");
      return;
    }
    for (ValueId id : node.outputs)
      if (id != kNoValue) {
        node.name = graph_.value(id).name;
        return;
      }
  }
};

}  // namespace

Graph read_graph(std::string_view text, const std::string& file,
                 std::shared_ptr<const ops::CustomOperators> custom_operators) {
  Graph graph;
  graph.custom_operators = std::move(custom_operators);
  Reader reader(text, file);
  SymbolTable symbols(*graph.index);
  const Place begin = reader.peek().place;
  int depth = 0;
  GraphReader(reader, symbols, graph, depth).read();
  reader.expect_end();
  symbols.assume_all();
  reader.at_place(begin, [&] { verify(graph); });
  return graph;
}

}  // namespace cppgen::text
