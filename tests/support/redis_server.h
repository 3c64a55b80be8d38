#pragma once
#include <string>
#include <vector>

#include "cppgen/support/subprocess.h"
#include "cppgen/support/temp_directory.h"
#include "tests/support/loopback.h"

namespace cppgen {

// A redis-server on a free port, which ends with this object, and with this process.
class RedisServer {
 public:
  // Waits until it answers. With a password, clients must give it. `options` are more of its own, as "--NAME", "VALUE".
  explicit RedisServer(const std::string& password = "", const std::vector<std::string>& options = {});
  // The server speaks TLS alone, with this certificate.
  struct Certificate {
    std::string certificate_file, key_file;
  };
  explicit RedisServer(const Certificate&);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;

  bool started() const { return started_; }  // false if redis-server is not installed
  int port() const { return port_; }
  std::string url(int database = 0) const;  // without a password
  void stop();
  // Runs redis-cli with these words, without TLS and password.
  std::string command(const std::vector<std::string>& words) const;

 private:
  TempDirectory folder_{system_temp_directory(), "cppgen-redis-"};
  int port_ = 0;
  bool started_ = false, tls_ = false;
  PosixProcessRunner runner_;

  void start(const std::vector<std::string>& options);
};

}  // namespace cppgen
