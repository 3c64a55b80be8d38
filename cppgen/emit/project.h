#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/emit/model_text.h"

namespace cppgen::emit {

// A model as sources, which any C++20 compiler with g++'s extensions builds: paths are relative to its folder, in which
// the compiler runs.
struct Project {
  struct File {
    std::string path, text;
  };
  struct Unit {
    std::string path;                // of a source among the files
    std::vector<std::string> flags;  // all of them, but for -c
    bool has_weights = false;        // its object contains weights.bin
  };
  std::string name;
  std::vector<File> files;
  std::vector<Unit> units;     // of the library
  std::vector<Unit> program;   // of the program, which links with the library
  bool needs_library = false;  // kLibraryObject is a part of the library
  std::string headers_hash;    // of all that units include
};

// linked_library(), whose functions have the names that begin with the model's.
inline constexpr std::string_view kLibraryObject = "support/library.o";
// The functions of the object, and what they are called in a model.
std::vector<std::pair<std::string, std::string>> library_names(const std::string& model);

// Kernels are compiled as `builder` compiles them. The project lacks the headers of kernels, and weights.bin.
Project make_project(const ModelNames&, const rt::Plan&, const ModelOptions&, const std::vector<CompileJob>& kernels,
                     KernelBuilder& builder);

// Returns what CMake needs to build a project: a library NAME, and a program NAME_run.
std::string cmake_lists(const Project&);

// Writes the files, and the headers of kernels, `include_dir` as in CompileOptions. UserError if that fails.
void write_project(const Project&, const std::string& include_dir, const std::string& directory);

}  // namespace cppgen::emit
