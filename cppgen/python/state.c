/* The type State: tensors that a model takes and returns longer, kept from run to run. */
#include "module.h"

typedef struct {
  PyObject ob_base;
  Session* session;
  cppgen_state* state;
} State;

static int state_init(State* self, PyObject* arguments, PyObject* named) {
  PyObject* session;
  cppgen_error error;
  if (named && PyDict_Size(named) > 0) return PyErr_SetString(PyExc_TypeError, "State takes a session"), -1;
  if (!PyArg_ParseTuple(arguments, "O!", session_type, &session)) return -1;
  if (self->session) return PyErr_SetString(PyExc_RuntimeError, "the state exists already"), -1;
  if (!((Session*)session)->session) return PyErr_SetString(PyExc_RuntimeError, "the session is not loaded"), -1;
  const cppgen_status status = cppgen_state_create(((Session*)session)->session, &self->state, &error);
  if (status != CPPGEN_OK) return raise_status(status, &error), -1;
  self->session = (Session*)Py_NewRef(session);
  return 0;
}

static void state_dealloc(State* self) {
  cppgen_state_free(self->state);
  Py_XDECREF((PyObject*)self->session);
  free_object(self);
}

static bool is_made(const State* self) {
  if (!self->state) PyErr_SetString(PyExc_RuntimeError, "the state has no session: __init__ was not called");
  return self->state;
}

/* The input of the state at this position. */
static size_t input_of_state(const Session* session, size_t state) {
  size_t input = session->input_count;
  cppgen_error error;
  cppgen_session_state(session->session, state, &input, NULL, NULL, NULL, &error);
  return input;
}

static bool is_input_of_state(const Session* session, size_t input) {
  for (size_t i = 0; i < cppgen_session_state_count(session->session); i++)
    if (input_of_state(session, i) == input) return true;
  return false;
}

/* Memory for as many inputs as the model has. False, with an exception, if there is none. */
static bool make_buffers(const Session* session, Buffers* buffers) {
  const size_t count = session->input_count + 1;
  *buffers = (Buffers){0, PyMem_Calloc(count, sizeof(Py_buffer)), PyMem_Calloc(count, sizeof(cppgen_tensor))};
  if (!buffers->buffers || !buffers->tensors) PyErr_NoMemory();
  return buffers->buffers && buffers->tensors;
}

static void free_buffers(Buffers* buffers) {
  release_buffers(buffers);
  PyMem_Free(buffers->buffers);
  PyMem_Free(buffers->tensors);
}

/* The next object of a tuple as the input at this position. */
static bool take_next(const Session* session, Buffers* buffers, PyObject* objects, size_t input) {
  const Port* port = &session->inputs[input];
  if (port->kind != CPPGEN_TENSOR || port->dtype == CPPGEN_STRING)
    return raise_user_error("input '%U' is no tensor of numbers, as runs with states need", port->name);
  PyObject* object = PyTuple_GetItem(objects, (Py_ssize_t)buffers->used);
  return object && take_input(buffers, port, object);
}

static bool take_other_inputs(const Session* session, Buffers* buffers, PyObject* objects) {
  for (size_t i = 0; i < session->input_count; i++)
    if (!is_input_of_state(session, i) && !take_next(session, buffers, objects, i)) return false;
  return true;
}

static bool take_contents(const Session* session, Buffers* buffers, PyObject* objects) {
  for (size_t i = 0; i < cppgen_session_state_count(session->session); i++)
    if (!take_next(session, buffers, objects, input_of_state(session, i))) return false;
  return true;
}

typedef struct {
  State* state;
  const Buffers* inputs;
  cppgen_results* results;
} StateRun;

static cppgen_status run_state(void* context, const cppgen_run_options* options, cppgen_error* error) {
  StateRun* it = context;
  return cppgen_session_run_state_results(it->state->session->session, it->state->state, it->inputs->tensors,
                                          it->inputs->used, options, &it->results, error);
}

