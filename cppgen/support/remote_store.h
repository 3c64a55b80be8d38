#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cppgen {

// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]
struct RemoteAddress {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user, password;

  std::string text() const;  // for messages: without user and password
};

// nullopt if the text is not of this form.
std::optional<RemoteAddress> parse_remote_address(std::string_view text);

// Values by key on a Redis server, which machines share. Values are bytes that nobody has checked. Connects with the
// first call. A server that cannot be reached, answers with an error, or does not answer in time causes one warning and
// is not asked again: calls never throw, and wait for seconds at most. One object may be used by one thread.
class RemoteStore {
 public:
  // With `background`, another thread writes.
  RemoteStore(RemoteAddress, bool background);
  // Drops what has not been written.
  ~RemoteStore();
  RemoteStore(const RemoteStore&) = delete;

  std::optional<std::string> get(const std::string& key);
  void set(const std::string& key, std::string value);

  // Waits until everything has been written, a few seconds at most.
  void flush();

  bool usable() const;  // no call has failed so far

 private:
  struct Shared;
  struct Writer;
  class Connection;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace cppgen
