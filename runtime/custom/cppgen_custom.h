/* Custom operators of cppgen that are C functions: the interface of a shared library that a description names under
 * "function" (docs/custom_operators.md). Plain C; no function may throw.
 *
 *   #include "cppgen_custom.h"
 *   CPPGEN_CUSTOM_LIBRARY
 *
 *   const char* twice(const cppgen_custom_call* call) {
 *     const cppgen_custom_tensor* x = &call->inputs[0];
 *     for (size_t i = 0; i < x->elements; i++)
 *       ((float*)call->outputs[0].data)[i] = 2 * ((const float*)x->data)[i];
 *     return NULL;
 *   }
 */
#ifndef CPPGEN_CUSTOM_H
#define CPPGEN_CUSTOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CPPGEN_CUSTOM_ABI_VERSION 1

/* Types are numbered like cppgen_dtype in cppgen.h: 0 float32, 1 float64, 2 float16, 3 bfloat16, 4 int8, 5 int16,
 * 6 int32, 7 int64, 8 uint8, 9 uint16, 10 uint32, 11 uint64, 12 bool. */
typedef struct cppgen_custom_tensor {
  int32_t type;
  int32_t rank;
  const int64_t* dims;
  size_t elements; /* the product of the dimensions */
  void* data;      /* dense, row-major, aligned to 64 bytes; data of inputs must not be changed */
} cppgen_custom_tensor;

/* An attribute: the list of its type is set; a single value is a list of one element. */
typedef struct cppgen_custom_attribute {
  const char* name;
  size_t count;
  const int64_t* integers;
  const float* numbers;
  const char* const* texts;
} cppgen_custom_attribute;

typedef struct cppgen_custom_call {
  const cppgen_custom_tensor* inputs; /* in the order of the description */
  size_t input_count;
  const cppgen_custom_tensor* outputs; /* with the sizes of the description's shape rules; to be filled */
  size_t output_count;
  const cppgen_custom_attribute* attributes; /* all of the description; those that the node lacks have their defaults */
  size_t attribute_count;
} cppgen_custom_call;

/* Returns null, or an error message, which must stay valid until the same thread calls the function again. It may be
 * called by several threads at once. */
typedef const char* (*cppgen_custom_function)(const cppgen_custom_call* call);

/* Must appear once in each library: records the version of this header for which it was compiled. */
#ifdef __cplusplus
#define CPPGEN_CUSTOM_LIBRARY                                                                 \
  extern "C" __attribute__((visibility("default"))) int32_t cppgen_custom_abi_version(void) { \
    return CPPGEN_CUSTOM_ABI_VERSION;                                                         \
  }
#else
#define CPPGEN_CUSTOM_LIBRARY \
  __attribute__((visibility("default"))) int32_t cppgen_custom_abi_version(void) { return CPPGEN_CUSTOM_ABI_VERSION; }
#endif

#ifdef __cplusplus
}
#endif

#endif
