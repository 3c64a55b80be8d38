#include "tests/support/redis_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/loopback.h"

namespace cppgen {
RedisServer::RedisServer(const std::string& password) {
  const std::string program = "/usr/bin/redis-server";
  if (::access(program.c_str(), X_OK) != 0) return;
  for (int attempt = 0; attempt < 5 && !started_; attempt++) {
    port_ = free_port();
    ProcessSpec spec;
    spec.argv = {program, "--port", std::to_string(port_), "--bind",    "127.0.0.1", "--save",
                 "",      "--dir",  folder_.path(),        "--logfile", "log"};
    if (!password.empty()) spec.argv.insert(spec.argv.end(), {"--requirepass", password});
    runner_.start(spec);
    // It ends if another process has taken the port.
    for (int i = 0; i < 500 && !started_ && !runner_.wait_any(0.02); i++) started_ = accepts_connections(port_);
    if (!started_) runner_.kill_all();
  }
}

RedisServer::~RedisServer() { stop(); }

std::string RedisServer::url(int database) const { return fmt::format("redis://127.0.0.1:{}/{}", port_, database); }

void RedisServer::stop() {
  runner_.kill_all();
  started_ = false;
}

}  // namespace cppgen
