// The services that applications give to the C API: threads, memory, a receiver of messages, a flag that ends runs.
#include <optional>

#include "runtime/base/log.h"
#include "runtime/package/machine_support.h"
#include "runtime/session/c_api_support.h"
#include "runtime/session/c_cancel.h"
#include "runtime/threads/executor.h"

using namespace cppgen;
using namespace cppgen::rt;

struct cppgen_pool {
  std::shared_ptr<Executor> executor;
};

namespace {

class ApplicationAllocator : public Allocator {
 public:
  explicit ApplicationAllocator(const cppgen_allocator& functions) : functions_(functions) {}

  void* allocate(size_t bytes, size_t alignment) const override {
    return functions_.allocate(functions_.context, bytes, alignment);
  }
  void release(void* memory, size_t bytes) const override { functions_.release(functions_.context, memory, bytes); }

 private:
  const cppgen_allocator functions_;
};

constexpr int64_t kMostSpinMicroseconds = 60'000'000;

std::unique_ptr<Executor> executor_on(const cppgen_executor& threads, std::optional<int64_t> spin_microseconds) {
  if (threads.threads < 1 || threads.threads > kMaxThreads)
    user_error("executor: it has {} threads; allowed is 1 to {}", threads.threads, kMaxThreads);
  ExecutorOptions options;
  options.threads = options.cores = threads.threads;
  if (spin_microseconds && (*spin_microseconds < 0 || *spin_microseconds > kMostSpinMicroseconds))
    user_error("executor: it spins for {} microseconds; allowed is 0 to {}", *spin_microseconds, kMostSpinMicroseconds);
  if (spin_microseconds) options.spin_microseconds = *spin_microseconds;
  const auto bring = threads.bring;
  return make_external_executor(
      [bring, context = threads.context](int count, void (*help)(void*), void* argument) {
        return bring(context, count, help, argument);
      },
      options);
}

cppgen_status make_pool(cppgen_pool** pool, cppgen_error* error,
                        const std::function<std::shared_ptr<Executor>()>& executor) {
  if (pool) *pool = nullptr;
  return guarded(error, [&] {
    require_argument(pool, "pool");
    *pool = new cppgen_pool{executor()};
  });
}

}  // namespace

namespace cppgen::rt {

RunOptions run_options(const cppgen_run_options* options) {
  if (!options) return {};
  const auto used =
      sized_copy(options, options->struct_size, cppgen_run_options{}, sizeof(cppgen_run_options), "run options");
  return {used.cancel ? &used.cancel->requested : nullptr};
}

AllocatorPointer allocator_of(const cppgen_allocator* allocator) {
  if (!allocator) return nullptr;
  const auto used =
      sized_copy(allocator, allocator->struct_size, cppgen_allocator{}, sizeof(cppgen_allocator), "allocator");
  require_argument(used.allocate, "allocator.allocate");
  require_argument(used.release, "allocator.release");
  return std::make_shared<const ApplicationAllocator>(used);
}

std::shared_ptr<Executor> executor_of(const cppgen_pool* pool) { return pool ? pool->executor : nullptr; }

}  // namespace cppgen::rt

cppgen_status cppgen_pool_create(const cppgen_options* options, cppgen_pool** pool, cppgen_error* error) {
  return make_pool(pool, error, [&] {
    const cppgen_options used = options_of(options);
    return make_session_executor(session_options(used, settings_of(used)));
  });
}

static cppgen_status pool_on(const cppgen_executor* executor, std::optional<int64_t> spin_microseconds,
                             cppgen_pool** pool, cppgen_error* error) {
  return make_pool(pool, error, [&] {
    require_argument(executor, "executor");
    const auto used =
        sized_copy(executor, executor->struct_size, cppgen_executor{}, sizeof(cppgen_executor), "executor");
    require_argument(used.bring, "executor.bring");
    return std::shared_ptr<Executor>(executor_on(used, spin_microseconds));
  });
}

cppgen_status cppgen_pool_create_on(const cppgen_executor* executor, cppgen_pool** pool, cppgen_error* error) {
  return pool_on(executor, std::nullopt, pool, error);
}

cppgen_status cppgen_pool_create_on_spinning(const cppgen_executor* executor, int64_t spin_microseconds,
                                             cppgen_pool** pool, cppgen_error* error) {
  return pool_on(executor, spin_microseconds, pool, error);
}

void cppgen_pool_free(cppgen_pool* pool) { delete pool; }

cppgen_status cppgen_cancel_create(cppgen_cancel** cancel, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(cancel, "cancel");
    *cancel = new cppgen_cancel;
  });
}

void cppgen_cancel_request(cppgen_cancel* cancel) {
  if (cancel) cancel->requested = true;
}

void cppgen_cancel_reset(cppgen_cancel* cancel) {
  if (cancel) cancel->requested = false;
}

void cppgen_cancel_free(cppgen_cancel* cancel) { delete cancel; }

// The table of functions that emitted kernels of this instruction set call, for programs that run a kernel by itself
// (BENCHMARK_KERNEL). Null if there is none of this name.
extern "C" const cppgen_runtime* cppgen_runtime_of_isa(const char* isa) {
  try {
    return runtime_services(isa);
  } catch (const UserError&) {
    return nullptr;
  }
}

void cppgen_set_log(cppgen_log_function function, void* context) {
  if (!function) return set_log_receiver({});
  set_log_receiver([=](LogLevel level, const std::string& text) { function(context, int(level), text.c_str()); });
}
