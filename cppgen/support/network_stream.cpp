#include "cppgen/support/network_stream.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "cppgen/support/name_lookup.h"
#include "cppgen/support/tls_session.h"

namespace cppgen {
namespace {

using Failure = NetworkStream::Failure;
using Closed = NetworkStream::Closed;

void check_time(NetworkStream::Deadline deadline) {
  if (NetworkStream::Clock::now() >= deadline) throw Failure("it does not answer in time");
}

void wait_for(int fd, short events, NetworkStream::Deadline deadline) {
  pollfd waiting{fd, events, 0};
  while (true) {
    check_time(deadline);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - NetworkStream::Clock::now());
    const int ready = ::poll(&waiting, 1, int(std::clamp<int64_t>(left.count(), 1, 1000)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw Failure(error_text(errno));
  }
}

// Repeats a step until it is done. The time is checked although the step may never have to wait: the other side may
// send faster than anybody reads.
size_t complete(int fd, NetworkStream::Deadline deadline, auto step) {
  while (true) {
    check_time(deadline);
    const TransferStep made = step();
    if (made.events == 0) return made.bytes;
    wait_for(fd, made.events, deadline);
  }
}

TransferStep plain_step(ssize_t moved, short events) {
  if (moved > 0) return {size_t(moved), 0};
  if (moved == 0) throw Closed("it closed the connection");
  if (errno == EAGAIN || errno == EINTR) return {0, events};
  const int error = errno;
  if (error == EPIPE || error == ECONNRESET) throw Closed(error_text(error));
  throw Failure(error_text(error));
}

// 0, or the error.
int connect_to(int fd, const addrinfo& address, NetworkStream::Deadline deadline) {
  if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  wait_for(fd, POLLOUT, deadline);
  int error = 0;
  socklen_t length = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

FileDescriptor connected_socket(const NetworkStream::Server& server, NetworkStream::Deadline deadline) {
  const AddressList addresses = look_up(server.host, server.port, deadline);
  int error = 0;
  for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
    FileDescriptor fd(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = fd ? connect_to(fd.get(), *address, deadline) : errno;
    if (error != 0) continue;
    const int on = 1;  // a request is one write, an answer is waited for
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
  }
  throw Failure(error_text(error));
}

}  // namespace

NetworkStream::NetworkStream(const Server& server, Deadline deadline) : fd_(connected_socket(server, deadline)) {
  if (!server.tls) return;
  tls_ = std::make_unique<TlsSession>(fd_.get(), server.host);
  complete(fd_.get(), deadline, [&] { return tls_->handshake(); });
}

NetworkStream::~NetworkStream() = default;

void NetworkStream::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    bytes.remove_prefix(complete(fd_.get(), deadline, [&] {
      if (tls_) return tls_->write(bytes);
      return plain_step(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), POLLOUT);
    }));
  }
}

size_t NetworkStream::read(char* to, size_t most, Deadline deadline) {
  return complete(fd_.get(), deadline, [&] {
    if (tls_) return tls_->read(to, most);
    return plain_step(::recv(fd_.get(), to, most, 0), POLLIN);
  });
}

}  // namespace cppgen
