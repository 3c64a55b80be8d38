#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/steady_clock.h"

namespace cppgen {

// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS; an IPv6 address stands in brackets.
struct RemoteAddress {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user, password;
  bool tls = false;

  std::string text() const;  // for messages: without user and password
  bool operator==(const RemoteAddress&) const = default;
};

// nullopt if the text is not of this form.
std::optional<RemoteAddress> parse_remote_address(std::string_view text);

// Values by key on a Redis server, which machines share. Values are bytes that nobody has checked. Connects with the
// first call. Calls never throw. Each ends within one second, connecting included, and one more for each 8 MiB of its
// value, however the server behaves; values above 64 MiB are neither read nor written (redis_protocol.h).
//
// A server that cannot be reached, does not answer in time, or answers with an error causes a warning and is not asked
// by this process for a minute; as long as it keeps failing, there is no second warning. Two errors do less: a key that
// holds something else than a value, or too long a one, counts as absent, and a server that accepts no values is still
// asked for those it has. One object may be used by one thread.
class RemoteStore {
 public:
  using Clock = int64_t (*)();  // nanoseconds

  // With `background`, another thread writes.
  RemoteStore(RemoteAddress, bool background, Clock = rt::steady_ns);
  // Drops what has not been written.
  ~RemoteStore();
  RemoteStore(const RemoteStore&) = delete;

  std::optional<std::string> get(const std::string& key);
  void set(const std::string& key, std::string value);

  // Waits until everything has been written, a few seconds at most.
  void flush();

  bool usable() const;  // the server is asked

 private:
  struct Shared;
  struct Writer;
  class Connection;
  static std::unique_ptr<Writer> make_writer(const std::shared_ptr<Shared>&);
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace cppgen
