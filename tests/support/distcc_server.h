#pragma once
#include <string>

#include "cppgen/support/subprocess.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen {

// A distccd of this machine on a free port of the loopback interface, which ends with this object, and with this
// process.
class DistccServer {
 public:
  DistccServer();  // waits until it accepts connections
  ~DistccServer();
  DistccServer(const DistccServer&) = delete;

  bool started() const { return started_; }  // false if distccd is not installed
  std::string host() const;                  // for DISTCC_HOSTS: distcc takes only the name localhost for local
  int jobs() const;                          // that it has compiled

 private:
  TempDirectory folder_{system_temp_directory(), "cppgen-distccd-"};
  int port_ = 0;
  bool started_ = false;
  PosixProcessRunner runner_;
};

}  // namespace cppgen
