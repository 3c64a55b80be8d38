#include "runtime/plan/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "runtime/base/errors.h"
#include "runtime/plan/costs_json.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

DimExpr code(std::vector<int64_t> words) { return {std::move(words)}; }
DimExpr binary(int64_t a, int64_t b, DimOp op) { return code({0, a, 0, b, int64_t(op)}); }

TEST(Evaluate, Operators) {
  EXPECT_EQ(evaluate(num(7), {}), 7);
  const int64_t symbols[] = {3, 5};
  EXPECT_EQ(evaluate(sym(1), symbols), 5);
  EXPECT_EQ(evaluate(sym(0) * num(4) + sym(1), symbols), 17);
  EXPECT_EQ(evaluate(binary(-7, 2, DimOp::floordiv), {}), -4);
  EXPECT_EQ(evaluate(binary(-7, 2, DimOp::mod), {}), 1);
  EXPECT_EQ(evaluate(binary(7, 2, DimOp::floordiv), {}), 3);
  EXPECT_EQ(evaluate(binary(-8, 2, DimOp::floordiv), {}), -4);
  EXPECT_EQ(evaluate(binary(-7, 2, DimOp::min), {}), -7);
  EXPECT_EQ(evaluate(binary(-7, 2, DimOp::max), {}), 2);
}

TEST(Evaluate, WhichSymbolsAnExpressionUses) {
  const DimExpr e = sym(0) * num(1) + sym(3);
  EXPECT_TRUE(uses_symbol(e, 0));
  EXPECT_TRUE(uses_symbol(e, 3));
  EXPECT_FALSE(uses_symbol(e, 1));
  EXPECT_FALSE(uses_symbol(num(1), 0));
}

TEST(DimExprs, AsText) {
  const std::vector<Symbol> symbols{{"batch"}, {"length"}};
  const auto op = [](DimExpr a, const DimExpr& b, DimOp operation) {
    a.code.insert(a.code.end(), b.code.begin(), b.code.end());
    a.code.push_back(int64_t(operation));
    return a;
  };
  const DimExpr batch = sym(0), length = sym(1), sum = length + num(-3);
  EXPECT_EQ(dim_text(num(7), symbols), "7");
  EXPECT_EQ(dim_text(batch, symbols), "batch");
  EXPECT_EQ(dim_text(batch * num(2) + num(1), symbols), "batch*2 + 1");
  EXPECT_EQ(dim_text(num(0) + batch * num(1) * num(2), symbols), "batch*2");
  EXPECT_EQ(dim_text(batch * sum, symbols), "batch*(length - 3)");
  EXPECT_EQ(dim_text(op(sum, batch * num(2), DimOp::floordiv), symbols), "(length - 3)//(batch*2)");
  EXPECT_EQ(dim_text(op(length, num(4), DimOp::mod), symbols), "length%4");
  EXPECT_EQ(dim_text(op(batch, sum, DimOp::min), symbols), "min(batch, length - 3)");
  EXPECT_EQ(dim_text(op(op(batch, num(1), DimOp::max), length, DimOp::mul), symbols), "max(batch, 1)*length");
  for (const std::vector<int64_t>& bad : {std::vector<int64_t>{}, {0}, {2}, {0, 1, 0, 2}})
    EXPECT_EQ(dim_text(code(bad), symbols), "?");
  EXPECT_EQ(dim_text(sym(2), symbols), "?");
}

TEST(Evaluate, DivisionsByAnEmptyDimensionGiveZero) {
  EXPECT_EQ(evaluate(binary(7, 0, DimOp::floordiv), {}), 0);
  EXPECT_EQ(evaluate(binary(7, 0, DimOp::mod), {}), 0);
}

