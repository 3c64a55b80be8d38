#include "cppgen/library/tuning.h"

#include <dlfcn.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/versions.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen::library {
namespace {

namespace fs = std::filesystem;

bool asks_for_tuning(const Settings& s) {
  return s.max_autotune || s.max_autotune_gemm || s.max_autotune_pointwise || s.autotune_policy == "autotune";
}

// The program is in ../bin of the library's folder in build trees, wheels and most installations, and one folder
// further up where libraries of an architecture have a folder of their own. UserError if it is in neither.
std::string program_of_library() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&cppgen_compile), &info) == 0) user_error("the library is in no file");
  const fs::path folder = fs::weakly_canonical(info.dli_fname).parent_path();
  for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()})
    if (const fs::path program = above / "bin" / "cppgen"; fs::exists(program)) return program.string();
  user_error("there is no program cppgen in {}", (folder.parent_path() / "bin").string());
}

// The file of a model, also of one in memory.
std::string file_of(const cppgen_request& request, std::optional<TempDirectory>& holder) {
  if (!request.bytes) return request.model;
  if (!request.bytes->folder.empty()) user_error("weights of a model in memory may be in other files");
  constexpr const char* kPrefix = "cppgen_tuning_";
  const std::string path = holder.emplace(cleaned_temp_directory(kPrefix), kPrefix).path() + "/model.onnx";
  const auto& content = request.bytes->content;
  const int error = write_file(path, {reinterpret_cast<const char*>(content.data()), content.size()});
  if (error) user_error("{} cannot be written: {}", path, error_text(error));
  return path;
}

// Returns what the request says, as options of `cppgen tune`. UserError for what that command lacks.
std::vector<std::string> options_of(const cppgen_request& request) {
  if (!request.states.empty()) user_error("it has states");
  std::vector<std::string> all{"--json"};
  for (const auto& [name, value] : request.settings) all.push_back("--set=" + name + "=" + value);
  if (!request.custom_operators.empty())
    all.push_back(fmt::format("--set=CUSTOM_OPS={}", fmt::join(request.custom_operators, ":")));
  for (const DimOption& dim : request.dims) all.push_back("--dim=" + to_string(dim));
  for (const rt::SymbolSizes& sizes : request.versions) all.push_back("--sizes=" + rt::name_of(sizes));
  return all;
}

// Removes the variables that a request does not use.
void leave_out_settings(ProcessSpec& spec, const Settings& settings) {
  for (const SettingDescription& setting : settings.describe()) {
    spec.environment.emplace_back("CPPGEN_" + std::string(setting.name), std::nullopt);
    for (const std::string& alias : setting.aliases) spec.environment.emplace_back(alias, std::nullopt);
  }
}

// The last line that a program printed, without its name.
std::string message_in(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  return text.starts_with("cppgen: ") ? text.substr(8) : text;
}

void tune(const cppgen_request& request, const Settings& settings, const CancelToken& cancel) {
  std::optional<TempDirectory> holder;
  ProcessSpec spec;
  spec.argv = {program_of_library(), "tune", file_of(request, holder)};
  for (std::string& option : options_of(request)) spec.argv.push_back(std::move(option));
  if (!request.environment) leave_out_settings(spec, settings);
  PosixProcessRunner runner;
  runner.start(spec);
  std::optional<ProcessRunner::Completion> end;
  while (!(end = runner.wait_any(0.2)))
    if (cancel.cancelled()) throw Cancelled("interrupted");
  if (!end->result.ok()) user_error("{}: {}", end->result.describe(), message_in(end->result.output));
}

}  // namespace

void prepare_tunings(const cppgen_request& request, const Settings& settings, const CancelToken& cancel) {
  if (!asks_for_tuning(settings)) return;
  try {
    tune(request, settings, cancel);
    log_info("`cppgen tune` has tuned the model, or had done so before");
  } catch (const UserError& error) {
    log_warning("the model is not tuned first, so results that are stored are used (`cppgen tune` makes them): {}",
                error.what());
  }
}

}  // namespace cppgen::library
