/* Runs whose inputs and outputs may be of any kind and size, in memory of the library. */
#include "module.h"

/* A tensor of strings of its shape and a list of bytes. */
static cppgen_value* value_of_strings(PyObject* shape, PyObject* list) {
  const Py_ssize_t rank = PyTuple_Size(shape), count = PyList_Size(list);
  int64_t* dims = PyMem_Malloc((size_t)(rank + 1) * sizeof *dims);
  char** texts = PyMem_Malloc((size_t)(count + 1) * sizeof *texts);
  bool ok = dims && texts;
  for (Py_ssize_t i = 0; ok && i < rank; i++) dims[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
  for (Py_ssize_t i = 0; ok && i < count; i++)
    ok = PyBytes_AsStringAndSize(PyList_GetItem(list, i), &texts[i], NULL) == 0; /* which refuses null bytes */
  cppgen_value* value = NULL;
  cppgen_error error;
  if (ok) {
    const cppgen_tensor tensor = {CPPGEN_STRING, (size_t)rank, dims, texts};
    const cppgen_status status = cppgen_value_tensor(&tensor, &value, &error);
    if (status != CPPGEN_OK) raise_status(status, &error);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  PyMem_Free(texts);
  PyMem_Free(dims);
  return value;
}

static cppgen_value* value_of_array(PyObject* array, cppgen_dtype dtype) {
  Py_buffer buffer;
  cppgen_value* value = NULL;
  cppgen_error error;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS) < 0) return NULL;
  const cppgen_tensor tensor = {dtype, (size_t)buffer.ndim, (const int64_t*)buffer.shape, buffer.buf};
  const cppgen_status status = cppgen_value_tensor(&tensor, &value, &error);
  PyBuffer_Release(&buffer);
  if (status != CPPGEN_OK) raise_status(status, &error);
  return value;
}

/* A tensor of whatever type the object has. `dtype`: the name of the type that it must have, or None. */
static cppgen_value* value_of_tensor(const Port* port, PyObject* dtype, PyObject* object) {
  PyObject* made = call_python("_inputs", "as_tensor", port->name, dtype, object, NULL);
  cppgen_value* value = NULL;
  const char* name;
  PyObject *content, *shape, *list;
  if (made && PyArg_ParseTuple(made, "sO", &name, &content)) {
    if (!PyTuple_Check(content))
      value = value_of_array(content, (cppgen_dtype)dtype_named(name));
    else if (PyArg_ParseTuple(content, "O!O!", &PyTuple_Type, &shape, &PyList_Type, &list))
      value = value_of_strings(shape, list);
  }
  Py_XDECREF(made);
  return value;
}

static cppgen_value* value_of_sequence(const Port* port, PyObject* sequence) {
  PyObject* elements = PySequence_Tuple(sequence);
  if (!elements) return NULL;
  const Py_ssize_t count = PyTuple_Size(elements);
  cppgen_value** values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  cppgen_value* value = NULL;
  cppgen_error error;
  bool ok = values;
  for (Py_ssize_t i = 0; ok && i < count; i++)
    ok = (values[i] = value_of_tensor(port, Py_None, PyTuple_GetItem(elements, i)));
  if (ok) {
    const cppgen_status status =
        cppgen_value_sequence((const cppgen_value* const*)values, (size_t)count, &value, &error);
    if (status != CPPGEN_OK) raise_status(status, &error);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; values && i < count; i++) cppgen_value_free(values[i]);
  PyMem_Free(values);
  Py_DECREF(elements);
  return value;
}

static cppgen_value* value_of(const Port* port, PyObject* object) {
  if (object == Py_None && port->kind != CPPGEN_TENSOR) {
    cppgen_value* value = NULL;
    cppgen_error error;
    const cppgen_status status = cppgen_value_nothing(&value, &error);
    if (status != CPPGEN_OK) raise_status(status, &error);
    return value;
  }
  if (port->kind == CPPGEN_SEQUENCE || port->kind == CPPGEN_OPTIONAL_SEQUENCE) {
    if (PyList_Check(object) || PyTuple_Check(object)) return value_of_sequence(port, object);
    raise_user_error("input '%U' is a sequence: it takes a list of arrays", port->name);
    return NULL;
  }
  PyObject* dtype = PyUnicode_FromString(storage_of(port->dtype)->name);
  cppgen_value* value = dtype ? value_of_tensor(port, dtype, object) : NULL;
  Py_XDECREF(dtype);
  return value;
}

