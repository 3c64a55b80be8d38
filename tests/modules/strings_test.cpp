// Operators that move elements take strings; compiled and interpreted.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int kStrings = onnx::TensorProto::STRING, kInts = onnx::TensorProto::INT64;
using Texts = std::vector<std::string>;
using Ints = std::vector<int64_t>;

Value strings(Ints dims, Texts elements) { return rt::StringTensor{std::move(dims), std::move(elements)}; }

void expect_strings(const Value& value, const Ints& dims, const Texts& elements) {
  ASSERT_TRUE(value.strings()) << value.description();
  EXPECT_EQ(value.strings()->dims, dims);
  EXPECT_EQ(value.strings()->elements, elements);
}

void add_ints(ModelMaker& m, const std::string& name, const Ints& values) {
  auto& t = m.initializer(name, {int64_t(values.size())}, kInts);
  for (int64_t v : values) t.add_int64_data(v);
}

void set_text(onnx::NodeProto& node, const std::string& name, const Texts& values) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(values.size() == 1 ? onnx::AttributeProto::STRING : onnx::AttributeProto::STRINGS);
  if (values.size() == 1) a.set_s(values[0]);
  if (values.size() != 1)
    for (const std::string& v : values) a.add_strings(v);
}

// One operator on x of strings, [2, 3] or symbolic, with constant integer arguments.
struct Case {
  std::string op;
  std::vector<Ints> arguments;
  std::vector<std::pair<std::string, int64_t>> attributes;
  Ints dims;
  Texts expected;  // of the first output
  int outputs = 1;
  bool sees_itself = false;  // the operator's second input is x, too
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.op; }

const Texts kX{"a", "bb", "", "a", "\xc3\xa4", "long text with spaces"};

class MovesStrings : public testing::TestWithParam<Case> {};

TEST_P(MovesStrings, AsTheyAre) {
  const Case& c = GetParam();
  for (const std::vector<std::string>& dims : {std::vector<std::string>{"2", "3"}, {"N", "M"}}) {
    ModelMaker m(18);
    m.input("x", dims, kStrings);
    std::vector<std::string> inputs{"x"}, outputs;
    if (c.sees_itself) inputs.emplace_back("x");
    for (size_t i = 0; i < c.arguments.size(); i++) {
      inputs.push_back(fmt::format("a{}", i));
      add_ints(m, inputs.back(), c.arguments[i]);
    }
    for (int i = 0; i < c.outputs; i++) outputs.push_back(fmt::format("y{}", i));
    for (const auto& name : outputs) m.output(name);
    auto& node = m.node(c.op, inputs, outputs, "move");
    for (const auto& [name, value] : c.attributes) set_attribute(node, name, value);
    if (c.op == "Split" && dims[0] != "2") continue;  // parts of equal length must be known
    const auto results = Model(m).run({strings({2, 3}, kX)});
    ASSERT_EQ(results.size(), size_t(c.outputs));
    expect_strings(results[0], c.dims, c.expected);
  }
}

const Case kCases[] = {
    {"Identity", {}, {}, {2, 3}, kX},
    {"Transpose", {}, {}, {3, 2}, {"a", "a", "bb", "\xc3\xa4", "", "long text with spaces"}},
    {"Reshape", {{0, 1, -1}}, {}, {2, 1, 3}, kX},
    {"Flatten", {}, {{"axis", 0}}, {1, 6}, kX},
    {"Unsqueeze", {{0}}, {}, {1, 2, 3}, kX},
    {"Gather", {{1, -1, 1}}, {{"axis", 1}}, {2, 3}, {"bb", "", "bb", kX[4], kX[5], kX[4]}},
    {"Slice", {{1}, {9}, {1}}, {}, {2, 2}, {"bb", "", kX[4], kX[5]}},
    {"Concat",
     {},
     {{"axis", 0}},
     {4, 3},
     {kX[0], kX[1], kX[2], kX[3], kX[4], kX[5], kX[0], kX[1], kX[2], kX[3], kX[4], kX[5]},
     1,
     true},
    {"Tile", {{1, 2}}, {}, {2, 6}, {"a", "bb", "", "a", "bb", "", "a", kX[4], kX[5], "a", kX[4], kX[5]}},
    {"Expand",
     {{2, 1, 1}},
     {},
     {2, 2, 3},
     {kX[0], kX[1], kX[2], kX[3], kX[4], kX[5], kX[0], kX[1], kX[2], kX[3], kX[4], kX[5]}},
    {"Split", {{1, 2}}, {{"axis", 1}}, {2, 1}, {"a", "a"}, 2},
    {"Pad", {{0, 1, 1, 0}}, {}, {3, 4}, {"", "a", "bb", "", "", "a", kX[4], kX[5], "", "", "", ""}},
};
INSTANTIATE_TEST_SUITE_P(, MovesStrings, testing::ValuesIn(kCases));

