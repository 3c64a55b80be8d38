/* The type Session: a loaded model. */
#include "module.h"

PyTypeObject* session_type;

static void free_ports(Port* ports, size_t count) {
  for (size_t i = 0; ports && i < count; i++) {
    Py_XDECREF(ports[i].name);
    Py_XDECREF(ports[i].shape);
  }
  PyMem_Free(ports);
}

static void session_dealloc(Session* self) {
  free_ports(self->inputs, self->input_count);
  free_ports(self->outputs, self->output_count);
  cppgen_session* session = self->session;
  Py_BEGIN_ALLOW_THREADS;
  cppgen_session_free(session); /* which waits for its threads */
  Py_END_ALLOW_THREADS;
  free_object(self);
}

static bool is_loaded(Session* self) {
  if (!self->session) PyErr_SetString(PyExc_RuntimeError, "the session is not loaded: __init__ was not called");
  return self->session;
}

/* The sizes of the dimensions, or their names; None if only a run tells how many there are. */
static PyObject* shape_of(Session* self, size_t index, bool is_input, const Port* port) {
  if (port->kind == CPPGEN_TENSOR && !port->dims) Py_RETURN_NONE;
  PyObject* shape = PyTuple_New((Py_ssize_t)port->rank);
  for (size_t axis = 0; shape && axis < port->rank; axis++) {
    const char* name = NULL;
    cppgen_error error;
    const cppgen_status status = (is_input ? cppgen_session_input_dim_name : cppgen_session_output_dim_name)(
        self->session, index, axis, &name, &error);
    PyObject* dim = status != CPPGEN_OK ? raise_status(status, &error)
                    : name              ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "backslashreplace")
                                        : PyLong_FromLongLong(port->dims[axis]);
    if (!dim) {
      Py_CLEAR(shape);
    } else {
      PyTuple_SetItem(shape, (Py_ssize_t)axis, dim);
    }
  }
  return shape;
}

static PyObject* described(Session* self, bool is_input) {
  static const char* kinds[] = {"tensor", "sequence", "optional", "optional sequence"};
  if (!is_loaded(self)) return NULL;
  const Port* ports = is_input ? self->inputs : self->outputs;
  const size_t count = is_input ? self->input_count : self->output_count;
  PyObject* all = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; all && i < count; i++) {
    PyObject* shape = shape_of(self, i, is_input, &ports[i]);
    const char* kind = ports[i].keys ? "sequence of maps" : kinds[ports[i].kind];
    PyObject* one =
        shape ? Py_BuildValue("(OssNz)", ports[i].name, kind, storage_of(ports[i].dtype)->name, shape, ports[i].keys)
              : NULL;
    if (!one) {
      Py_CLEAR(all);
    } else {
      PyTuple_SetItem(all, (Py_ssize_t)i, one);
    }
  }
  return all;
}

static PyObject* session_inputs(Session* self, void* closure) { return (void)closure, described(self, true); }
static PyObject* session_outputs(Session* self, void* closure) { return (void)closure, described(self, false); }

static PyObject* session_states(Session* self, void* closure) {
  (void)closure;
  if (!is_loaded(self)) return NULL;
  const size_t count = cppgen_session_state_count(self->session);
  PyObject* all = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; all && i < count; i++) {
    size_t input, output, axis;
    int64_t capacity;
    cppgen_error error;
    const cppgen_status status = cppgen_session_state(self->session, i, &input, &output, &axis, &capacity, &error);
    PyObject* one = status == CPPGEN_OK ? Py_BuildValue("(nnnL)", (Py_ssize_t)input, (Py_ssize_t)output,
                                                        (Py_ssize_t)axis, (long long)capacity)
                                        : raise_status(status, &error);
    if (!one) {
      Py_CLEAR(all);
    } else {
      PyTuple_SetItem(all, (Py_ssize_t)i, one);
    }
  }
  return all;
}

