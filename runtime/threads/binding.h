#pragma once
#include <vector>

namespace cppgen::rt {

// Hardware threads (operating system numbers, ascending) that the calling thread may run on; empty when the system does
// not say.
std::vector<int> current_thread_affinity();

// Binds the calling thread to `cpus` while it lives; afterwards the thread has its old mask again. An empty set, or one
// that the system refuses (a CPU taken offline), changes nothing. Does not allocate.
class ScopedBinding {
 public:
  explicit ScopedBinding(const std::vector<int>& cpus);
  ~ScopedBinding();
  ScopedBinding(const ScopedBinding&) = delete;
  ScopedBinding& operator=(const ScopedBinding&) = delete;

 private:
  static constexpr int kWords = 128;  // 8192 hardware threads, the most that Linux is built for
  unsigned long old_mask_[kWords];
  bool bound_ = false;
};

}  // namespace cppgen::rt