TEST(Strings, SelectionsTakeThem) {
  ModelMaker m(18);
  m.input("x", {"N"}, kStrings).input("y", {"N"}, kStrings).input("c", {"N"}, onnx::TensorProto::BOOL);
  m.input("at", {"K"}, kInts).output("chosen").output("found").output("written").output("kept");
  m.node("Where", {"c", "x", "y"}, {"chosen"});
  m.node("GatherElements", {"chosen", "at"}, {"found"});
  m.node("ScatterElements", {"y", "at", "found"}, {"written"});
  m.node("Compress", {"y", "c"}, {"kept"});
  const auto results = Model(m).run({strings({3}, {"p", "q", "r"}), strings({3}, {"s", "", "u"}),
                                     tensor<uint8_t>(DType::boolean, {3}, {1, 0, 0}), ints({2}, {2, 0})});
  expect_strings(results[0], {3}, {"p", "", "u"});
  expect_strings(results[1], {2}, {"u", "p"});
  expect_strings(results[2], {3}, {"p", "", "u"});
  expect_strings(results[3], {1}, {"s"});
}

// They pass through operators of the host, and back: handles live as long as one plan.
TEST(Strings, MoveBetweenTheirOtherOperators) {
  ModelMaker m(20);
  m.input("x", {"N"}, kStrings).output("joined").output("same").output("count").output("numbers");
  add_ints(m, "shape", {-1, 1});
  m.node("Reshape", {"x", "shape"}, {"column"});
  m.node("Unique", {"x"}, {"once"});
  m.node("StringConcat", {"column", "once"}, {"table"});
  m.node("Transpose", {"table"}, {"joined"});
  m.node("Equal", {"joined", "table"}, {"same"});
  m.node("Shape", {"joined"}, {"count"});
  set_attribute(m.node("Cast", {"x"}, {"numbers"}), "to", onnx::TensorProto::FLOAT);
  const auto results = Model(m).run({strings({2}, {"2", "1"})});
  expect_strings(results[0], {2, 2}, {"21", "11", "22", "12"});
  EXPECT_EQ(results[1].description(), "a bool tensor of shape [2, 2]");
  EXPECT_EQ(results[2].tensor()->as<int64_t>()[1], 2);
  EXPECT_EQ(numbers(results[3]), (std::vector<float>{2, 1}));
}

TEST(Strings, StackInLoopsAndSequences) {
  ModelMaker m(20);
  m.input("n", {}, kInts).input("x", {"2"}, kStrings).output("grown").output("stack").output("whole");
  auto& loop = m.node("Loop", {"n", "", "x"}, {"grown", "stack"});
  auto& a = *loop.add_attribute();
  a.set_name("body");
  a.set_type(onnx::AttributeProto::GRAPH);
  auto& body = *a.mutable_g();
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  set_attribute(ModelMaker::add_node(body, "Concat", {"in", "x"}, {"out"}), "axis", 0);
  ModelMaker::add_node(body, "StringConcat", {"x", "x"}, {"twice"});
  ModelMaker::add_node(body, "Identity", {"go"}, {"still"});
  for (const char* name : {"still", "out", "twice"}) body.add_output()->set_name(name);
  set_attribute(m.node("SplitToSequence", {"grown"}, {"parts"}), "keepdims", 0);
  auto& join = m.node("ConcatFromSequence", {"parts"}, {"whole"});
  set_attribute(join, "axis", 0);
  set_attribute(join, "new_axis", 1);
  const Model model(m);
  const auto results = model.run({ints({}, {2}), strings({2}, {"u", "v"})});
  expect_strings(results[0], {6}, {"u", "v", "u", "v", "u", "v"});
  expect_strings(results[1], {2, 2}, {"uu", "vv", "uu", "vv"});
  expect_strings(results[2], {6}, {"u", "v", "u", "v", "u", "v"});
  const auto none = model.run({ints({}, {0}), strings({2}, {"u", "v"})});
  expect_strings(none[1], {0, 2}, {});
}

TEST(Strings, SequencesAreMapped) {
  ModelMaker m(20);
  m.input("x", {"N"}, kStrings).output("y");
  m.node("SplitToSequence", {"x"}, {"parts"});
  auto& a = *m.node("SequenceMap", {"parts"}, {"doubled"}).add_attribute();
  a.set_name("body");
  a.set_type(onnx::AttributeProto::GRAPH);
  a.mutable_g()->add_input()->set_name("in");
  set_attribute(ModelMaker::add_node(*a.mutable_g(), "Concat", {"in", "in"}, {"out"}), "axis", 0);
  a.mutable_g()->add_output()->set_name("out");
  set_attribute(m.node("ConcatFromSequence", {"doubled"}, {"y"}), "axis", 0);
  expect_strings(Model(m).run({strings({2}, {"a", "b"})})[0], {4}, {"a", "a", "b", "b"});
}

