#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/tune/candidates.h"
#include "cppgen/tune/regions.h"

namespace cppgen::tune {

// The result of measuring one candidate.
struct Outcome {
  std::string failure;  // why it lost, or was interrupted; empty: it ran
  std::vector<Region> regions;
  bool interrupted = false;  // by something else than the candidate: this is no verdict, and it is measured again
};

// Outcomes by candidate, in a file of lines of JSON, so that a tuning that was killed, or whose time was up, continues
// where it stopped. An empty path keeps them in memory only, as are those that were interrupted.
class Journal {
 public:
  explicit Journal(std::string path);

  // Outcomes are those of candidates beside this choice for the program, at first none.
  void set_program(std::string choice) { program_ = std::move(choice); }
  const Outcome* find(const std::string& candidate) const;
  // The number of these for which there is an outcome, beside whatever choice for the program.
  int count(const std::vector<Candidate>&) const;
  const Outcome& add(const std::string& candidate, Outcome);
  void remove();  // the file, once the results are stored

 private:
  std::string path_, program_;
  std::map<std::string, Outcome> outcomes_;

  std::string key(const std::string& candidate) const {
    return program_.empty() ? candidate : candidate + " with " + program_;
  }
};

}  // namespace cppgen::tune
