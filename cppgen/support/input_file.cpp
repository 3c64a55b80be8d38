#include "cppgen/support/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <tuple>

#include "cppgen/support/text_writer.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

constexpr int64_t kFreshNanoseconds = 20'000'000;  // longer than any tick of the clock

int64_t nanoseconds(const timespec& time) { return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec; }

auto identity(const struct stat& s) {
  return std::tuple(s.st_dev, s.st_ino, s.st_size, nanoseconds(s.st_mtim), nanoseconds(s.st_ctim));
}

std::string quoted_location(const std::string& location) { return "'" + escape_for_comment(location, 80) + "'"; }

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  if (!resolved) user_error("{}", error_text(errno));
  return resolved.get();
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder == "/" ? folder : folder + "/");
}

void check_location(const std::string& location) {
  if (location.empty()) user_error("empty location");
  if (location.find('\0') != std::string::npos) user_error("the location contains a NUL character");
  if (location.size() >= PATH_MAX) user_error("the location is too long");
  if (location.front() == '/') user_error("absolute paths are not allowed");
  for (size_t begin = 0; begin <= location.size();) {
    const size_t end = std::min(location.find('/', begin), location.size());
    if (location.compare(begin, end - begin, "..") == 0)
      user_error("\"..\" is not allowed: the file must be in the model's directory");
    begin = end + 1;
  }
}

}  // namespace

InputFile InputFile::open(const std::string& path) {
  InputFile input;
  input.file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!input.file_) user_error("cannot open: {}", error_text(errno));
  if (::fstat(input.descriptor(), &input.status_) != 0) user_error("{}", error_text(errno));
  if (!S_ISREG(input.status_.st_mode)) user_error("not a regular file");
  return input;
}

// A device is not even opened: that alone may do something. The resolved path is opened without following a last link,
// then the system is asked what was opened, so a link that is swapped in between is caught, too.
InputFile InputFile::open_below(const std::string& folder, const std::string& location) {
  try {
    check_location(location);
    const std::string root = real_path(folder.empty() ? "." : folder), target = real_path(root + "/" + location);
    if (!is_below(target, root)) user_error("is outside the model's directory");
    struct stat status;
    if (::lstat(target.c_str(), &status) != 0) user_error("{}", error_text(errno));
    if (!S_ISREG(status.st_mode)) user_error("not a regular file");
    const FileDescriptor seen(::open(target.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
    if (!seen) user_error("{}", error_text(errno));
    const std::string name = fmt::format("/proc/self/fd/{}", seen.get());
    if (!is_below(real_path(name), root)) user_error("is outside the model's directory");
    if (::fstat(seen.get(), &status) != 0 || !S_ISREG(status.st_mode)) user_error("not a regular file");
    return open(name);
  } catch (const UserError& error) {
    user_error("external data {}: {}", quoted_location(location), error.what());
  }
}

// Times in the future, of a clock that was set, are as good as old ones.
void InputFile::settle() {
  for (int i = 0; i < 100; i++) {
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    const int64_t age = nanoseconds(now) - std::max(nanoseconds(status_.st_mtim), nanoseconds(status_.st_ctim));
    if (age < 0 || age > kFreshNanoseconds) return;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kFreshNanoseconds - age));
    if (::fstat(descriptor(), &status_) != 0) user_error("{}", error_text(errno));
  }
}

bool InputFile::may_have_changed() const {
  struct stat now;
  return ::fstat(descriptor(), &now) != 0 || identity(now) != identity(status_);
}

std::string InputFile::read() const {
  std::string content(size_t(size()), '\0');
  for (size_t done = 0; done < content.size();) {
    const ssize_t n = ::pread(descriptor(), content.data() + done, content.size() - done, off_t(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) user_error("{}", error_text(errno));
    if (n == 0) user_error("the file became shorter while it was read");
    done += size_t(n);
  }
  return content;
}

InputMapping::InputMapping(InputFile file) : file_(std::move(file)) {
  file_.settle();
  if (file_.size() == 0) return;
  void* data = ::mmap(nullptr, size_t(file_.size()), PROT_READ, MAP_PRIVATE, file_.descriptor(), 0);
  if (data == MAP_FAILED) user_error("cannot be mapped: {}", error_text(errno));
  data_ = static_cast<const std::byte*>(data);
}

InputMapping::~InputMapping() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_t(file_.size()));
}

}  // namespace cppgen
