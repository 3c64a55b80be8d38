#include "cppgen/flow/compile/stages.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <filesystem>

#include "cppgen/compile/vec_headers.h"
#include "cppgen/custom/load.h"
#include "cppgen/flow/compile/disabled_passes.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/states.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/flow/reference/numeric_check.h"
#include "cppgen/forms/forms.h"
#include "cppgen/ops/op.h"
#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/costs.h"
#include "isa/cpu_features.h"
#include "runtime/abi/abi.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/contraction/tile.h"
#include "runtime/threads/topology.h"

namespace cppgen {

std::string timeout_text(const CompileRequest& request) {
  const int64_t limit = request.settings.compile_timeout_seconds;
  return fmt::format("{}: compilation was stopped (the limit is {} s: CPPGEN_COMPILE_TIMEOUT_SECONDS)", request.model,
                     limit);
}

void poll(const CompileRequest& request) {
  if (request.cancel && request.cancel->cancelled()) throw Cancelled("compilation was cancelled");
  const auto limit = std::chrono::seconds(request.settings.compile_timeout_seconds);
  if (std::chrono::steady_clock::now() - request.begin > limit) user_error("{}", timeout_text(request));
}

double StageClock::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void StageClock::add(const std::string& stage, double seconds) {
  const bool is_import = stage == "read";  // its name in reports
  if (request_) log_info("{}: {:.3f} s", is_import ? "import" : stage, seconds);
  for (auto& s : stages_)
    if (s.first == stage) {
      s.second += seconds;
      return;
    }
  stages_.push_back({stage, seconds});
}

void StageClock::part(const std::string& name) {
  const double end = now(), seconds = end - part_start_;
  spans_.push_back({stage_, name, part_start_, end});
  part_start_ = end;
  for (StagePart& part : parts_)
    if (part.stage == stage_ && part.name == name) {
      part.seconds += seconds;
      return;
    }
  parts_.push_back({stage_, name, seconds});
}

double StageClock::of(const std::string& stage) const {
  for (const auto& s : stages_)
    if (s.first == stage) return s.second;
  return 0;
}

std::string custom_operator_paths(const CompileRequest& request) {
  std::string paths = request.settings.custom_ops;
  for (const std::string& path : request.custom_operators) paths += ":" + path;
  return paths;
}

Graph import_model(const CompileRequest& request, const std::vector<rt::CustomFile>& custom, ImportRecord* record) {
  const ImportOptions options{request.dims, record, custom::make_operators(custom), request.settings.freezing};
  Graph graph = request.bytes ? import_onnx_bytes(request.bytes->content, request.bytes->folder, options, request.model)
                              : import_onnx(request.model, options);
  note_states(graph, request.states);
  return graph;
}

// The cost of folding is limited in proportion to the model's constants, and to half of the memory.
static passes::FoldBudget fold_budget(const Graph& graph, const Settings& settings) {
  constexpr int64_t kLeastBytes = int64_t{64} << 20, kLeastSteps = int64_t{1} << 31;
  constexpr int64_t kTimes = 8, kStepsOfByte = 4;
  int64_t bytes = 0;
  for (const Value& value : graph.values)
    if (value.constant) bytes += int64_t(value.constant->data.size);
  return {std::min(settings.max_memory / 2, kLeastBytes + kTimes * bytes), kLeastSteps + kStepsOfByte * bytes};
}

passes::PassOptions pass_options(const Graph& graph, const Settings& settings) {
  passes::PassOptions options;
  *options.budget = fold_budget(graph, settings);
#define CPPGEN_SETTING(...)
#define CPPGEN_PASS_SETTING(kind, field, ...) options.field = settings.field;
#include "runtime/base/settings.def"
  options.disabled = disabled_passes(settings);
  return options;
}

void simplify(Graph& graph, const CompileRequest& request, Trace* trace, StageClock* clock) {
  passes::PassOptions options = pass_options(graph, request.settings);
  const bool traced = trace && trace->wants_stages();
  if (traced) trace->stage("import", to_string(graph));
  NumericCheck check(request);
  options.trace = [&](const char* pass, const Graph& g) {
    if (clock) clock->part(pass);
    poll(request);
    if (traced) trace->stage(pass, to_string(g));
    if (!request.settings.passes_numeric_check) return;
    check.after_graph_pass(pass, g);
    if (clock) clock->part("numeric check");
  };
  passes::run_passes(graph, options);
}

Graph read_and_simplify(const CompileRequest& request, StageClock& clock, Trace* trace) {
  Graph graph =
      clock.time("read", [&] { return import_model(request, rt::read_custom_files(custom_operator_paths(request))); });
  clock.time("passes", [&] { simplify(graph, request, trace, &clock); });
  return graph;
}

// Returns why the value cannot be used; empty if it can.
static std::string fault_of_blocking(const Settings& s) {
  if (schedule::parse_blocking(s.gemm_cache_blocking)) return "";
  return "allowed: auto, or Mt,Nt,0, the numbers of tiles of rows and of panels in a unit";
}

static std::string fault_of_remote_cache(const Settings& s) {
  if (s.remote_cache.empty() || parse_remote_address(s.remote_cache)) return "";
  return "the value is not of the form redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS";
}

void refuse_foreign_texts(Settings& s) {
  if (const std::string fault = fault_of_blocking(s); !fault.empty())
    s.ignore_alias(SettingId::gemm_cache_blocking, fault);
  if (const std::string fault = fault_of_remote_cache(s); !fault.empty())
    s.ignore_alias(SettingId::remote_cache, fault);
}

static schedule::Blocking blocking_of(const Settings& s) {
  if (const std::string fault = fault_of_blocking(s); !fault.empty())
    user_error("{}: \"{}\" is not allowed; {}", s.source(SettingId::gemm_cache_blocking).name, s.gemm_cache_blocking,
               fault);
  return *schedule::parse_blocking(s.gemm_cache_blocking);
}

static std::optional<RemoteAddress> remote_cache_of(const Settings& s) {
  if (const std::string fault = fault_of_remote_cache(s); !fault.empty())
    user_error("{}: {}", s.source(SettingId::remote_cache).name, fault);
  return s.remote_cache.empty() ? std::nullopt : parse_remote_address(s.remote_cache);
}

schedule::Options schedule_options(const Settings& s) {
  schedule::Options o;
#define CPPGEN_SETTING(...)
#define CPPGEN_SCHEDULE_SETTING(kind, field, ...) o.field = s.field;
#include "runtime/base/settings.def"
  o.disabled_passes = disabled_passes(s);
  o.blocking = blocking_of(s);
  o.kernel_names = s.descriptive_names == "node" ? schedule::KernelNames::nodes : schedule::KernelNames::operators;
  o.fpmath = schedule::float_math_from_name(s.fpmath_mode);
  return o;
}

schedule::Options schedule_options(const CompileRequest& request, const VecISA& isa) {
  schedule::Options options = schedule_options(request.settings);
  options.choices = request.choices ? request.choices : stored_choices(isa, request.settings);
  return options;
}

void check_settings(const Settings& s) {
  (void)schedule_options(s);
  (void)remote_cache_of(s);
  (void)rt::read_custom_files(s.custom_ops);
  (void)possible_isas(s);
  const VecISA* isa = s.isa.size() == 1 ? find_isa(s.isa[0]) : nullptr;
  if (isa || s.tuning.find('=') == s.tuning.npos)
    (void)schedule::tuned(schedule::Tuning(isa ? isa->lanes : 16), s.tuning);
}

const MachineDescription& this_machine() {
  static const MachineDescription machine = rt::machine_description(rt::topology_of_this_machine());
  return machine;
}

PeaksRequest peaks_request(const VecISA& isa, int threads, const Settings& s) {
  const bool cached = s.kernel_cache && !s.force_disable_caches;
  return {isa, threads, this_machine(), Toolchain::find(s.cxx), cached ? s.cache_dir : ""};
}

// Cache sizes are rounded down to powers of two, so that machines with slightly different caches share kernels.
int64_t cache_class(int64_t bytes) { return bytes > 0 ? int64_t(std::bit_floor(uint64_t(bytes))) : 0; }

schedule::Target target_of(const VecISA& isa, const MachineDescription& machine) {
  schedule::Target target{
      std::string(isa.name), isa.lanes, {}, cache_class(machine.l2_bytes), cache_class(machine.l3_bytes)};
  target.bf16_dot_speed = bf16_dot_speed(cpu_vendor());
  target.finished_tiles = has_finished_tiles(isa);
  target.byte_dots = isa.required.has_any(arch::kByteDots);
  for (size_t f = 0; f < rt::kTileFormatCount; f++) target.tiles[f] = rt::tile_shape(isa.name, rt::TileFormat(f));
  return target;
}

// A build under the sanitizer watches its kernels, too.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kWatchesKernels = true;
#else
constexpr bool kWatchesKernels = false;
#endif

// They are compiled as kernels are by default, contain no checks, and are not part of a source tree.
bool may_call_prebuilt_tiles(const Settings& s) {
  return !kWatchesKernels && s.prebuilt_tiles && s.ndebug && s.inject_relu_bug == "none" &&
         !s.include_from_sourcetree && s.enable_floating_point_contract_flag == "off" && !s.enable_unsafe_math_opt_flag;
}

void replace_numbers(schedule::Target& target, const Settings& settings) {
  target.tuning = schedule::tuned(target.tuning, settings.tuning);
  if (!settings.costs.empty())
    target.costs = std::make_shared<const schedule::Costs>(schedule::costs_with(settings.costs));
}

schedule::Target target_of(const VecISA& isa, const Settings& settings) {
  schedule::Target target = target_of(isa, this_machine());
  target.finished_tiles = target.finished_tiles && may_call_prebuilt_tiles(settings);
  replace_numbers(target, settings);
  return target;
}

CompileOptions compile_options(const CompileRequest& request) {
  const Settings& s = request.settings;
  CompileOptions o;
#define CPPGEN_SETTING(...)
#define CPPGEN_COMPILE_SETTING(kind, field, ...) o.field = s.field;
#include "runtime/base/settings.def"
  o.abi_version = CPPGEN_ABI_VERSION;
  if (s.include_from_sourcetree) o.include_dir = usable_source_tree();
  if (s.enable_asm_info) o.asm_dir = s.cache_dir + "/asm/" + std::filesystem::path(request.model).filename().string();
  o.remote_cache = remote_cache_of(s);
  o.on_progress = request.on_progress;
  o.cancel = request.cancel;
  if (kWatchesKernels) o.extra_flags = {"-fsanitize=address"};
  return o;
}

std::vector<codegen::KernelText> emit_kernels(const schedule::Schedule& schedule, const schedule::Target& target,
                                              const Settings& settings) {
  codegen::Options options;
#define CPPGEN_SETTING(...)
#define CPPGEN_CODEGEN_SETTING(kind, field, ...) options.field = settings.field;
#include "runtime/base/settings.def"
  options.relu_bug = codegen::injected_bug_from_name(settings.inject_relu_bug);
  options.log1p_bug = codegen::injected_bug_from_name(settings.inject_log1p_bug);
  return forms::emit_kernels(schedule, target, options);
}

}  // namespace cppgen
