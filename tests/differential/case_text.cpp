#include "tests/differential/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cppgen/ir/index/bounds_for_equality.h"
#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"
#include "tests/differential/numbers.h"

namespace cppgen::differential {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all = split(text, ' ');
  std::erase(all, "");
  return all;
}

DType type_named(const std::string& name, DType variable) {
  static const std::map<std::string, DType> names = {
      {"f32", DType::f32}, {"f64", DType::f64}, {"f16", DType::f16},     {"bf16", DType::bf16}, {"i8", DType::i8},
      {"i16", DType::i16}, {"i32", DType::i32}, {"i64", DType::i64},     {"u8", DType::u8},     {"u16", DType::u16},
      {"u32", DType::u32}, {"u64", DType::u64}, {"bool", DType::boolean}};
  if (name == "T") return variable;
  auto it = names.find(name);
  if (it == names.end()) internal_error("no type is called '{}'", name);
  return it->second;
}

// One word: a tensor's type, dimensions and elements.
struct TensorText {
  DType type;
  std::vector<std::string> dims;
  bool constant = false, factors = false;
  std::vector<double> values;
  bool has_values = false;
  std::optional<Range> range;

  TensorText(const std::string& word, DType variable) {
    const size_t open = word.find('['), close = word.find(']');
    if (open == std::string::npos || close == std::string::npos) internal_error("'{}' is no tensor", word);
    std::string name = word.substr(0, open), rest = word.substr(close + 1);
    if (name.ends_with("!")) constant = true, name.pop_back();
    type = type_named(name, variable);
    dims = split(word.substr(open + 1, close - open - 1), ',');
    if (const size_t at = rest.find('@'); at != std::string::npos) {
      const size_t dots = rest.find("..", at);
      range = Range{std::stod(rest.substr(at + 1)), std::stod(rest.substr(dots + 2))};
    } else if (rest == "*") {
      factors = true;
    } else if (rest.starts_with("=")) {
      constant = has_values = true;
      for (const std::string& v : split(rest.substr(1), ',')) values.push_back(std::stod(v));
    }
  }

  std::vector<int64_t> numbers() const {
    std::vector<int64_t> n;
    for (const std::string& d : dims) n.push_back(std::stoll(d));
    return n;
  }
  Tensor tensor(uint64_t seed) const {
    return has_values ? tensor_of_values(type, numbers(), values)
                      : make_numbers(type, numbers(), range, Numbers::ordinary, seed);
  }
  Shape shape(Graph& g) const {
    Shape s;
    for (const std::string& d : dims) s.push_back(d == "N" ? g.index->symbol("N") : IndexExpr(std::stoll(d)));
    return s;
  }
};

std::string unquoted(const std::string& text) {
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') internal_error("'{}' is no string", text);
  return text.substr(1, text.size() - 2);
}

Attribute list_of(const std::string& text) {
  const std::vector<std::string> items = split(text.substr(1, text.size() - 2), ',');
  if (text.find('\'') != std::string::npos) {
    std::vector<std::string> strings;
    for (const std::string& i : items) strings.push_back(unquoted(i));
    return strings;
  }
  if (text.find('.') != std::string::npos) {
    std::vector<float> floats;
    for (const std::string& i : items) floats.push_back(std::stof(i));
    return floats;
  }
  std::vector<int64_t> integers;
  for (const std::string& i : items) integers.push_back(std::stoll(i));
  return integers;
}

Attribute attribute_of(const std::string& text, DType variable) {
  if (text.starts_with("'")) return unquoted(text);
  if (text.starts_with("[")) return list_of(text);
  if (text.find('[') != std::string::npos) return TensorText(text, variable).tensor(3);
  if (text.find('.') != std::string::npos) return std::stof(text);
  return int64_t(std::stoll(text));
}

void add_input(Sample& s, std::vector<ValueId>& inputs, const std::string& word, DType variable) {
  if (word == "-") return inputs.push_back(kNoValue);
  const TensorText text(word, variable);
  const std::string name = fmt::format("x{}", inputs.size());
  if (text.constant) return inputs.push_back(s.graph.add_constant(name, text.tensor(inputs.size() + 1)));
  inputs.push_back(s.graph.add_value(name));
  s.graph.value(inputs.back()).type = TensorType{text.type, text.shape(s.graph)};
  s.graph.inputs.push_back(inputs.back());
  if (text.range) s.ranges[name] = *text.range;
  if (text.factors) s.factors.insert(name);
}

}  // namespace

std::vector<std::string> case_texts(const Row& row) {
  std::vector<std::string> texts = split(row.cases, ';');
  std::erase_if(texts, [](const std::string& t) { return words(t).empty(); });
  return texts;
}

bool has_type_variable(const std::string& text) {
  return text.find("T[") != std::string::npos || text.find("T![") != std::string::npos;
}

Sample parse(const Row& row, const std::string& text, DType type) {
  Sample s;
  s.row = &row, s.text = text;
  if (has_type_variable(text)) s.type = type;
  const size_t arrow = text.find("->", text.rfind('\'') == std::string::npos ? 0 : text.rfind('\''));
  const int outputs = arrow == std::string::npos ? 1 : std::stoi(text.substr(arrow + 2));
  const std::string head = text.substr(0, arrow);
  const size_t bar = head.find('|');
  std::vector<ValueId> in, out;
  for (const std::string& word : words(head.substr(0, bar))) add_input(s, in, word, type);
  for (int i = 0; i < outputs; i++) out.push_back(s.graph.add_value(fmt::format("y{}", i)));
  Node& node = s.graph.add_node(row.op, in, out, row.opset);
  node.domain = row.domain;
  for (const std::string& word : words(bar == std::string::npos ? "" : head.substr(bar + 1))) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Attribute value = attribute_of(word.substr(equals + 1), type);
    if (name == "declared") {
      node.facts.declared[0] = std::get<std::vector<int64_t>>(value);
    } else {
      node.attributes[name] = value;
    }
  }
  s.graph.opsets[row.domain] = row.opset;
  s.graph.outputs = out;
  return s;
}

namespace {

// Bounds that a dimension must have, such as 1 <= N, are assumed as in a compilation.
void infer_assuming_bounds(Graph& graph) {
  constexpr int kMostBounds = 8;
  for (int left = kMostBounds; left > 0; left--) try {
      return ops::infer_types(graph);
    } catch (const ops::UnequalDimensions& e) {
      const auto bounds = ir::bounds_for_equality(e.a, e.b);
      if (bounds.size() != 1) throw;
      graph.index->assume(bounds[0]);
    }
  ops::infer_types(graph);
}

}  // namespace

std::string refusal(Sample& s) {
  try {
    ops::check_attributes(s.graph);
    ops::check_supported(s.graph);
    infer_assuming_bounds(s.graph);
    ops::lower(s.graph);
  } catch (const UserError& e) {
    return e.what();
  } catch (const InternalError& e) {
    return std::string(kOurFault) + e.what();
  }
  return "";
}

std::vector<Sample> all_samples() {
  std::vector<Sample> all;
  for (const Row& row : rows())
    for (const std::string& text : case_texts(row))
      for (int t = 0; t < (has_type_variable(text) ? kDTypeCount : 1); t++) {
        Sample s = parse(row, text, DType(t));
        if (refusal(s).empty()) all.push_back(std::move(s));
      }
  return all;
}

}  // namespace cppgen::differential
