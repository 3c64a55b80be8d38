/* C API of the cppgen compiler (libcppgen): compiles ONNX models to packages, and answers questions about models. Plain
 * C99; no function throws. Packages are run by the runtime library (cppgen.h). cppgen_compiler.hpp has the same for
 * C++17.
 *
 * A request says what is compiled and how. Requests are independent of each other: several threads may compile at the
 * same time, each with a request of its own. What versions keep is as in cppgen.h. */
#ifndef CPPGEN_COMPILER_H
#define CPPGEN_COMPILER_H

#include "cppgen.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cppgen_request cppgen_request;

/* On success *request must be passed to cppgen_request_free; on failure it is null. */
cppgen_status cppgen_request_create(cppgen_request** request, cppgen_error* error);
void cppgen_request_free(cppgen_request* request); /* null is allowed */

/* The model is an .onnx file; external data is read from its folder. */
cppgen_status cppgen_request_set_model(cppgen_request* request, const char* path, cppgen_error* error);

/* The model is these bytes of an .onnx file, which must stay valid and unchanged until the request is freed or has
 * another model. `name` is used in messages; null: "model.onnx". `folder` contains the model's external data; null: it
 * has none. */
cppgen_status cppgen_request_set_model_bytes(cppgen_request* request, const void* bytes, size_t size, const char* name,
                                             const char* folder, cppgen_error* error);

/* A setting, as `--set NAME=VALUE` of the program, such as "ISA" and "avx2". It precedes the environment. */
cppgen_status cppgen_request_set(cppgen_request* request, const char* name, const char* value, cppgen_error* error);

/* Whether settings that are not set come from the environment (CPPGEN_THREADS ...), as for the program, or are the
 * defaults (0). Without this call they come from the environment. */
cppgen_status cppgen_request_set_environment(cppgen_request* request, int used, cppgen_error* error);

/* Sizes and names of dimensions, as `--dim` of the program: "batch=8" fixes a named dimension, "x.0=batch" names one.
 */
cppgen_status cppgen_request_add_dim(cppgen_request* request, const char* dim, cppgen_error* error);

/* A pair of tensors that the runtime keeps from run to run, as `--state` of the program: "present=past:2048", an
 * output, the input that it extends, and the greatest length (without it, 2048). Such a package is run with a state
 * object: cppgen_session_run_state. */
cppgen_status cppgen_request_add_state(cppgen_request* request, const char* state, cppgen_error* error);

/* Another version of the model in the package for these sizes, as `--sizes` of the program: "batch=1,length=128". */
cppgen_status cppgen_request_add_sizes(cppgen_request* request, const char* sizes, cppgen_error* error);

/* The path of a description of custom operators. */
cppgen_status cppgen_request_add_custom_operators(cppgen_request* request, const char* path, cppgen_error* error);

/* Called while kernels are compiled: `done` of `total` translation units. By the thread that compiles. */
typedef void (*cppgen_progress_function)(void* context, int done, int total);
cppgen_status cppgen_request_set_progress(cppgen_request* request, cppgen_progress_function function, void* context,
                                          cppgen_error* error);

/* What ends a compilation from another thread, within a second: with CPPGEN_CANCELLED, without processes or files that
 * are left behind. It must not be freed before the request. Null: nothing. */
cppgen_status cppgen_request_set_cancel(cppgen_request* request, const cppgen_cancel* cancel, cppgen_error* error);

/* A compiled model. */
typedef struct cppgen_package cppgen_package;

/* Compiles the model. `output` is the directory of the package, which a package may occupy that it then replaces. If it
 * is null, the package is in the user's cache, where another compilation of the same model finds it, or, if the cache
 * cannot be used, in a temporary directory until the package is freed. On success *package must be passed to
 * cppgen_package_free; on failure it is null. */
cppgen_status cppgen_compile(const cppgen_request* request, const char* output, cppgen_package** package,
                             cppgen_error* error);
void cppgen_package_free(cppgen_package* package); /* null is allowed */

/* Its directory. The text belongs to the package. */
const char* cppgen_package_path(const cppgen_package* package);

/* What `cppgen compile --json` prints: seconds of each stage, numbers of kernels, and so on. The text belongs to the
 * package. */
const char* cppgen_package_report(const cppgen_package* package);

/* Whether its weights were just written, or lie in the user's own cache, so that their hash need not be compared. */
int cppgen_package_is_trusted(const cppgen_package* package);

/* Loads the package, as cppgen_session_load of the runtime library does; null options mean those of
 * cppgen_options_init. The session needs neither the package nor its directory. */
static inline cppgen_status cppgen_package_load(const cppgen_package* package, const cppgen_options* options,
                                                cppgen_session** session, cppgen_error* error) {
  cppgen_options used;
  if (options) {
    used = *options;
  } else {
    const cppgen_status status = cppgen_options_init(&used, error);
    if (status != CPPGEN_OK) return status;
  }
  used.trust_weights |= cppgen_package_is_trusted(package);
  return cppgen_session_load(cppgen_package_path(package), &used, session, error);
}

/* A null-terminated text that is the caller's, for cppgen_text_free; null is allowed there. */
void cppgen_text_free(char* text);

/* Answers as JSON, as the commands of the program print it with --json. On success *text is for cppgen_text_free; on
 * failure it is null. */

/* `cppgen check`: whether the model can be compiled. A model that cannot is no error: "supported" is false, "reason"
 * says why, and "unsupported" lists nodes. */
cppgen_status cppgen_check(const cppgen_request* request, char** text, cppgen_error* error);
/* `cppgen inspect`: inputs, outputs, operators, parameters. */
cppgen_status cppgen_inspect(const cppgen_request* request, char** text, cppgen_error* error);
/* `cppgen explain`: steps, costs, and the outcome of each decision. */
cppgen_status cppgen_explain(const cppgen_request* request, char** text, cppgen_error* error);
/* `cppgen config`: every setting with its value in this request, default, allowed values and documentation. */
cppgen_status cppgen_config(const cppgen_request* request, char** text, cppgen_error* error);

/* As cppgen_set_log, for messages of the compiler. */
void cppgen_compiler_set_log(cppgen_log_function function, void* context);

#ifdef __cplusplus
}
#endif

#endif
