#include "cppgen/flow/trace/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cppgen/compile/toolchain.h"
#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/trace/trace_record.h"
#include "cppgen/flow/trace/trace_settings.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "isa/cpu_features.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/version.h"
#include "runtime/values/test_case.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompilerLogs = "compiler";
constexpr const char *kFolder = "model/", *kModel = "model/model.onnx";  // away from the names of other files

int64_t size_of_value(const rt::Value& value) {
  if (value.tensor()) return value.tensor()->bytes();
  int64_t bytes = 0;
  if (value.strings())
    for (const std::string& element : value.strings()->elements) bytes += int64_t(element.size());
  if (value.sequence())
    for (const rt::Value& element : *value.sequence()) bytes += size_of_value(element);
  return bytes;
}

std::vector<std::string> arrays_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".npy") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void pack_run(const std::string& folder, TraceRecord& record) {
  record.files.push_back("io.json");
  for (const std::string& name : arrays_in(folder)) record.files.push_back(name);
  write_trace_record(folder, record);
  pack_trace(folder, record);
}

}  // namespace

std::string trace_folder(const Settings& settings, const std::string& model) {
  return settings.trace_dir + "/" + fs::path(model).stem().string();
}

std::string compiler_text(const Settings& settings) {
  try {
    return fmt::format("{}", fmt::join(Toolchain::find(settings.cxx).identity, "; "));
  } catch (const UserError&) {
    return "none";
  }
}

std::string make_trace_folder(const CompileRequest& request) {
  const std::string folder = trace_folder(request.settings, request.model);
  if (int e = make_directories(folder)) user_error("TRACE_DIR: cannot create {}: {}", folder, error_text(e));
  return folder;
}

Trace::Trace(const CompileRequest& request, StageListener listener) : listener_(std::move(listener)) {
  if (!request.settings.trace) return;
  folder_ = make_trace_folder(request);
  messages_.emplace();
  remove_tree(compiler_logs());
}

std::string Trace::compiler_logs() const { return on() ? folder_ + "/" + kCompilerLogs : ""; }

void Trace::write(const std::string& name, const std::string& text) {
  if (!on() || text.empty()) return;
  if (int e = write_file(folder_ + "/" + name, text))
    return log_warning("TRACE: cannot write {}/{}: {}", folder_, name, error_text(e));
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
}

void Trace::write_result(const std::string& name, const std::string& text) {
  if (!on()) return;
  write(name, text);
  results_[name] = sha256_hex(text);
}

void Trace::stage(const std::string& stage, const std::string& text) {
  write(fmt::format("{:02}_{}.txt", stages_++, stage), text);
  if (listener_) listener_(stage, text);
}

void Trace::add(const std::string& name, const std::string& source) {
  const fs::path target = fs::path(folder_) / name;
  if (int e = make_directories(target.parent_path().string())) user_error("{}", error_text(e));
  if (!fs::exists(target) || !fs::equivalent(source, target))
    fs::copy_file(source, target, fs::copy_options::overwrite_existing);
  files_.push_back(name);
}

// False if it is too large.
bool Trace::add_model(const CompileRequest& request, const ImportRecord& source) {
  const std::string from = model_folder(request);
  std::vector<std::pair<std::string, std::string>> files;
  if (!request.bytes) files.emplace_back(kModel, request.model);
  for (const std::string& location : source.external->locations())
    files.emplace_back(kFolder + location, from + "/" + location);
  uintmax_t bytes = request.bytes ? request.bytes->content.size() : 0;
  for (const auto& file : files) bytes += fs::file_size(file.second);
  if (bytes > uintmax_t(kMostTracedBytes)) return false;
  for (const auto& [name, path] : files) add(name, path);
  if (request.bytes) {
    const auto& content = request.bytes->content;
    write(kModel, std::string(reinterpret_cast<const char*>(content.data()), content.size()));
  }
  return true;
}

void Trace::add_logs(const CompileRequest& request, const std::string& error) {
  std::string text;
  for (const std::string& warning : request.settings.warnings) text += "warning: " + warning + "\n";
  text += messages_->text();
  if (!error.empty()) text += "error: " + error + "\n";
  write("messages.txt", text);
  if (!fs::exists(compiler_logs())) return;
  std::vector<std::string> logs;
  for (const auto& file : fs::directory_iterator(compiler_logs()))
    logs.push_back(fmt::format("{}/{}", kCompilerLogs, file.path().filename().string()));
  std::sort(logs.begin(), logs.end());
  files_.insert(files_.end(), logs.begin(), logs.end());
}

void Trace::pack(const CompileRequest& request, const ImportRecord& source, const std::string& isa,
                 const std::string& error) {
  if (!on() || !source.external) return;
  try {
    add_logs(request, error);
    TraceRecord record;
    record.version = rt::kVersion, record.isa = isa, record.cpu = cpu_vendor();
    record.compiler = compiler_text(request.settings);
    record.l2_bytes = cache_class(this_machine().l2_bytes), record.l3_bytes = cache_class(this_machine().l3_bytes);
    record.model_sha256 = source.model_sha256;
    if (add_model(request, source)) record.model = kModel;
    for (const DimOption& dim : request.dims) record.dims.push_back(to_string(dim));
    for (const StateOption& state : request.states) record.states.push_back(to_string(state));
    for (const SettingDescription& setting : request.settings.describe())
      if (setting.source != "default" && setting.source != "AUTO" && is_traced_setting(setting.name))
        record.settings.emplace(setting.name, setting.value);
    record.kernels = results_, record.files = files_, record.compile_error = error;
    write_trace_record(folder_, record);
    pack_trace(folder_, record);
    log_written("TRACE", fmt::format("{} and {}.tar", folder_, folder_));
  } catch (const std::exception& error) {
    log_warning("TRACE: {}.tar cannot be written: {}", folder_, error.what());
  }
}

RunTrace::RunTrace(std::string folder, const rt::Plan& plan, std::span<const rt::Value> inputs)
    : folder_(std::move(folder)), plan_(plan), inputs_(inputs) {
  ok_ = update([&](TraceRecord& record) {
    write_values({});
    record.has_run = true;
    write_trace_record(folder_, record);
  });
}

void RunTrace::add_outputs(std::span<const rt::Value> outputs) const {
  if (!ok_) return;
  update([&](TraceRecord& record) {
    write_values(outputs);
    pack_run(folder_, record);
  });
}

void RunTrace::add_error(const std::string& error) const {
  if (!ok_) return;
  update([&](TraceRecord& record) {
    record.run_error = error;
    pack_run(folder_, record);
  });
}

void RunTrace::write_values(std::span<const rt::Value> outputs) const {
  int64_t bytes = 0;
  for (const auto& values : {inputs_, outputs})
    for (const rt::Value& value : values) bytes += size_of_value(value);
  if (bytes > kMostTracedBytes) user_error("the inputs and outputs of the run have {} bytes", bytes);
  for (const std::string& old : arrays_in(folder_)) fs::remove(folder_ + "/" + old);
  rt::write_value_case(folder_, plan_, inputs_, outputs);
}

bool RunTrace::update(const std::function<void(TraceRecord&)>& change) const {
  try {
    TraceRecord record = read_trace_record(folder_);
    change(record);
    return true;
  } catch (const std::exception& error) {
    log_warning("TRACE: the run is not recorded: {}", error.what());
    return false;
  }
}

}  // namespace cppgen
