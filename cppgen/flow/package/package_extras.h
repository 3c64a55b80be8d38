#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/compile/cmake_project.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/package/standalone.h"

namespace cppgen {

// Additional files of packages, which are written if they are written with --output: a program that runs them
// (ENABLE_STANDALONE), a CMake project of their kernels (USE_CMAKE_COMPILATION).
class PackageExtras {
 public:
  // UserError if there is no program to copy.
  explicit PackageExtras(const CompileRequest&);

  // Called with the units of kernels, of which the last ones count.
  void note_units(const std::vector<CompileJob>&, KernelBuilder&, const CompileOptions&);

  // Called when all other files have been written, with the functions that the model calls, and again when the manifest
  // has been written, too.
  void add_before_manifest(const std::string& package, const std::set<std::string>& functions) const;
  void add_after_manifest(const std::string& package) const;
  // Says where they are, once the package is in its place.
  void tell() const;

 private:
  const CompileRequest& request_;
  const bool standalone_;
  std::optional<CMakeProject> project_;
};

}  // namespace cppgen
