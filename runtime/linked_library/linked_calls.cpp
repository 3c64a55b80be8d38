#include "runtime/linked_library/linked_calls.h"

#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "runtime/library/library.h"

namespace {

using namespace cppgen::rt;

// Errors of this thread end here. Programs that are linked statically may have no tables for unwinding, so errors jump;
// what a refused call has allocated is lost.
thread_local std::jmp_buf* refused = nullptr;

template <class Work>
bool accepted(const Work& work) {
  std::jmp_buf here;
  refused = &here;
  if (setjmp(here) != 0) return false;
  work();
  return true;
}

[[noreturn]] void refuse() {
  if (refused) std::longjmp(*refused, 1);
  std::abort();
}

struct Task {
  std::shared_ptr<const LibraryTask> task;
};

}  // namespace

extern "C" {

// These replace those of the library of C++, whose errors come here, too.
void __cxa_throw(void*, void*, void (*)(void*)) { refuse(); }
void __cxa_rethrow() { refuse(); }
void _Unwind_Resume(void*) { refuse(); }
// Nothing unwinds.
void __gxx_personality_v0() { std::abort(); }
void _Unwind_RaiseException() { std::abort(); }
void _Unwind_DeleteException() { std::abort(); }
void _Unwind_GetRegionStart() { std::abort(); }
void _Unwind_GetTextRelBase() { std::abort(); }
void _Unwind_GetDataRelBase() { std::abort(); }

void* cppgen_library_create(const char* function, long inputs, long outputs, const void* const* constants) {
  std::unique_ptr<LibraryOperator> op;
  accepted([&] {
    for (const LibraryFunction& row : library_functions())
      if (row.name == function)
        op = row.create({row.name, size_t(inputs), size_t(outputs), {constants, size_t(inputs + outputs)}});
  });
  return op.release();
}

void cppgen_library_destroy(void* op) { delete static_cast<LibraryOperator*>(op); }

bool cppgen_library_bind(void* op, const cppgen_library_sizes* sizes, cppgen_library_task* task) {
  cppgen_library_release(task);
  return accepted([&] {
    auto made = std::make_unique<Task>();
    made->task = static_cast<LibraryOperator*>(op)->bind({{sizes->params, size_t(sizes->param_count)},
                                                          {sizes->bytes, size_t(sizes->buffer_count)},
                                                          sizes->min_chunk_size,
                                                          {sizes->numbers, size_t(sizes->number_count)}});
    task->chunks = made->task->chunks(), task->scratch_bytes = made->task->scratch_bytes();
    task->task = made.release();
  });
}

void cppgen_library_release(cppgen_library_task* task) {
  delete static_cast<Task*>(task->task);
  *task = {};
}

bool cppgen_library_run(const cppgen_library_task* task, void* const* buffers, long count, long chunk, char* scratch) {
  return accepted([&] { static_cast<const Task*>(task->task)->task->run({buffers, size_t(count)}, chunk, scratch); });
}
}
