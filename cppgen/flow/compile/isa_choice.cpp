#include "cppgen/flow/compile/isa_choice.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "cppgen/compile/kernel_cache.h"
#include "cppgen/compile/probe.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/subprocess.h"
#include "isa/cpu_features.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/contraction/amx_support.h"

namespace cppgen {
namespace {

bool names(const Settings& s, std::string_view isa) {
  return std::find(s.isa.begin(), s.isa.end(), isa) != s.isa.end();
}

std::vector<std::string> flags_of(const VecISA& isa) { return {isa.compiler_flags.begin(), isa.compiler_flags.end()}; }

// A list of instruction sets is for several machines.
bool for_other_machines(const Settings& s) { return s.vec_isa_ok == true || (!s.vec_isa_ok && s.isa.size() > 1); }

// The CPU's features, without those of AMX if USE_AMX, the operating system or the self-check of the tiles disables
// them.
CpuFeatures usable_features(const Settings& s) {
  const CpuFeatures cpu = detect_cpu_features();
  const VecISA* tiles = matrix_tile_isa();
  if (!tiles) {
    if (s.use_amx == true) user_error("USE_AMX=1: {}", rt::amx_support().reason);
    return cpu;
  }
  const VecISA& amx = *tiles;
  const bool named = names(s, amx.name), requested = s.use_amx == true || named;
  if (s.use_amx == true && !names(s, "auto") && !named)
    user_error("USE_AMX=1 contradicts ISA={}. It allows ISA=auto and ISA={}", fmt::join(s.isa, ","), amx.name);
  if (s.use_amx == false && named) user_error("ISA={} contradicts USE_AMX=0. Unset one of them", amx.name);
  if (s.use_amx != false && (requested || cpu.has_all(amx.required))) {
    const rt::AmxSupport& support = rt::amx_support();
    if (support.usable) return cpu;
    if (requested && !(named && for_other_machines(s)))
      user_error("{} requires AMX, but {}; with VEC_ISA_OK=1, kernels for other machines can be compiled",
                 s.use_amx == true ? "USE_AMX=1" : fmt::format("ISA={}", amx.name), support.reason);
    log_info("AMX is not used here: {}", support.reason);
  }
  return cpu.without(own_features(amx));
}

// Returns whether the compiler can build the headers of kernels for this row, and the machine can run the result.
ProbeResult probe_row(const VecISA& row, CpuFeatures cpu, const CompileOptions& options) {
  const Toolchain toolchain = Toolchain::find(options.cxx);
  PosixProcessRunner runner;
  const bool cached = options.kernel_cache && !options.force_disable_caches;
  if (cached) KernelCache open(options.cache_dir);
  const std::string cache_dir = cached ? options.cache_dir : "";
  VecHeaders headers = VecHeaders::choose(options.include_dir, cache_dir);
  const IsaProbe probe{std::string(row.name), flags_of(row), to_string(cpu), vec_probe_source(std::string(row.folder)),
                       headers.path(),        headers.hash()};
  return vec_isa_ok(probe, toolchain, runner, cache_dir);
}

// Returns why even code without vectors cannot be compiled and run: a limit of the system (ulimit -n, -u, -f), a full
// disk or a compiler that does not work. Empty if it can. An instruction set that fails then is not to blame.
std::string fault_of_surroundings(CpuFeatures cpu, const CompileOptions& options) {
  const ProbeResult result = probe_row(all_isas()[0], cpu, options);
  return result.ok ? "" : result.reason;
}

const VecISA& prove(const VecISA& likely, const Settings& s, const CompileOptions& options) {
  const CpuFeatures cpu = usable_features(s);
  const auto rows = all_isas();
  for (size_t i = size_t(&likely - rows.data()); i > 0; i--) {
    const VecISA& row = rows[i];
    if (!cpu.has_all(row.required)) continue;
    ProbeResult result = probe_row(row, cpu, options);
    if (result.ok) return row;
    if (const std::string fault = fault_of_surroundings(cpu, options); !fault.empty())
      user_error("instruction sets cannot be verified here, not even the one that every machine has: {}", fault);
    result = probe_row(row, cpu, options);  // a limit of the system may have been reached for a moment
    if (result.ok) return row;
    if (!names(s, "auto"))
      user_error("ISA={} is not usable with this compiler on this machine: {}", row.name, result.reason);
    log_warning("instruction set {} is not usable here ({}): trying the next one", row.name, result.reason);
  }
  return rows[0];
}

}  // namespace

std::vector<const VecISA*> possible_isas(const Settings& s) {
  if (names(s, "auto") && s.isa.size() > 1)
    user_error("ISA={}: auto is the best instruction set of this machine; it is no part of a list",
               fmt::join(s.isa, ","));
  const std::optional<bool> ok = for_other_machines(s) ? true : s.vec_isa_ok;
  std::vector<const VecISA*> all;
  for (const std::string& isa : s.isa) all.push_back(&select_isa({isa, int(s.simdlen), ok}, usable_features(s)));
  return all;
}

const VecISA& likely_isa(const Settings& s) {
  std::vector<const VecISA*> all = possible_isas(s);
  std::sort(all.begin(), all.end());  // rows of one table
  const CpuFeatures cpu = usable_features(s);
  const auto runs = [&](const VecISA* isa) { return cpu.has_all(isa->required); };
  const auto best = std::find_if(all.rbegin(), all.rend(), runs);
  return best == all.rend() ? *all.back() : **best;
}

void choose_isa(Settings& s, const std::string& isa) {
  const VecISA* row = find_isa(isa);
  if (for_other_machines(s) && row && !usable_features(s).has_all(row->required)) s.vec_isa_ok = true;
  s.isa = {isa};
}

IsaChoice::IsaChoice(const Settings& settings, const CompileOptions& options) : likely_(likely_isa(settings)) {
  const bool certain = settings.vec_isa_ok || likely_.lanes == 1;
  const auto settle = [&likely = likely_, certain, settings, options]() -> const VecISA& {
    return certain ? likely : prove(likely, settings, options);
  };
  try {
    settled_ = std::async(certain ? std::launch::deferred : std::launch::async, settle);
  } catch (const std::system_error& error) {
    log_info("the system refuses another thread ({}): the instruction set is verified later", error.what());
    settled_ = std::async(std::launch::deferred, settle);
  }
}

void settle_foreign_compiler(Settings& settings) {
  if (settings.source(SettingId::cxx).kind != SettingSource::alias) return;
  std::string reason;
  try {
    CompileRequest request;
    request.settings = settings;
    const ProbeResult result = probe_row(all_isas()[0], detect_cpu_features(), compile_options(request));
    if (!result.ok) reason = fmt::format("it cannot build kernels ({})", result.reason);
  } catch (const UserError& error) {
    reason = error.what();
  }
  if (reason.empty() || !settings.ignore_alias(SettingId::cxx, reason)) return;
  log_warning("{}; kernels are compiled with {}; set CPPGEN_CXX to choose another compiler", settings.warnings.back(),
              settings.cxx);
}

}  // namespace cppgen
