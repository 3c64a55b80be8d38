#include "runtime/linked/model.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "isa/arch/arch.h"
#include "isa/cpu_features.h"

namespace cppgen::linked {
namespace {

// They are in the order of the .def file, which is the order that kernels index by.
constexpr double (*kUnaryF64[])(double) = {
#define MATH(name) [](double x) { return ::name(x); },
#include "runtime/abi/math_functions.def"
#undef MATH
};

unsigned float_control(bool flush_denormals) {
  return arch::kDefaultFloatControl | (flush_denormals ? arch::kFlushDenormals : 0);
}

// Null: there is none.
char* map_memory(int64_t bytes) {
  void* memory = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// True if there is now memory of at least so many bytes.
bool grow(char*& memory, int64_t& bytes, int64_t wanted) {
  if (wanted <= bytes) return true;
  if (memory) munmap(memory, size_t(bytes));
  memory = map_memory(wanted);
  bytes = memory ? wanted : 0;
  return memory;
}

struct KernelWork {
  Runner& runner;
  Kernel kernel;
  void* const* buffers;
  const long* params;
  long range, chunks;
};

void run_chunk(const void* p, long chunk, int worker) {
  const auto& [runner, kernel, buffers, params, range, chunks] = *static_cast<const KernelWork*>(p);
  const cppgen_kernel_args args{buffers, params, &runner.services.table, &runner.error,
                                runner.scratch + worker * runner.scratch_bytes};
  const rt::ChunkRange units = rt::chunk_range(range, chunks, chunk);
  kernel(&args, units.begin, units.end);
}

}  // namespace

void start_services(Services& services) {
  memset(&services, 0, sizeof services);
  services.table = {kUnaryF64,
                    ::pow,
                    ::fmod,
                    services.tiles,
                    nullptr,
                    services.prepare,
                    services.begin,
                    services.finish,
                    services.winograd_input,
                    services.winograd_output,
                    services.winograd_direct,
                    nullptr};
}

void add_tiles(Services& services, int format, const rt::TileSet& set) {
  services.tiles[format] = set.functions, services.prepare[format] = set.prepare;
  services.begin[format] = set.begin, services.finish[format] = set.finish;
}

void add_strided(Services& services, const rt::StridedTileSet& set, const rt::WinogradSet& winograd) {
  services.table.strided = set.functions, services.table.winograd_products = winograd.products;
  for (int i = 0; i < rt::winograd::kFormCount; i++) {
    services.winograd_input[i] = winograd.forms[i].input, services.winograd_output[i] = winograd.forms[i].output;
    services.winograd_direct[i] = winograd.forms[i].direct;
  }
}

Status start(Runner& runner, int threads, uint32_t features, bool flush_denormals) {
  if ((read_cpu_features().bits & features) != features) return kUnsuitableCpu;
  if ((features & arch::kMatrixTiles) && arch::permit_matrix_tiles() != 0) return kUnsuitableCpu;
  start_services(runner.services);
  runner.crew = start_crew(threads > 0 ? threads : usable_cpu_count(), float_control(flush_denormals));
  return runner.crew ? kDone : kNoMemory;
}

void end(Runner& runner) {
  if (!runner.crew) return;
  if (runner.arena) munmap(runner.arena, size_t(runner.arena_bytes));
  if (runner.scratch) munmap(runner.scratch, size_t(runner.scratch_bytes * worker_count(runner.crew)));
  end_crew(runner.crew);
}

Status reserve(Runner& runner, int64_t arena_bytes, int64_t scratch_bytes) {
  SizeMath math;
  const int64_t workers = worker_count(runner.crew);
  const int64_t all_scratch = math.mul(math.aligned(scratch_bytes), workers);
  if (math.failed) return kBadSizes;
  int64_t old_scratch = runner.scratch_bytes * workers;
  if (!grow(runner.arena, runner.arena_bytes, arena_bytes)) return kNoMemory;
  const bool grown = grow(runner.scratch, old_scratch, all_scratch);
  runner.scratch_bytes = old_scratch / workers;
  return grown ? kDone : kNoMemory;
}

void run_kernel(Runner& runner, Kernel kernel, void* const* buffers, const long* params, long range, long chunks) {
  const KernelWork work{runner, kernel, buffers, params, range, chunks};
  run_task(runner.crew, {run_chunk, &work, chunks});
}

FloatControl::FloatControl(bool flush_denormals) : old_(arch::float_control()) {
  arch::set_float_control(float_control(flush_denormals));
}

FloatControl::~FloatControl() { arch::set_float_control(old_); }

}  // namespace cppgen::linked
