/* The extension module `_cppgen`: the C APIs of cppgen (cppgen.h, cppgen_compiler.h) as Python types, on CPython's
 * stable ABI, so that one file serves CPython 3.11 and all later versions. The modules in the folder cppgen/ are what
 * users see; they are called from here only where speed does not matter: _inputs.py and _results.py.
 *
 * The lock of the interpreter is released during every call of the C APIs that takes time or may report a message:
 * receivers of messages take it. */
#ifndef CPPGEN_PYTHON_MODULE_H
#define CPPGEN_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <cppgen.h>
#include <cppgen_compiler.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "shapes of buffers are used as dimensions");

/* ---- common.c ---- */

/* Raises the exception of cppgen that belongs to this status. Returns null. */
PyObject* raise_status(cppgen_status status, const cppgen_error* error);
/* Raises cppgen.UserError with a message as PyUnicode_FromFormat makes it. Returns null. */
PyObject* raise_user_error(const char* format, ...);
int add_errors(void);

/* A new object of a type of this module, all zeros; and its end, after its members were freed. */
void* new_object(PyTypeObject* type);
void free_object(void* object);

/* Calls NAME of the module cppgen.MODULE with up to four arguments, the last of which is followed by null. */
PyObject* call_python(const char* module, const char* name, ...);

/* ---- dtypes.c ---- */

/* How an element type is stored in buffers of Python. */
typedef struct {
  const char* name; /* "float32" */
  char kind;        /* f, i, u, b: floats, signed, unsigned, bool */
  int size;         /* bytes; 0 for strings */
  bool extended;    /* no type of NumPy's own: the buffer has the bits, and ml_dtypes the type */
} Storage;

const Storage* storage_of(cppgen_dtype dtype); /* null for numbers that are no type */
/* The element type of this name, or -1. */
int dtype_named(const char* name);
/* Whether a buffer has such elements. */
bool is_stored_as(const Py_buffer* buffer, const Storage* storage);
/* New references: numpy.empty(shape, dtype of the storage), and the array as users see it, with the types of ml_dtypes
 * if these are installed. The latter takes the reference to `array`. */
PyObject* empty_array(PyObject* shape, cppgen_dtype dtype);
PyObject* shown_array(PyObject* array, cppgen_dtype dtype);
PyObject* tuple_of_dims(const int64_t* dims, size_t rank);
int add_dtypes(PyObject* module);

/* ---- cancel.c, package.c, request.c, log.c, state.c ---- */

typedef struct {
  PyObject ob_base;
  cppgen_cancel* cancel;
} Cancel;

/* What a Cancel object holds; null for None. False, with an exception, for other objects. */
bool cancel_of(PyObject* object, const cppgen_cancel** cancel);

typedef struct {
  PyObject ob_base;
  cppgen_package* package;
} Package;

extern PyTypeObject *cancel_type, *package_type, *session_type;
int add_cancel(PyObject* module);
int add_package(PyObject* module);
int add_request(PyObject* module);
int add_session(PyObject* module);
int add_state(PyObject* module);
PyObject* set_log(PyObject* module, PyObject* receiver);

/* ---- session.c ---- */

/* An input or output of a model. */
typedef struct {
  PyObject* name;
  cppgen_kind kind;
  cppgen_dtype dtype;
  size_t rank;
  const int64_t* dims; /* of the session; null if only a run tells how many there are */
  PyObject* shape;     /* a tuple, if all dimensions are constant; else null */
  const char* keys; /* "str" or "int64" for an output that is a sequence of maps: the type of their keys; else null */
} Port;

typedef struct {
  PyObject ob_base;
  cppgen_session* session;
  size_t input_count, output_count;
  Port *inputs, *outputs;
  bool only_tensors;    /* no strings, sequences, optionals */
  bool all_sized;       /* the dimensions of all outputs are constant */
  bool sized_by_values; /* a run has shown that sizes of outputs follow from the values of inputs */
  size_t output_ranks;  /* their sum */
  size_t brief_size;    /* runs whose inputs have fewer bytes were found brief: interrupt.c */
  unsigned brief_runs;
} Session;

/* ---- interrupt.c ---- */

/* A function of the C API that runs the model, with arguments of the caller. */
typedef cppgen_status (*Run)(void* context, const cppgen_run_options* options, cppgen_error* error);

/* Calls it without the interpreter's lock. Ctrl-C ends it if it is on the main thread and the caller has no `cancel` of
 * its own. False, with an exception, if it fails. `bytes`: the size of the inputs, or of those that are known. */
bool run_unlocked(Session* self, size_t bytes, const cppgen_cancel* cancel, Run run, void* context);

/* ---- load.c ---- */

/* Session.__init__(source, settings, members): a path or a Package, settings as text, members of cppgen_options. */
int load_session(Session* self, PyObject* arguments, PyObject* named);
/* The names of the members that are allowed, with their types of Python: a tuple of pairs. */
PyObject* option_member_names(void);

/* ---- binding.c ---- */

/* Sorts the arguments of a call by the inputs of the model: borrowed references in `objects`, which has space for all.
 * *holder becomes a new reference that keeps them, or null. *out: the argument of this name, or null. */
bool bind_arguments(Session* self, PyObject* arguments, PyObject* named, PyObject** objects, PyObject** holder,
                    PyObject** out);

/* ---- buffers.c ---- */

/* Buffers of Python objects as tensors of the C API, which they own. */
typedef struct {
  size_t used; /* how many of the buffers are to be released */
  Py_buffer* buffers;
  cppgen_tensor* tensors;
} Buffers;

/* The data of an input. What is no dense buffer of the right type is converted, by a copy where it must be. False, with
 * an exception that names the input, if that is impossible. */
bool take_input(Buffers* buffers, const Port* port, PyObject* object);
/* Memory for a result: of the given object, or if that is null, of a new array. New reference to the array. */
PyObject* take_output(Buffers* buffers, const Port* port, PyObject* shape, PyObject* given);
void release_buffers(Buffers* buffers);

/* ---- run.c, values.c ---- */

/* Runs the model: a new tuple of its results. `out`: null, or a tuple with as many entries as there are outputs, each
 * an array or None. */
PyObject* run_session(Session* self, PyObject* const* objects, PyObject* out, const cppgen_cancel* cancel);
/* The same for inputs and outputs of any kind and size; results are copied. */
PyObject* run_values(Session* self, PyObject* const* objects, const cppgen_cancel* cancel);
/* Copies of so many results: a new tuple. */
PyObject* tuple_of_results(const cppgen_results* results, size_t count);

#endif
