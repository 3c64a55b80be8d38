#pragma once
#include <mutex>
#include <string>

#include "runtime/session/json_array_file.h"
#include "runtime/session/step_inspector.h"

namespace cppgen::rt {

// SAVE_ARGS: the buffers of each step as .npy files and an entry for each in index.json. Inputs and outputs of the
// model have their shapes; other buffers are flat, in the order of their memory.
class SavedArgs : public StepInspector {
 public:
  explicit SavedArgs(const std::string& folder);  // UserError if it cannot be created or written

  void before(const StepInRun&) override;
  void after(const StepInRun&) override;

 private:
  void save(const StepInRun&, size_t begin, size_t end, const char* role);

  const std::string folder_;
  std::mutex mutex_;  // of the index
  JsonArrayFile index_;
};

}  // namespace cppgen::rt
