#include "cppgen/compile/kept_sources.h"

#include <fmt/format.h>

#include "cppgen/compile/compile_pool.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

bool is_on(const CompileOptions& options) { return options.debug_level != "0" && !options.cache_dir.empty(); }

std::string folder(const CompileOptions& options) { return options.cache_dir + "/sources"; }

std::string kept_path(const CompileJob& job, const CompileOptions& options) {
  return folder(options) + "/" + sha256_hex(job.source).substr(0, 16) + ".cpp";
}

}  // namespace

std::vector<std::string> source_flags(const CompileJob& job, const CompileOptions& options) {
  if (!is_on(options)) return {};
  return {fmt::format("-fdebug-prefix-map={}={}", CompilePool::kSource, kept_path(job, options))};
}

void keep_sources(const std::vector<CompileJob>& jobs, const CompileOptions& options) {
  if (!is_on(options)) return;
  int error = make_private_directory(options.cache_dir, "the cache directory (CPPGEN_CACHE_DIR)");
  if (!error) error = make_directories(folder(options));
  for (const CompileJob& job : jobs) {
    const std::string path = kept_path(job, options);
    if (!error && try_read_file(path) != job.source) error = publish_file(path, job.source);
  }
  if (error)
    log_warning("DEBUG_LEVEL: '{}' cannot be written, so debuggers will not find the sources of kernels: {}",
                folder(options), error_text(error));
  else
    log_written("DEBUG_LEVEL", folder(options));
}

}  // namespace cppgen
