#pragma once
#include <sys/types.h>

#include "cppgen/support/file_io.h"

namespace cppgen {

// Ties the life of a child's process group to this process: when this process dies, even by SIGKILL, the kernel kills
// the group, which is the compiler with all that it started.
//
// It is a pipe that nobody writes. The child holds its reading end, set to send SIGKILL to the group when something
// happens there; this process holds the writing end, which the kernel closes with the process, and that is what
// happens (or with the last process that this one has forked without exec, which holds it, too). PR_SET_PDEATHSIG would
// not do: it is tied to the thread that started the child, and grandchildren lack it.
class Lifeline {
 public:
  static constexpr int kDescriptor = 3;  // in the child

  Lifeline();  // UserError when there is no descriptor left
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  int child_end() const { return reading_.get(); }
  // Once the group exists. The end of this object lets it live on.
  void tie(pid_t leader);

 private:
  FileDescriptor reading_, writing_;
};

}  // namespace cppgen
