// Preloaded, stands for a system that refuses threads, as beyond `ulimit -u`, which does not apply to root: at most
// CPPGEN_TEST_THREADS exist at once besides the first.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <atomic>

namespace {

std::atomic<int> alive{0};

struct Start {
  void* (*run)(void*);
  void* argument;
};

void* run_counted(void* start) {
  const Start own = *static_cast<Start*>(start);
  delete static_cast<Start*>(start);
  void* result = own.run(own.argument);
  alive--;
  return result;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) {
  const char* most = getenv("CPPGEN_TEST_THREADS");
  if (alive++ >= (most ? atoi(most) : 0)) return alive--, EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, run_counted, new Start{run, argument});
}
