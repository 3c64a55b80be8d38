#pragma once
#include <barrier>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/kernels/probes.h"

namespace cppgen::bench {

double now();  // seconds, steady
double median(std::vector<double> values);

// Threads that start a piece of work together and wait for each other.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  int size() const { return int(workers_.size()) + 1; }
  // Calls work(thread) on every thread, the caller being 0; returns the seconds until the last one finished.
  double run(const std::function<void(int)>& work);

 private:
  std::barrier<> start_, finish_;
  const std::function<void(int)>* work_ = nullptr;  // null ends the workers
  std::vector<std::thread> workers_;
};

// The probes for the instruction set `isa` of a compiled model.
const Probes& probes_of(const std::string& isa);

// Nanoseconds per float of each vector function on one core, over data in the first-level cache.
std::map<std::string, double> function_rates(const Probes&, const cppgen_runtime*);

// Floating-point operations per second of multiply-adds on every thread of the team at once. Takes about 0.2 ms.
double multiply_add_rate(Team&, const Probes&);

// Streams over memory of its own. It is called between the runs of the model that it is compared with, so that both see
// the machine in the same state. Sizes are those of the compared model's inputs and outputs: the same cache level
// serves both.
class Streams {
 public:
  Streams(Team&, const Probes&, int64_t read_bytes, int64_t write_bytes);
  double read();                // seconds for read_bytes
  double write();               // seconds for write_bytes with ordinary stores
  double write_non_temporal();  // the same with non-temporal stores

 private:
  Team& team_;
  const Probes& probes_;
  int64_t read_count_, write_count_;  // floats
  std::shared_ptr<float> source_, target_;
  template <class F>
  double over_shares(int64_t count, F&& work);
};

}  // namespace cppgen::bench
