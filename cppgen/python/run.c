/* Runs whose inputs and outputs are tensors of numbers, in memory of Python. */
#include "module.h"

enum { few_tensors = 12, few_dims = 48 };

/* The dimensions of all outputs for these inputs. */
static cppgen_status find_dims(Session* self, const Buffers* inputs, int64_t* dims, cppgen_error* error) {
  cppgen_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = cppgen_session_all_output_dims(self->session, inputs->tensors, self->input_count, dims, self->output_ranks,
                                          error);
  Py_END_ALLOW_THREADS;
  return status;
}

/* Memory for all results: a tuple of arrays. `dims`: of all outputs; null if they are constant. */
static PyObject* take_outputs(Session* self, Buffers* buffers, const int64_t* dims, PyObject* out) {
  PyObject* results = PyTuple_New((Py_ssize_t)self->output_count);
  for (size_t i = 0; results && i < self->output_count; i++) {
    const Port* port = &self->outputs[i];
    PyObject* given = out ? PyTuple_GetItem(out, (Py_ssize_t)i) : NULL;
    if (given == Py_None) given = NULL;
    PyObject* shape = given ? NULL : port->shape ? Py_NewRef(port->shape) : tuple_of_dims(dims, port->rank);
    PyObject* array = given || shape ? take_output(buffers, port, shape, given) : NULL;
    Py_XDECREF(shape);
    if (dims) dims += port->rank;
    if (!array) {
      Py_CLEAR(results);
    } else {
      PyTuple_SetItem(results, (Py_ssize_t)i, array);
    }
  }
  return results;
}

typedef struct {
  Session* session;
  const cppgen_tensor* tensors; /* inputs, and behind them outputs */
} TensorRun;

static cppgen_status run_tensors(void* context, const cppgen_run_options* options, cppgen_error* error) {
  const TensorRun* it = context;
  const Session* session = it->session;
  return cppgen_session_run_with(session->session, it->tensors, session->input_count,
                                 it->tensors + session->input_count, session->output_count, options, error);
}

/* Runs with the inputs in `buffers`. */
static PyObject* run_taken(Session* self, Buffers* buffers, const int64_t* dims, PyObject* out,
                           const cppgen_cancel* cancel) {
  size_t bytes = 0;
  for (size_t i = 0; i < self->input_count; i++) bytes += (size_t)buffers->buffers[i].len;
  PyObject* results = take_outputs(self, buffers, dims, out);
  TensorRun run = {self, buffers->tensors};
  if (results && !run_unlocked(self, bytes, cancel, run_tensors, &run)) Py_CLEAR(results);
  return results;
}

/* Runs in memory of Python, or if the sizes of outputs follow from the values of inputs, in memory of the library. */
static PyObject* run_in(Session* self, Buffers* buffers, int64_t* dims, PyObject* const* objects, PyObject* out,
                        const cppgen_cancel* cancel) {
  for (size_t i = 0; i < self->input_count; i++)
    if (!take_input(buffers, &self->inputs[i], objects[i])) return NULL;
  if (self->all_sized) return run_taken(self, buffers, NULL, out, cancel);
  cppgen_error error;
  const cppgen_status status = find_dims(self, buffers, dims, &error);
  if (status == CPPGEN_OK) return run_taken(self, buffers, dims, out, cancel);
  if (status != CPPGEN_USER_ERROR || out) return raise_status(status, &error);
  PyObject* results = run_values(self, objects, cancel); /* which has the better message for wrong inputs */
  if (results) self->sized_by_values = true;
  return results;
}

PyObject* run_session(Session* self, PyObject* const* objects, PyObject* out, const cppgen_cancel* cancel) {
  if (!self->only_tensors || self->sized_by_values) {
    if (!out) return run_values(self, objects, cancel);
    return raise_user_error(
        "out cannot be used: only a run knows the sizes of the outputs, or they are no tensors of "
        "numbers");
  }
  Py_buffer few_buffers[few_tensors];
  cppgen_tensor tensors[few_tensors];
  int64_t few_sizes[few_dims];
  const size_t count = self->input_count + self->output_count;
  Buffers buffers = {0, few_buffers, tensors};
  int64_t* dims = few_sizes;
  void *more_buffers = NULL, *more_tensors = NULL, *more_dims = NULL;
  if (count > few_tensors) {
    buffers.buffers = more_buffers = PyMem_Malloc(count * sizeof(Py_buffer));
    buffers.tensors = more_tensors = PyMem_Malloc(count * sizeof(cppgen_tensor));
  }
  if (self->output_ranks > few_dims) dims = more_dims = PyMem_Malloc(self->output_ranks * sizeof(int64_t));
  PyObject* results = buffers.buffers && buffers.tensors && dims ? run_in(self, &buffers, dims, objects, out, cancel)
                                                                 : PyErr_NoMemory();
  release_buffers(&buffers);
  PyMem_Free(more_buffers);
  PyMem_Free(more_tensors);
  PyMem_Free(more_dims);
  return results;
}
