#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// Operators that are no loop nest: steps of kind `library`. A function goes through three stages, each made once and
// used by all that come after it:
//   create   per session and step: takes the constants, e.g. to reorder weights;
//   bind     per binding of the dimensions: sees sizes, decides how the work is cut into chunks;
//   run      per run and chunk: by any thread, allocates nothing.

// A step before its dimensions are known.
struct LibraryCall {
  std::string_view name;
  size_t input_count = 0, output_count = 0;  // buffers: inputs, then outputs
  std::span<const void* const>
      constants;  // per buffer: its data if it is a constant, else null; they outlive all stages
};

struct BoundCall {
  std::span<const int64_t> params;  // the call's fields (runtime/plan/call_fields.h)
  std::span<const int64_t> bytes;   // size of each buffer
  int64_t min_chunk_size = 512;     // MIN_CHUNK_SIZE: least elements of work in a chunk
  std::span<const double> numbers{};
};

// The fields of a call of this function. UserError naming one that is missing or is not what its kind allows.
template <class Call>
Call read_call(std::string_view function, const BoundCall& call) {
  return read_fields<Call>("plan: " + std::string(function), call.params, call.numbers);
}

// Work cut into chunks by shape and settings only. Chunks write disjoint memory, and may run at the same time.
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
  // UserError if parameters and sizes do not agree. One call at a time.
  virtual std::shared_ptr<const LibraryTask> bind(const BoundCall&) = 0;
};

struct LibraryFunction {
  std::string_view name;
  // UserError if the number of buffers or attributes is wrong.
  std::unique_ptr<LibraryOperator> (*create)(const LibraryCall&);
};

// The functions of this room, by name.
std::span<const LibraryFunction> library_functions();

// How many chunks to cut `units` equal pieces of work into. `work` is the elements of work in all of them, `flops` and
// `bytes` their arithmetic and memory traffic (0: unknown). 0 only for 0 units; below two times `min_chunk_size`
// elements 1. A function of its arguments alone, so that results never depend on the number of threads.
int64_t chunk_count(int64_t units, int64_t work, int64_t flops, int64_t bytes, int64_t min_chunk_size);

// Chunk `chunk` of `chunks` over [0, units): sizes differ by at most one unit.
struct ChunkRange {
  int64_t begin, end;
};
ChunkRange chunk_range(int64_t units, int64_t chunks, int64_t chunk);

}  // namespace cppgen::rt
