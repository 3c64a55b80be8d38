#include "module.h"

static bool is_out(PyObject* name) { return PyUnicode_CompareWithASCIIString(name, "out") == 0; }

/* The position of the input of this name; input_count if there is none. */
static size_t position_of(Session* self, PyObject* name) {
  for (size_t i = 0; i < self->input_count; i++)
    if (self->inputs[i].name == name) return i; /* names in calls are interned, as ours are */
  for (size_t i = 0; i < self->input_count; i++)
    if (PyUnicode_Compare(self->inputs[i].name, name) == 0) return i;
  return self->input_count;
}

/* Each input is given exactly once, by its position or its own name: no exception is set otherwise. */
static bool bind_simply(Session* self, PyObject* arguments, PyObject* named, PyObject** objects, PyObject** out) {
  const size_t positional = (size_t)PyTuple_Size(arguments);
  if (positional > self->input_count) return false;
  for (size_t i = 0; i < self->input_count; i++)
    objects[i] = i < positional ? PyTuple_GetItem(arguments, (Py_ssize_t)i) : NULL;
  PyObject *name, *value;
  size_t given = positional;
  for (Py_ssize_t next = 0; named && PyDict_Next(named, &next, &name, &value);) {
    if (!*out && is_out(name)) {
      *out = value;
      continue;
    }
    const size_t i = position_of(self, name);
    if (i == self->input_count || objects[i]) return false;
    objects[i] = value;
    given++;
  }
  return given == self->input_count;
}

/* The same for maps, optional inputs that are not given, and mistakes. New reference to a tuple. */
static PyObject* bind_in_python(Session* self, PyObject* arguments, PyObject* named, bool takes_out, PyObject** out) {
  PyObject* inputs = named ? PyDict_Copy(named) : PyDict_New();
  if (!inputs) return NULL;
  PyObject* given = takes_out ? PyDict_GetItemString(inputs, "out") : NULL;
  PyObject* bound = NULL;
  if (!given || PyDict_DelItemString(inputs, "out") == 0) {
    if (given) *out = PyDict_GetItemString(named, "out"); /* which the caller holds */
    bound = call_python("_inputs", "bind", (PyObject*)self, arguments, inputs, NULL);
  }
  Py_DECREF(inputs);
  if (bound && (!PyTuple_Check(bound) || (size_t)PyTuple_Size(bound) != self->input_count)) {
    PyErr_SetString(PyExc_RuntimeError, "cppgen._inputs.bind returned something else than one object for each input");
    Py_CLEAR(bound);
  }
  return bound;
}

bool bind_arguments(Session* self, PyObject* arguments, PyObject* named, PyObject** objects, PyObject** holder,
                    PyObject** out) {
  const bool takes_out = !*out;
  *holder = NULL;
  if (bind_simply(self, arguments, named, objects, out)) return true;
  *holder = bind_in_python(self, arguments, named, takes_out, out);
  if (!*holder) return false;
  for (size_t i = 0; i < self->input_count; i++) objects[i] = PyTuple_GetItem(*holder, (Py_ssize_t)i);
  return true;
}
