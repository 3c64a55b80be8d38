#include "cppgen/flow/trace.h"

#include <fmt/format.h>

#include <filesystem>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {

Trace::Trace(const CompileRequest& request) {
  if (!request.settings.trace) return;
  folder_ = request.settings.trace_dir + "/" + std::filesystem::path(request.model).stem().string();
  if (int e = make_directories(folder_)) user_error("TRACE_DIR: cannot create {}: {}", folder_, error_text(e));
}

void Trace::write(const std::string& name, const std::string& text) const {
  if (!on()) return;
  if (int e = write_file(folder_ + "/" + name, text))
    log_warning("TRACE: cannot write {}/{}: {}", folder_, name, error_text(e));
}

void Trace::stage(const std::string& stage, const std::string& text) {
  write(fmt::format("{:02}_{}.txt", stages_++, stage), text);
}

}  // namespace cppgen
