#include "cppgen/support/remote_store.h"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/base/log.h"

namespace cppgen {
namespace {

constexpr timeval kConnectTime{1, 0}, kAnswerTime{3, 0};
constexpr auto kFlushTime = std::chrono::seconds(10);

// Writing to a connection that the server has closed must be an error, not the end of the process.
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

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

}  // namespace

// What both threads know.
struct RemoteStore::Shared {
  const RemoteAddress address;
  std::atomic<bool> failed = false;

  void fail(const std::string& why) {
    if (failed.exchange(true)) return;
    log_warning("the remote cache (CPPGEN_REMOTE_CACHE) {} is not used: {}", address.text(), why);
  }
};

// One connection, of one thread.
class RemoteStore::Connection {
 public:
  explicit Connection(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  // The reply; null if there is none, which is reported.
  Reply send(const std::vector<std::string>& words) {
    if (shared_->failed) return nullptr;
    const WithoutBrokenPipe guard;
    if (!context_ && !connect()) return nullptr;
    return exchange(words);
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<redisContext, FreeContext> context_;

  bool connect() {
    const RemoteAddress& address = shared_->address;
    context_.reset(redisConnectWithTimeout(address.host.c_str(), address.port, kConnectTime));
    if (!context_ || context_->err) return shared_->fail(context_ ? context_->errstr : "out of memory"), false;
    redisSetTimeout(context_.get(), kAnswerTime);
    if (!address.password.empty()) {
      std::vector<std::string> words{"AUTH", address.password};
      if (!address.user.empty()) words.insert(words.begin() + 1, address.user);
      if (!exchange(words)) return false;
    }
    return address.database == 0 || exchange({"SELECT", std::to_string(address.database)});
  }

  Reply exchange(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<size_t> lengths;
    for (const std::string& word : words) texts.push_back(word.data()), lengths.push_back(word.size());
    Reply reply(
        static_cast<redisReply*>(redisCommandArgv(context_.get(), int(texts.size()), texts.data(), lengths.data())));
    const bool timed_out = context_->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!reply) return shared_->fail(timed_out ? "it does not answer" : context_->errstr), nullptr;
    if (reply->type == REDIS_REPLY_ERROR) return shared_->fail(std::string(reply->str, reply->len)), nullptr;
    return reply;
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
      waiting.push_back({"SET", key, std::move(value)});
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
      changed.wait(lock, [&] { return closed || !waiting.empty(); });
      if (closed) return;
      const std::vector<std::string> words = std::move(waiting.front());
      waiting.pop_front();
      busy = true;
      lock.unlock();
      connection.send(words);
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  Connection connection;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::vector<std::string>> waiting;
  bool busy = false, closed = false;
  std::thread thread;  // last: it uses the others
};

RemoteStore::RemoteStore(RemoteAddress address, bool background)
    : shared_(new Shared{std::move(address)}),
      connection_(std::make_unique<Connection>(shared_)),
      writer_(background ? std::make_unique<Writer>(shared_) : nullptr) {}

RemoteStore::~RemoteStore() = default;

std::optional<std::string> RemoteStore::get(const std::string& key) {
  const Reply reply = connection_->send({"GET", key});
  if (!reply || reply->type != REDIS_REPLY_STRING) return std::nullopt;
  return std::string(reply->str, reply->len);
}

void RemoteStore::set(const std::string& key, std::string value) {
  if (writer_) return writer_->add(key, std::move(value));
  connection_->send({"SET", key, std::move(value)});
}

void RemoteStore::flush() {
  if (writer_) writer_->flush();
}

bool RemoteStore::usable() const { return !shared_->failed; }

}  // namespace cppgen