TEST(Evaluate, RefusesWhatHasNoValue) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const auto refused = [](const DimExpr& expr) { return error_of([&] { evaluate(expr, {}); }); };
  EXPECT_NE(refused(binary(1, -2, DimOp::mod)).find("division by -2"), std::string::npos);
  EXPECT_NE(refused(binary(kMax, 1, DimOp::add)).find("overflows"), std::string::npos);
  EXPECT_NE(refused(binary(kMax, 2, DimOp::mul)).find("overflows"), std::string::npos);
  EXPECT_NE(refused(code({})).find("yields 0 values"), std::string::npos);
  EXPECT_NE(refused(code({0})).find("ends before an operand"), std::string::npos);
  EXPECT_NE(refused(code({2})).find("lacks an operand"), std::string::npos);
  EXPECT_NE(refused(code({0, 1, 0, 2})).find("yields 2 values"), std::string::npos);
  EXPECT_NE(refused(code({1, 0})).find("symbol 0 of 0"), std::string::npos);
  EXPECT_NE(refused(code({0, 1, 0, 2, 99})).find("unknown operation 99"), std::string::npos);
  DimExpr deep;
  for (int i = 0; i < 1000; i++) deep.code.insert(deep.code.end(), {0, 1});
  EXPECT_NE(refused(deep).find("pending operands"), std::string::npos);
}

TEST(Json, RoundTrip) {
  Plan plan = two_step_plan();
  plan.inputs[0].name = "quote \" newline \n ünï";
  plan.inputs[0].index_extent = 30522;
  plan.checks = {"Gather_1: index"};
  plan.steps[1].scratch_bytes = num(128);
  plan.steps[1].numbers = {0.1, -1e300, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()};
  const std::string text = to_json(plan);
  const Plan again = plan_from_json(text);
  EXPECT_EQ(to_json(again), text);
  EXPECT_EQ(again.inputs[0].name, plan.inputs[0].name);
  EXPECT_EQ(again.inputs[0].index_extent, 30522);
  EXPECT_EQ(again.steps[1].numbers, plan.steps[1].numbers);
  EXPECT_EQ(again.steps[1].scratch_bytes, plan.steps[1].scratch_bytes);
  EXPECT_EQ(again.buffers[2].last_step, 1);
  EXPECT_EQ(again.buffers[1].kind, PlanBufferKind::constant);
  EXPECT_EQ(again.checks, plan.checks);

  plan.steps[0].numbers = {std::nan("")};
  EXPECT_TRUE(std::isnan(plan_from_json(to_json(plan)).steps[0].numbers[0]));
}

Plan plan_with_costs() {
  Plan plan = two_step_plan();
  plan.has_costs = true;
  plan.steps[0].rate = 4;
  plan.steps[0].costs = {.products = num(1),
                         .multi_instruction = num(2),
                         .functions = num(3),
                         .instructions = sym(0),
                         .exchanged = num(5)};
  return plan;
}

TEST(Costs, AreNotInThePlan) {
  const Plan plan = plan_with_costs();
  const std::string text = costs_to_json({&plan, 1});
  Plan again = plan_from_json(to_json(plan));
  EXPECT_FALSE(again.has_costs);
  EXPECT_EQ(again.steps[0].rate, 1);
  EXPECT_TRUE(again.steps[0].costs.products.code.empty());
  Plan* const plans[] = {&again};
  EXPECT_TRUE(costs_from_json(text, plans));
  EXPECT_TRUE(again.has_costs);
  EXPECT_EQ(again.steps[0].rate, 4);
  int amounts = 0;
  each_cost(
      [&](const char* name, const DimExpr& a, const DimExpr& b) {
        EXPECT_EQ(a, b) << name;
        amounts++;
      },
      plan.steps[0].costs, again.steps[0].costs);
  EXPECT_EQ(amounts, 5);
  EXPECT_EQ(costs_to_json({&again, 1}), text);
}

TEST(Costs, OtherVersionsHaveNoEffect) {
  Plan plan = two_step_plan();
  Plan* const plans[] = {&plan};
  EXPECT_FALSE(costs_from_json(R"({"version": 2, "anything": []})", plans));
  EXPECT_FALSE(plan.has_costs);
}

