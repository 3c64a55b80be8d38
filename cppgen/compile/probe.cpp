#include "cppgen/compile/probe.h"

#include <csignal>
#include <optional>

#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {

namespace {

// 64-byte vectors fill one AVX-512 register; for narrower ISAs g++ splits them. Values pass through volatile memory, so
// that nothing is computed at compile time. All results are exact.
constexpr const char* kDefaultSource = R"cpp(
  typedef float f32 __attribute__((vector_size(64)));
  typedef double f64 __attribute__((vector_size(64)));
  typedef int i32 __attribute__((vector_size(64)));
  volatile float one = 1.0f;
  volatile int limit = 5;
  int main() {
    f32 x, y;
    f64 d;
    i32 n;
    for (int i = 0; i < 16; ++i) x[i] = one * i, n[i] = i, d[i % 8] = one * i;
    y = x * x + x;
    d = d * d + d;
    const i32 small = n < limit;
    n = small ? n * 3 : n << 1;
    y = small ? y : -y;
    for (int i = 0; i < 16; ++i) {
      const int square = i * i + i;
      if (y[i] != (i < 5 ? square : -square) || n[i] != (i < 5 ? i * 3 : i << 1)) return 1;
    }
    for (int i = 0; i < 8; ++i)
      if (d[i] != (i + 8) * (i + 8) + i + 8) return 2;
    return 0;
  }
)cpp";

const std::string kOkText = "ok\n";
constexpr double kRunTimeoutSeconds = 10;

std::vector<std::string> probe_flags(const IsaProbe& probe) {
  std::vector<std::string> flags = {"-std=gnu++20", "-O2", "-ffp-contract=fast", "-w"};
  flags.insert(flags.end(), probe.isa_flags.begin(), probe.isa_flags.end());
  return flags;
}

std::string probe_key(const IsaProbe& probe, const Toolchain& toolchain, const std::string& source) {
  Hasher hasher;
  hasher.field("probe", 1).field("compiler", toolchain.identity).field("command", toolchain.command);
  hasher.field("isa", probe.isa_name).field("flags", probe_flags(probe));
  return hasher.field("machine", probe.machine).field("source", source).hex();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Trial {
  ProbeResult result;
  bool repeatable;  // the same compiler on the same machine will answer the same
};

Trial refused(std::string reason, bool repeatable) { return {{false, std::move(reason), false}, repeatable}; }

// A program stopped by the clock or by a kill says nothing about the ISA; an illegal instruction or a wrong sum does.
bool says_something(const ProcessResult& ran) {
  return ran.end == ProcessResult::End::exited || (ran.end == ProcessResult::End::signaled && ran.code != SIGKILL);
}

Trial compile_and_run(const IsaProbe& probe, const Toolchain& toolchain, ProcessRunner& runner,
                      const std::string& source, const std::string& parent, double timeout_seconds) {
  const TempDirectory folder(parent, "probe-");
  if (const int error = write_file(folder.path() + "/probe.cpp", source)) {
    return refused("cannot write its source: " + error_text(error), false);
  }
  ProcessSpec compile;
  compile.argv = toolchain.command;
  for (const std::string& flag : probe_flags(probe)) compile.argv.push_back(flag);
  for (const char* word : {"-o", "probe", "probe.cpp"}) compile.argv.emplace_back(word);
  compile.working_directory = folder.path();
  compile.environment = {{"TMPDIR", folder.path()}, {"LC_ALL", "C"}};
  compile.timeout_seconds = timeout_seconds;
  const ProcessResult compiled = runner.run(compile);
  if (!compiled.ok()) {
    // Not repeatable: the driver exits alike for an unknown option, a full disk and a killed cc1plus.
    return refused(fmt::format("the compiler {}: {}", compiled.describe(), first_line(compiled.output)), false);
  }
  ProcessSpec run;
  run.argv = {folder.path() + "/probe"};
  run.timeout_seconds = kRunTimeoutSeconds;
  const ProcessResult ran = runner.run(run);
  if (!ran.ok()) return refused("the probe program " + ran.describe(), says_something(ran));
  return {{true, "", false}, true};
}

std::optional<ProbeResult> cached_answer(const std::string& path) {
  const auto text = try_read_file(path);
  if (text == kOkText) return ProbeResult{true, "", true};
  if (!text || !text->starts_with("no ") || !text->ends_with("\n")) return std::nullopt;
  return ProbeResult{false, text->substr(3, text->size() - 4), true};
}

}  // namespace

ProbeResult vec_isa_ok(const IsaProbe& probe, const Toolchain& toolchain, ProcessRunner& runner,
                       const std::string& cache_dir, double timeout_seconds) {
  const std::string source = probe.source.empty() ? kDefaultSource : probe.source;
  const std::string answers = cache_dir + "/probes", path = answers + "/" + probe_key(probe, toolchain, source);
  if (!cache_dir.empty()) {
    if (auto answer = cached_answer(path)) return *answer;
  }
  try {
    // Programs may be forbidden in the system's temporary directory (noexec); the cache holds code anyway.
    const bool in_cache =
        !cache_dir.empty() && make_directories(cache_dir + "/tmp") == 0 && make_directories(answers) == 0;
    const std::string parent = in_cache ? cache_dir + "/tmp" : system_temp_directory();
    const Trial trial = compile_and_run(probe, toolchain, runner, source, parent, timeout_seconds);
    if (in_cache && trial.repeatable) {
      // A probe that cannot be stored is repeated next time.
      (void)publish_file(path, trial.result.ok ? kOkText : "no " + trial.result.reason + "\n");
    }
    return trial.result;
  } catch (const UserError& error) {
    return {false, error.what(), false};
  }
}

}  // namespace cppgen
