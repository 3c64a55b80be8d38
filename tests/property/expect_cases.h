#pragma once
#include <gtest/gtest.h>

#include "tests/isas_to_test.h"
#include "tests/property/differential.h"

// Graphs written for a test, compiled and compared with the interpreter.
namespace cppgen::property {

// A case of this graph, all of whose values have the same bounds. Its options are the defaults.
inline Case case_of(Graph graph, Fact fact) {
  Case c;
  c.seed = 1;
  c.random.facts.assign(graph.values.size(), fact);
  c.random.graph = std::move(graph);
  return c;
}

// Every failure of a case fails the test.
inline void expect_cases_agree(const std::vector<Case>& cases, std::vector<const VecISA*> isas = isas_to_test()) {
  DifferentialOptions options;
  options.isas = std::move(isas);
  for (const Failure& f : check_cases(cases, options))
    ADD_FAILURE() << f.isa << ": " << f.what << "\n" << describe(cases[f.index]);
}

}  // namespace cppgen::property
