#pragma once
#include <functional>
#include <string>
#include <vector>

namespace cppgen::conformance {

// The outcome of one piece of work.
struct Isolated {
  std::string text;     // what it returned
  std::string trouble;  // why it returned nothing: "ended by signal 11 (Segmentation fault)", "took more than 60 s"
};

// Calls work(0) ... work(count - 1), each in a forked process, `jobs` at once: a crash or an endless loop costs one
// result. `work` returns at most 60 KB and must not throw. The calling process must have no other threads.
std::vector<Isolated> run_isolated(size_t count, int jobs, double timeout_seconds,
                                   const std::function<std::string(size_t)>& work);

}  // namespace cppgen::conformance
