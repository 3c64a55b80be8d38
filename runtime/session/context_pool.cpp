#include "runtime/session/context_pool.h"

#include <algorithm>

namespace cppgen::rt {

ContextPool::ContextPool(const Executable& executable, Executors executors, RunMemory memory, Instruments& instruments)
    : executable_(executable), memory_(std::move(memory)), instruments_(instruments) {
  for (auto& executor : executors) streams_.push_back({std::move(executor), {}, 0});
}

int ContextPool::threads() const {
  int most = 0;
  for (const Stream& stream : streams_) most = std::max(most, stream.executor->threads());
  return most;
}

void ContextPool::replace(int32_t buffer, const void* data) {
  const std::lock_guard lock(mutex_);
  replaced_.resize(executable_.plan().buffers.size(), nullptr);
  replaced_[size_t(buffer)] = data;
  for (Stream& stream : streams_) {
    stream.contexts -= stream.free.size();
    stream.free.clear();  // their arguments are resolved
  }
}

size_t ContextPool::take(std::unique_ptr<RunContext>& context) {
  const std::lock_guard lock(mutex_);
  const auto runs = [](const Stream& stream) { return stream.contexts - stream.free.size(); };
  const auto stream = std::min_element(streams_.begin(), streams_.end(),
                                       [&](const Stream& a, const Stream& b) { return runs(a) < runs(b); });
  if (stream->free.empty()) {
    stream->free.reserve(stream->contexts + 1);  // so that returning it cannot fail
    context = std::make_unique<RunContext>(executable_, replaced_, stream->executor->threads(), memory_, instruments_);
    stream->contexts++;
  } else {
    context = std::move(stream->free.back());
    stream->free.pop_back();
  }
  return size_t(stream - streams_.begin());
}

void ContextPool::give_back(size_t stream, std::unique_ptr<RunContext> context) {
  const std::lock_guard lock(mutex_);
  streams_[stream].free.push_back(std::move(context));
}

}  // namespace cppgen::rt
