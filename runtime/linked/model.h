// The interface that the emitted code of a model uses if it is linked into a program (cppgen/emit).
#pragma once
#include <stdint.h>

#include "runtime/abi/abi.h"
#include "runtime/contraction/tiles.h"
#include "runtime/library/chunks.h"
#include "runtime/linked/crew.h"
#include "runtime/linked_library/linked_calls.h"

namespace cppgen::linked {

// The results of functions of a model; greater numbers are messages of the model.
enum Status : int { kDone = 0, kNoMemory = 1, kUnsuitableCpu = 2, kBadSizes = 3, kFirstMessage = 4 };

// Arithmetic on sizes as plans define it (runtime/plan/plan.h), which notes whether a result is not one.
struct SizeMath {
  bool failed = false;

  int64_t add(int64_t a, int64_t b) {
    int64_t sum = 0;
    const bool overflows = __builtin_add_overflow(a, b, &sum);
    return checked(overflows, sum);
  }
  int64_t mul(int64_t a, int64_t b) {
    int64_t product = 0;
    const bool overflows = __builtin_mul_overflow(a, b, &product);
    return checked(overflows, product);
  }
  int64_t floordiv(int64_t a, int64_t b) { return b > 0 ? a / b - (a % b < 0) : checked(b < 0, 0); }
  int64_t mod(int64_t a, int64_t b) { return b > 0 ? a - floordiv(a, b) * b : checked(b < 0, 0); }
  static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
  static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
  // A size: not negative.
  int64_t size(int64_t a) { return checked(a < 0, a); }
  int64_t aligned(int64_t bytes) { return add(bytes, 63) / 64 * 64; }
  int64_t chunks(int64_t range, int64_t unit_work, int64_t flops, int64_t bytes, int64_t least) {
    return rt::chunk_count(range, mul(range, max(1, unit_work)), flops, bytes, least);
  }

 private:
  int64_t checked(bool wrong, int64_t value) {
    failed |= wrong;
    return wrong ? 0 : value;
  }
};

constexpr int kTileFormats = 0
#define CPPGEN_TILE_FORMAT(...) +1
#include "runtime/contraction/tile_formats.def"
    ;

// The functions that kernels call. Tables of tiles that the model does not use are null.
struct Services {
  cppgen_runtime table;
  const rt::TileFunction* tiles[kTileFormats];
  rt::PrepareFunction prepare[kTileFormats];
  void (*begin[kTileFormats])();
  void (*finish[kTileFormats])();
  decltype(rt::WinogradTransforms::input) winograd_input[rt::winograd::kFormCount];
  decltype(rt::WinogradTransforms::output) winograd_output[rt::winograd::kFormCount];
  decltype(rt::WinogradTransforms::direct) winograd_direct[rt::winograd::kFormCount];
};
void start_services(Services&);  // without tiles
void add_tiles(Services&, int format, const rt::TileSet&);
void add_strided(Services&, const rt::StridedTileSet&, const rt::WinogradSet&);

// The state that runs of a model share, one at a time.
struct Runner {
  Crew* crew;
  char *arena, *scratch;
  int64_t arena_bytes, scratch_bytes;  // scratch: of each worker
  int error;                           // of kernels (runtime/abi/abi.h)
  Services services;
};

// Starts threads, 0: as many as this process may use CPUs, if the CPU has `features` (CpuFeatures), and the system
// permits matrix tiles if they are among them.
Status start(Runner&, int threads, uint32_t features, bool flush_denormals);
void end(Runner&);
// Provides memory, zeroed if it is new, for an arena and scratch memory of each worker.
Status reserve(Runner&, int64_t arena_bytes, int64_t scratch_bytes);

using Kernel = void (*)(const cppgen_kernel_args*, long begin, long end);
void run_kernel(Runner&, Kernel, void* const* buffers, const long* params, long range, long chunks);

// A step that calls a function of the runtime's library. `run_library` leaves `failure` in Runner::error if the values
// are refused.
struct LibraryStep {
  void* op;
  cppgen_library_task task;
};
void run_library(Runner&, const LibraryStep&, void* const* buffers, long count, int failure);

// During its lifetime, the calling thread has the control word of floating-point arithmetic that kernels expect.
class FloatControl {
 public:
  explicit FloatControl(bool flush_denormals);
  ~FloatControl();
  FloatControl(const FloatControl&) = delete;

 private:
  unsigned old_;
};

}  // namespace cppgen::linked
