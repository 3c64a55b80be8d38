#pragma once
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cppgen/support/file_io.h"

namespace cppgen {

class TlsSession;

// A connection to a server over TCP, which may be encrypted. Each call, including the lookup of the name, ends at its
// deadline at the latest, however the other side behaves. It is not thread safe.
class NetworkStream {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;

  // The connection is of no further use; what() says why, and the rest of a sentence about the server.
  struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  // The server, or the network, has closed it.
  struct Closed : Failure {
    using Failure::Failure;
  };

  struct Server {
    std::string host;  // a name or a numeric address
    int port = 0;
    bool tls = false;  // with a certificate that the system's authorities confirm for this host
  };

  NetworkStream(const Server&, Deadline);
  ~NetworkStream();

  void write(std::string_view, Deadline);
  size_t read(char* to, size_t most, Deadline);  // what is there, at least one byte

 private:
  FileDescriptor fd_;
  std::unique_ptr<TlsSession> tls_;  // null without TLS
};

// The outcome of one step of a transfer that does not block: bytes moved, or what to poll for before the next one.
struct TransferStep {
  size_t bytes = 0;
  short events = 0;  // 0: done
};

}  // namespace cppgen