TEST(Costs, DamagedOnesAreRefused) {
  const Plan plan = plan_with_costs(), two[] = {plan, plan};
  Plan read = two_step_plan(), short_one = two_step_plan();
  short_one.steps.pop_back();
  Plan* const plans[] = {&read};
  Plan* const shorter[] = {&short_one};
  const std::string good = costs_to_json({&plan, 1});
  const auto refused = [&](std::string text, std::span<Plan* const> to) {
    return error_of([&] { costs_from_json(text, to); });
  };
  EXPECT_EQ(refused("{", plans), "costs: not well-formed JSON");
  EXPECT_EQ(refused("[]", plans), "plan: costs is array; expected an object");
  EXPECT_EQ(refused(costs_to_json(two), plans), "costs: they are of more than 1 plans");
  EXPECT_EQ(refused(good, {}), "costs: they are of more than 0 plans");
  EXPECT_EQ(refused(good, shorter), "costs: they are of more than 1 steps");
  EXPECT_EQ(refused(R"({"version": 1, "plans": [[]]})", plans), "costs: they are of 0 steps instead of 2");
  Plan bad = plan_with_costs();
  bad.steps[0].rate = 0;
  EXPECT_EQ(refused(costs_to_json({&bad, 1}), plans), "plan: steps[0].rate is 0; it must be positive");
  bad = plan_with_costs();
  bad.steps[0].costs.exchanged = sym(7);
  EXPECT_NE(refused(costs_to_json({&bad, 1}), plans).find("steps[0].exchanged"), std::string::npos);
}

TEST(Json, NamesThatAreNoUtf8AreReplaced) {
  Plan plan = two_step_plan();
  plan.model = "bad \xff\xfe name";
  EXPECT_EQ(plan_from_json(to_json(plan)).model, "bad \xEF\xBF\xBD\xEF\xBF\xBD name");
}

// One replacement in the text of a good plan, and the refusal it must cause.
struct TextCase {
  std::string from, to, error;
};

TEST(Json, RefusesMalformedText) {
  const std::string good = to_json(two_step_plan());
  const TextCase cases[] = {
      {R"("model":"two_step")", R"("model":7)", "plan: model is number; expected a text"},
      {R"("model":"two_step")", R"("modle":"x")", "plan: the file lacks the field 'model'"},
      {R"("weights_bytes":16)", R"("weights_bytes":1.5)", "plan: weights_bytes is number; expected an integer"},
      {R"("weights_bytes":16)", R"("weights_bytes":18446744073709551615)", "expected a 64-bit integer"},
      {R"("type":"float32")", R"("type":"float31")",
       "plan: buffers[0].type is 'float31', which is not an element type"},
      {R"("kind":"kernel")", R"("kind":"magic")", "plan: steps[0].kind is 'magic'; allowed is kernel, library"},
      {R"("output_count":1)", R"("output_count":99999999999)", "plan: steps[0].output_count is 99999999999; allowed"},
      {R"("output_count":1)", R"("output_count":true)", "plan: steps[0].output_count is boolean; expected an integer"},
      {R"("range":[1,0])", R"("range":{})", "plan: steps[0].range is object; expected a list"},
      {R"("numbers":[])", R"("numbers":["x"])", "plan: steps[0].numbers[0] is string; expected a number"},
  };
  for (const TextCase& it : cases) {
    std::string text = good;
    const size_t at = text.find(it.from);
    ASSERT_NE(at, text.npos) << it.from;
    text.replace(at, it.from.size(), it.to);
    const std::string error = error_of([&] { plan_from_json(text); });
    EXPECT_NE(error.find(it.error), error.npos) << it.to << ": " << error;
  }
  for (size_t length = 0; length < good.size() - 1; length += 37)
    EXPECT_NE(error_of([&] { plan_from_json(good.substr(0, length)); }), "") << length;
  EXPECT_NE(error_of([&] { plan_from_json(std::string(100000, '[')); }), "");
  EXPECT_EQ(error_of([&] { plan_from_json("[]"); }), "plan: the file is array; expected an object");
}

// One change to a good plan, and the refusal it must cause.
struct PlanCase {
  std::function<void(Plan&)> change;
  std::string error;
  bool in_json = true;  // false: plan.json cannot say this
};

