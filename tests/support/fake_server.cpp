#include "tests/support/fake_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

namespace cppgen {
namespace {

constexpr int kTurnMilliseconds = 50;

bool is_ready(int fd, short events) {
  pollfd one{fd, events, 0};
  return ::poll(&one, 1, kTurnMilliseconds) > 0;
}

}  // namespace

bool FakeServer::Connection::receive() const {
  char bytes[4096];
  while (!over_)
    if (is_ready(fd_, POLLIN)) return ::recv(fd_, bytes, sizeof bytes, 0) > 0;
  return false;
}

bool FakeServer::Connection::send(const std::string& bytes) const {
  for (size_t at = 0; at < bytes.size() && !over_;) {
    if (!is_ready(fd_, POLLOUT)) continue;
    const ssize_t sent = ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return false;
    at += size_t(sent);
  }
  return !over_;
}

bool FakeServer::Connection::drip(const std::string& bytes) const {
  for (const char byte : bytes) {
    if (!send(std::string(1, byte))) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kTurnMilliseconds));
  }
  return true;
}

void FakeServer::Connection::hold() const {
  while (!over_) std::this_thread::sleep_for(std::chrono::milliseconds(kTurnMilliseconds));
}

FakeServer::FakeServer(std::function<void(const Connection&)> talk) : talk_(std::move(talk)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), length);
  ::listen(listener_, 16);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { serve(); });
}

FakeServer::~FakeServer() {
  over_ = true;
  acceptor_.join();
  for (std::thread& talker : talkers_) talker.join();
  ::close(listener_);
}

void FakeServer::serve() {
  while (!over_) {
    if (!is_ready(listener_, POLLIN)) continue;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    connections_++;
    talkers_.emplace_back([this, fd] {
      talk_(Connection(fd, over_));
      ::close(fd);
    });
  }
}

}  // namespace cppgen