static PyObject* run_taken(State* self, const Buffers* buffers, const cppgen_cancel* cancel) {
  size_t bytes = 0;
  for (size_t i = 0; i < buffers->used; i++) bytes += (size_t)buffers->buffers[i].len;
  StateRun run = {self, buffers, NULL};
  PyObject* tuple = NULL;
  if (run_unlocked(self->session, bytes, cancel, run_state, &run))
    tuple =
        tuple_of_results(run.results, self->session->output_count - cppgen_session_state_count(self->session->session));
  cppgen_results_free(run.results);
  return tuple;
}

static PyObject* state_run(State* self, PyObject* const* arguments, Py_ssize_t count) {
  const cppgen_cancel* cancel;
  Buffers buffers;
  if (count != 2 || !PyTuple_Check(arguments[0])) {
    PyErr_SetString(PyExc_TypeError, "_run takes a tuple and cancel");
    return NULL;
  }
  if (!is_made(self) || !cancel_of(arguments[1], &cancel)) return NULL;
  const bool ok = make_buffers(self->session, &buffers) && take_other_inputs(self->session, &buffers, arguments[0]);
  PyObject* results = ok ? run_taken(self, &buffers, cancel) : NULL;
  free_buffers(&buffers);
  return results;
}

static PyObject* state_read(State* self, PyObject* none) {
  (void)none;
  cppgen_results* results = NULL;
  cppgen_error error;
  if (!is_made(self)) return NULL;
  const cppgen_status status = cppgen_state_read(self->state, &results, &error);
  PyObject* tuple = status == CPPGEN_OK ? tuple_of_results(results, cppgen_session_state_count(self->session->session))
                                        : raise_status(status, &error);
  cppgen_results_free(results);
  return tuple;
}

static PyObject* state_write(State* self, PyObject* objects) {
  Buffers buffers;
  cppgen_error error;
  if (!is_made(self)) return NULL;
  if (!PyTuple_Check(objects)) return PyErr_SetString(PyExc_TypeError, "_write takes a tuple"), NULL;
  PyObject* result = NULL;
  if (make_buffers(self->session, &buffers) && take_contents(self->session, &buffers, objects)) {
    const cppgen_status status = cppgen_state_write(self->state, buffers.tensors, buffers.used, &error);
    result = status == CPPGEN_OK ? Py_NewRef(Py_None) : raise_status(status, &error);
  }
  free_buffers(&buffers);
  return result;
}

static PyObject* state_length(State* self, void* closure) {
  (void)closure;
  return is_made(self) ? PyLong_FromLongLong(cppgen_state_length(self->state)) : NULL;
}

static int set_state_length(State* self, PyObject* value, void* closure) {
  (void)closure;
  cppgen_error error;
  if (!is_made(self)) return -1;
  if (!value) return PyErr_SetString(PyExc_AttributeError, "the length of a state cannot be deleted"), -1;
  const long long length = PyLong_AsLongLong(value);
  if (length == -1 && PyErr_Occurred()) return -1;
  const cppgen_status status = cppgen_state_set_length(self->state, length, &error);
  return status == CPPGEN_OK ? 0 : (raise_status(status, &error), -1);
}

static PyMethodDef state_methods[] = {
    {"_run", (PyCFunction)(void*)state_run, METH_FASTCALL,
     "Runs the model with a tuple of the inputs that belong to no states and cancel; a tuple of the other results."},
    {"_read", (PyCFunction)state_read, METH_NOARGS, "Copies of the contents, in the order of the states."},
    {"_write", (PyCFunction)state_write, METH_O, "Replaces the contents, in the order of the states."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef state_properties[] = {
    {"length", (getter)state_length, (setter)set_state_length,
     "How many positions there are. A smaller number forgets those behind it, 0 all.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot state_slots[] = {{Py_tp_init, (void*)state_init},
                                    {Py_tp_dealloc, (void*)state_dealloc},
                                    {Py_tp_methods, state_methods},
                                    {Py_tp_getset, state_properties},
                                    {Py_tp_doc, "What a model keeps from run to run."},
                                    {0, NULL}};

static PyType_Spec state_spec = {"cppgen._cppgen.State", sizeof(State), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 state_slots};

int add_state(PyObject* module) {
  PyObject* type = PyType_FromSpec(&state_spec);
  const int added = type ? PyModule_AddObjectRef(module, "State", type) : -1;
  Py_XDECREF(type);
  return added;
}
