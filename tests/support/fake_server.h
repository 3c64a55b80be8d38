#pragma once
#include <atomic>
#include <functional>
#include <list>
#include <string>
#include <thread>

namespace cppgen {

// A server of this process on 127.0.0.1 that behaves as a test wants: `talk` has each connection, in a thread of its
// own, and closes it by returning.
class FakeServer {
 public:
  class Connection {
   public:
    Connection(int fd, const std::atomic<bool>& over) : fd_(fd), over_(over) {}
    bool receive() const;                       // waits for some bytes, which it drops; false if there are no more
    bool send(const std::string& bytes) const;  // false if the other side is gone
    bool drip(const std::string& bytes) const;  // one byte every 50 ms
    void hold() const;                          // waits for the end of the test

   private:
    const int fd_;
    const std::atomic<bool>& over_;
  };

  explicit FakeServer(std::function<void(const Connection&)> talk);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;

  int port() const { return port_; }
  int connections() const { return connections_; }  // so far

 private:
  void serve();

  const std::function<void(const Connection&)> talk_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> over_ = false;
  std::atomic<int> connections_ = 0;
  std::list<std::thread> talkers_;
  std::thread acceptor_;
};

}  // namespace cppgen
