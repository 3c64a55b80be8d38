// The statements that simplify() keeps, and their text.
#include "cppgen/codegen/statements.h"

#include <gtest/gtest.h>

#include "runtime/base/errors.h"

namespace cppgen::codegen {
namespace {

std::string written(StatementList& list, std::set<std::string> used = {}) {
  Statements statements = list.take();
  simplify(statements, used);
  TextWriter out;
  write(statements, out);
  return out.take();
}

TEST(Statements, UnusedConstantsAndWhatOnlyTheyUseVanish) {
  const Code a = Code::name("a"), b = Code::name("b"), c = Code::name("c");
  StatementList s;
  s.let(a, "1");
  s.let(b, "{} + 1", a);
  s.let(c, "2");
  s.let("d", "3");  // the uses of this name are not counted
  s.line("use({});", c);
  EXPECT_EQ(written(s), "const vec::i64 c = 2;\nconst vec::i64 d = 3;\nuse(c);\n");
}

TEST(Statements, LoopsOfNoRoundAndWithoutBodyVanish) {
  StatementList s;
  s.each({.variable = "i", .begin = 3, .end = 3}, "use(i);");
  s.open(For{.variable = "i", .end = "n"});
  s.let(Code::name("unused"), "i");
  s.close();
  s.open_if("n > 0");
  s.close();
  EXPECT_EQ(written(s), "");
}

TEST(Statements, ALoopOfOneRoundIsAScope) {
  const Code i = Code::name("i");
  StatementList s;
  s.open(For{.variable = i, .begin = 2, .end = 4, .step = 2});
  s.line("first({});", i);
  s.close();
  s.each({.variable = i, .end = 1}, "second();");
  EXPECT_EQ(written(s), "{\n  const vec::i64 i = 2;\n  first(i);\n}\n{\n  second();\n}\n");
}

TEST(Statements, AScopeAtTheEndNeedsNoBraces) {
  for (const char* name : {"x", "y"}) {
    StatementList s;
    s.let("x", "1");
    s.open_scope();
    s.let(name, "2");
    s.close();
    EXPECT_EQ(written(s), std::string("const vec::i64 x = 1;\n") +
                              (*name == 'x' ? "{\n  const vec::i64 x = 2;\n}\n" : "const vec::i64 y = 2;\n"));
  }
}

TEST(Statements, RoundsThatContinueStayLoops) {
  StatementList s;
  s.open(For{.variable = "i", .end = 1});
  s.continue_if("done");
  s.line("use(i);");
  s.close();
  EXPECT_EQ(written(s), "for (vec::i64 i = 0; i < 1; i++) {\n  if (done) continue;\n  use(i);\n}\n");
}

TEST(Statements, KnownConditionsVanish) {
  for (const Code& condition : {Code(true), Code(false), Code("c")}) {
    StatementList s;
    s.open_if(condition);
    s.line("a();");
    s.otherwise();
    s.line("b();");
    s.close();
    const std::string expected = condition.truth() == true    ? "a();\n"
                                 : condition.truth() == false ? "b();\n"
                                                              : "if (c) {\n  a();\n} else {\n  b();\n}\n";
    EXPECT_EQ(written(s), expected);
  }
}

TEST(Statements, AlternativesAreOneChain) {
  StatementList s;
  s.open_if("a");
  s.line("x();");
  s.otherwise();
  s.open_if("b");
  s.line("y();");
  s.otherwise();
  s.line("z();");
  s.close();
  s.close();
  EXPECT_EQ(written(s), "if (a) {\n  x();\n} else if (b) {\n  y();\n} else {\n  z();\n}\n");
}

TEST(Statements, FunctionsAreCalledForWholeVectorsAndTheRest) {
  const Code f = Code::name("f");
  StatementList s;
  s.open(Lambda{f, "const vec::i64 i, auto n"});
  s.let("k", "2 * i");
  s.open(Lambda{{}, "int j"});
  s.line("use(i, j, k, other);");
  s.close();
  s.close();
  s.variable("vec::i64", "at", "0");
  s.call_by_vectors("10", [&](const Code& at, const Code& n) { return code("{}({}, {})", f, at, n); });
  EXPECT_EQ(written(s),
            "const auto f = [&](const vec::i64 i, auto n) CPPGEN_LAMBDA {\n"
            "  const vec::i64 k = 2 * i;\n"
            "  return [&, i, n, k](int j) CPPGEN_LAMBDA {\n    use(i, j, k, other);\n  };\n};\n"
            "vec::i64 at = 0;\n"
            "for (; at + vec::L <= 10; at += vec::L) f(at, vec::All{});\n"
            "if (at < 10) f(at, vec::tail(10 - at));\n");
}

TEST(Statements, WhatIsOpenedIsClosed) {
  StatementList s;
  EXPECT_THROW(s.close(), InternalError);
  s.open_scope();
  EXPECT_THROW(s.otherwise(), InternalError);
  EXPECT_THROW(s.take(), InternalError);
}

}  // namespace
}  // namespace cppgen::codegen
