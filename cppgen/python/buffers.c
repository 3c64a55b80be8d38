#include "module.h"

static bool is_usable(const Py_buffer* buffer, const Storage* storage) {
  return is_stored_as(buffer, storage) && (uintptr_t)buffer->buf % (size_t)storage->size == 0;
}

static void append(Buffers* buffers, cppgen_dtype dtype) {
  const Py_buffer* buffer = &buffers->buffers[buffers->used];
  cppgen_tensor* tensor = &buffers->tensors[buffers->used++];
  tensor->dtype = dtype;
  tensor->rank = (size_t)buffer->ndim;
  tensor->dims = (const int64_t*)buffer->shape;
  tensor->data = buffer->buf;
}

/* What Python makes of an object that is no buffer of the right type. */
static bool take_converted(Buffers* buffers, const Port* port, PyObject* object) {
  const Storage* storage = storage_of(port->dtype);
  PyObject* dtype = PyUnicode_FromString(storage->name);
  PyObject* array = dtype ? call_python("_inputs", "convert", port->name, dtype, object, NULL) : NULL;
  Py_XDECREF(dtype);
  if (!array) return false;
  Py_buffer* buffer = &buffers->buffers[buffers->used];
  const bool ok = PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0;
  Py_DECREF(array); /* which the buffer holds */
  if (!ok) return false;
  if (is_usable(buffer, storage)) {
    append(buffers, port->dtype);
    return true;
  }
  PyBuffer_Release(buffer);
  PyErr_Format(PyExc_RuntimeError, "input '%U': cppgen._inputs.convert made no array of %s", port->name, storage->name);
  return false;
}

bool take_input(Buffers* buffers, const Port* port, PyObject* object) {
  Py_buffer* buffer = &buffers->buffers[buffers->used];
  if (PyObject_GetBuffer(object, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
    PyErr_Clear();
    return take_converted(buffers, port, object);
  }
  if (!is_usable(buffer, storage_of(port->dtype))) {
    PyBuffer_Release(buffer);
    return take_converted(buffers, port, object);
  }
  append(buffers, port->dtype);
  return true;
}

static PyObject* stored_array(const Port* port, const Storage* storage, PyObject* given) {
  PyObject* name = PyUnicode_FromString(storage->name);
  PyObject* array = name ? call_python("_results", "stored", port->name, name, given, NULL) : NULL;
  Py_XDECREF(name);
  return array;
}

static bool take_given(Buffers* buffers, const Port* port, PyObject* given) {
  const Storage* storage = storage_of(port->dtype);
  PyObject* stored = storage->extended ? stored_array(port, storage, given) : Py_NewRef(given);
  if (!stored) return false;
  Py_buffer* buffer = &buffers->buffers[buffers->used];
  const bool is_buffer = PyObject_GetBuffer(stored, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE) == 0;
  Py_DECREF(stored);
  if (is_buffer && is_usable(buffer, storage)) {
    append(buffers, port->dtype);
    return true;
  }
  if (is_buffer) PyBuffer_Release(buffer);
  PyErr_Clear();
  return raise_user_error("output '%U': out must be a writable, C-contiguous array of %s", port->name, storage->name);
}

PyObject* take_output(Buffers* buffers, const Port* port, PyObject* shape, PyObject* given) {
  if (given) return take_given(buffers, port, given) ? Py_NewRef(given) : NULL;
  PyObject* array = empty_array(shape, port->dtype);
  if (!array) return NULL;
  if (PyObject_GetBuffer(array, &buffers->buffers[buffers->used], PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
    Py_DECREF(array);
    return NULL;
  }
  append(buffers, port->dtype);
  return shown_array(array, port->dtype);
}

void release_buffers(Buffers* buffers) {
  while (buffers->used) PyBuffer_Release(&buffers->buffers[--buffers->used]);
}
