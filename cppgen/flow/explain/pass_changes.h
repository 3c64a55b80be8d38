#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cppgen/support/temp_directory.h"

namespace cppgen {

// The changes of a pass to the printed graph or program.
struct PassChange {
  std::string stage;
  bool first = false;  // the import or a lowering, before the passes
  int64_t lines = 0;   // of the result
  int64_t added = 0, removed = 0;
  std::string diff;  // unified; empty if the pass changed nothing

  bool changed() const { return !diff.empty(); }
};

// Compares what each stage prints (Trace) with what the stage before printed, by the program diff.
class PassChanges {
 public:
  PassChanges();
  void add(const std::string& stage, const std::string& text);  // UserError if there is no such program
  std::vector<PassChange> take() { return std::move(all_); }

 private:
  TempDirectory folder_;
  std::string before_;
  std::vector<PassChange> all_;

  std::string diff(const std::string& stage, const std::string& after) const;
};

}  // namespace cppgen
