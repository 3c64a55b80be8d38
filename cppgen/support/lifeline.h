#pragma once
#include <sys/types.h>

#include "cppgen/support/file_io.h"

namespace cppgen {

// Ties the lifetime of a child's process group to this process: when this process dies, even by SIGKILL, the operating
// system kills the group, which is the compiler with all its descendants.
//
// It is a pipe that is never written. The child holds its reading end, configured to send SIGKILL to the group on any
// event; this process holds the writing end, and the event is that the system closes it when this process ends (or the
// last process that this one has forked without exec, which also holds it). PR_SET_PDEATHSIG is not sufficient: it is
// tied to the thread that started the child, and grandchildren do not inherit it.
class Lifeline {
 public:
  static constexpr int kDescriptor = 3;  // in the child

  Lifeline();  // UserError if there is no descriptor left
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  int child_end() const { return reading_.get(); }
  // Called once the group exists. Destroying this object does not end the group.
  void tie(pid_t leader);

 private:
  FileDescriptor reading_, writing_;
};

}  // namespace cppgen