static PyObject* session_metadata(Session* self, void* closure) {
  (void)closure;
  PyObject* all = is_loaded(self) ? PyDict_New() : NULL;
  for (size_t i = 0; all && i < cppgen_session_metadata_count(self->session); i++) {
    const char *key, *value;
    cppgen_error error;
    const cppgen_status status = cppgen_session_metadata(self->session, i, &key, &value, &error);
    PyObject* text = status != CPPGEN_OK ? raise_status(status, &error)
                                         : PyUnicode_DecodeUTF8(value, (Py_ssize_t)strlen(value), "backslashreplace");
    if (!text || PyDict_SetItemString(all, key, text) < 0) Py_CLEAR(all);
    Py_XDECREF(text);
  }
  return all;
}

static PyObject* session_stats(Session* self, void* closure) {
  (void)closure;
  cppgen_stats stats;
  cppgen_error error;
  if (!is_loaded(self)) return NULL;
  const cppgen_status status = cppgen_session_stats(self->session, &stats, &error);
  if (status != CPPGEN_OK) return raise_status(status, &error);
  return Py_BuildValue("{s:i,s:n,s:L,s:L}", "threads", stats.threads, "steps", (Py_ssize_t)stats.steps, "weights_bytes",
                       (long long)stats.weights_bytes, "arena_bytes", (long long)stats.arena_bytes);
}

static PyObject* session_steps(Session* self, PyObject* none) {
  (void)none;
  size_t count = 0;
  cppgen_error error;
  if (!is_loaded(self)) return NULL;
  cppgen_status status = cppgen_session_steps(self->session, NULL, 0, &count, &error);
  cppgen_step* steps = PyMem_Calloc(count + 1, sizeof(cppgen_step));
  if (!steps) return PyErr_NoMemory();
  if (status == CPPGEN_OK) status = cppgen_session_steps(self->session, steps, count, NULL, &error);
  PyObject* all = status == CPPGEN_OK ? PyList_New((Py_ssize_t)count) : raise_status(status, &error);
  for (size_t i = 0; all && i < count; i++) {
    const cppgen_step* it = &steps[i];
    PyObject* one = Py_BuildValue("(ssssLddd)", it->version, it->name, it->engine, it->nodes, (long long)it->calls,
                                  it->seconds, it->flops, it->bytes);
    if (!one) {
      Py_CLEAR(all);
    } else {
      PyList_SetItem(all, (Py_ssize_t)i, one);
    }
  }
  PyMem_Free(steps);
  return all;
}

/* `out`, an array for a single output or a sequence of arrays and None, as a tuple; null, without an exception, if
 * there is none. */
static PyObject* tuple_of_outputs(Session* self, PyObject* out, bool* ok) {
  *ok = true;
  if (!out || out == Py_None) return NULL;
  const bool is_many = PyTuple_Check(out) || PyList_Check(out);
  PyObject* tuple = is_many ? PySequence_Tuple(out) : PyTuple_New(1);
  if (tuple && !is_many) PyTuple_SetItem(tuple, 0, Py_NewRef(out));
  if (tuple && (size_t)PyTuple_Size(tuple) != self->output_count) {
    raise_user_error("out has %zd arrays; the model has %zu outputs", PyTuple_Size(tuple), self->output_count);
    Py_CLEAR(tuple);
  }
  *ok = tuple;
  return tuple;
}

enum { few_inputs = 32 };

static PyObject* run_bound(Session* self, PyObject* arguments, PyObject* named, PyObject* out,
                           const cppgen_cancel* cancel) {
  PyObject* few[few_inputs];
  PyObject** objects = self->input_count <= few_inputs ? few : PyMem_Calloc(self->input_count, sizeof(PyObject*));
  if (!objects) return PyErr_NoMemory();
  PyObject *holder = NULL, *results = NULL;
  if (bind_arguments(self, arguments, named, objects, &holder, &out)) {
    bool ok;
    PyObject* given = tuple_of_outputs(self, out, &ok);
    for (size_t i = 0; i < self->input_count; i++) Py_INCREF(objects[i]); /* `named` may be a dict of the caller */
    if (ok) results = run_session(self, objects, given, cancel);
    for (size_t i = 0; i < self->input_count; i++) Py_DECREF(objects[i]);
    Py_XDECREF(given);
  }
  Py_XDECREF(holder);
  if (objects != few) PyMem_Free(objects);
  return results;
}

