#include "cppgen/ir/text/program_text.h"

#include <gtest/gtest.h>

#include <random>

#include "cppgen/text/program_reader.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

std::string printed(const std::string& text) { return ir::program_text(text::read_program(text, "f.program")); }

std::string error_of(const std::string& text) {
  try {
    text::read_program(text, "f");
  } catch (const UserError& e) {
    return e.what();
  }
  return "none";
}

// Everything that programs have.
const char* const kProgram = R"(program
  symbol N in 1..64
  symbol "step#0" in 0..9
  assume N <= 8
b0 input float16 [N, 4] "x \""
b1 constant float64 [2] = [0.1, bits(0x7ff8000000000123)]
b2 input int64 [N]
b3 temporary float32 [N, 4]
b4 output int64 [N] "best"
b5 temporary bool [N]
b6 temporary float32 [N, 4]
b7 temporary float32 [N, 4]
b8 temporary float32 [N, 4]
b9 output float32 [N, 4] "y"
nest all_values  # from "a node", "b"
  for i0 < N, "a b" < 4
  t0 = exp((b0[i0 - 1, "a b"] if 0 <= i0 - 1 < N and "a b" <= 3*i0 < 2 else -0.5))
  b3[i0, "a b"] = select(lt(t0, nan), add(t0, inf), mul(bits(0x7fc00001), float32(b1[0])))
nest best
  for i1 < N
  reduce j0 < 4
  acc0 = argmax int64(b3[i1, j0], at j0, last)
  acc1 = any bool(eq(int8(-7), int8(index(j0))))
  b4[i1] = add(acc0, -9223372036854775808)
  b5[i1] = bit_and(acc1, gt(uint64(18446744073709551615), uint64(index(i1))))
call sort  # from "s"
  inputs b3
  outputs b8
  params 1, N
  numbers 0.5, nan
repeat "step#0" < 10  # from "loop"
  carry b7 = b3, then b6
nest gather
  for i2 < N, k0 < 4
  t0 = b2[i2]
  b6[i2, k0] = add((let at0 < N for "rows" = t0, at1 < 4 = index("step#0") in b7[at0, at1]), (let at2 < N = t0 in b7[at2, k0] if 0 <= at2 < N - 1 else 0.0))
end
nest copy
  for i0 < N, "a b" < 4
  b9[i0, "a b"] = add(b6[i0, "a b"], b8[i0, "a b"])
inputs b0, b2
outputs b4, b9
)";

TEST(ProgramText, IsReadAsItIsPrinted) { EXPECT_EQ(printed(kProgram), kProgram); }

TEST(ProgramText, ValuesAreSimplified) {
  const std::string head = "program\nb0 input int64 [4]\nb1 output int64 [4]\nnest n\n  for i0 < 4\n  b1[i0] = ";
  const std::string tail = "\ninputs b0\noutputs b1\n";
  const auto value = [&](const std::string& text) {
    const std::string result = printed(head + text + tail);
    return result.substr(head.size(), result.size() - head.size() - tail.size());
  };
  EXPECT_EQ(value("add(b0[i0], 0)"), "b0[i0]");
  EXPECT_EQ(value("add(2, mul(3, 4))"), "14");
  EXPECT_EQ(value("select(true, b0[2*i0 - i0], 1)"), "b0[i0]");
  EXPECT_EQ(value("(b0[i0] if 0 <= i0 < 4 else 7)"), "b0[i0]");
  EXPECT_EQ(value("int64(float32(7))"), "7");
}

std::string error_of_value(const std::string& value) {
  return error_of("program\nb0 input int64 [4]\nb1 output int64 [4]\nnest n\n  for i0 < 4\n  b1[i0] = " + value +
                  "\ninputs b0\noutputs b1\n");
}

TEST(ProgramErrors, HavePlaces) {
  EXPECT_EQ(error_of(""), "f:1:1: expected 'program', found the end of the text");
  EXPECT_EQ(error_of("program\nb1 input"), "f:2:1: expected the buffer b0, found 'b1'");
  EXPECT_EQ(error_of("program\nb0 weight"), "f:2:4: expected input, output, constant or temporary, found 'weight'");
  EXPECT_EQ(error_of("program\ninputs b0\noutputs"), "f:2:8: there is no buffer b0");
  EXPECT_EQ(error_of_value("b7[i0]"), "f:6:12: there is no buffer b7");
  EXPECT_EQ(error_of_value("b0[i0, 1]"), "f:6:12: b0 has 1 dimensions, not 2");
  EXPECT_EQ(error_of_value("nothing(1)"), "f:6:12: there is no value and no operation \"nothing\"");
  EXPECT_EQ(error_of_value("add(1)"), "f:6:12: add takes 2 operands, found 1");
  EXPECT_EQ(error_of_value("add(1, 2.0)"), "f:6:12: add of int64 and float32");
  EXPECT_EQ(error_of_value("float16(1)"), "f:6:12: float16 is a storage type, which no value can have");
  EXPECT_EQ(error_of_value("int8(300)"), "f:6:17: 300 is not in the range of int8");
  EXPECT_EQ(error_of_value("acc0"), "f:6:12: there is no reduction acc0");
  EXPECT_EQ(error_of_value("(let at0 < 4 = 1.0 in b0[at0])"),
            "f:6:17: a variable is bound to an int64, not to a float32");
  EXPECT_EQ(error_of_value("(let i0 < 4 = 1 in b0[i0])"), "f:6:17: the variable \"i0\" is defined twice");
  // A rule of programs, which the verifier knows.
  EXPECT_EQ(error_of_value("1.0"), "f:1:1: loop IR, statement 0 (nest n): b1 holds int64, but float32 is stored");
}

TEST(ProgramErrors, NestingIsBounded) {
  std::string deep;
  for (int i = 0; i < 100000; i++) deep += "neg(";
  EXPECT_NE(error_of_value(deep).find("values are nested more than 1000 levels deep"), std::string::npos);
}

TEST(ProgramErrors, DamagedTexts) {
  const std::string text = kProgram, letters = "\"[](),:=<-+* \n0129.eNbtifx";
  std::mt19937 random(1);
  for (size_t i = 0; i < text.size(); i++) {
    EXPECT_NE(error_of(text.substr(0, i)), "");
    for (int k = 0; k < 8; k++) {
      std::string changed = text;
      changed[i] = letters[random() % letters.size()];
      if (random() % 3 == 0) changed.erase(random() % changed.size(), 1 + random() % 4);
      if (error_of(changed) != "none") continue;
      EXPECT_EQ(printed(printed(changed)), printed(changed)) << changed;
    }
  }
}

}  // namespace
}  // namespace cppgen
