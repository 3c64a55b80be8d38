// Operators of ai.onnx.ml that look values up: LabelEncoder, CategoryMapper, OneHotEncoder. Each value is mapped to its
// position among the keys, or to the position after the last, and then to the entry of a table at this position.
#include <algorithm>
#include <unordered_map>

#include "cppgen/graph/string_elements.h"
#include "cppgen/passes/learner.h"

namespace cppgen::passes {
namespace {

// Keys or values of a table: strings, or a tensor of numbers of one dimension.
struct Entries {
  std::vector<std::string> strings;
  std::optional<Tensor> numbers;

  bool is_text() const { return !numbers; }
  int64_t count() const { return numbers ? numbers->elements() : int64_t(strings.size()); }
};

Tensor flat(Tensor t) {
  t.dims = {t.elements()};
  return t;
}

Tensor reals_of(const std::vector<float>& values) {
  return make_floats(DType::f32, {int64_t(values.size())}, {values.begin(), values.end()});
}

void reverse(Entries& e) {
  std::reverse(e.strings.begin(), e.strings.end());
  if (!e.numbers) return;
  const size_t size = size_of(e.numbers->dtype);
  const auto* from = static_cast<const std::byte*>(e.numbers->data.bytes);
  std::vector<std::byte> bytes;
  for (size_t i = size_t(e.count()); i-- > 0;) bytes.insert(bytes.end(), from + i * size, from + (i + 1) * size);
  e.numbers = make_tensor(e.numbers->dtype, e.numbers->dims, std::move(bytes));
}

// Attributes `keys_*` or `values_*`; those of a tensor of strings are imported as a list of strings.
std::optional<Entries> entries(const Learner& e, const std::string& prefix) {
  auto name = [&](const char* kind) { return prefix + kind; };
  const std::string tensor = name("tensor");
  if (const auto found = e.old.attributes.find(tensor); found != e.old.attributes.end()) {
    if (std::holds_alternative<std::vector<std::string>>(found->second))
      return Entries{e.strings(tensor.c_str()), std::nullopt};
    return Entries{{}, flat(*e.tensor(tensor.c_str()))};
  }
  if (auto list = e.strings(name("strings").c_str()); !list.empty()) return Entries{std::move(list), std::nullopt};
  if (auto list = e.ints(name("int64s").c_str()); !list.empty()) return Entries{{}, make_ints(list)};
  if (auto list = e.floats(name("floats").c_str()); !list.empty()) return Entries{{}, reals_of(list)};
  return std::nullopt;
}

// Positions of a value among keys; -1 or the number of keys if it is not a key.
ValueId positions(Learner& e, ValueId x, const Entries& keys) {
  if (keys.is_text()) return e.add("StringPositions", {x}, {{"words", keys.strings}}, kOwn);
  const Tensor& numbers = *keys.numbers;
  const bool real = is_float(numbers.dtype);
  Tensor wide = real ? make_floats(DType::f64, numbers.dims, numbers_of(numbers)) : make_ints(integers_of(numbers));
  return e.add("NumberPositions", {x}, {{"keys", std::move(wide)}}, kOwn);
}

// The keys once each, so that the first of them counts; and the entry of each.
std::pair<Entries, std::vector<int64_t>> distinct(const Entries& keys) {
  if (!keys.is_text()) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < keys.count(); i++) all.push_back(i);
    return {keys, all};
  }
  Entries once;
  std::vector<int64_t> entry;
  std::unordered_map<std::string_view, int64_t> seen;
  for (size_t i = 0; i < keys.strings.size(); i++)
    if (seen.emplace(keys.strings[i], int64_t(i)).second)
      once.strings.push_back(keys.strings[i]), entry.push_back(int64_t(i));
  return {once, entry};
}

// A table whose last entry is the default.
void look_up(Learner& e, const Entries& keys, const Entries& values, const std::string& default_text,
             const std::optional<Tensor>& default_number) {
  if (keys.count() != values.count())
    e.fail(std::to_string(keys.count()) + " keys, but " + std::to_string(values.count()) + " values");
  const auto [once, entry] = distinct(keys);
  const ValueId place = positions(e, e.input(0), once);
  ValueId table;
  if (values.is_text()) {
    std::vector<std::string> texts;
    for (int64_t i : entry) texts.push_back(values.strings[size_t(i)]);
    texts.push_back(default_text);
    table = e.texts(texts);
  } else {
    const Tensor& numbers = *values.numbers;
    if (default_number->dtype != numbers.dtype || default_number->elements() != 1)
      e.fail("the default is not a single value of the values' type");
    const size_t size = size_of(numbers.dtype);
    std::vector<std::byte> bytes;
    auto take = [&](const Tensor& from, int64_t at) {
      const auto* first = static_cast<const std::byte*>(from.data.bytes) + size_t(at) * size;
      bytes.insert(bytes.end(), first, first + size);
    };
    for (int64_t i : entry) take(numbers, i);
    take(*default_number, 0);
    table = e.graph.add_constant(e.old.name + " table",
                                 make_tensor(numbers.dtype, {int64_t(entry.size()) + 1}, std::move(bytes)));
  }
  e.become("Gather", {table, place}, {{"axis", int64_t(0)}});
}

Tensor zero_of(DType type) { return make_tensor(type, {1}, std::vector<std::byte>(size_of(type))); }

// The result for a value that is not a key: default_tensor, else the default of the values' kind.
Tensor default_of(const Learner& e, DType type) {
  if (const Tensor* given = e.has("default_tensor") ? e.tensor("default_tensor") : nullptr) return *given;
  if (type == DType::i64) return make_ints({e.number("default_int64", -1)});
  if (type == DType::f32) return reals_of({e.real("default_float", -0.0F)});
  return zero_of(type);
}

