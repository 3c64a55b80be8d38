#include "cppgen/support/lifeline.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/errors.h"

namespace cppgen {

Lifeline::Lifeline() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) user_error("cannot create a pipe: {}", error_text(errno));
  const FileDescriptor first(ends[0]);
  writing_ = FileDescriptor(ends[1]);
  // Above the numbers that starting the child redirects.
  reading_ = FileDescriptor(::fcntl(first.get(), F_DUPFD_CLOEXEC, kDescriptor + 1));
  if (!reading_) user_error("cannot create a pipe: {}", error_text(errno));
}

// The child's descriptor is the same open file, so what is set here holds there, too. The group exists until the leader
// is reaped.
void Lifeline::tie(pid_t leader) {
  if (::fcntl(reading_.get(), F_SETOWN, -leader) != 0 || ::fcntl(reading_.get(), F_SETSIG, SIGKILL) != 0) return;
  (void)::fcntl(reading_.get(), F_SETFL, O_ASYNC);
}

// Without O_ASYNC nothing is sent when the writing end is closed below.
Lifeline::~Lifeline() { (void)::fcntl(reading_.get(), F_SETFL, 0); }

}  // namespace cppgen
