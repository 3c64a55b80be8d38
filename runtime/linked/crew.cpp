#include "runtime/linked/crew.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isa/arch/arch.h"
#include "runtime/library/chunks.h"

namespace cppgen::linked {
namespace {

constexpr int kMostWorkers = 1024;
constexpr long kMostChunks = long(1) << 30;  // of one round
// A thread spins about 50 us before it sleeps: longer than a short step, and shorter than a pause between two runs.
constexpr int kSpins = 1000;

// The chunks of a task that one worker begins with, and that others steal: the next one, and behind it the end in the
// upper half. Whoever takes one knows that the task is not complete, so that its description is valid.
struct alignas(64) Share {
  uint64_t chunks;
};

struct Helper {
  Crew* crew;
  int worker;
  pthread_t thread;
};

}  // namespace

struct alignas(64) Crew {
  int workers;
  unsigned float_control;
  bool ended;
  Task task;
  long first_chunk;            // of this round of the task
  alignas(64) uint32_t round;  // threads that wait sleep on this number
  alignas(64) long open;       // chunks of this round that are not complete
  alignas(64) int sleeping;
  Share shares[kMostWorkers];
  Helper helpers[kMostWorkers];
};

namespace {

// -1: none is left.
long take_chunk(Share& share) {
  uint64_t seen = __atomic_load_n(&share.chunks, __ATOMIC_ACQUIRE);
  for (;;) {
    const uint32_t next = uint32_t(seen), end = uint32_t(seen >> 32);
    if (next >= end) return -1;
    if (__atomic_compare_exchange_n(&share.chunks, &seen, seen + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return long(next);
  }
}

void work(Crew& crew, int worker) {
  for (int i = 0; i < crew.workers; i++) {
    Share& share = crew.shares[(worker + i) % crew.workers];
    for (long chunk = take_chunk(share); chunk >= 0; chunk = take_chunk(share)) {
      crew.task.run(crew.task.work, crew.first_chunk + chunk, worker);
      __atomic_fetch_sub(&crew.open, 1, __ATOMIC_ACQ_REL);
    }
  }
}

void futex(uint32_t* word, int operation, uint32_t value) {
  syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

uint32_t wait_for_round(Crew& crew, uint32_t seen) {
  for (int i = 0; i < kSpins; i++) {
    if (__atomic_load_n(&crew.round, __ATOMIC_ACQUIRE) != seen) break;
    arch::spin_pause();
  }
  // The order of these two accesses, and of those in begin_round, is the same for all threads: none misses a round.
  while (__atomic_load_n(&crew.round, __ATOMIC_SEQ_CST) == seen) {
    __atomic_fetch_add(&crew.sleeping, 1, __ATOMIC_SEQ_CST);
    futex(&crew.round, FUTEX_WAIT, seen);
    __atomic_fetch_sub(&crew.sleeping, 1, __ATOMIC_SEQ_CST);
  }
  return __atomic_load_n(&crew.round, __ATOMIC_ACQUIRE);
}

void begin_round(Crew& crew) {
  __atomic_fetch_add(&crew.round, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&crew.sleeping, __ATOMIC_SEQ_CST) > 0) futex(&crew.round, FUTEX_WAKE, kMostWorkers);
}

void* help(void* argument) {
  const Helper& helper = *static_cast<Helper*>(argument);
  Crew& crew = *helper.crew;
  arch::set_float_control(crew.float_control);
  for (uint32_t seen = 0;;) {
    seen = wait_for_round(crew, seen);
    if (__atomic_load_n(&crew.ended, __ATOMIC_ACQUIRE)) return nullptr;
    work(crew, helper.worker);
  }
}

// Signals of the program are for its own threads.
void start_helpers(Crew& crew, int workers) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (crew.workers = 1; crew.workers < workers; crew.workers++) {
    Helper& helper = crew.helpers[crew.workers];
    helper.crew = &crew, helper.worker = crew.workers;
    if (pthread_create(&helper.thread, nullptr, help, &helper) != 0) break;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void run_round(Crew& crew, long chunks) {
  __atomic_store_n(&crew.open, chunks, __ATOMIC_RELAXED);
  for (int i = 0; i < crew.workers; i++) {
    const rt::ChunkRange own = rt::chunk_range(chunks, crew.workers, i);
    __atomic_store_n(&crew.shares[i].chunks, uint64_t(own.end) << 32 | uint64_t(own.begin), __ATOMIC_RELEASE);
  }
  begin_round(crew);
  work(crew, 0);
  for (int i = 0; __atomic_load_n(&crew.open, __ATOMIC_ACQUIRE) > 0; i++)
    i < kSpins ? arch::spin_pause() : (void)sched_yield();
}

}  // namespace

Crew* start_crew(int workers, unsigned float_control) {
  void* memory = aligned_alloc(alignof(Crew), sizeof(Crew));
  if (!memory) return nullptr;
  memset(memory, 0, sizeof(Crew));
  Crew* crew = static_cast<Crew*>(memory);
  crew->float_control = float_control;
  start_helpers(*crew, workers < kMostWorkers ? workers : kMostWorkers);
  return crew;
}

int worker_count(const Crew* crew) { return crew->workers; }

void run_task(Crew* crew, const Task& task) {
  if (task.chunks <= 1 || crew->workers == 1) {
    for (long chunk = 0; chunk < task.chunks; chunk++) task.run(task.work, chunk, 0);
    return;
  }
  for (long first = 0; first < task.chunks; first += kMostChunks) {
    crew->task = task, crew->first_chunk = first;
    run_round(*crew, task.chunks - first < kMostChunks ? task.chunks - first : kMostChunks);
  }
}

void end_crew(Crew* crew) {
  __atomic_store_n(&crew->ended, true, __ATOMIC_RELEASE);
  begin_round(*crew);
  for (int i = 1; i < crew->workers; i++) pthread_join(crew->helpers[i].thread, nullptr);
  free(crew);
}

int usable_cpu_count() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0) return CPU_COUNT(&cpus);
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? int(count) : 1;
}

}  // namespace cppgen::linked
