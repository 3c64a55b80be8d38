#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_job.h"

namespace cppgen {

// The identity of a compiled kernel: equal keys mean interchangeable objects.
struct KernelKey {
  std::string hex;   // SHA-256, 64 digits
  std::string dump;  // its ingredients, one "tag = value" per line; long values as their own SHA-256
};

// `flags` without include path and file names; `compiler` is
// Toolchain::identity_of_command(); `headers_hash` covers all that the source includes.
KernelKey make_kernel_key(const CompileJob& job, const std::vector<std::string>& flags,
                          const std::vector<std::string>& compiler, const std::string& headers_hash, int abi_version);

// The lines by which two dumps differ, as "tag: was 'a', is 'b'": why `now` is not a hit although `before` is stored.
std::vector<std::string> compare_key_dumps(const std::string& before, const std::string& now);

}  // namespace cppgen
