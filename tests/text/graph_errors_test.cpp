// Texts that are no graphs: each is refused with its place and what was expected.
#include <gtest/gtest.h>

#include <random>

#include "cppgen/graph/graph_text.h"
#include "cppgen/text/graph_reader.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

std::string error_of(const std::string& text) {
  try {
    text::read_graph(text, "f.graph");
  } catch (const UserError& e) {
    return e.what();
  }
  return "none";
}

// Returns the error of a graph with these lines.
std::string error_within(const std::string& lines) {
  return error_of("graph \"g\" onnx@17 {\n  input %x : float32[N]\n" + lines + "\n  return %x\n}\n");
}

TEST(GraphErrors, OfTheWhole) {
  EXPECT_EQ(error_of(""), "f.graph:1:1: expected 'graph', found the end of the text");
  EXPECT_EQ(error_of("graph g {"), "f.graph:1:7: expected the name of the graph, a string, found 'g'");
  EXPECT_EQ(error_of("graph \"g\" onnx {"), "f.graph:1:16: expected '@', found '{'");
  EXPECT_EQ(error_of("graph \"g\" a@1 a@2 {"), "f.graph:1:15: the domain is given twice");
  EXPECT_EQ(error_of("graph \"g\" {\n"), "f.graph:2:1: expected a node, or return, found the end of the text");
  EXPECT_EQ(error_of("graph \"g\" { return } }"), "f.graph:1:22: expected the end of the text, found '}'");
  EXPECT_EQ(error_of("graph \"g\" { return %x }"), "f.graph:1:20: the value \"x\" is not defined before it is used");
  EXPECT_EQ(error_of("graph \"g"), "f.graph:1:7: the string has no end on this line");
  EXPECT_EQ(error_of("graph \"\\q\""), "f.graph:1:8: expected \\\", \\\\ or \\x and two digits 0-9, a-f");
  EXPECT_EQ(error_of("graph \"g\" { $"), "f.graph:1:13: '$' is not allowed here");
}

TEST(GraphErrors, OfStates) {
  const auto error_behind = [](const std::string& lines) {
    return error_of("graph \"g\" onnx@17 {\n  input %x : float32[N]\n  %y = Relu(%x)\n  return %y\n" + lines + "\n}\n");
  };
  EXPECT_EQ(error_behind("  keep %y in %x capacity 3"), "none");
  EXPECT_EQ(error_behind("  keep %x in %x capacity 3"), "f.graph:5:8: the value \"x\" is no output of the graph");
  EXPECT_EQ(error_behind("  keep %y in %y capacity 3"), "f.graph:5:14: the value \"y\" is no input of the graph");
  EXPECT_EQ(error_behind("  keep %z in %x capacity 3"),
            "f.graph:5:8: the value \"z\" is not defined before it is used");
  EXPECT_EQ(error_behind("  keep %y in %x"), "f.graph:6:1: expected 'capacity', found '}'");
  EXPECT_EQ(error_behind("  keep %y in %x capacity 0"),
            "f.graph:5:26: a number of positions is 0, but must be in [1, 9223372036854775807]");
  EXPECT_EQ(error_behind("  kept %y in %x capacity 3"), "f.graph:5:3: expected '}', found 'kept'");
}

