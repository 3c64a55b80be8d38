#include "runtime/linked/model.h"

namespace cppgen::linked {
namespace {

struct LibraryWork {
  Runner& runner;
  const LibraryStep& step;
  void* const* buffers;
  long count;
  int failure;
};

void run_library_chunk(const void* p, long chunk, int worker) {
  const auto& [runner, step, buffers, count, failure] = *static_cast<const LibraryWork*>(p);
  char* const scratch = runner.scratch + worker * runner.scratch_bytes;
  if (!cppgen_library_run(&step.task, buffers, count, chunk, scratch))
    __atomic_store_n(&runner.error, failure, __ATOMIC_RELAXED);
}

}  // namespace

void run_library(Runner& runner, const LibraryStep& step, void* const* buffers, long count, int failure) {
  const LibraryWork work{runner, step, buffers, count, failure};
  run_task(runner.crew, {run_library_chunk, &work, step.task.chunks});
}

}  // namespace cppgen::linked
