#include "cppgen/text/node_reader.h"

#include <fmt/format.h>

#include "cppgen/text/tensor_reader.h"

namespace cppgen::text {
namespace {

std::vector<int64_t> read_ints(Reader& reader) {
  std::vector<int64_t> values;
  reader.list("[", "]", [&] { values.push_back(reader.integer("an integer")); });
  return values;
}

std::vector<std::string> read_strings(Reader& reader) {
  std::vector<std::string> values;
  reader.list("[", "]", [&] { values.push_back(reader.string("a string")); });
  return values;
}

std::vector<float> read_floats(Reader& reader) {
  std::vector<float> values;
  reader.list("[", "]", [&] { values.push_back(read_float(reader)); });
  return values;
}

bool is_float_text(const Token& token) {
  if (token.kind == TokenKind::name) return token.text == "inf" || token.text == "nan" || token.text == "bits";
  return token.kind == TokenKind::number && token.text.find_first_of(".e") != token.text.npos;
}

// A number with a point, an exponent, inf, nan or bits(...) is a float, all others are integers.
Attribute read_number(Reader& reader) {
  const bool minus = reader.accept_sign("-");
  if (is_float_text(reader.peek())) return minus ? -read_float(reader) : read_float(reader);
  if (!reader.at(TokenKind::number)) reader.expected("the value of an attribute");
  if (!minus) return reader.integer("a number");
  if (reader.peek().text == "9223372036854775808") return reader.take(), std::numeric_limits<int64_t>::min();
  return -reader.integer("a number");
}

// The first element decides.
Attribute read_list(Reader& reader) {
  if (reader.at_sign("]")) reader.fail("an empty list says of what it is: ints [], floats [] or strings []");
  std::vector<Attribute> items;
  const Place place = reader.peek().place;
  if (reader.at(TokenKind::quoted)) {
    std::vector<std::string> strings;
    do strings.push_back(reader.string("a string"));
    while (reader.accept_sign(","));
    reader.expect_sign("]");
    return strings;
  }
  do items.push_back(read_number(reader));
  while (reader.accept_sign(","));
  reader.expect_sign("]");
  std::vector<int64_t> ints;
  std::vector<float> floats;
  for (const Attribute& item : items) {
    if (const auto* i = std::get_if<int64_t>(&item)) ints.push_back(*i);
    if (const auto* f = std::get_if<float>(&item)) floats.push_back(*f);
  }
  if (!ints.empty() && !floats.empty()) reader.fail_at(place, "integers and floats (with a point) in one list");
  if (floats.empty()) return ints;
  return floats;
}

Attribute read_tensor(Reader& reader, DType type) {
  Tensor tensor;
  tensor.dtype = type;
  tensor.dims = read_dims(reader, type);
  tensor.data = read_data(reader, type, tensor.dims);
  return tensor;
}

Attribute read_attribute(Reader& reader, const ReadBody& body) {
  if (reader.at(TokenKind::quoted)) return reader.take().text;
  if (reader.accept_sign("[")) return read_list(reader);
  if (reader.accept_word("ints")) return read_ints(reader);
  if (reader.accept_word("floats")) return read_floats(reader);
  if (reader.accept_word("strings")) return read_strings(reader);
  if (reader.at_word("graph")) return body();
  if (const std::optional<DType> type = accept_element_type(reader)) return read_tensor(reader, *type);
  return read_number(reader);
}

template <class Key>
void insert_once(Reader& reader, Place place, std::map<Key, std::vector<int64_t>>& map, const Key& key) {
  reader.expect_sign("=");
  if (!map.emplace(key, read_ints(reader)).second) reader.fail_at(place, "this is given twice");
}

bool* mark_of(NodeFacts& facts, const std::string& word) {
  const std::pair<const char*, bool*> marks[] = {{"resolves", &facts.resolves},
                                                 {"appends", &facts.appends},
                                                 {"on_host", &facts.on_host},
                                                 {"refused", &facts.refused},
                                                 {"hoisted", &facts.hoisted}};
  for (const auto& [name, mark] : marks)
    if (word == name) return mark;
  return nullptr;
}

void read_fact(Reader& reader, NodeFacts& facts) {
  const Place place = reader.peek().place;
  const std::string word = reader.name("a fact about the node");
  if (word == "captures") return insert_once(reader, place, facts.captures, reader.any_name("the name of a body"));
  if (word == "declared")
    return insert_once(reader, place, facts.declared, int(reader.integer("the number of an output", 0, 1 << 20)));
  if (bool* mark = mark_of(facts, word)) {
    *mark = true;
  } else if (word == "run_time_symbols") {
    reader.expect_sign("=");
    facts.run_time_symbols = read_strings(reader);
  } else {
    reader.fail_at(place, fmt::format("expected captures, declared, run_time_symbols, resolves, appends, on_host, "
                                      "refused or hoisted, found '{}'",
                                      word));
  }
}

}  // namespace

void read_operator(Reader& reader, Node& node) {
  if (reader.at(TokenKind::quoted)) {
    node.domain = reader.take().text;
    node.op = reader.string("the name of an operator, after its domain");
    return;
  }
  if (!reader.at(TokenKind::name)) reader.expected("an operator");
  const std::string name = reader.take().text;
  const size_t point = name.rfind('.');
  node.domain = point == name.npos ? "" : name.substr(0, point);
  node.op = name.substr(point == name.npos ? 0 : point + 1);
}

std::map<std::string, Attribute> read_attributes(Reader& reader, const ReadBody& body) {
  std::map<std::string, Attribute> attributes;
  if (!reader.at_sign("{")) return attributes;
  reader.list("{", "}", [&] {
    const Place place = reader.peek().place;
    const std::string name = reader.any_name("the name of an attribute");
    reader.expect_sign("=");
    if (!attributes.emplace(name, read_attribute(reader, body)).second)
      reader.fail_at(place, fmt::format("the attribute {} is given twice", quoted(name)));
  });
  return attributes;
}

NodeFacts read_facts(Reader& reader) {
  NodeFacts facts;
  if (reader.at_sign("[")) reader.list("[", "]", [&] { read_fact(reader, facts); });
  return facts;
}

}  // namespace cppgen::text