/* ---- results ---- */

static PyObject* array_of_strings(const cppgen_tensor* tensor, PyObject* shape) {
  size_t count = 1;
  for (size_t i = 0; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    const char* text = ((const char* const*)tensor->data)[i];
    PyObject* string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
    if (!string) {
      Py_CLEAR(list);
    } else {
      PyList_SetItem(list, (Py_ssize_t)i, string);
    }
  }
  PyObject* array = list ? call_python("_results", "array_of_strings", shape, list, NULL) : NULL;
  Py_XDECREF(list);
  return array;
}

static PyObject* array_of(const cppgen_tensor* tensor) {
  PyObject* shape = tuple_of_dims(tensor->dims, tensor->rank);
  if (!shape) return NULL;
  PyObject* array =
      tensor->dtype == CPPGEN_STRING ? array_of_strings(tensor, shape) : empty_array(shape, tensor->dtype);
  Py_DECREF(shape);
  if (!array || tensor->dtype == CPPGEN_STRING) return array;
  Py_buffer buffer;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
    Py_DECREF(array);
    return NULL;
  }
  if (buffer.len) memcpy(buffer.buf, tensor->data, (size_t)buffer.len);
  PyBuffer_Release(&buffer);
  return shown_array(array, tensor->dtype);
}

static PyObject* result_at(const cppgen_results* results, size_t index) {
  cppgen_kind kind;
  size_t count;
  cppgen_tensor tensor;
  cppgen_error error;
  cppgen_status status = cppgen_results_kind(results, index, &kind, &count, &error);
  if (status != CPPGEN_OK) return raise_status(status, &error);
  if (kind == CPPGEN_NOTHING) Py_RETURN_NONE;
  PyObject* list = kind == CPPGEN_SEQUENCE ? PyList_New((Py_ssize_t)count) : NULL;
  if (kind == CPPGEN_SEQUENCE && !list) return NULL;
  for (size_t i = 0; i < count; i++) {
    status = cppgen_results_tensor(results, index, i, &tensor, &error);
    PyObject* array = status == CPPGEN_OK ? array_of(&tensor) : raise_status(status, &error);
    if (!list) return array;
    if (!array) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SetItem(list, (Py_ssize_t)i, array);
  }
  return list;
}

PyObject* tuple_of_results(const cppgen_results* results, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject* result = result_at(results, i);
    if (!result) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, result);
    }
  }
  return tuple;
}

/* Replaces each result that is a sequence of maps, which the library has as keys and rows, by a list of dicts. Takes
 * the reference to the tuple, which may be null. */
static PyObject* with_maps(const Session* self, PyObject* tuple) {
  for (size_t i = 0; tuple && i < self->output_count; i++) {
    if (!self->outputs[i].keys) continue;
    PyObject* maps = call_python("_results", "maps_of", PyTuple_GetItem(tuple, (Py_ssize_t)i), NULL);
    if (!maps) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, maps);
    }
  }
  return tuple;
}

typedef struct {
  Session* session;
  const cppgen_value* const* values;
  cppgen_results* results;
} ValuesRun;

static cppgen_status run_on_values(void* context, const cppgen_run_options* options, cppgen_error* error) {
  ValuesRun* it = context;
  return cppgen_session_run_values(it->session->session, it->values, it->session->input_count, options, &it->results,
                                   error);
}

PyObject* run_values(Session* self, PyObject* const* objects, const cppgen_cancel* cancel) {
  const size_t count = self->input_count;
  cppgen_value** values = PyMem_Calloc(count + 1, sizeof *values);
  if (!values) return PyErr_NoMemory();
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) ok = (values[i] = value_of(&self->inputs[i], objects[i]));
  PyObject* tuple = NULL;
  if (ok) {
    ValuesRun run = {self, (const cppgen_value* const*)values, NULL};
    if (run_unlocked(self, 0, cancel, run_on_values, &run)) tuple = tuple_of_results(run.results, self->output_count);
    cppgen_results_free(run.results);
  }
  for (size_t i = 0; i < count; i++) cppgen_value_free(values[i]);
  PyMem_Free(values);
  return with_maps(self, tuple);
}
