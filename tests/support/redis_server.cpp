#include "tests/support/redis_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cppgen {
namespace {

sockaddr_in local_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_port = htons(uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool listens(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = local_address(port);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

}  // namespace

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = local_address(0);
  socklen_t length = sizeof address;
  ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

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
    for (int i = 0; i < 500 && !started_ && !runner_.wait_any(0.02); i++) started_ = listens(port_);
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