// A plan of one kernel that adds x to a state: past [B, P], x [B, n], present [B, P + n].
Plan plan_with_state() {
  Plan plan;
  plan.isa = "scalar";
  plan.objects = {"kernels_0.so"};
  plan.symbols = {{"B", 1, 0}, {"n", 1, 1}, {"P", 0, 1}};
  plan.inputs = {{"past", DType::f32, {sym(0), sym(2)}}, {"x", DType::f32, {sym(0), sym(1)}}};
  plan.outputs = {{"present", DType::f32, {sym(0), sym(2) + sym(1)}}};
  plan.buffers = {{.kind = PlanBufferKind::input, .slot = 1, .bytes = sym(0) * sym(1) * num(4)},
                  {.kind = PlanBufferKind::output, .slot = 0, .bytes = sym(0) * num(32)}};
  plan.steps = {{.name = "append", .object = 0, .buffers = {0, 1}, .output_count = 1, .range = num(1)}};
  plan.states = {{.past = 0, .present = 0, .axis = 1, .capacity = 8}};
  return plan;
}

TEST(States, AreStored) {
  const Plan read = plan_from_json(to_json(plan_with_state()));
  ASSERT_EQ(read.states.size(), 1u);
  EXPECT_EQ(read.states[0].past, 0);
  EXPECT_EQ(read.states[0].present, 0);
  EXPECT_EQ(read.states[0].axis, 1);
  EXPECT_EQ(read.states[0].capacity, 8);
  EXPECT_EQ(state_of_input(read, 0), &read.states[0]);
  EXPECT_EQ(state_of_input(read, 1), nullptr);
  EXPECT_EQ(state_of_output(read, 0), &read.states[0]);
}

TEST(States, DamagedOnesAreRefused) {
  const auto fault = [](const std::function<void(Plan&)>& damage) {
    Plan plan = plan_with_state();
    damage(plan);
    return error_of([&] { validate(plan); });
  };
  EXPECT_EQ(fault([](Plan&) {}), "");
  EXPECT_EQ(fault([](Plan& p) { p.states[0].past = 2; }), "plan: states[0].past is 2; allowed is 0 to 1");
  EXPECT_EQ(fault([](Plan& p) { p.states[0].present = -1; }), "plan: states[0].present is -1; allowed is 0 to 0");
  EXPECT_EQ(fault([](Plan& p) { p.states.push_back(p.states[0]); }),
            "plan: states[1] has the input or the output of another state");
  EXPECT_EQ(fault([](Plan& p) { p.outputs[0].type = DType::f64; }), "plan: states[0] has two types");
  EXPECT_EQ(fault([](Plan& p) { p.states[0].axis = 2; }), "plan: states[0].axis is 2; allowed is 0 to 1");
  EXPECT_EQ(fault([](Plan& p) { p.states[0].capacity = 0; }), "plan: states[0].capacity is 0; it is at least 1");
  EXPECT_EQ(fault([](Plan& p) { p.states[0].axis = 0; }), "plan: states[0] has two sizes on axis 1");
  EXPECT_EQ(fault([](Plan& p) { p.inputs[0].dims[1] = num(3), p.symbols.pop_back(), p.outputs[0].dims[1] = num(4); }),
            "plan: states[0] has a length that is no symbol");
  EXPECT_EQ(fault([](Plan& p) {
              p.symbols[0] = {"B", 0, 0};
            }),
            "plan: states[0] binds the symbol B, which is not its length");
}

