#pragma once
#include "tests/attention/attention_graphs.h"
#include "tests/isas_to_test.h"
#include "tests/property/differential.h"
#include "tests/schedule/scheduled.h"

// Graphs with attention, compiled for every instruction set and compared with the interpreter.
namespace cppgen::property {

inline bool holds_attention(const schedule::Schedule& s) {
  for (const auto* k : schedule::kernels_of(s))
    if (k->kind == schedule::KernelKind::attention) return true;
  return false;
}

inline Case case_of(GraphMaker g, int64_t symbol_value = 1, double tolerance = 1e-5) {
  Case c;
  c.seed = uint64_t(g.g.nodes.size());  // its parity decides between one thread and two
  c.random.facts.assign(g.g.values.size(), Fact{2, tolerance});
  c.random.symbol_value = symbol_value;
  c.random.graph = std::move(g.g);
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
  DifferentialOptions options;
  options.isas = isas_to_test();
  for (const Case& c : cases)
    EXPECT_EQ(holds_attention(schedule_of(c, *options.isas.back())), one_kernel) << describe(c);
  for (const Failure& f : check_cases(cases, options))
    ADD_FAILURE() << f.isa << ": " << f.what << "\n" << describe(cases[f.index]);
}

}  // namespace cppgen::property
