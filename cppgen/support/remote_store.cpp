#include "cppgen/support/remote_store.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "cppgen/support/redis_protocol.h"
#include "runtime/base/condition_wait.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

constexpr auto kFlushTime = std::chrono::seconds(10);
constexpr size_t kMostMessageBytes = 300;
constexpr int64_t kPause = int64_t{60} * 1'000'000'000;  // nanoseconds

// The servers that failed when this process asked them last. They are left alone for a while: a process may open many
// stores, and each would wait for the same server.
class FailedServers {
 public:
  bool pauses(const RemoteAddress& address, int64_t now) {
    const std::lock_guard lock(mutex_);
    const auto found = find(address);
    return found != servers_.end() && now < found->second;
  }
  // False if it had failed before.
  bool add(const RemoteAddress& address, int64_t now) {
    const std::lock_guard lock(mutex_);
    const auto found = find(address);
    if (found == servers_.end()) return servers_.emplace_back(address, now + kPause), true;
    found->second = now + kPause;
    return false;
  }
  void remove(const RemoteAddress& address) {
    const std::lock_guard lock(mutex_);
    if (const auto found = find(address); found != servers_.end()) servers_.erase(found);
  }

 private:
  using Servers = std::vector<std::pair<RemoteAddress, int64_t>>;  // and when they are asked again
  Servers::iterator find(const RemoteAddress& address) {
    return std::find_if(servers_.begin(), servers_.end(), [&](const auto& s) { return s.first == address; });
  }

  std::mutex mutex_;
  Servers servers_;
};

FailedServers& failed_servers() {
  static FailedServers servers;
  return servers;
}

}  // namespace

// The knowledge that both threads share.
struct RemoteStore::Shared {
  Shared(RemoteAddress a, Clock c) : address(std::move(a)), clock(c) {}

  const RemoteAddress address;
  const Clock clock;
  std::atomic<bool> refuses_values = false;

  bool is_usable() const { return !failed_servers().pauses(address, clock()); }
  void succeed() const { failed_servers().remove(address); }
  void fail(const std::string& why) const {
    if (failed_servers().add(address, clock())) warn("is not used", why);
  }

  void refuse_values(const std::string& why) {
    if (!refuses_values.exchange(true)) warn("gets no more entries, but those it has are used", why);
  }

  // Servers may repeat what they were sent, as in "unknown command 'AUTH', with args beginning with: ...".
  void warn(const std::string& effect, const std::string& why) const {
    std::string text = one_line(why).substr(0, kMostMessageBytes);
    for (size_t at; !address.password.empty() && (at = text.find(address.password)) != text.npos;)
      text.replace(at, address.password.size(), "...");
    log_warning("the remote cache (CPPGEN_REMOTE_CACHE) {} {}: {}", address.text(), effect, text);
  }
};

