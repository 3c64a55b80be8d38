#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_job.h"
#include "cppgen/compile/kernel_builder.h"

namespace cppgen {

// USE_CMAKE_COMPILATION: units of kernels as a CMake project, whose build gives the same objects.
struct CMakeProject {
  std::string lists;  // CMakeLists.txt
  std::vector<CompileJob> units;
  std::string include_dir;  // with the headers; empty: the embedded ones
};

// A project of the units, with the builder's compiler and flags. `include_dir` as in CompileOptions.
CMakeProject make_cmake_project(const std::vector<CompileJob>& units, KernelBuilder&, const std::string& include_dir);

// Writes CMakeLists.txt, NAME/kernel.cpp for each unit, and include/. UserError naming the path if that fails.
void write_cmake_project(const CMakeProject&, const std::string& directory);

// Writes a file and the folders above it. UserError naming the path if that fails.
void write_project_file(const std::string& path, const std::string& content);

// Writes the headers of kernels, vec/ and runtime/abi/: those of `include_dir`, or the embedded ones if it is empty.
void write_kernel_headers(const std::string& include_dir, const std::string& directory);

}  // namespace cppgen
