// Messages about descriptions that are refused, and about nodes that do not fit theirs.
#include "tests/custom_ops/fixture.h"

namespace cppgen::custom_test {
namespace {

class Description : public testing::Test {
 protected:
  Custom m_;

  Description() {
    m_.maker.input("x", {"N", "2"}).output("y");
    m_.node("Op", {"x"}, {"y"});
  }

  // The error of a description with these parts in place of those that are right.
  std::string error(const std::string& from, const std::string& to) {
    std::string text = R"({"domain": "com.mycompany", "name": "Op",
 "attributes": {"a": {"type": "float", "default": 1}, "n": {"type": "int", "default": 1}},
 "inputs": [{"name": "x", "types": ["float32"], "shape": ["N", "C"]}],
 "outputs": [{"name": "y", "type": "x", "shape": ["N", "C"]}],
 "lowering": "y[n_, c] = a * x[n_, c]"})";
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string error = m_.error(m_.describe(text));
    const size_t folder = error.find(m_.folder.path.string() + "/");
    return folder == std::string::npos ? error : std::string(error).erase(folder, m_.folder.path.string().size() + 1);
  }
};

struct Row {
  const char *from, *to, *error;
};

TEST_F(Description, ErrorsNameFileAndPlace) {
  const Row rows[] = {
      {"\"name\": \"Op\",", "\"name\": \"Op\"", "ops.json: line 2, column 13: this is not well-formed JSON: "},
      {"\"com.mycompany\"", "\"\"",
       "ops.json: domain: '' is a domain of ONNX itself, whose operators cannot be replaced"},
      {"\"com.mycompany\"", "\"ai.onnx\"", "ops.json: domain: 'ai.onnx' is a domain of ONNX itself"},
      {"\"com.mycompany\"", "\"com.microsoft\"", "ops.json: domain: 'com.microsoft' is a domain that cppgen knows"},
      {"\"com.mycompany\"", "\"cppgen\"", "ops.json: domain: 'cppgen' is a domain that cppgen knows"},
      {"\"lowering\"", "\"lowerin\"", "ops.json: has no field 'lowerin'; allowed are domain, name"},
      {"\"name\": \"Op\"", "\"name\": \"O p\"", "ops.json: name: 'O p' is not a name of letters"},
      {"\"float\"", "\"real\"", "ops.json: attributes.a.type: is 'real'; allowed are float, floats"},
      {"\"default\": 1}", "\"default\": \"x\"}", "ops.json: attributes.a.default: must be a number"},
      {"[\"float32\"]", "[\"float31\"]", "ops.json: inputs[0].types[0]: 'float31' is not an element type"},
      {"[\"float32\"]", "[\"float8e5m2\"]", "ops.json: inputs[0].types[0]: float8e5m2 is a storage type"},
      {"[\"N\", \"C\"]}],\n \"outputs", "[\"N\", \"C + 1\"]}],\n \"outputs",
       "ops.json: inputs[0].shape[1]: 'C + 1' is neither a name, nor a number"},
      {"\"type\": \"x\"", "\"type\": \"z\"", "ops.json: outputs[0].type: 'z' is not an element type"},
      {"x\", \"shape\": [\"N\", \"C\"]", "x\", \"shape\": [\"N\", \"D\"]",
       "ops.json: outputs[0].shape[1], column 1: 'D' is neither a named dimension nor an attribute"},
      {"x[n_, c]\"", "x[n_, c\"", "ops.json: lowering, column 23: expected ']', not 'the end'"},
      {"a * x[", "a * $x[", "ops.json: lowering, column 16: '$' is not allowed here"},
      {"a * x[", "b * x[",
       "ops.json: lowering, column 12: 'b' is not a variable, attribute, named dimension or tensor"},
      {"a * x[", "a * z[", "ops.json: lowering, column 16: there is no tensor 'z' here"},
      {"a * x[", "swish(a) * x[", "ops.json: lowering, column 12: there is no function 'swish'; there are where, cast"},
      {"a * x[n_, c]", "exp(a, a)", "ops.json: lowering, column 12: 'exp' takes 1 argument, not 2"},
      {"\"y[n_", "\"x[n_", "ops.json: lowering, column 1: 'x' is an input, which cannot be stored"},
      {"\"y[n_", "\"t[n_",
       "ops.json: lowering, column 3: 't' is not an output: give the range of 'n_', as in t[n_ : N]"},
      {"\"y[n_, c]", "\"y[n_ : N, c]",
       "ops.json: lowering, column 3: the range of 'n_' follows from the output's shape"},
      {"y[n_, c] = a * x[n_, c]", "t = a", "ops.json: lowering: no statement stores 'y'"},
      {"\"a\": {\"type\"", "\"x\": {\"type\"", "the name 'x' is already in use"},
  };
  for (const Row& row : rows) {
    const std::string found = error(row.from, row.to);
    EXPECT_NE(found.find(row.error), std::string::npos) << row.to << "\n  " << found << "\n  " << row.error;
  }
}

