#include "cppgen/flow/trace.h"

#include <fmt/format.h>

#include <filesystem>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {

std::string make_trace_folder(const CompileRequest& request) {
  const std::string folder = request.settings.trace_dir + "/" + std::filesystem::path(request.model).stem().string();
  if (int e = make_directories(folder)) user_error("TRACE_DIR: cannot create {}: {}", folder, error_text(e));
  return folder;
}

Trace::Trace(const CompileRequest& request, StageListener listener) : listener_(std::move(listener)) {
  if (request.settings.trace) folder_ = make_trace_folder(request);
}

void Trace::write(const std::string& name, const std::string& text) const {
  if (!on()) return;
  if (int e = write_file(folder_ + "/" + name, text))
    log_warning("TRACE: cannot write {}/{}: {}", folder_, name, error_text(e));
}

void Trace::stage(const std::string& stage, const std::string& text) {
  write(fmt::format("{:02}_{}.txt", stages_++, stage), text);
  if (listener_) listener_(stage, text);
}

}  // namespace cppgen
