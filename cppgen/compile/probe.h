#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/toolchain.h"
#include "cppgen/support/subprocess.h"

namespace cppgen {

// Determines whether this compiler and this machine together support an instruction set: CPUID alone cannot detect an
// old assembler, a hypervisor that traps, or an emulator. Called only if VEC_ISA_OK is unset.
struct IsaProbe {
  std::string isa_name;
  std::vector<std::string> isa_flags;
  std::string machine;  // identifies this CPU for the cached answer, e.g. its list of features
  // A program whose main() returns 0 if the instructions work correctly; if empty, one with vector arithmetic in float,
  // double and int, with fused multiply-add and masked lanes, compiled for the ISA.
  std::string source{};
  std::string include_dir{};   // for -I, of a source that includes headers
  std::string headers_hash{};  // of the headers there
};

// A program for IsaProbe::source that includes what emitted kernels include and uses it on every kind of element: a
// compiler that cannot build the kernels' headers fails it.
std::string vec_probe_source(const std::string& vec_folder);

struct ProbeResult {
  bool ok = false;
  std::string reason;  // if not ok: what failed, with the first line of the compiler's output
  bool from_cache = false;
};

// Compiles the program, runs it in a separate process and checks its exit status. The answer is kept in
// "<cache_dir>/probes" by compiler identity, ISA, flags, machine and source; an answer that may differ next time (a
// timeout, a failing compiler, a full disk) is not kept. cache_dir is the private directory that a KernelCache opened,
// or empty: nothing is read or written. Never throws for a failing probe.
ProbeResult vec_isa_ok(const IsaProbe& probe, const Toolchain& toolchain, ProcessRunner& runner,
                       const std::string& cache_dir, double timeout_seconds = 60);

}  // namespace cppgen
