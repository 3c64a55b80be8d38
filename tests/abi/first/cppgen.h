/* C API of the cppgen runtime: load a compiled model (a package) and run it. Plain C99; no function throws.
 *
 * Every function that can fail returns a status and, if `error` is not null, writes a message there: it belongs to the
 * caller, so messages of several threads never mix. A session may be used by many threads at once.
 *
 * A program that was compiled with this header runs with every later library of the same minor version (the library's
 * SONAME): numbers of enumerators never change, functions keep their meaning, structs that the library reads or writes
 * either never change or have a size that the caller states, and grow only at the end. */
#ifndef CPPGEN_H
#define CPPGEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CPPGEN_VERSION_MAJOR 0
#define CPPGEN_VERSION_MINOR 2

typedef enum cppgen_status {
  CPPGEN_OK = 0,
  CPPGEN_USER_ERROR = 1,    /* a bad package, setting or input: the message says what, where, and what is allowed */
  CPPGEN_INTERNAL_ERROR = 2 /* a bug in cppgen */
} cppgen_status;

typedef struct cppgen_error {
  char message[1024]; /* null-terminated; truncated if longer */
} cppgen_error;

/* Element types. bool is one byte, 0 or 1; float8 types and float4e2m1 are one byte, the bits of the value; integers of
 * four and two bits take one byte per element, in [-8, 7], [0, 15], [-2, 1] and [0, 3]: results for other bytes are
 * unspecified. */
typedef enum cppgen_dtype {
  CPPGEN_FLOAT32 = 0,
  CPPGEN_FLOAT64 = 1,
  CPPGEN_FLOAT16 = 2,
  CPPGEN_BFLOAT16 = 3,
  CPPGEN_INT8 = 4,
  CPPGEN_INT16 = 5,
  CPPGEN_INT32 = 6,
  CPPGEN_INT64 = 7,
  CPPGEN_UINT8 = 8,
  CPPGEN_UINT16 = 9,
  CPPGEN_UINT32 = 10,
  CPPGEN_UINT64 = 11,
  CPPGEN_BOOL = 12,
  CPPGEN_FLOAT8E4M3FN = 13,
  CPPGEN_FLOAT8E4M3FNUZ = 14,
  CPPGEN_FLOAT8E5M2 = 15,
  CPPGEN_FLOAT8E5M2FNUZ = 16,
  CPPGEN_INT4 = 17,
  CPPGEN_UINT4 = 18,
  CPPGEN_INT2 = 19,
  CPPGEN_UINT2 = 20,
  CPPGEN_FLOAT4E2M1 = 21,
  CPPGEN_FLOAT8E8M0 = 22,
  CPPGEN_STRING =
      1000 /* null-terminated strings: `data` is an array of char pointers, see cppgen_session_run_results */
} cppgen_dtype;

typedef struct cppgen_session cppgen_session;

/* See the settings of the same names. Initialise with cppgen_options_init, then set members as needed. */
typedef struct cppgen_options {
  size_t struct_size;        /* as cppgen_options_init sets it */
  int64_t threads;           /* -1: the physical cores that this process may use */
  const char* affinity;      /* a word of AFFINITY; null: none */
  int smt;                   /* use all hardware threads of a core */
  int64_t min_chunk_size;    /* minimum number of elements of work per chunk */
  int memory_planning;       /* one planned arena for all intermediate buffers */
  int64_t spin_microseconds; /* how long idle workers spin between kernels */
  int64_t streams;           /* maximum number of concurrent independent kernels */
  int profile;               /* measure each kernel */
  int trust_weights;         /* check weights by their size only, not by their hash */
  const char* custom_ops;    /* descriptions of custom operators, paths separated by ':'; null: none */
  const char* settings;      /* further settings of a run, one NAME=VALUE per line, which precede those of the
                                environment; null: none. The members above precede both. */
} cppgen_options;

/* Sets the first `size` bytes, which is sizeof(cppgen_options) in the caller's header, to the values of the environment
 * (CPPGEN_THREADS ...) and the defaults. Strings stay valid for ever. */
cppgen_status cppgen_options_init_sized(cppgen_options* options, size_t size, cppgen_error* error);

static inline cppgen_status cppgen_options_init(cppgen_options* options, cppgen_error* error) {
  return cppgen_options_init_sized(options, sizeof(cppgen_options), error);
}

/* Loads the package in directory `path`. Null options mean those of cppgen_options_init. On success *session must be
 * passed to cppgen_session_free; on failure it is null. */
cppgen_status cppgen_session_load(const char* path, const cppgen_options* options, cppgen_session** session,
                                  cppgen_error* error);

/* Null is allowed. No run may be in progress. */
void cppgen_session_free(cppgen_session* session);

/* All pointers in it belong to the session. */
typedef struct cppgen_tensor_info {
  const char* name;
  cppgen_dtype dtype;
  size_t rank;
  const int64_t* dims; /* -1 for a dimension that depends on the inputs */
} cppgen_tensor_info;  /* for a tensor; for other kinds only the name is set */

