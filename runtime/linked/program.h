// The program of a model (cppgen compile --emit executable): reads inputs from .npy files, runs, writes the outputs.
#pragma once
#include <stdint.h>

namespace cppgen::linked {

struct TensorRow {
  const char* name;
  const char* file;  // name of its .npy file, without the ending
  const char* type;  // its elements, as .npy files describe them: "<f4"
  int64_t element_bytes;
  int rank;
  const char* text;  // "float32[batch, 3, 224, 224]"
};

// A size that the model leaves open: that of an axis of an input.
struct SizeRow {
  const char* name;
  int input, axis;
};

constexpr int kMostAxes = 64;

// A model by its emitted functions, which return what linked::Status says.
struct Program {
  const char* name;
  const TensorRow* tensors;  // inputs, then outputs
  int inputs, outputs;
  const SizeRow* sizes;
  int size_count;
  int (*create)(void** model, int threads);
  void (*destroy)(void* model);
  int (*dims)(const int64_t* sizes, int tensor, int64_t* dims);
  int (*run)(void* model, const int64_t* sizes, const void* const* inputs, void* const* outputs);
  const char* (*message)(int status);
};

// The status of the process: 0; 2 for what the user has to mend.
int run_program(const Program&, int argc, char** argv);

}  // namespace cppgen::linked
