#include "runtime/threads/binding.h"

#include <sched.h>

#include <bit>
#include <cstddef>

namespace cppgen::rt {
namespace {

constexpr int kBits = 8 * sizeof(unsigned long);

// sched_setaffinity takes masks of any length; glibc's cpu_set_t is only its 1024-bit form.
cpu_set_t* as_cpu_set(unsigned long* mask) { return reinterpret_cast<cpu_set_t*>(mask); }

}  // namespace

std::vector<int> current_thread_affinity() {
  unsigned long mask[128] = {};
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof mask, as_cpu_set(mask)) != 0) return cpus;
  for (int word = 0; word < 128; word++)
    for (unsigned long left = mask[word]; left; left &= left - 1) cpus.push_back(word * kBits + std::countr_zero(left));
  return cpus;
}

ScopedBinding::ScopedBinding(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  unsigned long mask[kWords] = {};
  for (int cpu : cpus)
    if (cpu >= 0 && cpu < kWords * kBits) mask[cpu / kBits] |= 1ul << (cpu % kBits);
  if (sched_getaffinity(0, sizeof old_mask_, as_cpu_set(old_mask_)) != 0) return;
  bound_ = sched_setaffinity(0, sizeof mask, as_cpu_set(mask)) == 0;
}

ScopedBinding::~ScopedBinding() {
  if (bound_) sched_setaffinity(0, sizeof old_mask_, as_cpu_set(old_mask_));
}

}  // namespace cppgen::rt
