#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cppgen {

// The data that repeat a compilation that was traced, in the file repro.json of the trace's folder, next to the
// model and its external data.
struct TraceRecord {
  std::string version;                 // of cppgen
  std::string isa, cpu, compiler;      // where it was compiled
  int64_t l2_bytes = 0, l3_bytes = 0;  // as schedules see them
  std::string model;                   // file in the folder; empty: too large
  std::string model_sha256;
  std::vector<std::string> dims;                // --dim
  std::vector<std::string> states;              // --state
  std::map<std::string, std::string> settings;  // those with influence on kernels or results
  std::map<std::string, std::string> kernels;   // SHA-256 of each source
  std::vector<std::string> files;               // all files of the trace, relative to the folder
  std::string compile_error;                    // with which the compilation ended
  bool has_run = false;   // there are inputs of a run (io.json), and its results if it ended without an error
  std::string run_error;  // with which it ended
};

// UserError naming the file if it cannot be read or written, or is malformed; `shown` is the archive that the folder
// was extracted from, for messages. Names of files do not lead out of the folder.
TraceRecord read_trace_record(const std::string& folder, const std::string& shown = "");
void write_trace_record(const std::string& folder, const TraceRecord&);

// Writes "<folder>.tar" with the files of the record.
void pack_trace(const std::string& folder, const TraceRecord&);

inline constexpr int64_t kMostTracedBytes = int64_t{1} << 30;  // of the model, and of the values of a run

}  // namespace cppgen
