// Kernels built by clang compute what the interpreter does, on every instruction set of this machine.
#include <algorithm>

#include "tests/cli/program.h"
#include "tests/isas_to_test.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

constexpr const char* kClang = "/usr/bin/clang++-14";

class Clang : public CliTest {
 protected:
  // y = Softmax(Tanh(a) Gemm b) of odd sizes, through float16 and a transpose; z: a mask of comparisons; picked: rows
  // of a table; bytes: int8. So vectors of every element size, tails, gathers, tiles and math functions occur.
  std::string mixed_model() const {
    using onnx::TensorProto;
    ModelMaker m;
    m.input("a", {"17", "37"}).input("b", {"37", "29"}).input("ids", {"5"}, TensorProto::INT64);
    m.node("Tanh", {"a"}, {"t"});
    m.node("MatMul", {"t", "b"}, {"p"});
    cast(m, "p", "h", TensorProto::FLOAT16);
    cast(m, "h", "w", TensorProto::FLOAT);
    m.node("Softmax", {"w"}, {"s"});
    m.node("Transpose", {"s"}, {"y"});
    m.node("Gather", {"b", "ids"}, {"picked"});
    m.node("Greater", {"a", "t"}, {"z"});
    m.node("Floor", {"a"}, {"f"});
    cast(m, "f", "bytes", TensorProto::INT8);
    cast(m, "f", "d", TensorProto::DOUBLE);
    m.node("Exp", {"d"}, {"e"});
    for (const char* output : {"y", "picked", "z", "bytes", "e"}) m.output(output);
    return write("mixed.onnx", m);
  }

 private:
  static void cast(ModelMaker& m, const std::string& from, const std::string& to, int type) {
    auto& attribute = *m.node("Cast", {from}, {to}).add_attribute();
    attribute.set_name("to");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(type);
  }
};

TEST_F(Clang, KernelsAgreeWithTheInterpreter) {
  CPPGEN_NEEDS_DATA(kClang);
  const std::string model = mixed_model();
  ASSERT_EQ(run({"run", model, "--reference", "--output", path("expected")}).status, 0);
  environment["CPPGEN_CXX"] = kClang;
  for (const VecISA* isa : isas_to_test()) {
    const Ended ended = run({"verify", model, path("expected"), "--isa", std::string(isa->name)});
    EXPECT_EQ(ended.status, 0) << isa->name << "\n" << ended.err << ended.out;
    EXPECT_EQ(ended.err, "") << isa->name;
  }
}

}  // namespace
}  // namespace cppgen
