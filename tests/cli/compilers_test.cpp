// Kernels built by each known compiler compute what the interpreter does, on every instruction set of this machine.
#include <algorithm>
#include <filesystem>
#include <span>

#include "tests/cli/program.h"
#include "tests/isas_to_test.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

// The compilers that the README names. Those that are not installed are left out: continuous integration has one of
// each kind, and tests/distributions/check.sh installs all that a distribution has.
constexpr const char* kGnu[] = {"/usr/bin/g++-12", "/usr/bin/g++-13", "/usr/bin/g++-14"};
constexpr const char* kClang[] = {"/usr/bin/clang++-14", "/usr/bin/clang++-15", "/usr/bin/clang++-16",
                                  "/usr/bin/clang++-17", "/usr/bin/clang++-18", "/usr/bin/clang++-19"};

class Compilers : public CliTest {
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
    cast(m, "z", "chosen", TensorProto::FLOAT);
    m.initializer("hundred", {}, TensorProto::FLOAT).add_float_data(100);
    m.node("Mul", {"chosen", "hundred"}, {"scores"});
    m.node("Softmax", {"scores"}, {"weights"});  // those of scores of 0 are 0
    m.node("Sign", {"weights"}, {"masked"});
    m.node("Floor", {"a"}, {"f"});
    cast(m, "f", "bytes", TensorProto::INT8);
    cast(m, "f", "d", TensorProto::DOUBLE);
    m.node("Exp", {"d"}, {"e"});
    for (const char* output : {"y", "masked", "picked", "z", "bytes", "e"}) m.output(output);
    return write("mixed.onnx", m);
  }

  static const char* first_installed(std::span<const char* const> compilers) {
    const auto at = std::find_if(compilers.begin(), compilers.end(), is_installed);
    return at == compilers.end() ? compilers.front() : *at;
  }

  void verify_all(std::span<const char* const> compilers) {
    const std::string model = mixed_model();
    ASSERT_EQ(run({"run", model, "--reference", "--output", path("expected")}).status, 0);
    for (const char* compiler : compilers)
      if (is_installed(compiler)) verify(model, compiler);
  }

  // Verifies with a compiler and perhaps its options, on every instruction set, against the folder "expected".
  void verify(const std::string& model, const std::string& compiler) {
    environment["CPPGEN_CXX"] = compiler;
    for (const VecISA* isa : isas_to_test()) {
      const Ended ended = run({"verify", model, path("expected"), "--isa", std::string(isa->name)});
      EXPECT_EQ(ended.status, 0) << compiler << " " << isa->name << "\n" << ended.err << ended.out;
      EXPECT_EQ(ended.err, "") << compiler << " " << isa->name;
    }
  }

 private:
  static bool is_installed(const char* compiler) { return std::filesystem::exists(compiler); }

  static void cast(ModelMaker& m, const std::string& from, const std::string& to, int type) {
    auto& attribute = *m.node("Cast", {from}, {to}).add_attribute();
    attribute.set_name("to");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(type);
  }
};

TEST_F(Compilers, OfGnuAgreeWithTheInterpreter) {
  CPPGEN_NEEDS_DATA(first_installed(kGnu));
  verify_all(kGnu);
}

TEST_F(Compilers, OfClangAgreeWithTheInterpreter) {
  CPPGEN_NEEDS_DATA(first_installed(kClang));
  verify_all(kClang);
}

TEST_F(Compilers, ClangNeedsNoHeadersOfTheCLibrary) {
  const std::string clang = first_installed(kClang);
  CPPGEN_NEEDS_DATA(clang);
  const std::string model = mixed_model();
  ASSERT_EQ(run({"run", model, "--reference", "--output", path("expected")}).status, 0);
  verify(model, clang + " -nostdlibinc");
}

}  // namespace
}  // namespace cppgen
