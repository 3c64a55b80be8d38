// Threads of a model that is linked into a program. Like all of this room, which becomes part of such programs, it
// needs the C library and POSIX threads only: no exceptions, and nothing of the library of C++.
#pragma once

namespace cppgen::linked {

// Chunks of work, which any workers run in any order.
struct Task {
  void (*run)(const void* work, long chunk, int worker);
  const void* work;
  long chunks;
};

// The calling thread, which is worker 0, and threads that help it. One task at a time.
struct Crew;

// A crew of up to `workers` >= 1, which are fewer if the system refuses threads. Threads that help have this control
// word of floating-point arithmetic (isa/arch). Null if there is no memory.
Crew* start_crew(int workers, unsigned float_control);
int worker_count(const Crew*);
void run_task(Crew*, const Task&);
// Ends the threads; no task may be running.
void end_crew(Crew*);

// The CPUs that this process may use.
int usable_cpu_count();

}  // namespace cppgen::linked