TEST(GraphErrors, OfNodes) {
  EXPECT_EQ(error_within("  %y = Relu(%z)"), "f.graph:3:13: the value \"z\" is not defined before it is used");
  EXPECT_EQ(error_within("  %y = Relu(%y)"), "f.graph:3:13: the value \"y\" is not defined before it is used");
  EXPECT_EQ(error_within("  %x = Relu(%x)"), "f.graph:3:3: the value \"x\" is defined twice");
  EXPECT_EQ(error_within("  %y, %y = Relu(%x)"), "f.graph:3:7: the value \"y\" is defined twice");
  EXPECT_EQ(error_within("  %y = Relu"), "f.graph:4:3: expected '(', found 'return'");
  EXPECT_EQ(error_within("  %y Relu(%x)"), "f.graph:3:6: expected '=', found 'Relu'");
  EXPECT_EQ(error_within("  %y = a.Relu(%x)"),
            "f.graph:3:8: the graph has no opset of the domain a: expected a@VERSION in its first line");
  EXPECT_EQ(error_within("  %y = Relu(%x) : float32"), "f.graph:4:3: expected '[', found 'return'");
  EXPECT_EQ(error_within("  %y = Relu(%x) : float32[2], ?"), "f.graph:3:31: more types than the 1 outputs of the node");
  EXPECT_EQ(error_within("  %y, %z = Relu(%x) : float32[2]"),
            "f.graph:3:21: expected 2 types, one for each output, found 1");
  EXPECT_EQ(error_within("  %y = Relu(%x) {a = 1, a = 2}"), "f.graph:3:25: the attribute \"a\" is given twice");
  EXPECT_EQ(error_within("  %y = Relu(%x) {a = [1, 2.0]}"),
            "f.graph:3:23: integers and floats (with a point) in one list");
  EXPECT_EQ(error_within("  %y = Relu(%x) {a = []}"),
            "f.graph:3:23: an empty list says of what it is: ints [], floats [] or strings []");
  EXPECT_EQ(error_within("  %y = Relu(%x) {a = %x}"),
            "f.graph:3:22: expected the value of an attribute, found the value %x");
  EXPECT_EQ(error_within("  %y = Relu(%x) [fast]"),
            "f.graph:3:18: expected captures, declared, run_time_symbols, resolves, appends, on_host, refused or "
            "hoisted, found 'fast'");
  // Rules of graphs, which the verifier knows.
  EXPECT_EQ(error_within("  %y = If(%x) [captures body = [0]]"),
            "f.graph:1:1: graph \"g\": node \"y\": captures of body, which is not a body");
}

TEST(GraphErrors, OfTypesAndNumbers) {
  const auto type = [](const std::string& t) { return error_within("  input %y : " + t); };
  EXPECT_EQ(type("floaty[2]"), "f.graph:3:14: expected an element type, such as float32, found 'floaty'");
  EXPECT_EQ(type("float32[-2]"), "f.graph:3:21: a dimension is negative: -2");
  EXPECT_EQ(type("float32[2"), "f.graph:4:3: expected ']', found 'return'");
  EXPECT_EQ(type("float32[9223372036854775808]"), "f.graph:3:22: 9223372036854775808 is not in the range of int64");
  EXPECT_EQ(type("float32[N*9223372036854775807*9]").substr(0, 16), "f.graph:3:22: in");
  EXPECT_EQ(type("float32[2x]"), "f.graph:3:22: expected an integer, found 2x");
  EXPECT_EQ(type("float32[floordiv(N)]"), "f.graph:3:22: floordiv takes two operands, found 1");
  EXPECT_EQ(type("float32[floordiv(N, -2)]"), "f.graph:3:22: the divisor may be negative: -2");
  EXPECT_EQ(type("float32[power(N, 2)]"), "f.graph:3:22: expected floordiv, mod, min or max before '(', found power");
  EXPECT_EQ(type("sequence float32[-1]"),
            "f.graph:3:31: a dimension or ? is -1, but must be in [0, 9223372036854775807]");
  EXPECT_EQ(error_within("  symbol N"), "f.graph:3:10: the symbol \"N\" is declared twice, or after its first use");
  EXPECT_EQ(error_within("  symbol M in 5..4"),
            "f.graph:3:18: the greatest value is 4, but must be in [5, 9223372036854775807]");
}

