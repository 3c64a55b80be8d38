#include "cppgen/support/tls_session.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

namespace cppgen {
namespace {

// Writing to a connection that the server has closed must be an error, not the end of the process, and OpenSSL does
// not ask for that.
class WithoutBrokenPipe {
 public:
  WithoutBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipe() {
    const timespec now{0, 0};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_;
};

std::string tls_error(SSL* ssl) {
  if (const long verified = SSL_get_verify_result(ssl); verified != X509_V_OK)
    return fmt::format("its certificate is not accepted: {}", X509_verify_cert_error_string(verified));
  char text[256] = "the connection was closed";
  if (const unsigned long error = ERR_get_error()) ERR_error_string_n(error, text, sizeof text);
  return fmt::format("TLS failed: {}", text);
}

}  // namespace

struct TlsSession::State {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = context ? SSL_new(context) : nullptr;

  State() = default;
  ~State() {
    SSL_free(ssl);
    SSL_CTX_free(context);
  }
  State(const State&) = delete;
};

TlsSession::TlsSession(int socket, const std::string& host) : state_(std::make_unique<State>()) {
  SSL* ssl = state_->ssl;
  bool ok = ssl && SSL_CTX_set_default_verify_paths(state_->context) == 1 &&
            SSL_set_min_proto_version(ssl, TLS1_2_VERSION) == 1 && SSL_set_fd(ssl, socket) == 1;
  if (ok) {
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
    SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // A numeric address must be among the certificate's addresses, and is no name to ask for.
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) != 1)
      ok = SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
  }
  if (!ok) throw NetworkStream::Failure("TLS cannot be set up");
  ERR_clear_error();
}

TlsSession::~TlsSession() = default;

TransferStep TlsSession::step_of(int result, size_t bytes) {
  if (result > 0) return {bytes, 0};
  switch (SSL_get_error(state_->ssl, result)) {
    case SSL_ERROR_WANT_READ:
      return {0, POLLIN};
    case SSL_ERROR_WANT_WRITE:
      return {0, POLLOUT};
    case SSL_ERROR_ZERO_RETURN:
      throw NetworkStream::Closed("it closed the connection");
    case SSL_ERROR_SYSCALL:
      throw NetworkStream::Closed("it closed the connection without a word");
    case SSL_ERROR_SSL:
      if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        throw NetworkStream::Closed("it closed the connection without a word");
      [[fallthrough]];
    default:
      throw NetworkStream::Failure(tls_error(state_->ssl));
  }
}

TransferStep TlsSession::handshake() {
  const WithoutBrokenPipe guard;
  ERR_clear_error();
  return step_of(SSL_connect(state_->ssl), 0);
}

TransferStep TlsSession::read(char* to, size_t most) {
  const WithoutBrokenPipe guard;
  ERR_clear_error();
  size_t bytes = 0;
  const int result = SSL_read_ex(state_->ssl, to, most, &bytes);
  return step_of(result, bytes);
}

TransferStep TlsSession::write(std::string_view bytes) {
  const WithoutBrokenPipe guard;
  ERR_clear_error();
  size_t written = 0;
  const int result = SSL_write_ex(state_->ssl, bytes.data(), bytes.size(), &written);
  return step_of(result, written);
}

}  // namespace cppgen
