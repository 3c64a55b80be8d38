#include "tests/support/redis_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/loopback.h"

namespace cppgen {
RedisServer::RedisServer(const std::string& password, const std::vector<std::string>& options) {
  std::vector<std::string> words = options;
  if (!password.empty()) words.insert(words.end(), {"--requirepass", password});
  start(words);
}

RedisServer::RedisServer(const Certificate& certificate) : tls_(true) {
  start({"--tls-cert-file", certificate.certificate_file, "--tls-key-file", certificate.key_file, "--tls-ca-cert-file",
         certificate.certificate_file, "--tls-auth-clients", "no", "--port", "0"});
}

void RedisServer::start(const std::vector<std::string>& options) {
  const std::string program = "/usr/bin/redis-server";
  if (::access(program.c_str(), X_OK) != 0) return;
  for (int attempt = 0; attempt < 5 && !started_; attempt++) {
    port_ = free_port();
    ProcessSpec spec;
    spec.argv = {program,
                 tls_ ? "--tls-port" : "--port",
                 std::to_string(port_),
                 "--bind",
                 "127.0.0.1",
                 "--save",
                 "",
                 "--dir",
                 folder_.path(),
                 "--logfile",
                 "log"};
    spec.argv.insert(spec.argv.end(), options.begin(), options.end());
    runner_.start(spec);
    // It ends if another process has taken the port.
    for (int i = 0; i < 500 && !started_ && !runner_.wait_any(0.02); i++) started_ = accepts_connections(port_);
    if (!started_) runner_.kill_all();
  }
}

RedisServer::~RedisServer() { stop(); }

std::string RedisServer::url(int database) const {
  return fmt::format("{}://127.0.0.1:{}/{}", tls_ ? "rediss" : "redis", port_, database);
}

std::string RedisServer::command(const std::vector<std::string>& words) const {
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {"/usr/bin/redis-cli", "-p", std::to_string(port_)};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  return runner.run(spec).output;
}

void RedisServer::stop() {
  runner_.kill_all();
  started_ = false;
}

}  // namespace cppgen