TEST(GraphErrors, OfConstants) {
  const auto constant = [](const std::string& t) { return error_within("  constant %c : " + t); };
  EXPECT_EQ(constant("int8[2] = [1]"), "f.graph:3:27: expected 2 elements, found 1");
  EXPECT_EQ(constant("int8[2] = [1, 2, 3]"), "f.graph:3:34: more elements than the 2 of the type");
  EXPECT_EQ(constant("int8[1] = [128]"), "f.graph:3:28: 128 is not in the range of int8");
  EXPECT_EQ(constant("uint64[1] = [-1]"), "f.graph:3:30: -1 is not in the range of uint64");
  EXPECT_EQ(constant("bool[1] = [1]"), "f.graph:3:28: expected true or false, found '1'");
  EXPECT_EQ(constant("float32[1] = [bits(0x123456789)]"), "f.graph:3:36: a float32 has 32 bits");
  EXPECT_EQ(constant("float32[1] = dense \"00\""), "f.graph:3:36: expected 8 hexadecimal digits, found 2");
  EXPECT_EQ(constant("float32[1] = dense \"0000000g\""), "f.graph:3:36: expected hexadecimal digits, 0-9 and a-f");
  EXPECT_EQ(constant("float32[N] = splat 1.0"), "f.graph:3:17: a dimension of a constant is no number: N");
  EXPECT_EQ(constant("float32[4000000000, 4000000000] = splat 1.0"), "f.graph:3:17: the constant is too large");
  EXPECT_EQ(constant("float32[4000000000] = splat 1.0"), "f.graph:3:45: 4000000000 elements are too many for splat");
  EXPECT_EQ(constant("sequence float32[2] = [1.0]"), "f.graph:3:17: a constant has the type of a tensor");
  EXPECT_EQ(constant("string[1] = [\"a\"]"), "f.graph:3:29: constants of strings are not supported");
  EXPECT_EQ(constant("float32[100] = elided"),
            "f.graph:3:32: the elements were left out when this text was printed; `cppgen opt` prints all of them");
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; i++) text += part;
  return text;
}

TEST(GraphErrors, NestingIsBounded) {
  const std::string deep = "  %y = If(%x) " + repeated("{b = graph \"\" { %y = If() ", 100000);
  EXPECT_NE(error_within(deep).find("bodies are nested more than 16 levels deep"), std::string::npos);
  EXPECT_NE(error_within("  input %y : float32[" + repeated("(", 100000)).find("nested more than 64 levels deep"),
            std::string::npos);
  EXPECT_NE(error_within("  input %y : float32[min(N" + repeated(", N", 100) + ")]").find("more than 64 operands"),
            std::string::npos);
}

// A text that is cut off or has other characters is read, or refused by a UserError.
TEST(GraphErrors, DamagedTexts) {
  const std::string text = R"(graph "main" onnx@17 {
  symbol N in 1..64
  assume N <= 8
  input %x : float32[N, floordiv(N + 3, 4)]
  input %s : sequence string[rank 2, 3]
  constant %w : float16[2] = [1.5, bits(0x7e01)]
  %y, - = If(%x) {b = graph "b" { input %x : bool[] return %x }, c = [1, 2], d = int8[1] [4]} [captures b = [0]] : float32[2], ?  # "n"
  return %y
}
)";
  ASSERT_EQ(error_of(text), "none");
  const std::string letters = "%\"[]{}(),:=<-+*@?# \n0129.eNxgraph";
  std::mt19937 random(1);
  for (size_t i = 0; i < text.size(); i++) {
    EXPECT_NE(error_of(text.substr(0, i)), "");
    for (int k = 0; k < 8; k++) {
      std::string changed = text;
      changed[i] = letters[random() % letters.size()];
      if (random() % 3 == 0) changed.erase(random() % changed.size(), 1 + random() % 4);
      try {
        const std::string printed = graph_text(text::read_graph(changed, "f"));
        EXPECT_EQ(graph_text(text::read_graph(printed, "f")), printed);
      } catch (const UserError&) {
      }
    }
  }
}

}  // namespace
}  // namespace cppgen
