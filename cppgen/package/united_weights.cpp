#include "cppgen/package/united_weights.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include "cppgen/support/file_io.h"
#include "runtime/base/content_hash.h"
#include "runtime/base/errors.h"
#include "runtime/package/package.h"

namespace cppgen::package {
namespace {

class UnitedFile {
 public:
  explicit UnitedFile(const WrittenWeights& first)
      : path_(first.path), file_(open(path_.c_str(), O_WRONLY | O_CLOEXEC)), end_(first.plan->weights_bytes) {
    if (!file_) fail(errno);
    sources_.emplace_back(path_);
    for (const WeightPlacement& w : *first.placements) {
      const auto content = sources_.back().content().subspan(size_t(w.offset), size_t(w.bytes));
      position_.emplace(content_hash(content), Placed{w.offset, content});
    }
  }

  // Moves the constants of the plan to where this file has them.
  void add(const WrittenWeights& other) {
    sources_.emplace_back(other.path);
    std::map<int64_t, int64_t> moved;
    for (const WeightPlacement& w : *other.placements)
      if (w.bytes > 0) moved[w.offset] = place(sources_.back().content().subspan(size_t(w.offset), size_t(w.bytes)));
    for (rt::PlanBuffer& buffer : other.plan->buffers) {
      if (buffer.kind != rt::PlanBufferKind::constant) continue;
      const auto found = moved.find(buffer.offset);
      buffer.offset = found == moved.end() ? 0 : found->second;  // 0: of an empty constant
    }
  }

  int64_t finish() {
    if (ftruncate(file_.get(), end_) != 0) fail(errno);
    return end_;
  }

 private:
  std::string path_;
  FileDescriptor file_;
  int64_t end_;
  struct Placed {
    int64_t offset;
    std::span<const char> content;
  };
  std::vector<rt::MappedFile> sources_;
  std::map<std::string, Placed> position_;  // of constants, by their hash

  int64_t place(std::span<const char> content) {
    const int64_t offset = end_;
    const auto [found, is_new] = position_.emplace(content_hash(content), Placed{offset, content});
    // A hash is no proof that contents are equal.
    if (!is_new && std::ranges::equal(found->second.content, content)) return found->second.offset;
    for (size_t done = 0; done < content.size();) {
      const ssize_t n = pwrite(file_.get(), content.data() + done, content.size() - done, end_ + off_t(done));
      if (n < 0 && errno != EINTR) fail(errno);
      if (n > 0) done += size_t(n);
    }
    end_ += (int64_t(content.size()) + rt::kConstantAlignment - 1) / rt::kConstantAlignment * rt::kConstantAlignment;
    return offset;
  }

  [[noreturn]] void fail(int error) const { user_error("{}: cannot be written: {}", path_, error_text(error)); }
};

void link_or_copy(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::remove(to, error);
  if (::link(from.c_str(), to.c_str()) == 0) return;
  std::filesystem::copy_file(from, to, error);
  if (error) user_error("{}: cannot be written: {}", to, error.message());
}

}  // namespace

void unite_weights(const std::vector<WrittenWeights>& files) {
  if (files.size() < 2) return;
  UnitedFile united(files[0]);
  for (size_t i = 1; i < files.size(); i++) united.add(files[i]);
  const int64_t bytes = united.finish();
  for (const WrittenWeights& file : files) file.plan->weights_bytes = bytes;
  for (size_t i = 1; i < files.size(); i++) link_or_copy(files[0].path, files[i].path);
}

}  // namespace cppgen::package
