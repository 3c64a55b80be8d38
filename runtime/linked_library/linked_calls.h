// The functions of this room for models that are linked into programs: plain C, without errors that are thrown. They
// are one object file, which contains what it needs of the library of C++ (cmake/linked_library.cmake), so that it
// links with programs in C.
#pragma once
#include <stdint.h>

extern "C" {

// A step's operator, as LibraryFunction::create makes it. Null if the function is not known or refuses the call.
void* cppgen_library_create(const char* function, long inputs, long outputs, const void* const* constants);
void cppgen_library_destroy(void* op);

// The needs of a run with given sizes.
struct cppgen_library_task {
  void* task;  // null: none yet, or the sizes were refused
  int64_t chunks, scratch_bytes;
};
struct cppgen_library_sizes {
  const int64_t* params;
  long param_count;
  const double* numbers;
  long number_count;
  const int64_t* bytes;  // of each buffer
  long buffer_count;
  int64_t min_chunk_size;
};
// Replaces the task. False if the operator refuses the sizes.
bool cppgen_library_bind(void* op, const cppgen_library_sizes* sizes, cppgen_library_task* task);
void cppgen_library_release(cppgen_library_task* task);

// False if the operator refuses the values.
bool cppgen_library_run(const cppgen_library_task* task, void* const* buffers, long count, long chunk, char* scratch);
}