TEST_F(Description, ErrorsOfANodeNameItToo) {
  const Row rows[] = {
      {"[\"float32\"]", "[\"int32\"]",
       "node 'the_node' (com.mycompany.Op, opset 1): input 0 is float32; allowed are int32"},
      {"\"shape\": [\"N\", \"C\"]}],\n \"outputs", "\"shape\": [\"N\", \"C\", \"D\"]}],\n \"outputs",
       "input 0 (x) has 2 dimensions; "},
      {"\"N\", \"C\"]}],\n \"outputs\": [{\"name\": \"y\", \"type\": \"x\", \"shape\": [\"N\", \"C\"]",
       "\"N\", \"3\"]}],\n \"outputs\": [{\"name\": \"y\", \"type\": \"x\", \"shape\": \"x\"",
       "dimensions 1 of input x must be equal but are 2 and 3"},
      {", \"default\": 1}, \"n\"", "}, \"n\"", "attribute 'a' is missing or not of type float"},
      {"x[n_, c]\"", "x[n_, c + 1]\"", "ops.json: lowering, column 24: index 1 of 'x' is "},
      {"x[n_, c]\"", "x[n_]\"", "ops.json: lowering, column 16: 'x' has 2 dimensions here but is read with 1 indices"},
      {"a * x", "c * x",
       "ops.json: lowering, column 14: '*' has operands of types int64 and float32; cast(e, int64) converts"},
      {"a * x[n_, c]", "1", ""},
      {"a * x[n_, c]", "x[n_, c] > 0", "a value of type bool is used where float32 is required"},
      {"a * x[n_, c]", "sqrt(n_)", "'sqrt' is not defined for int64"},
      {"a * x[n_, c]", "x[n_ / 2, c]", ""},
  };
  for (const Row& row : rows) {
    const std::string found = error(row.from, row.to);
    EXPECT_NE(found.find(row.error), std::string::npos) << row.to << "\n  " << found << "\n  " << row.error;
  }
}

TEST_F(Description, OperatorsWithoutOneAreRefusedAsBefore) {
  EXPECT_NE(error("\"name\": \"Op\"", "\"name\": \"Other\"")
                .find("com.mycompany.Op (opset 1): the operator is not supported"),
            std::string::npos);
  EXPECT_NE(error("\"name\": \"Op\"", "\"name\": \"Op\", \"since_version\": 2").find("not supported in this version"),
            std::string::npos);
}

TEST_F(Description, NestingIsBounded) {
  const std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
  EXPECT_NE(error("a * x[n_, c]", deep).find("nested more than 100 levels deep"), std::string::npos);
  std::string many = "1";
  for (int i = 0; i < 2000; i++) many += " + 1";
  EXPECT_NE(error("a * x[n_, c]", many).find("more than 500 operations in a row"), std::string::npos);
  EXPECT_NE(error("a * x[n_, c]", std::string(3000, '-') + "1").find("nested more than"), std::string::npos);
}

TEST_F(Description, AnOperatorIsDescribedOnce) {
  const std::string text = R"({"domain": "com.mycompany", "name": "Op", "inputs": [{"name": "x", "type": "float32"}],
    "outputs": [{"name": "y", "type": "x", "shape": "x"}], "lowering": "y[i...] = x[i...]"})";
  EXPECT_EQ(m_.error(m_.describe("[" + text + "," + text + "]")),
            "custom operator com.mycompany.Op version 1 is described twice");
  EXPECT_NE(m_.error("/nowhere.json").find("/nowhere.json: cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace cppgen::custom_test
