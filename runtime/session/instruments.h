#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/session/session_options.h"
#include "runtime/session/step_inspector.h"
#include "runtime/session/trace_file.h"

namespace cppgen::rt {

// Observers of the runs of a session; by default there are none. The sessions of a module's plans share them.
struct Instruments {
  explicit Instruments(const SessionOptions&);  // UserError if a file cannot be written

  const bool profile;
  const bool listens;                // to chunks (SessionOptions::on_chunks)
  std::unique_ptr<TraceFile> trace;  // null: none
  std::vector<std::unique_ptr<StepInspector>> inspectors;
  std::atomic<int64_t> runs{0};  // that were inspected

  bool records_chunks() const { return trace || listens; }
  bool measure() const { return profile || records_chunks(); }
};

}  // namespace cppgen::rt
