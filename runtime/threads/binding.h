#pragma once
#include <vector>

namespace cppgen::rt {

// Hardware threads (operating system numbers, ascending) that the calling thread may run on; empty if the system does
// not report them.
std::vector<int> current_thread_affinity();

// Binds the calling thread to `cpus` during its lifetime and restores the old mask afterwards. An empty set, or one
// that the system refuses (a CPU taken offline), has no effect. Does not allocate.
class ScopedBinding {
 public:
  explicit ScopedBinding(const std::vector<int>& cpus);
  ~ScopedBinding();
  ScopedBinding(const ScopedBinding&) = delete;
  ScopedBinding& operator=(const ScopedBinding&) = delete;

 private:
  static constexpr int kWords = 128;  // 8192 hardware threads, the maximum that Linux supports
  unsigned long old_mask_[kWords];
  bool bound_ = false;
};

}  // namespace cppgen::rt