static PyObject* session_call(Session* self, PyObject* arguments, PyObject* named) {
  if (!is_loaded(self)) return NULL;
  PyObject* results = run_bound(self, arguments, named, NULL, NULL);
  if (!results || self->output_count != 1) return results;
  PyObject* only = Py_NewRef(PyTuple_GetItem(results, 0));
  Py_DECREF(results);
  return only;
}

/* The results by the names of the outputs. Takes the reference to the tuple, which may be null. */
static PyObject* by_name(Session* self, PyObject* tuple) {
  PyObject* results = tuple ? PyDict_New() : NULL;
  for (size_t i = 0; results && i < self->output_count; i++)
    if (PyDict_SetItem(results, self->outputs[i].name, PyTuple_GetItem(tuple, (Py_ssize_t)i)) < 0) Py_CLEAR(results);
  Py_XDECREF(tuple);
  return results;
}

static PyObject* session_run(Session* self, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4 || !PyTuple_Check(arguments[0]) || !PyDict_Check(arguments[1])) {
    PyErr_SetString(PyExc_TypeError, "_run takes a tuple, a dict, out and cancel");
    return NULL;
  }
  const cppgen_cancel* cancel;
  if (!is_loaded(self) || !cancel_of(arguments[3], &cancel)) return NULL;
  return by_name(self, run_bound(self, arguments[0], arguments[1], arguments[2], cancel));
}

static PyMethodDef session_methods[] = {
    {"_run", (PyCFunction)(void*)session_run, METH_FASTCALL,
     "Runs the model with positional and named inputs, out and cancel, and returns a dict."},
    {"_steps", (PyCFunction)session_steps, METH_NOARGS,
     "(version, name, engine, nodes, calls, seconds, flops, bytes) of each step."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef session_properties[] = {
    {"_inputs", (getter)session_inputs, NULL, "(name, kind, dtype, shape, keys) of each input.", NULL},
    {"_outputs", (getter)session_outputs, NULL, "(name, kind, dtype, shape, keys) of each output.", NULL},
    {"_states", (getter)session_states, NULL, "(input, output, axis, capacity) of each state.", NULL},
    {"metadata", (getter)session_metadata, NULL,
     "What the model's file says about the model: \"producer_name\", \"opset:ai.onnx\", as \"metadata:KEY\" the\n"
     "properties that its author gave, and as \"type:OUTPUT\" the types of outputs that are sequences of maps.",
     NULL},
    {"stats", (getter)session_stats, NULL,
     "Threads, the number of steps, the bytes of weights, and the bytes that a run writes besides its outputs.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot session_slots[] = {{Py_tp_init, (void*)load_session},
                                      {Py_tp_dealloc, (void*)session_dealloc},
                                      {Py_tp_call, (void*)session_call},
                                      {Py_tp_methods, session_methods},
                                      {Py_tp_getset, session_properties},
                                      {Py_tp_doc, "A loaded model."},
                                      {0, NULL}};

static PyType_Spec session_spec = {"cppgen._cppgen.Session", sizeof(Session), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, session_slots};

int add_session(PyObject* module) {
  session_type = (PyTypeObject*)PyType_FromSpec(&session_spec);
  PyObject* names = option_member_names();
  const bool ok = session_type && names && PyModule_AddObjectRef(module, "Session", (PyObject*)session_type) == 0 &&
                  PyModule_AddObjectRef(module, "option_members", names) == 0;
  Py_XDECREF(names);
  return ok ? 0 : -1;
}
