#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "cppgen/support/network_stream.h"

namespace cppgen {

// TLS 1.2 or newer, as a client, over a connected socket that does not block. The server's certificate must name the
// host and be signed by an authority of the system, or of SSL_CERT_FILE or SSL_CERT_DIR. Functions throw
// NetworkStream::Failure.
class TlsSession {
 public:
  TlsSession(int socket, const std::string& host);
  ~TlsSession();

  TransferStep handshake();
  TransferStep read(char* to, size_t most);
  TransferStep write(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
  TransferStep step_of(int result, size_t bytes);
};

}  // namespace cppgen