// One connection, of one thread.
class RemoteStore::Connection {
 public:
  explicit Connection(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::optional<std::string> get(const std::string& key) {
    auto reply = send({"GET", key});
    if (!reply) return std::nullopt;
    if (reply->kind == RedisReply::value || reply->kind == RedisReply::nothing) shared_->succeed();
    if (reply->kind == RedisReply::value) return std::move(reply->text);
    if (reply->kind == RedisReply::nothing) return std::nullopt;
    if (reply->kind == RedisReply::oversize) {
      stream_.reset();  // the value that was not read is still on its way
      shared_->warn("holds too long a value", fmt::format("{}, with {} bytes, counts as absent", key, reply->text));
    } else if (reply->kind == RedisReply::error && reply->text.starts_with("WRONGTYPE")) {
      shared_->warn("holds something else than a value", key + " counts as absent");
    } else {
      shared_->fail(reply->kind == RedisReply::error ? reply->text : "it answers with something else than a value");
    }
    return std::nullopt;
  }

  void set(const std::string& key, std::string value) {
    if (shared_->refuses_values) return;
    if (value.size() > RedisLimits::kMostValueBytes) {
      log_info("{} is not written to the remote cache: it has {} bytes", key, value.size());
      return;
    }
    const auto reply = send({"SET", key, std::move(value)});
    if (reply && reply->kind == RedisReply::status) shared_->succeed();
    if (reply && reply->kind != RedisReply::status) shared_->refuse_values(reply->text);
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<NetworkStream> stream_;

  // The reply; nullopt if the server failed, which is reported.
  std::optional<RedisReply> send(const std::vector<std::string>& words) {
    if (!shared_->is_usable()) return std::nullopt;
    const RedisLimits limits{NetworkStream::Clock::now()};
    try {
      try {
        if (stream_) return redis_exchange(*stream_, words, limits);
      } catch (const NetworkStream::Closed&) {
        // Servers close what was not used for long: once more, with a new connection.
      }
      stream_.reset();
      connect(limits);
      return redis_exchange(*stream_, words, limits);
    } catch (const std::exception& failure) {
      stream_.reset();
      shared_->fail(failure.what());
      return std::nullopt;
    }
  }

  void connect(const RedisLimits& limits) {
    const RemoteAddress& address = shared_->address;
    auto stream = std::make_unique<NetworkStream>(NetworkStream::Server{address.host, address.port, address.tls},
                                                  limits.deadline());
    const auto require = [&](const std::vector<std::string>& words) {
      const RedisReply reply = redis_exchange(*stream, words, limits);
      if (reply.kind != RedisReply::status) throw NetworkStream::Failure(reply.text);
    };
    if (!address.password.empty())
      require(address.user.empty() ? std::vector<std::string>{"AUTH", address.password}
                                   : std::vector<std::string>{"AUTH", address.user, address.password});
    if (address.database != 0) require({"SELECT", std::to_string(address.database)});
    stream_ = std::move(stream);
  }
};

// A thread that writes in the order of the calls.
struct RemoteStore::Writer {
  explicit Writer(std::shared_ptr<Shared> shared) : connection(std::move(shared)), thread([this] { run(); }) {}
  ~Writer() {
    {
      const std::lock_guard lock(mutex);
      closed = true;
      waiting.clear();
    }
    changed.notify_all();
    thread.join();
  }
  Writer(const Writer&) = delete;

  void add(const std::string& key, std::string value) {
    {
      const std::lock_guard lock(mutex);
      waiting.emplace_back(key, std::move(value));
    }
    changed.notify_all();
  }

  void flush() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, kFlushTime, [&] { return waiting.empty() && !busy; });
  }

 private:
  void run() {
    sigset_t all;  // signals are for the other threads
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex);
    while (true) {
      rt::wait_until_true(changed, lock, [&] { return closed || !waiting.empty(); });
      if (closed) return;
      auto [key, value] = std::move(waiting.front());
      waiting.pop_front();
      busy = true;
      lock.unlock();
      connection.set(key, std::move(value));
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  Connection connection;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<std::string, std::string>> waiting;
  bool busy = false, closed = false;
  std::thread thread;  // last: it uses the others
};

// Without a thread, values are written at once.
std::unique_ptr<RemoteStore::Writer> RemoteStore::make_writer(const std::shared_ptr<Shared>& shared) {
  try {
    return std::make_unique<Writer>(shared);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

RemoteStore::RemoteStore(RemoteAddress address, bool background, Clock clock)
    : shared_(std::make_shared<Shared>(std::move(address), clock)),
      connection_(std::make_unique<Connection>(shared_)),
      writer_(background ? make_writer(shared_) : nullptr) {}

RemoteStore::~RemoteStore() = default;

std::optional<std::string> RemoteStore::get(const std::string& key) { return connection_->get(key); }

void RemoteStore::set(const std::string& key, std::string value) {
  if (writer_) return writer_->add(key, std::move(value));
  connection_->set(key, std::move(value));
}

void RemoteStore::flush() {
  if (writer_) writer_->flush();
}

bool RemoteStore::usable() const { return shared_->is_usable(); }

}  // namespace cppgen
