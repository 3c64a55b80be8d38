#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/library/chunks.h"
#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// Operators that are not loop nests: steps of kind `library`. A function has three stages, whose results are reused by
// the stages that follow:
//   create   per session and step: takes the constants, e.g. to reorder weights;
//   bind     per binding of the dimensions: sees sizes, decides how the work is split into chunks;
//   run      per run and chunk: by any thread, allocates nothing.

// A step before its dimensions are known.
struct LibraryCall {
  std::string_view name;
  size_t input_count = 0, output_count = 0;  // buffers: inputs, then outputs
  std::span<const void* const> constants;  // per buffer: its data if it is constant, else null; they outlive all stages
};

struct BoundCall {
  std::span<const int64_t> params;  // the call's fields (runtime/plan/call_fields.h)
  std::span<const int64_t> bytes;   // size of each buffer
  int64_t min_chunk_size;           // MIN_CHUNK_SIZE: minimum number of elements of work in a chunk
  std::span<const double> numbers{};
};

// The fields of a call of this function. UserError naming one that is missing or invalid.
template <class Call>
Call read_call(std::string_view function, const BoundCall& call) {
  return read_fields<Call>("plan: " + std::string(function), call.params, call.numbers);
}

// Work that is split into chunks by shape and settings only. Chunks write disjoint memory and may run concurrently.
class LibraryTask {
 public:
  virtual ~LibraryTask() = default;
  virtual int64_t chunks() const = 0;
  virtual int64_t scratch_bytes() const { return 0; }  // needed by each thread, 64-byte aligned
  // UserError for values that the operator does not allow.
  virtual void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const = 0;
};

class LibraryOperator {
 public:
  virtual ~LibraryOperator() = default;
  // UserError if parameters and sizes do not match. Must not be called concurrently.
  virtual std::shared_ptr<const LibraryTask> bind(const BoundCall&) = 0;
};

struct LibraryFunction {
  std::string_view name;
  // UserError if the number of buffers or attributes is wrong.
  std::unique_ptr<LibraryOperator> (*create)(const LibraryCall&);
};

// The function of this name in runtime/library.
std::span<const LibraryFunction> library_functions();

}  // namespace cppgen::rt
