// cppgen repro
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <optional>

#include "cppgen/cli/repro/reproduction.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/data/compare.h"
#include "cppgen/flow/data/data_sets.h"
#include "cppgen/flow/trace/trace.h"
#include "cppgen/flow/trace/trace_record.h"
#include "cppgen/flow/trace/trace_settings.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/support/tar.h"
#include "cppgen/support/temp_directory.h"
#include "isa/cpu_features.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/log_copy.h"
#include "runtime/base/printable.h"
#include "runtime/base/version.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostBytes = 2 * kMostTracedBytes + kMostTracedBytes / 4;  // model, values and listings

void note(std::vector<std::string>& list, const char* what, const std::string& there, const std::string& here) {
  if (there != here) list.push_back(fmt::format("{}: {} in the trace, {} here", what, printable(there), here));
}

std::vector<std::string> surroundings_of(const TraceRecord& record, const Settings& settings, const std::string& isa) {
  std::vector<std::string> list;
  note(list, "version", record.version, std::string(rt::kVersion));
  note(list, "instruction set", record.isa, isa);
  note(list, "processor", record.cpu, cpu_vendor());
  note(list, "compiler", record.compiler, compiler_text(settings));
  note(list, "second-level cache", bytes_text(record.l2_bytes), bytes_text(cache_class(this_machine().l2_bytes)));
  note(list, "last-level cache", bytes_text(record.l3_bytes), bytes_text(cache_class(this_machine().l3_bytes)));
  return list;
}

// The model of the trace, or the one that is given, which must be the same.
std::string model_of(const ReproOptions& options, const TraceRecord& record, const std::string& folder) {
  if (options.model.empty() && record.model.empty())
    user_error("the model was too large for the trace: give it with --model");
  const std::string model = options.model.empty() ? folder + "/" + record.model : options.model;
  if (file_sha256_hex(model) != record.model_sha256) user_error("'{}' is not the model of the trace", model);
  return model;
}

bool same_bits(const rt::Value& a, const rt::Value& b) {
  if (const rt::Tensor* x = a.tensor(), *y = b.tensor(); x && y)
    return x->type() == y->type() && x->dims() == y->dims() &&
           (x->bytes() == 0 || std::memcmp(x->data(), y->data(), size_t(x->bytes())) == 0);
  if (const rt::StringTensor* x = a.strings(), *y = b.strings(); x && y)
    return x->dims == y->dims && x->elements == y->elements;
  const rt::Value::Sequence *x = a.sequence(), *y = b.sequence();
  if (x && y) return std::equal(x->begin(), x->end(), y->begin(), y->end(), same_bits);
  return a.is_empty() && b.is_empty();
}

// The error with which f ends; empty if it ends well.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
    return "";
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
}

void compare_kernels(Reproduction& result, const TraceRecord& record, const TraceRecord& again) {
  const auto& now = again.kernels;
  result.kernels = record.kernels.size();
  for (const auto& [name, hash] : record.kernels)
    if (const auto at = now.find(name); at == now.end() || at->second != hash) result.changed.push_back(name);
}

void compare_run(Reproduction& result, const ReadyModel& model, const std::string& folder) {
  const ValueSet values = read_value_set({folder, false}, model.plan());
  std::vector<rt::Value> outputs;
  result.run_error = error_of([&] { outputs = model.run_values(values.inputs); });
  result.has_run = true, result.has_outputs = !values.outputs.empty();
  if (!result.has_outputs || !result.run_error.empty()) return;
  result.same_bits =
      std::equal(outputs.begin(), outputs.end(), values.outputs.begin(), values.outputs.end(), same_bits);
  std::vector<std::string> names;
  for (const rt::TensorInfo& info : model.plan().outputs) names.push_back(info.name);
  for (const rt::OutputReport& output : compare_values(names, values.outputs, outputs, {{}, 1e-6}).outputs)
    if (!output.ok && result.difference.empty())
      result.difference = fmt::format("output '{}': {}", printable(output.name), output.reason);
}

}  // namespace

ExitCode command_repro(const ReproOptions& options, const CancelToken& cancel) {
  if (options.trace.ends_with(".onnx"))
    user_error("'{0}' is a model, and repro repeats a trace, which `cppgen run {0} --set TRACE=1` writes",
               options.trace);
  require_text_file(options.text);
  const TempDirectory temporary(cleaned_temp_directory("cppgen-repro."), "cppgen-repro.");
  std::string folder = options.trace;
  if (!fs::is_directory(options.trace)) {
    folder = temporary.path() + "/trace";
    if (const int error = make_directories(folder)) user_error("'{}': {}", folder, error_text(error));
    extract_tar(options.trace, folder, kMostBytes);
  }
  const TraceRecord record = read_trace_record(folder, options.trace);
  if (!options.load.empty())
    user_error("the settings are those of the trace; --set prevails over them, --load does not");
  ModelOptions again;
  static_cast<CommonOptions&>(again) = options;
  again.model = model_of(options, record, folder);
  again.dims = record.dims, again.states = record.states;
  again.loaded = settings_of_trace(record, settings_of(options).max_memory);
  Settings settings = read_settings(again);
  settings.set("TRACE", "1"), settings.set("TRACE_DIR", temporary.path() + "/again");
  log_no_files_of(temporary.path());
  Reproduction result;
  std::optional<ReadyModel> model;
  result.compile_error = error_of([&] { model = open_model(again, settings, cancel); });
  const std::string now = trace_folder(settings, again.model);
  if (!model && !fs::exists(now)) user_error("the compilation cannot begin: {}", result.compile_error);
  result.surroundings = surroundings_of(record, settings, model ? model->isa() : record.isa);
  compare_kernels(result, record, read_trace_record(now));
  if (record.has_run && model) compare_run(result, *model, folder);
  if (!options.text.empty())
    result.text = write_pass_text({again.model, again.dims, again.states, options.text, ""}, settings, cancel);
  print_result(options.json ? repro_json(result, record) : repro_text(result, record));
  return is_same(result, record) ? kDone : kCheckFailed;
}

}  // namespace cppgen
