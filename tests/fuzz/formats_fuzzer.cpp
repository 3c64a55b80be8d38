// Any bytes as an archive of a trace, a file of settings, a file of results of tunings, or an array: each is read, or
// refused by a UserError. The first byte says as what. Other exceptions, crashes, hangs and files outside the folder of
// an archive are findings.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "cppgen/cli/shared/settings_file.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/flow/trace/trace_record.h"
#include "cppgen/flow/trace/trace_settings.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/tar.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/values/npy.h"

namespace cppgen {
namespace {

constexpr int64_t kMostMemory = int64_t{1} << 30;

// The bytes as a file, which has no name.
class BytesFile {
 public:
  explicit BytesFile(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (::write(file_.get(), bytes.data(), bytes.size()) != ssize_t(bytes.size())) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  FileDescriptor file_;
};

void require(bool ok) {
  if (!ok) std::abort();
}

// A setting that a stranger chose names no program, file or server, and has its place in a line.
void check_taken(const TraceRecord& record) {
  Settings settings;
  const Settings before;
  for (const auto& [name, value] : settings_of_trace(record, kMostMemory)) settings.set(name, value);
  require(settings.cxx == before.cxx && settings.cache_dir == before.cache_dir);
  require(settings.custom_ops == before.custom_ops && settings.remote_cache == before.remote_cache);
  require(settings.assert_indirect_indexing);
  require(settings.debug_level.find_first_of("/@'\"\\\n") == std::string::npos);
}

void read_archive(std::string_view bytes) {
  static const TempDirectory folder(system_temp_directory(), "cppgen-fuzz.");
  const std::string inside = folder.path() + "/inside";
  remove_tree(inside);
  require(make_directories(inside) == 0);
  try {
    extract_tar(BytesFile(bytes).path(), inside, 1 << 20);
    check_taken(read_trace_record(inside));
  } catch (const UserError&) {
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) require(entry.path() == inside);
}

// Reads the text alone, too, which random bytes in an archive hardly reach.
void read_record(std::string_view bytes) {
  static const TempDirectory folder(system_temp_directory(), "cppgen-fuzz.");
  require(write_file(folder.path() + "/repro.json", bytes) == 0);
  check_taken(read_trace_record(folder.path()));
}

// What is read can be written, and is the same then.
void read_settings(std::string_view bytes) {
  const auto pairs = read_settings_file(BytesFile(bytes).path());
  Settings settings;
  for (const auto& [name, value] : pairs) settings.set(name, value);
  const auto changed = changed_settings(settings);
  Settings again;
  for (const auto& [name, value] : read_settings_file(BytesFile(settings_file_text(changed)).path()))
    again.set(name, value);
  require(settings.key_text() == again.key_text() && settings.cxx == again.cxx);
}

void read_results(std::string_view bytes) {
  static const TempDirectory folder(system_temp_directory(), "cppgen-fuzz.");
  const std::string file = folder.path() + "/results.jsonl";
  ::unlink(file.c_str());
  (void)valid_tuning_lines(BytesFile(bytes).path());
  (void)results_in_use(BytesFile(bytes).path(), {"cpu", "scalar", 1, {"g++"}, "0.1.0"});
  const int count = merge_tuning_results(file, std::string(bytes), "fuzz");
  require(count == 0 || merge_tuning_results(file, read_file(file), "again") == 0);
}

void read_array(std::string_view bytes) { (void)rt::read_npy(BytesFile(bytes).path()); }

}  // namespace
}  // namespace cppgen

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = (cppgen::set_log_level(cppgen::LogLevel::error), true);
  (void)quiet;
  constexpr void (*kReaders[])(std::string_view) = {cppgen::read_archive, cppgen::read_record, cppgen::read_settings,
                                                    cppgen::read_results, cppgen::read_array};
  if (size == 0 || data[0] >= std::size(kReaders)) return -1;
  try {
    kReaders[data[0]]({reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const cppgen::UserError&) {
  }
  return 0;
}
