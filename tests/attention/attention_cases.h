#pragma once
#include "tests/attention/attention_graphs.h"
#include "tests/property/expect_cases.h"
#include "tests/schedule/scheduled.h"

// Graphs with attention, compiled for every instruction set and compared with the interpreter.
namespace cppgen::property {

inline bool holds_attention(const schedule::Schedule& s) {
  for (const auto* k : schedule::kernels_of(s))
    if (k->attention) return true;
  return false;
}

inline Case case_of(GraphMaker g, int64_t symbol_value = 1, double tolerance = 1e-5) {
  const size_t nodes = g.g.nodes.size();
  Case c = case_of(std::move(g.g), Fact{2, tolerance});
  c.seed = uint64_t(nodes);  // its parity decides between one thread and two
  c.random.symbol_value = symbol_value;
  return c;
}

inline Case case_of(const AttentionForm& form, int64_t symbol_value = 1) {
  GraphMaker g;
  g.output(attention(g, form));
  // The interpreter rounds the weights of narrow types, the kernel does not.
  const double tolerance = form.type == DType::f16 ? 2e-3 : form.type == DType::bf16 ? 2e-2 : 1e-5;
  return case_of(std::move(g), symbol_value, tolerance);
}

inline void expect_no_failures(const std::vector<Case>& cases, bool one_kernel = true) {
  for (const Case& c : cases)
    EXPECT_EQ(holds_attention(schedule_of(c, *isas_to_test().back())), one_kernel) << describe(c);
  expect_cases_agree(cases);
}

}  // namespace cppgen::property
