/* C API of the cppgen runtime: load a compiled model (a package) and run it. Plain C99; no function throws. cppgen.hpp
 * has the same for C++17.
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
  CPPGEN_USER_ERROR = 1,     /* a bad package, setting or input: the message says what, where, and what is allowed */
  CPPGEN_INTERNAL_ERROR = 2, /* a bug in cppgen */
  CPPGEN_CANCELLED = 3       /* a run that its cppgen_cancel ended */
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

typedef struct cppgen_pool cppgen_pool;
typedef struct cppgen_allocator cppgen_allocator;

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
                                environment; null: none. The members above precede both. "ISA=avx2" takes the version
                                for that instruction set, or a lesser one, of a package that has several. */
  cppgen_pool* pool;         /* threads that several sessions share; null: the session's own. With a pool, the options
                                of threads are not used. */
  const cppgen_allocator* allocator; /* of results and intermediate values; null: the library's own. It is copied. */
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

/* A file of a package in memory. `name` is relative to the package's directory: "plan.json", "avx2/plan.json". */
typedef struct cppgen_file {
  const char* name;
  const void* data;
  size_t bytes;
} cppgen_file;

/* Loads a package from memory, such as a resource of the program: all regular files of the package's directory and of
 * the folders in it. Weights that are aligned to 64 bytes are used where they are, so the files must stay valid and
 * unchanged until the session is freed. */
cppgen_status cppgen_session_load_memory(const cppgen_file* files, size_t file_count, const cppgen_options* options,
                                         cppgen_session** session, cppgen_error* error);

/* Reads the files of a package from wherever the application keeps them. Called only by the thread that loads. */
typedef struct cppgen_reader {
  size_t struct_size; /* sizeof(cppgen_reader) */
  void* context;
  /* The number of bytes of a file, named as in cppgen_file; -1 if there is none of this name. */
  int64_t (*size)(void* context, const char* name);
  /* Writes `bytes` bytes of the file, beginning at `offset`, to `to`. 0 if it succeeds. */
  int (*read)(void* context, const char* name, uint64_t offset, void* to, size_t bytes);
} cppgen_reader;

cppgen_status cppgen_session_load_reader(const cppgen_reader* reader, const cppgen_options* options,
                                         cppgen_session** session, cppgen_error* error);

/* Null is allowed. No run may be in progress. */
void cppgen_session_free(cppgen_session* session);

/* All pointers in it belong to the session. */
typedef struct cppgen_tensor_info {
  const char* name;
  cppgen_dtype dtype;
  size_t rank;
  /* -1 for a dimension that depends on the inputs. Null, with rank 0, for an output of which only a run tells how many
   * dimensions it has: such a model is run with cppgen_session_run_results. */
  const int64_t* dims;
} cppgen_tensor_info; /* for a tensor; for other kinds only the name is set */

size_t cppgen_session_input_count(const cppgen_session* session);
size_t cppgen_session_output_count(const cppgen_session* session);
cppgen_status cppgen_session_input(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                   cppgen_error* error);
cppgen_status cppgen_session_output(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                    cppgen_error* error);

/* The name of dimension `axis` of an input or output, such as "batch", or for one that is computed from others its
 * formula: "batch*2 + 1". *name becomes null for a dimension of constant size; otherwise it belongs to the session. */
cppgen_status cppgen_session_input_dim_name(const cppgen_session* session, size_t index, size_t axis, const char** name,
                                            cppgen_error* error);
cppgen_status cppgen_session_output_dim_name(const cppgen_session* session, size_t index, size_t axis,
                                             const char** name, cppgen_error* error);

/* The position of the input or output of this name. */
cppgen_status cppgen_session_input_index(const cppgen_session* session, const char* name, size_t* index,
                                         cppgen_error* error);
cppgen_status cppgen_session_output_index(const cppgen_session* session, const char* name, size_t* index,
                                          cppgen_error* error);

/* What the model's file says about the model: "producer_name", "producer_version", "domain", "model_version",
 * "graph_name", "doc_string", "graph_doc_string", "ir_version", "opset:DOMAIN" for each operator set, as "metadata:KEY"
 * the properties that its author gave, and as "type:OUTPUT" the type of each output that is a sequence of maps, such as
 * "seq(map(string,tensor(float)))": here it is a sequence of two tensors, the keys that all maps share and the values,
 * a row for each map. The pointers belong to the session. */
