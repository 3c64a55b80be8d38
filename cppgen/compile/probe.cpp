#include "cppgen/compile/probe.h"

#include <csignal>
#include <optional>

#include "cppgen/compile/helper_program.h"
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

// Loads, arithmetic, comparison, conversion, a transpose and partial stores; results are exact.
constexpr const char* kVecSource = R"cpp(
  using namespace vec;
  template <class T>
  static int moves(T one) {
    T from[2 * L], to[2 * L] = {};
    volatile int n = L - L / 2;
    for (int i = 0; i < 2 * L; i++) from[i] = T(i % 5) * one;
    const V<T> x = load(from), y = load(from + L, n);
    store(to, select(lt(x, y), x + y, x * y), n);
    for (int i = 0; i < 2 * L; i++) {
      const T a = from[i], b = i < n ? from[i + L] : T(0);
      if (i < n ? to[i] != (a < b ? T(a + b) : T(a * b)) : to[i] != T(0)) return 1;
    }
    return 0;
  }
  static int rounds(volatile float one) {
    float x[L], y[L];
    f16 narrow[L];
    for (int i = 0; i < L; i++) x[i] = one * i + 0.5f;
    store(narrow, mul_add(load(x), set1<f32>(2), set1<f32>(-1)));
    store(y, floor(load(narrow)));
    for (int i = 0; i < L; i++)
      if (y[i] != 2 * i) return 1;
    return 0;
  }
  int main() {
    volatile int one = 1;
    const int failed[] = {moves<f32>(f32(one)), moves<f64>(one), moves<i8>(i8(one)), moves<u8>(u8(one)),
                          moves<i16>(i16(one)), moves<i32>(one), moves<i64>(one),    rounds(f32(one))};
    for (int i = 0; i < 8; i++)
      if (failed[i]) return i + 1;
    return 0;
  }
)cpp";

const std::string kOkText = "ok\n";

std::vector<std::string> probe_flags(const IsaProbe& probe) {
  std::vector<std::string> flags = {"-std=gnu++20", "-O1", "-ffp-contract=fast", "-w"};
  flags.insert(flags.end(), probe.isa_flags.begin(), probe.isa_flags.end());
  if (!probe.include_dir.empty()) flags.push_back("-I" + probe.include_dir);
  return flags;
}

std::string probe_key(const IsaProbe& probe, const Toolchain& toolchain, const std::string& source) {
  Hasher hasher;
  hasher.field("probe", 3).field("compiler", toolchain.identity).field("command", toolchain.command);
  hasher.field("isa", probe.isa_name).field("flags", probe.isa_flags).field("headers", probe.headers_hash);
  return hasher.field("machine", probe.machine).field("source", source).hex();
}

// The first line that says what is wrong. Compilers begin with where they are, and report that the linker failed only
// after the linker's own message.
std::string first_error(const std::string& text) {
  constexpr std::string_view kError = "error: ", kLinker = "error: ld returned";
  const size_t at = text.find(kError);
  const size_t begin = at == text.npos || at == text.find(kLinker) ? 0 : at + kError.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

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
  const HelperRun run =
      build_and_run({"probe", source, probe_flags(probe), {}, timeout_seconds}, toolchain, runner, parent);
  // This is not repeatable: the driver exits alike for an unknown option, a full disk and a killed cc1plus.
  if (!run.ran)
    return refused(fmt::format("the compiler {}: {}", run.compiled.describe(), first_error(run.compiled.output)),
                   false);
  if (!run.ok()) return refused("the probe program " + run.ran->describe(), says_something(*run.ran));
  return {{true, "", false}, true};
}

std::optional<ProbeResult> cached_answer(const std::string& path) {
  const auto text = try_read_file(path);
  if (text == kOkText) return ProbeResult{true, "", true};
  if (!text || !text->starts_with("no ") || !text->ends_with("\n")) return std::nullopt;
  return ProbeResult{false, text->substr(3, text->size() - 4), true};
}

}  // namespace

std::string vec_probe_source(const std::string& vec_folder) {
  return fmt::format(
      "#include \"runtime/abi/abi.h\"\n#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n"
      "#include \"vec/generic/math.h\"\n#include \"vec/generic/tile.h\"\n{}",
      vec_folder, kVecSource);
}

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
