#include "tests/support/distcc_server.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cppgen/support/file_io.h"
#include "tests/support/loopback.h"

namespace cppgen {

// As root it becomes another user, who must be able to write its log.
DistccServer::DistccServer() {
  const std::string program = "/usr/bin/distccd", log = folder_.path() + "/log";
  if (::access(program.c_str(), X_OK) != 0) return;
  if (write_file(log, "") || ::chmod(log.c_str(), 0666) || ::chmod(folder_.path().c_str(), 0755)) return;
  for (int attempt = 0; attempt < 5 && !started_; attempt++) {
    port_ = free_port();
    ProcessSpec spec;
    spec.argv = {program,  "--no-detach",         "--daemon",   "--allow", "127.0.0.1",   "--listen", "127.0.0.1",
                 "--port", std::to_string(port_), "--log-file", log,       "--log-level", "notice",   "--jobs",
                 "2"};
    spec.environment = {{"TMPDIR", "/tmp"}};
    runner_.start(spec);
    // It ends if another process has taken the port.
    for (int i = 0; i < 500 && !started_ && !runner_.wait_any(0.02); i++) started_ = accepts_connections(port_);
    if (!started_) runner_.kill_all();
  }
}

DistccServer::~DistccServer() { runner_.kill_all(); }

std::string DistccServer::host() const { return fmt::format("127.0.0.1:{}/2", port_); }

int DistccServer::jobs() const {
  const std::string log = try_read_file(folder_.path() + "/log").value_or("");
  int count = 0;
  for (size_t at = 0; (at = log.find("COMPILE_OK", at)) != log.npos; at++) count++;
  return count;
}

}  // namespace cppgen