std::string default_text(const Learner& e) {
  const auto found = e.old.attributes.find("default_tensor");
  if (found != e.old.attributes.end())
    if (const auto* list = std::get_if<std::vector<std::string>>(&found->second); list && list->size() == 1)
      return (*list)[0];
  return e.text("default_string", "_Unused");
}

// Returns whether a value holds strings, as far as the graph says before inference.
std::optional<bool> holds_text(const Graph& graph, ValueId v) {
  for (int hops = 0; v != kNoValue && hops < 64; hops++) {
    const Value& value = graph.value(v);
    if (value.host) return value.host->strings;
    if (value.type) return value.type->dtype == kString;
    if (value.constant) return false;
    if (value.producer < 0) return std::nullopt;
    const Node& node = graph.nodes[size_t(value.producer)];
    if (node.op == "StringConstant") return true;
    if (node.op == "Cast") {
      const auto to = node.attributes.find("to");
      const auto* number = to == node.attributes.end() ? nullptr : std::get_if<int64_t>(&to->second);
      return number && *number == 8;
    }
    if (node.inputs.empty()) return std::nullopt;
    v = node.op == "Where" && node.inputs.size() == 3 ? node.inputs[1] : node.inputs[0];
  }
  return std::nullopt;
}

// Strings to numbers or back, depending on the input; if its type is not known, on the default that is given.
void expand_two_ways(Learner& e, const std::vector<std::string>& strings, const std::vector<int64_t>& ints) {
  const bool from_text = holds_text(e.graph, e.input(0)).value_or(!e.has("default_string"));
  const Entries texts{strings, std::nullopt}, numbers{{}, make_ints(ints)};
  if (from_text) return look_up(e, texts, numbers, "", make_ints({e.number("default_int64", -1)}));
  look_up(e, numbers, texts, e.text("default_string", "_Unused"), std::nullopt);
}

void expand_category_mapper(Learner& e) { expand_two_ways(e, e.strings("cats_strings"), e.ints("cats_int64s")); }

void expand_label_encoder(Learner& e) {
  if (e.old.opset < 2) {
    const std::vector<std::string> classes = e.strings("classes_strings");
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < classes.size(); i++) numbers.push_back(int64_t(i));
    return expand_two_ways(e, classes, numbers);
  }
  auto keys = entries(e, "keys_"), values = entries(e, "values_");
  if (!keys || !values) e.fail("it has no keys or no values");
  // Since version 4, the last of equal keys counts.
  if (e.old.opset >= 4) reverse(*keys), reverse(*values);
  if (values->is_text()) return look_up(e, *keys, *values, default_text(e), std::nullopt);
  look_up(e, *keys, *values, "", default_of(e, values->numbers->dtype));
}

// A new last dimension with 1 at the category; a value that is no category has only zeros, or is an error if the
// attribute zeros is 0.
void expand_one_hot_encoder(Learner& e) {
  const std::vector<std::string> strings = e.strings("cats_strings");
  const std::vector<int64_t> ints = e.ints("cats_int64s");
  if (strings.empty() == ints.empty()) e.fail("one of cats_strings and cats_int64s must list the categories");
  const Entries keys = strings.empty() ? Entries{{}, make_ints(ints)} : Entries{strings, std::nullopt};
  const auto [once, entry] = distinct(keys);
  ValueId place = positions(e, strings.empty() ? e.cast(e.input(0), DType::i64) : e.input(0), once);
  const int64_t count = keys.count();
  if (int64_t(entry.size()) != count) {  // positions of equal categories are those of the first
    std::vector<int64_t> table = entry;
    table.push_back(-1);
    place = e.add("Gather", {e.integers(table), place});
  }
  if (e.number("zeros", 1) == 0) {
    // The row of a value that is no category does not exist, counted neither from the front nor from the end.
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < count; i++) rows.push_back(i);
    const ValueId known = e.add("Where", {e.add("Less", {place, e.integers({0}, {})}), e.integers({count}, {}), place});
    place = e.add("Gather", {e.integers(rows), known});
  }
  std::vector<int64_t> categories;
  for (int64_t i = 0; i < count; i++) categories.push_back(i);
  const ValueId column = e.add("Unsqueeze", {place, e.integers({-1})});
  e.become("Cast", {e.add("Equal", {column, e.integers(categories)})}, {{"to", int64_t(1)}});
}

}  // namespace

std::vector<LearnerRow> encoder_expansions() {
  return {
      {.name = "LabelEncoder",
       .domain = kLearners,
       .versions = {{1, "classes_strings:strings default_int64:int default_string:string"},
                    {2,
                     "default_float:float keys_floats:floats keys_int64s:ints keys_strings:strings "
                     "values_floats:floats values_int64s:ints values_strings:strings -classes_strings"},
                    {4, "default_tensor:tensor keys_tensor:tensor values_tensor:tensor"}},
       .expand = expand_label_encoder},
      {.name = "CategoryMapper",
       .domain = kLearners,
       .versions = {{1, "cats_int64s:ints cats_strings:strings default_int64:int default_string:string"}},
       .expand = expand_category_mapper},
      {.name = "OneHotEncoder",
       .domain = kLearners,
       .versions = {{1, "cats_int64s:ints cats_strings:strings zeros:int"}},
       .expand = expand_one_hot_encoder},
  };
}

}  // namespace cppgen::passes
