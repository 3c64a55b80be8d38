// The common parts of the tests of this folder: a temporary directory, kernels of one function, and compilers made of
// a shell script.
#pragma once
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cppgen/compile/compile_error.h"
#include "cppgen/compile/kernel_builder.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen {

class CompileTest : public testing::Test {
 protected:
  CompileTest() { options_.cache_dir = path("cache"); }

  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }

  // A unit that defines int NAME(), which returns `value`.
  static CompileJob job(const std::string& name, int value) {
    CompileJob result;
    result.name = name;
    result.source =
        fmt::format("extern \"C\" __attribute__((visibility(\"default\"))) int {}() {{ return {}; }}\n", name, value);
    result.isa_name = "scalar";
    result.expected_symbols = {name};
    return result;
  }

  // The same for AVX2, with a tile of the archive that comes with the compiler.
  static CompileJob job_with_tile(const std::string& name, int value) {
    CompileJob result = job(name, value);
    result.isa_name = "avx2";
    result.isa_flags = {"-mavx2", "-mfma", "-mf16c"};
    result.source = fmt::format(
        "#include \"runtime/abi/abi.h\"\n#include \"vec/avx2/vec.h\"\n#include \"vec/generic/kernel.h\"\n"
        "#include \"vec/generic/finished_tile.h\"\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) int {}() {{\n"
        "  volatile vec::FinishedTile tile = vec::finished_tile<3, 2>;\n  return tile ? {} : 0;\n}}\n",
        name, value);
    return result;
  }

  // A compiler that runs `script` with the real one's arguments: "$@" passes them on; `$out` is the object. Every
  // start adds a line to path("starts").
  std::string fake_compiler(const std::string& script, const std::string& name = "fake") {
    const std::string file = path(name);
    const std::string text = "#!/bin/sh\necho $$ >> " + path("starts") + "\nout=kernel.so\n" + script + "\n";
    EXPECT_EQ(write_file(file, text), 0);
    EXPECT_EQ(::chmod(file.c_str(), 0755), 0);
    return file;
  }
  std::string counting_compiler() { return fake_compiler("exec g++ \"$@\""); }

  int starts() const {
    const std::string text = try_read_file(path("starts")).value_or("");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

  // The only entry's file.
  std::string entry_file() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("cache/kernels"))) {
      if (entry.path().extension() == ".so") return entry.path().string();
    }
    ADD_FAILURE() << "no entry";
    return "";
  }

  // The error that says that the compiler (CompileError) or the source (RefusedSource) is to blame.
  template <class Error = CompileError>
  static Error error_of(const std::vector<CompileJob>& jobs, const CompileOptions& options) {
    try {
      build_kernels(jobs, options);
    } catch (const Error& error) {
      return error;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    ADD_FAILURE() << "not the error that is expected";
    return Error(CompileFailure::failed, "", "");
  }

  TempDirectory dir_{system_temp_directory(), "cppgen-test-"};
  CompileOptions options_;
};

inline bool eventually(auto condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Loads the object and calls the function that CompileTest::job named like it.
inline int call_kernel(const CompiledObject& object) {
  void* library = ::dlopen(object.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    ADD_FAILURE() << ::dlerror();
    return -1;
  }
  const auto function = reinterpret_cast<int (*)()>(::dlsym(library, object.name.c_str()));
  const int value = function ? function() : -1;
  ::dlclose(library);
  return value;
}

}  // namespace cppgen
