#pragma once
#include <string>

#include "cppgen/support/subprocess.h"
#include "cppgen/support/temp_directory.h"
#include "tests/support/loopback.h"

namespace cppgen {

// A redis-server on a free port, which ends with this object, and with this process.
class RedisServer {
 public:
  // Waits until it answers. With a password, clients must give it.
  explicit RedisServer(const std::string& password = "");
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;

  bool started() const { return started_; }  // false if redis-server is not installed
  int port() const { return port_; }
  std::string url(int database = 0) const;  // without a password
  void stop();

 private:
  TempDirectory folder_{system_temp_directory(), "cppgen-redis-"};
  int port_ = 0;
  bool started_ = false;
  PosixProcessRunner runner_;
};

}  // namespace cppgen