TEST(Validate, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(error_of([] { validate(two_step_plan()); }), "");
  const PlanCase cases[] = {
      {[](Plan& p) { p.symbols[0].input = 1; }, "symbols[0].input is 1; allowed is 0 to 0"},
      {[](Plan& p) { p.symbols[0].axis = 2; }, "symbols[0].axis is 2; allowed is 0 to 1"},
      {[](Plan& p) { p.symbols[0].axis = 1; },
       "symbols[0] is bound by an input dimension that is a different expression"},
      {[](Plan& p) { p.inputs[0].dims[1] = num(-4); }, "inputs[0].dims[1] is -4; sizes are at least 0"},
      {[](Plan& p) { p.inputs[0].dims[1] = sym(5); }, "inputs[0].dims[1] symbol is 5; allowed is 0 to 0"},
      {[](Plan& p) { p.inputs.push_back(p.inputs[0]); }, "inputs[1] repeats the name 'x'"},
      {[](Plan& p) { p.inputs[0].type = DType(77); }, "inputs[0].type is 77", false},
      {[](Plan& p) { p.objects[0] = "../evil.so"; }, "objects[0] is '../evil.so'"},
      {[](Plan& p) { p.objects[0] = "/lib/evil.so"; }, "objects[0] is '/lib/evil.so'"},
      {[](Plan& p) { p.objects[0] = ".."; }, "objects[0] is '..'"},
      {[](Plan& p) { p.weights_bytes = -1; }, "weights_bytes is -1"},
      {[](Plan& p) { p.weights_bytes = 15; }, "buffers[1] ends at byte 16 of 15 bytes of weights"},
      {[](Plan& p) { p.buffers[1].offset = 8; }, "buffers[1].offset is 8; allowed are multiples of 64"},
      {[](Plan& p) { p.buffers[1].offset = -64; }, "buffers[1].offset is -64"},
      {[](Plan& p) { p.buffers[1].offset = int64_t(1) << 62; }, "buffers[1] ends at byte"},
      {[](Plan& p) { p.buffers[1].bytes = sym(0); }, "buffers[1].bytes is that of a constant, but depends on a symbol"},
      {[](Plan& p) { p.buffers[0].slot = 1; }, "buffers[0].slot is 1"},
      {[](Plan& p) { p.buffers[2].bytes = {}; }, "buffers[2].bytes yields 0 values"},
      {[](Plan& p) { p.buffers[2].last_step = 2; }, "buffers[2].last_step is 2; allowed is 0 to 1"},
      {[](Plan& p) { p.buffers[2].first_step = 1; }, "steps[0].buffers[2] uses buffer 2, which lives from step 1 to 1"},
      {[](Plan& p) { p.buffers[2].shares = 2; }, "buffers[2].shares is 2; allowed is 0 to 1"},
      {[](Plan& p) { p.buffers[2].shares = 1; }, "buffers[2].shares is 1, which no step may write"},
      {[](Plan& p) { p.buffers[0].shares = 0; }, "buffers[0].shares is 0; only temporary buffers share memory", false},
      {[](Plan& p) { p.buffers.push_back(p.buffers[3]); }, "outputs[0] has 2 buffers instead of 1"},
      {[](Plan& p) { p.steps[0].buffers[0] = 9; }, "steps[0].buffers[0] is 9; allowed is 0 to 3"},
      {[](Plan& p) { p.steps[0].buffers[2] = 0; }, "steps[0].buffers[2] writes buffer 0, which is an input"},
      {[](Plan& p) { std::swap(p.steps[0], p.steps[1]); }, "steps[0].buffers[0] reads buffer 2 before any step wrote"},
      {[](Plan& p) { p.steps[0].reads_back = {0}; }, "steps[0].reads_back holds buffer 0, which is no output"},
      {[](Plan& p) { p.steps[0].output_count = 4; }, "steps[0].output_count is 4; the step has 3 buffers"},
      {[](Plan& p) { p.steps[0].object = 1; }, "steps[0].object is 1"},
      {[](Plan& p) { p.steps[0].name = "k add"; }, "steps[0].name is 'k add'; allowed are C identifiers"},
      {[](Plan& p) { p.steps[0].range = num(-1); }, "steps[0].range is -1"},
      {[](Plan& p) { p.steps[0].params = {code({0})}; }, "steps[0].params[0] ends before an operand"},
      {[](Plan& p) { p.steps[0].scratch_bytes = num(-8); }, "steps[0].scratch_bytes is -8"},
      {[](Plan& p) {
         p.steps.pop_back();
         p.buffers[2].last_step = 0;
       },
       "outputs[0] is written by no step"},
  };
  for (const PlanCase& it : cases) {
    Plan plan = two_step_plan();
    it.change(plan);
    const std::string error = error_of([&] { validate(plan); });
    EXPECT_NE(error.find("plan: " + it.error), error.npos) << "expected: " << it.error << "\nfound: " << error;
    if (!it.in_json) continue;
    EXPECT_NE(error_of([&] { plan_from_json(to_json(plan)); }), "") << it.error;
  }
}

}  // namespace
}  // namespace cppgen::rt::test