size_t cppgen_session_input_count(const cppgen_session* session);
size_t cppgen_session_output_count(const cppgen_session* session);
cppgen_status cppgen_session_input(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                   cppgen_error* error);
cppgen_status cppgen_session_output(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                    cppgen_error* error);

/* Dense and row-major; the memory belongs to the caller and is aligned to its elements. */
typedef struct cppgen_tensor {
  cppgen_dtype dtype;
  size_t rank;
  const int64_t* dims;
  void* data;
} cppgen_tensor;

/* Dimensions of output `index` for these inputs, whose data are not read: writes as many as the output's rank to
 * `dims`, which has space for `capacity`. */
cppgen_status cppgen_session_output_dims(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                         size_t index, int64_t* dims, size_t capacity, cppgen_error* error);

/* Runs the model. Tensors are in the order of the model; data of inputs are only read; outputs must have exactly the
 * types and dimensions of the results. */
cppgen_status cppgen_session_run(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                 const cppgen_tensor* outputs, size_t output_count, cppgen_error* error);

/* Replaces a parameter of a package that was compiled with FREEZING=0 by a copy of this tensor, in all runs that begin
 * later; null data restore its value in the package. No run may be in progress. */
cppgen_status cppgen_session_set_parameter(cppgen_session* session, const char* name, const cppgen_tensor* value,
                                           cppgen_error* error);

/* The kind of an input or output. */
typedef enum cppgen_kind {
  CPPGEN_TENSOR = 0, /* a tensor of numbers, or of strings with the dtype CPPGEN_STRING */
  CPPGEN_SEQUENCE = 1,
  CPPGEN_OPTIONAL = 2, /* a tensor, or nothing */
  CPPGEN_OPTIONAL_SEQUENCE = 3,
  CPPGEN_NOTHING = 4 /* only of results: an optional without a value */
} cppgen_kind;

cppgen_status cppgen_session_input_kind(const cppgen_session* session, size_t index, cppgen_kind* kind,
                                        cppgen_error* error);
cppgen_status cppgen_session_output_kind(const cppgen_session* session, size_t index, cppgen_kind* kind,
                                         cppgen_error* error);

/* The outputs of one run, in memory of their own. */
typedef struct cppgen_results cppgen_results;

/* Runs the model and keeps its results: for outputs whose dimensions are known only at run time, and for strings and
 * sequences. The `data` of a tensor of strings is an array of const char*, one null-terminated string per element.
 * Sequences as inputs are not supported. On success *results must be passed to cppgen_results_free; on failure it is
 * null.
 *
 *   cppgen_results* results;
 *   cppgen_tensor found;
 *   if (cppgen_session_run_results(session, inputs, input_count, &results, &error) == CPPGEN_OK) {
 *     if (cppgen_results_tensor(results, 0, 0, &found, &error) == CPPGEN_OK && found.dtype == CPPGEN_FLOAT32)
 *       use((const float*)found.data, found.dims, found.rank);
 *     cppgen_results_free(results);
 *   }
 */
cppgen_status cppgen_session_run_results(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                         cppgen_results** results, cppgen_error* error);

/* Null is allowed. */
void cppgen_results_free(cppgen_results* results);

/* The kind of output `index` and its number of tensors: 1, the length of a sequence, or 0 for nothing. */
cppgen_status cppgen_results_kind(const cppgen_results* results, size_t index, cppgen_kind* kind, size_t* count,
                                  cppgen_error* error);

/* Tensor `element` of output `index`: 0, or a position in the sequence. Its dimensions and data belong to the results
 * and must not be changed. */
cppgen_status cppgen_results_tensor(const cppgen_results* results, size_t index, size_t element, cppgen_tensor* tensor,
                                    cppgen_error* error);

typedef struct cppgen_stats {
  int threads;
  size_t steps;
  int64_t weights_bytes;
  int64_t arena_bytes; /* memory that one run writes besides the outputs */
} cppgen_stats;

/* Sets the first `size` bytes, which is sizeof(cppgen_stats) in the caller's header. */
cppgen_status cppgen_session_stats_sized(const cppgen_session* session, cppgen_stats* stats, size_t size,
                                         cppgen_error* error);

static inline cppgen_status cppgen_session_stats(const cppgen_session* session, cppgen_stats* stats,
                                                 cppgen_error* error) {
  return cppgen_session_stats_sized(session, stats, sizeof(cppgen_stats), error);
}

/* A table of times per kernel of each version of the model that ran, since the session was made (options.profile),
 * null-terminated and truncated to `capacity` bytes. *length, if not null, becomes the length of the whole table
 * without its terminator. */
cppgen_status cppgen_session_profile(const cppgen_session* session, char* text, size_t capacity, size_t* length,
                                     cppgen_error* error);

/* "0.2.0": of the library, not of this header. */
const char* cppgen_version(void);

#ifdef __cplusplus
}
#endif

#endif
