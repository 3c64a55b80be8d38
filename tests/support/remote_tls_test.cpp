// rediss://: certificates are verified.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "cppgen/support/remote_store.h"
#include "tests/support/redis_server.h"

namespace cppgen {
namespace {

class RemoteTls : public testing::Test {
 protected:
  RemoteTls() {
    // SSL_CERT_FILE replaces the system's authorities; those of SSL_CERT_DIR would be added.
    ::setenv("SSL_CERT_DIR", folder_.path().c_str(), 1);
    trust("/dev/null");
  }
  ~RemoteTls() override { ::unsetenv("SSL_CERT_FILE"), ::unsetenv("SSL_CERT_DIR"); }

  void SetUp() override {
    if (::access("/usr/bin/openssl", X_OK) == 0) return;
    if (std::getenv("CI")) FAIL() << "openssl is not installed";
    GTEST_SKIP() << "openssl is not installed";
  }

  static void trust(const std::string& file) { ::setenv("SSL_CERT_FILE", file.c_str(), 1); }

  // Signed by itself, for these names or addresses.
  RedisServer::Certificate certificate(const std::string& name, const std::string& names) {
    const std::string file = folder_.path() + "/" + name;
    ProcessSpec spec;
    spec.argv = {"/usr/bin/openssl",
                 "req",
                 "-x509",
                 "-newkey",
                 "rsa:2048",
                 "-nodes",
                 "-days",
                 "2",
                 "-subj",
                 "/CN=" + name,
                 "-addext",
                 "subjectAltName=" + names,
                 "-keyout",
                 file + ".key",
                 "-out",
                 file + ".pem"};
    PosixProcessRunner runner;
    const ProcessResult made = runner.run(spec);
    EXPECT_TRUE(made.ok()) << made.output;
    return {file + ".pem", file + ".key"};
  }

  // The warning that a use of the server causes.
  static std::string refusal(const RemoteAddress& address) {
    testing::internal::CaptureStderr();
    RemoteStore store(address, false);
    store.set("key", "value");
    EXPECT_FALSE(store.get("key"));
    EXPECT_FALSE(store.usable());
    return testing::internal::GetCapturedStderr();
  }

  TempDirectory folder_{system_temp_directory(), "cppgen-tls-"};
};

// Both programs are among the packages of the tests; where they are missing, only CI fails.
#define START_OR_SKIP(server)                                         \
  if (!(server).started()) {                                          \
    if (std::getenv("CI")) FAIL() << "redis-server is not installed"; \
    GTEST_SKIP() << "redis-server is not installed";                  \
  }

TEST_F(RemoteTls, ACertificateOfATrustedAuthorityIsAccepted) {
  const RedisServer::Certificate own = certificate("own", "IP:127.0.0.1,DNS:localhost");
  const RedisServer server(own);
  START_OR_SKIP(server);
  trust(own.certificate_file);
  std::string bytes(3 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = char(i * 7);
  RemoteAddress address = *parse_remote_address(server.url());
  ASSERT_TRUE(address.tls);
  for (const char* host : {"127.0.0.1", "localhost"}) {
    address.host = host;
    RemoteStore store(address, true);
    store.set(host, bytes);
    store.flush();
    EXPECT_EQ(store.get(host), bytes);
    EXPECT_TRUE(store.usable());
  }
}

TEST_F(RemoteTls, OthersAreRefused) {
  const RedisServer::Certificate own = certificate("own", "IP:127.0.0.1"), other = certificate("other", "DNS:other");
  const RedisServer server(own), foreign(other);
  START_OR_SKIP(server);
  START_OR_SKIP(foreign);
  RemoteAddress address = *parse_remote_address(server.url());
  const std::string unknown = refusal(address);
  EXPECT_NE(unknown.find("its certificate is not accepted: self-signed certificate"), unknown.npos) << unknown;
  trust(own.certificate_file);
  address.host = "localhost";  // which the certificate does not name
  const std::string wrong_name = refusal(address);
  EXPECT_NE(wrong_name.find("its certificate is not accepted: hostname mismatch"), wrong_name.npos) << wrong_name;
  trust(other.certificate_file);
  const std::string wrong_address = refusal(*parse_remote_address(foreign.url()));
  EXPECT_NE(wrong_address.find("IP address mismatch"), wrong_address.npos) << wrong_address;
}

TEST_F(RemoteTls, BothSidesMustUseIt) {
  const RedisServer::Certificate own = certificate("own", "IP:127.0.0.1");
  const RedisServer secure(own), plain;
  START_OR_SKIP(secure);
  START_OR_SKIP(plain);
  trust(own.certificate_file);
  RemoteAddress address = *parse_remote_address(secure.url());
  address.tls = false;
  EXPECT_NE(refusal(address), "");
  address = *parse_remote_address(plain.url());
  address.tls = true;
  EXPECT_NE(refusal(address), "");
}

}  // namespace
}  // namespace cppgen
