#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

ModelMaker two_inputs() {
  ModelMaker m;
  m.input("x.1", {"batch", "3", "?"}).input("m", {"batch", "1"}).output("x.1");
  return m;
}

std::string shapes(const std::vector<std::string>& options) {
  Graph g = two_inputs().import(options);
  std::string out;
  for (ValueId in : g.inputs) out += to_string(g.value(in).type->shape);
  return out;
}

TEST(Dims, SymbolsOfTheModel) { EXPECT_EQ(shapes({}), "[batch, 3, x.1.2][batch, 1]"); }

TEST(Dims, NamesThatSayNothing) {
  ModelMaker m;
  m.input("x", {"None", "None", "-1"}).input("y", {"unk", "unk_1"}).output("x");
  Graph g = m.import({"x.1=5"});
  EXPECT_EQ(to_string(g.value(g.inputs[0]).type->shape), "[x.0, 5, x.2]");
  EXPECT_EQ(to_string(g.value(g.inputs[1]).type->shape), "[y.0, unk_1]");
}

TEST(Dims, BindsSymbols) {
  EXPECT_EQ(shapes({"batch=8"}), "[8, 3, x.1.2][8, 1]");
  EXPECT_EQ(shapes({"x.1.2=5"}), "[batch, 3, 5][batch, 1]");
  EXPECT_EQ(shapes({"x.1.0=4"}), "[4, 3, x.1.2][4, 1]");  // names the dimension whose symbol is batch
  EXPECT_EQ(shapes({"x.1.1=3"}), "[batch, 3, x.1.2][batch, 1]");
  EXPECT_EQ(shapes({"batch=0"}), "[0, 3, x.1.2][0, 1]");
}

TEST(Dims, MakesDimensionsSymbolic) {
  EXPECT_EQ(shapes({"m.1=seq"}), "[batch, 3, x.1.2][batch, seq]");
  EXPECT_EQ(shapes({"m.1=seq", "x.1.2=seq", "seq=7"}), "[batch, 3, 7][batch, 7]");
}

// The names are those that exporters give to the length of a cache with what is new.
std::string shapes_of(const std::vector<std::string>& names, const std::vector<std::string>& options = {}) {
  ModelMaker m;
  m.input("now", {"batch", "sequence"}).input("past", {"past_sequence", "2"}).input("mask", names).output("now");
  Graph g = m.import(options);
  return to_string(g.value(g.inputs[2]).type->shape);
}

TEST(Dims, NamesThatAreExpressions) {
  EXPECT_EQ(shapes_of({"past_sequence + sequence"}), "[sequence + past_sequence]");
  EXPECT_EQ(shapes_of({"past_sequence+1", "sequence*2"}), "[past_sequence + 1, 2*sequence]");
  EXPECT_EQ(shapes_of({"(sequence + 1)//2", "Max(sequence, past_sequence)"}),
            "[floordiv(sequence + 1, 2), max(sequence, past_sequence)]");
  EXPECT_EQ(shapes_of({"past_sequence + sequence"}, {"sequence=3"}), "[past_sequence + 3]");
  EXPECT_EQ(shapes_of({"past_sequence + sequence"}, {"past_sequence + sequence=9"}), "[9]");
}

TEST(Dims, NamesThatAreNoExpressionsStayNames) {
  for (const char* name : {"past + sequence", "batch-size", "sequence +", "sequence - past_sequence", "sequence // 0",
                           "sequence*99999999999999999999", "Max(sequence", "sequence sequence"})
    EXPECT_EQ(shapes_of({name}), "[" + std::string(name) + "]");
}

TEST(Dims, Errors) {
  auto refused = [](std::vector<std::string> options) { return error_of(two_inputs(), options); };
  EXPECT_EQ(refused({"n=4"}),
            "m.onnx: dimension option n=4: the model has no dimension of this name; its symbols are batch, x.1.2; "
            "--dim m.1=n makes a fixed dimension free (1 there)");
  EXPECT_EQ(refused({"x.1.1=4"}),
            "m.onnx: dimension option x.1.1=4: the model fixes this dimension at 3; --dim x.1.1=NAME makes it "
            "free, and --dim NAME=4 then sets it");
  EXPECT_EQ(refused({"y.0=n"}),
            "m.onnx: dimension option y.0=n: the model has no input \"y\"; inputs are \"m\", \"x.1\"");
  EXPECT_EQ(refused({"m.2=n"}), "m.onnx: dimension option m.2=n: the input has 2 dimensions");
  EXPECT_EQ(refused({"m.7=3"}), "m.onnx: dimension option m.7=3: the input has 2 dimensions");
  EXPECT_EQ(refused({"batch=2", "x.1.0=3"}), "m.onnx: dimension options: batch is bound to both 2 and 3");
  EXPECT_EQ(refused({"m.1=a", "m.1=b"}), "m.onnx: dimension options: m.1 is named both a and b");
}

TEST(Dims, ParseErrors) {
  auto message = [](const std::string& text) { return error_of([&] { parse_dim_option(text); }); };
  const std::string allowed =
      "; allowed are INPUT.AXIS=NAME, which makes a dimension symbolic, and NAME=N, which binds one";
  EXPECT_NE(message("batch").find("allowed are"), std::string::npos);
  EXPECT_NE(message("=4").find("allowed are"), std::string::npos);
  EXPECT_EQ(message("x=-1"), "dimension option \"x=-1\": a size must not be negative");
  EXPECT_EQ(message("x.0=a-b"),
            "dimension option \"x.0=a-b\": \"a-b\" is neither a size nor a name of letters, digits and _" + allowed);
  EXPECT_EQ(message("x=n"), "dimension option \"x=n\": \"x\" is not INPUT.AXIS with an axis from 0 to 63" + allowed);
}

TEST(Dims, GiantOnesAreRefused) {
  ModelMaker m;
  m.input("x", {"9223372036854775807", "2"}).output("x");
  EXPECT_NE(error_of(m).find("overflows 64 bits"), std::string::npos);
  ModelMaker rank;
  rank.input("x", std::vector<std::string>(65, "1")).output("x");
  EXPECT_EQ(error_of(rank), "m.onnx: input \"x\" has 65 dimensions; at most 64 are allowed");
}

}  // namespace
}  // namespace cppgen
