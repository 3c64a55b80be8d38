#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cppgen/baseline/onednn_plugin.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/values/compare.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::baseline {

using contenders::CompileGroup;
using contenders::Report;
using contenders::StepReport;

class BaselineTest : public testing::Test {
 protected:
  BaselineTest();

  CompileGroup compiler();
  CompileRequest request(const std::string& model) const;

  // Runs the graph through oneDNN on samples, twice, and expects what the interpreter gives.
  Report expect_same(Graph graph, int threads = 2);
  Report expect_same(GraphMaker& maker, ValueId output) { return expect_same(maker.output(output).g); }

 private:
  TempDirectory cache_;
  std::vector<CompiledModel> compiled_;
};

// The kinds of the steps, in order.
std::vector<std::string> kinds(const Report&);
using Kinds = std::vector<std::string>;

}  // namespace cppgen::baseline
