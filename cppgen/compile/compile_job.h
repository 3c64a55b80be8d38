#pragma once
#include <memory>
#include <string>
#include <vector>

namespace cppgen {

// One translation unit that becomes one shared object.
struct CompileJob {
  std::string name;    // for messages only
  std::string source;  // C++ text; includes only "vec/..." and "runtime/abi/..."
  std::string isa_name;
  std::vector<std::string> isa_flags;
  std::vector<std::string> extra_flags;       // flags of this job, after the ISA's
  std::vector<std::string> expected_symbols;  // symbols that the object must define
};

// A shared object on disk, readable for dlopen until the last copy of this value is gone (it may be dropped after
// dlopen). The file may continue past the end of the ELF image, which loaders ignore; read_object returns only the
// image.
struct CompiledObject {
  std::string name;
  std::string key;  // 64 hex digits
  std::string path;
  bool from_cache = false;
  double seconds = 0;  // of the compiler; 0 if from the cache
  double begin = 0;    // when it started, in seconds of the steady clock
  std::shared_ptr<const void> keep_alive;
};

// The ELF image of a compiled object, for packages.
std::string read_object(const CompiledObject&);

}  // namespace cppgen
