#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt::test {

// A directory that is removed at the end.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_text(const std::string& path, std::string_view text);
std::string read_text(const std::string& path);

// Runs a program and waits for it; its exit code.
int run_program(const std::vector<std::string>& arguments);

// Compiles C++ text into a shared library. The text sees runtime/abi/abi.h.
void compile_library(const std::string& source, const std::string& library);

// Symbol number `index`, and operators on postfix code.
DimExpr sym(int64_t index);
DimExpr operator*(const DimExpr& a, const DimExpr& b);
DimExpr operator+(const DimExpr& a, const DimExpr& b);
inline DimExpr num(int64_t value) { return DimExpr::of(value); }

// Writes plan, weights and a library compiled from `source` as the package `directory`.
void write_package(const std::string& directory, Plan plan, const std::string& source,
                   const std::vector<float>& weights);

// y[N, 4] = (x[N, 4] + w[4]) * 2, through a temporary; N is x's first dimension.
Plan two_step_plan();
extern const char* const kTwoStepSource;
extern const std::vector<float> kTwoStepWeights;

}  // namespace cppgen::rt::test
