#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/compile/compile_options.h"
#include "cppgen/compile/kernel_caches.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/emit/project.h"
#include "cppgen/support/subprocess.h"

namespace cppgen::emit {

// UserError if a program is missing that an ObjectBuild may start, besides the compiler.
void require_binutils();

// Builds what a project that was written to `directory` contains, with several compilers at once. CompileError with
// the command and its output if one of them fails; Cancelled.
class ObjectBuild {
 public:
  // UserError for an unsafe cache directory.
  ObjectBuild(const CompileOptions& options, std::string directory);

  // Compiles units to objects next to their sources, whose paths in the directory it returns. Objects come from the
  // kernel cache and go there, but for that of the weights. `headers_hash` is the project's.
  std::vector<std::string> compile(const std::vector<Project::Unit>& units, const std::string& headers_hash);
  // Returns how many objects came from the cache.
  int cached() const { return cached_; }
  // Writes an archive, or a program that needs no library of the machine that runs it.
  void archive(const std::vector<std::string>& objects, const std::string& library);
  // Writes kLibraryObject of a model of this name.
  void write_library_object(const std::string& model);
  void link(const std::vector<std::string>& objects, const std::string& program);

 private:
  struct Work;
  ProcessSpec process(std::vector<std::string> command) const;
  std::vector<std::string> command_of(const Project::Unit&) const;
  std::optional<KernelKey> key_of(const Project::Unit&, const std::string& headers_hash) const;
  bool take_from_cache(const Work&);
  void compile_missing(const std::vector<const Work*>& missing, int total);
  void store(const Work&);
  void write(const std::string& file, std::string_view content) const;
  void run(const std::vector<std::string>& command);

  const CompileOptions& options_;
  const std::string directory_;
  const Toolchain toolchain_;
  KernelCaches caches_;
  int cached_ = 0;
};

}  // namespace cppgen::emit
