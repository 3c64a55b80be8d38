#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "runtime/custom/description.h"

namespace cppgen {

class StageClock;

// This is no error of the cache: nothing that was read can be trusted.
struct ChangedFiles : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The files that a model is compiled from. External data is read until the package is complete, so what was read counts
// only if the files are then those of the beginning.
class SourceFiles {
 public:
  explicit SourceFiles(const CompileRequest&);

  // The model's graph before the passes. `keyed`: computes external_key(), for which external data is read completely.
  // Throws ChangedFiles.
  Graph read(StageClock&, bool keyed);

  // Descriptions of custom operators, as they were in the beginning.
  const std::vector<rt::CustomFile>& custom() const { return custom_; }
  // Filled by read(). Without it, there are no external files: the model is a graph.
  const ImportRecord& record() const { return record_; }
  // The key of the external files before anything was computed from them.
  const std::string& external_key() const { return external_key_; }
  // Must be called after all external data has been read. Throws ChangedFiles.
  void check_unchanged() const;
  std::vector<std::string> paths() const;

 private:
  const CompileRequest& request_;
  const std::vector<rt::CustomFile> custom_;
  ImportRecord record_;
  std::string external_key_;

  std::string key_now() const;
  [[noreturn]] void refuse_changed() const;
};

}  // namespace cppgen
