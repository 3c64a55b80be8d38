// Repetitions: what they compute, how they print, and what the verifier refuses.
#include <gtest/gtest.h>

#include "runtime/base/errors.h"
#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

// state = x; for step < T: y[step] = state, state = state * (step + 1).
struct Factorial {
  Program p;
  IndexExpr t = p.index->symbol("T"), step = p.index->step_symbol(t);
  BufferId x = input(p, "x", DType::f32, {}), rows = input(p, "rows", DType::f32, {t}),
           y = output(p, "y", DType::f32, {t});
  BufferId before = p.add_buffer("", DType::f32, {}, BufferKind::temporary),
           after = p.add_buffer("", DType::f32, {}, BufferKind::temporary);
  Repetition repetition{step, t, {{x, before, after}}, {}, {"the_node"}};

  Factorial() {
    add(y, {step}, load(p, before, {}));
    add(after, {},
        p.exprs->binary(BinaryOp::mul, load(p, before, {}),
                        p.exprs->cast(DType::f32, p.exprs->index(step + IndexExpr(1)))));
  }
  void add(BufferId buffer, std::vector<IndexExpr> at, Expr value) {
    LoopNest nest;
    nest.name = "nest";
    nest.stores.push_back({buffer, std::move(at), value});
    repetition.body.emplace_back(std::move(nest));
  }
  Program& done() {
    p.statements.emplace_back(repetition);
    return p;
  }
  std::string refusal() {
    try {
      verify(done());
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(Repetition, HandsStatesFromStepToStep) {
  Factorial f;
  EXPECT_EQ(f.refusal(), "");
  for (int64_t t : {0, 1, 5}) {
    const HostTensor x = tensor<float>(DType::f32, {}, {2}),
                     rows = tensor(DType::f32, {t}, std::vector<float>(size_t(t)));
    std::vector<float> expected;
    for (float state = 2; int64_t(expected.size()) < t; state *= float(expected.size())) expected.push_back(state);
    EXPECT_EQ(values_of<float>(interpret(f.p, {x, rows})[0]), expected);
  }
}

TEST(Repetition, Prints) {
  Factorial f;
  const std::string text = to_string(f.done());
  EXPECT_NE(text.find("repeat \"step#0\" < T"), std::string::npos) << text;
  EXPECT_NE(text.find(" < T  # from \"the_node\"\n  carry b3 = b0, then b4\nnest nest\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nend\n"), std::string::npos) << text;
}

TEST(Repetition, VerifierRefuses) {
  const auto refuses = [](auto change, const std::string& text) {
    Factorial f;
    change(f);
    const std::string found = f.refusal();
    EXPECT_NE(found.find(text), std::string::npos) << found;
  };
  refuses([](Factorial& f) { f.repetition.carried.clear(); },
          "statement 0 (repetition), statement 0 (nest nest): b3 is read before it is stored");
  refuses([](Factorial& f) { f.repetition.body.pop_back(); }, "no statement stores b4");
  refuses([](Factorial& f) { f.repetition.carried[0].initial = f.rows; }, "b3 and b1 differ");
  refuses([](Factorial& f) { f.repetition.carried[0].after = f.y; }, "the state b2 is not a temporary");
  refuses([](Factorial& f) { f.repetition.step = f.p.index->loop("i", f.t); }, "its step is not a symbol");
}

}  // namespace
}  // namespace cppgen::ir
