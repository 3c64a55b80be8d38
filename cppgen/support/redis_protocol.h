#pragma once
#include <string>
#include <vector>

#include "cppgen/support/network_stream.h"

namespace cppgen {

// The part of Redis's protocol (RESP 2) that storing and fetching single values needs.
struct RedisReply {
  enum Kind { status, error, integer, value, nothing, oversize };
  Kind kind = nothing;
  std::string text;
};

// Time and memory for one exchange: `start` and kAnswerTime, and for a value as long as it takes at a rate of
// kLeastBytesPerSecond.
struct RedisLimits {
  static constexpr std::chrono::milliseconds kAnswerTime{1000};
  static constexpr double kLeastBytesPerSecond = 8 << 20;
  // A kernel has some hundred kilobytes at most.
  static constexpr size_t kMostValueBytes = 64 << 20;

  NetworkStream::Deadline start;
  NetworkStream::Deadline deadline(size_t value_bytes = 0) const;
};

// Sends a command and reads its reply. A value of more than kMostValueBytes is not read: the reply is `oversize`, and
// the stream is of no further use. NetworkStream::Failure also for what is no reply.
RedisReply redis_exchange(NetworkStream&, const std::vector<std::string>& words, const RedisLimits&);

}  // namespace cppgen
