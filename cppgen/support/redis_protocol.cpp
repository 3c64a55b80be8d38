#include "cppgen/support/redis_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace cppgen {
namespace {

constexpr size_t kMostLineBytes = 64 << 10, kReceivedBytes = 64 << 10;

[[noreturn]] void fail_reply() { throw NetworkStream::Failure("its answer is not in the protocol of Redis"); }

// The bytes of one reply. Memory grows with what has arrived, not with what was announced.
class ReplyReader {
 public:
  ReplyReader(NetworkStream& stream, const RedisLimits& limits) : stream_(stream), limits_(limits) {}

  RedisReply read() {
    std::string line = next_line();
    if (line.empty()) fail_reply();
    const char type = line[0];
    line.erase(0, 1);
    switch (type) {
      case '+':
        return {RedisReply::status, std::move(line)};
      case '-':
        return {RedisReply::error, std::move(line)};
      case ':':
        return {RedisReply::integer, std::move(line)};
      case '$':
        return value(line);
      default:
        fail_reply();
    }
  }

 private:
  NetworkStream& stream_;
  const RedisLimits& limits_;
  std::string bytes_;

  void receive(NetworkStream::Deadline deadline) {
    const size_t before = bytes_.size();
    bytes_.resize(before + kReceivedBytes);
    bytes_.resize(before + stream_.read(bytes_.data() + before, kReceivedBytes, deadline));
  }

  // Up to the end of the line, which is removed.
  std::string next_line() {
    while (true) {
      if (const size_t end = bytes_.find("\r\n"); end != bytes_.npos) {
        std::string line = bytes_.substr(0, end);
        bytes_.erase(0, end + 2);
        return line;
      }
      if (bytes_.size() > kMostLineBytes) fail_reply();
      receive(limits_.deadline());
    }
  }

  RedisReply value(const std::string& announced) {
    if (announced == "-1") return {RedisReply::nothing, ""};
    size_t length = 0;
    const char* end = announced.data() + announced.size();
    const auto [rest, error] = std::from_chars(announced.data(), end, length);
    if (error == std::errc::result_out_of_range) return {RedisReply::oversize, announced};
    if (error != std::errc() || rest != end) fail_reply();
    if (length > RedisLimits::kMostValueBytes) return {RedisReply::oversize, announced};
    while (bytes_.size() < length + 2) receive(limits_.deadline(length));
    if (bytes_.size() != length + 2 || !bytes_.ends_with("\r\n")) fail_reply();
    bytes_.resize(length);
    return {RedisReply::value, std::move(bytes_)};
  }
};

}  // namespace

NetworkStream::Deadline RedisLimits::deadline(size_t value_bytes) const {
  const std::chrono::duration<double> transfer(double(value_bytes) / kLeastBytesPerSecond);
  return start + kAnswerTime + std::chrono::duration_cast<NetworkStream::Clock::duration>(transfer);
}

RedisReply redis_exchange(NetworkStream& stream, const std::vector<std::string>& words, const RedisLimits& limits) {
  std::string command = fmt::format("*{}\r\n", words.size());
  size_t longest = 0;
  for (const std::string& word : words) {
    command += fmt::format("${}\r\n", word.size());
    command += word, command += "\r\n";
    longest = std::max(longest, word.size());
  }
  stream.write(command, limits.deadline(longest));
  if (longest <= kMostLineBytes) return ReplyReader(stream, limits).read();
  // The server answers after the value has arrived.
  RedisLimits later = limits;
  later.start = limits.deadline(longest) - RedisLimits::kAnswerTime;
  return ReplyReader(stream, later).read();
}

}  // namespace cppgen