TEST(Strings, PatternsAndParts) {
  ModelMaker m(20);
  m.input("x", {"N"}, kStrings).output("matches").output("parts").output("counts").output("words").output("turned");
  set_text(m.node("RegexFullMatch", {"x"}, {"matches"}), "pattern", {"[a-z]+(,[a-z]*)*"});
  auto& split = m.node("StringSplit", {"x"}, {"parts", "counts"});
  set_text(split, "delimiter", {","});
  set_attribute(split, "maxsplit", 1);
  m.node("StringSplit", {"x"}, {"words", ""});
  m.node("Transpose", {"words"}, {"turned"});
  const Model model(m);
  const auto results = model.run({strings({3}, {"a,b,c", "  D e ", ""})});
  const uint8_t* matches = results[0].tensor()->as<uint8_t>();
  EXPECT_EQ(std::vector<int>(matches, matches + 3), (std::vector<int>{1, 0, 0}));
  expect_strings(results[1], {3, 2}, {"a", "b,c", "  D e ", "", "", ""});
  const int64_t* counts = results[2].tensor()->as<int64_t>();
  EXPECT_EQ(Ints(counts, counts + 3), (Ints{2, 1, 1}));
  expect_strings(results[3], {3, 2}, {"a,b,c", "", "D", "e", "", ""});
  expect_strings(results[4], {2, 3}, {"a,b,c", "D", "", "", "e", ""});
  expect_strings(model.run({strings({0}, {})})[1], {0, 0}, {});
}

TEST(Strings, VocabulariesCount) {
  ModelMaker m(9);
  m.input("x", {"N"}, kStrings).output("y");
  auto& node = m.node("TfIdfVectorizer", {"x"}, {"y"});
  set_text(node, "mode", {"TF"});
  set_text(node, "pool_strings", {"one", "two", "one", "two"});
  for (const auto& [name, value] : {std::pair{"min_gram_length", 1}, {"max_gram_length", 2}, {"max_skip_count", 0}})
    set_attribute(node, name, value);
  for (const auto& [name, values] :
       {std::pair<const char*, Ints>{"ngram_counts", {0, 2}}, {"ngram_indexes", {2, 0, 1}}}) {
    auto& a = *node.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INTS);
    for (int64_t v : values) a.add_ints(v);
  }
  const auto results = Model(m).run({strings({5}, {"one", "two", "other", "one", "two"})});
  EXPECT_EQ(numbers(results[0]), (std::vector<float>{2, 2, 2}));
}

TEST(Strings, WhatCannotTakeThemSaysSo) {
  struct Refused {
    const char *op, *reason;
  };
  for (const auto& [op, reason] : {Refused{"Neg", "string"}, {"Softmax", "string"}, {"ReduceMax", "string"}}) {
    ModelMaker m(18);
    m.input("x", {"2"}, kStrings).output("y");
    m.node(op, {"x"}, {"y"}, "asked");
    const std::string error = error_of([&] { Model(m).interpreted({strings({2}, {"a", "b"})}); });
    EXPECT_NE(error.find("asked"), std::string::npos) << error;
    EXPECT_NE(error.find(reason), std::string::npos) << error;
  }
  ModelMaker sum(18);
  sum.input("x", {"2"}, kStrings).input("at", {"1"}, kInts).input("more", {"1"}, kStrings).output("y");
  set_text(sum.node("ScatterElements", {"x", "at", "more"}, {"y"}, "asked"), "reduction", {"add"});
  EXPECT_NE(error_of([&] {
              Model(sum).interpreted({strings({2}, {"a", "b"}), ints({1}, {0}), strings({1}, {"c"})});
            }).find("'reduction' must be none"),
            std::string::npos);
  ModelMaker bad(20);
  bad.input("x", {"2"}, kStrings).output("y");
  set_text(bad.node("RegexFullMatch", {"x"}, {"y"}, "asked"), "pattern", {"("});
  EXPECT_NE(error_of([&] {
              Model(bad).interpreted({strings({2}, {"a", "b"})});
            }).find("not a valid regular expression"),
            std::string::npos);
}

TEST(Strings, DimensionsAreChecked) {
  ModelMaker m(18);
  m.input("x", {"N"}, kStrings).input("y", {"N"}, kStrings).output("z");
  set_attribute(m.node("Concat", {"x", "y"}, {"z"}), "axis", 0);
  const Model model(m);
  EXPECT_NE(error_of([&] {
              model.compiled({strings({2}, {"a", "b"}), strings({1}, {"c"})}, 1);
            }).find("'y'"),
            std::string::npos);
}

}  // namespace
}  // namespace cppgen::modules