size_t cppgen_session_metadata_count(const cppgen_session* session);
cppgen_status cppgen_session_metadata(const cppgen_session* session, size_t index, const char** key, const char** value,
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

/* The same for all outputs at once: their dimensions one after another, in the order of the model. */
cppgen_status cppgen_session_all_output_dims(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                             int64_t* dims, size_t capacity, cppgen_error* error);

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
 * For sequences as inputs see cppgen_session_run_values. On success *results must be passed to cppgen_results_free; on
 * failure it is null.
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

/* An input of any kind. It holds a copy of what it was made of, and may be an input of any number of runs at once. */
typedef struct cppgen_value cppgen_value;

/* A tensor of numbers or strings; a sequence of `count` values, which may be freed afterwards; an optional without a
 * value. On success *value must be passed to cppgen_value_free. An input x that is a map is two inputs of the model,
 * tensors of one dimension named x.keys and x.values. */
cppgen_status cppgen_value_tensor(const cppgen_tensor* tensor, cppgen_value** value, cppgen_error* error);
cppgen_status cppgen_value_sequence(const cppgen_value* const* elements, size_t count, cppgen_value** value,
                                    cppgen_error* error);
cppgen_status cppgen_value_nothing(cppgen_value** value, cppgen_error* error);
void cppgen_value_free(cppgen_value* value); /* null is allowed */

/* Ends runs from another thread. */
typedef struct cppgen_cancel cppgen_cancel;

cppgen_status cppgen_cancel_create(cppgen_cancel** cancel, cppgen_error* error);
/* Runs that were given it end as soon as the kernels that have begun are done, with CPPGEN_CANCELLED; their outputs
 * have unspecified contents. Later runs end at once, until it is reset. May be called in a signal handler. */
void cppgen_cancel_request(cppgen_cancel* cancel);
void cppgen_cancel_reset(cppgen_cancel* cancel);
void cppgen_cancel_free(cppgen_cancel* cancel); /* null is allowed; no run that has it may be in progress */

typedef struct cppgen_run_options {
  size_t struct_size;          /* sizeof(cppgen_run_options) */
  const cppgen_cancel* cancel; /* null: none */
} cppgen_run_options;

/* As cppgen_session_run, with options; null: none. */
cppgen_status cppgen_session_run_with(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                      const cppgen_tensor* outputs, size_t output_count,
                                      const cppgen_run_options* options, cppgen_error* error);

/* As cppgen_session_run_results, for inputs of any kind, with options; null: none. */
cppgen_status cppgen_session_run_values(cppgen_session* session, const cppgen_value* const* inputs, size_t input_count,
                                        const cppgen_run_options* options, cppgen_results** results,
                                        cppgen_error* error);

/* What the runs of one sequence, such as the decoding of one text, leave for the next one of a package with states
 * (`cppgen compile --state`): the keys and values of earlier positions, for example. Several states of one session are
 * independent of each other; each is used by one run at a time. */
typedef struct cppgen_state cppgen_state;

/* The pairs of an input and an output that are a state. */
size_t cppgen_session_state_count(const cppgen_session* session);
/* The positions of the two tensors of state `index`, the axis along which it grows, and how many positions it may have
 * along it. */
cppgen_status cppgen_session_state(const cppgen_session* session, size_t index, size_t* input, size_t* output,
                                   size_t* axis, int64_t* capacity, cppgen_error* error);

/* An empty state. Its memory is reserved for the whole capacity by the first run, which knows the batch, and is taken
 * from the system as it is used. On success *state must be passed to cppgen_state_free, before the session is freed; on
 * failure it is null. */
cppgen_status cppgen_state_create(cppgen_session* session, cppgen_state** state, cppgen_error* error);
void cppgen_state_free(cppgen_state* state); /* null is allowed; no run that uses it may be in progress */

/* How many positions the state has along its axis. */
int64_t cppgen_state_length(const cppgen_state* state);
/* Forgets the positions from `length` on, at most the present length: a shorter one rolls back, and 0 starts again,
 * also with another batch. */
cppgen_status cppgen_state_set_length(cppgen_state* state, int64_t length, cppgen_error* error);

/* Replaces the contents by copies of these tensors, one for each state in their order: what the inputs of the model
 * would be, all of one length. */
cppgen_status cppgen_state_write(cppgen_state* state, const cppgen_tensor* tensors, size_t count, cppgen_error* error);
/* The contents of all states, one result for each. Error if there have been none yet. */
cppgen_status cppgen_state_read(cppgen_state* state, cppgen_results** results, cppgen_error* error);

/* As cppgen_session_run_with and cppgen_session_run_results for a package with states: the run continues where `state`
 * is and extends it. Inputs and outputs are those of the model, in its order, without those of states; results have the
 * same order. After an error, the state is as it was. */
cppgen_status cppgen_session_run_state(cppgen_session* session, cppgen_state* state, const cppgen_tensor* inputs,
                                       size_t input_count, const cppgen_tensor* outputs, size_t output_count,
                                       const cppgen_run_options* options, cppgen_error* error);
cppgen_status cppgen_session_run_state_results(cppgen_session* session, cppgen_state* state,
                                               const cppgen_tensor* inputs, size_t input_count,
                                               const cppgen_run_options* options, cppgen_results** results,
                                               cppgen_error* error);

/* Threads that sessions share. Runs of all of them at the same time get equal shares of the threads; the calling
 * thread of each run works, too. It lives until it is freed and the last of its sessions is. */

/* A pool of its own threads, as many as `options` say (null: cppgen_options_init). */
cppgen_status cppgen_pool_create(const cppgen_options* options, cppgen_pool** pool, cppgen_error* error);

/* The application's threads. */
typedef struct cppgen_executor {
  size_t struct_size; /* sizeof(cppgen_executor) */
  void* context;
  int threads; /* that may work at the same time, including the calling thread of a run; at least 1 */
  /* Has up to `count` other threads each call help(argument) once, soon. Called by any thread; must not block. Returns
   * how many calls it arranged. A call of `help` takes as long as there is work, and must be made even if a run has
   * ended meanwhile: it then returns at once. */
  int (*bring)(void* context, int count, void (*help)(void* argument), void* argument);
} cppgen_executor;

/* `executor` is copied; its context must outlive the pool and its sessions. */
cppgen_status cppgen_pool_create_on(const cppgen_executor* executor, cppgen_pool** pool, cppgen_error* error);
/* The same with a time for which a call of `help` looks for more work before it returns, instead of 200 microseconds: 0
 * where the end of a run waits for its calls to return. */
cppgen_status cppgen_pool_create_on_spinning(const cppgen_executor* executor, int64_t spin_microseconds,
                                             cppgen_pool** pool, cppgen_error* error);
void cppgen_pool_free(cppgen_pool* pool); /* null is allowed */

/* Memory for the results of cppgen_session_run_results and the intermediate values of runs. Called by any thread; the
 * context must outlive the session and its results. */
struct cppgen_allocator {
  size_t struct_size; /* sizeof(cppgen_allocator) */
  void* context;
  void* (*allocate)(void* context, size_t bytes, size_t alignment); /* null: there is no more memory */
  void (*release)(void* context, void* memory, size_t bytes);
};

/* Receives what the library would write to stderr: `severity` is 0 for debug, 1 for information, 2 for warnings, 3 for
 * errors; `message` is one line without its end. Called by any thread, one at a time. */
typedef void (*cppgen_log_function)(void* context, int severity, const char* message);

/* For the whole process; null: stderr again. LOGLEVEL still decides what is reported. */
void cppgen_set_log(cppgen_log_function function, void* context);

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

/* A step of the model with its measurements, which are sums since the session was made (options.profile; otherwise 0).
 * The texts belong to the session. */
typedef struct cppgen_step {
  const char* version; /* of the model, to which the step belongs; "" if the package has only one */
  const char* name;    /* its label in profiles */
  const char* engine;  /* "loops", "cppgen", "onednn" ... */
  const char* nodes;   /* of the model that it computes, separated by ", " */
  int64_t calls;
  double seconds; /* from the start of a step to its end */
  double flops;   /* multiply-adds of sums of products, each counted as two operations */
  double bytes;   /* read and written in memory, each element counted once */
} cppgen_step;

/* Writes the steps of all versions, in their order, to the array `steps`, which has space for `capacity` structs of
 * `size` bytes. *count, if not null, becomes the number of all steps. */
cppgen_status cppgen_session_steps_sized(const cppgen_session* session, cppgen_step* steps, size_t size,
                                         size_t capacity, size_t* count, cppgen_error* error);

static inline cppgen_status cppgen_session_steps(const cppgen_session* session, cppgen_step* steps, size_t capacity,
                                                 size_t* count, cppgen_error* error) {
  return cppgen_session_steps_sized(session, steps, sizeof(cppgen_step), capacity, count, error);
}

/* "0.2.0": of the library, not of this header. */
const char* cppgen_version(void);

#ifdef __cplusplus
}
#endif

#endif
