#include "cppgen/support/interruption.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>

#include "cppgen/support/file_io.h"

namespace cppgen {
namespace {

constexpr int kOwnFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
constexpr int kSent[] = {SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM, SIGXCPU};  // that shells tell as 128 + N
constexpr int kShellBase = 128;

template <size_t n>
bool contains(const int (&list)[n], int signal) {
  return std::find(list, list + n, signal) != list + n;
}

}  // namespace

bool ended_from_outside(const ProcessResult& result) {
  if (result.end == ProcessResult::End::signaled) return !contains(kOwnFaults, result.code);
  return result.end == ProcessResult::End::exited && contains(kSent, result.code - kShellBase);
}

bool tells_of_lacking_resources(std::string_view output) {
  const auto says = [&](std::string_view sign) { return output.find(sign) != output.npos; };
  for (const std::string_view sign : {"Killed", "Terminated signal", "out of memory", "virtual memory exhausted"})
    if (says(sign)) return true;
  for (const int error : {ENOSPC, EDQUOT, ENOMEM, EROFS, EIO, EMFILE, ENFILE, EACCES, EAGAIN})
    if (says(error_text(error))) return true;
  return false;
}

bool was_interrupted(const ProcessResult& result) {
  return ended_from_outside(result) ||
         (result.end == ProcessResult::End::exited && result.code != 0 && tells_of_lacking_resources(result.output));
}

}  // namespace cppgen
