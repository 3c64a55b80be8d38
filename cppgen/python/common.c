#include <stdarg.h>

#include "module.h"

static PyObject *user_error, *internal_error, *cancelled_error;

PyObject* raise_status(cppgen_status status, const cppgen_error* error) {
  PyObject* type = status == CPPGEN_USER_ERROR  ? user_error
                   : status == CPPGEN_CANCELLED ? cancelled_error
                                                : internal_error;
  /* Messages may quote files and names that are no UTF-8. */
  PyObject* text = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "backslashreplace");
  if (!text) return NULL;
  PyErr_SetObject(type, text);
  Py_DECREF(text);
  return NULL;
}

PyObject* raise_user_error(const char* format, ...) {
  va_list values;
  va_start(values, format);
  PyErr_FormatV(user_error, format, values);
  va_end(values);
  return NULL;
}

PyObject* call_python(const char* module, const char* name, ...) {
  PyObject* arguments[4];
  Py_ssize_t count = 0;
  va_list values;
  va_start(values, name);
  for (PyObject* value; count < 4 && (value = va_arg(values, PyObject*)); count++) arguments[count] = value;
  va_end(values);
  PyObject* path = PyUnicode_FromFormat("cppgen.%s", module);
  PyObject* imported = path ? PyImport_Import(path) : NULL;
  PyObject* function = imported ? PyObject_GetAttrString(imported, name) : NULL;
  PyObject* tuple = function ? PyTuple_New(count) : NULL;
  for (Py_ssize_t i = 0; tuple && i < count; i++) PyTuple_SetItem(tuple, i, Py_NewRef(arguments[i]));
  PyObject* result = tuple ? PyObject_CallObject(function, tuple) : NULL;
  Py_XDECREF(tuple);
  Py_XDECREF(function);
  Py_XDECREF(imported);
  Py_XDECREF(path);
  return result;
}

void* new_object(PyTypeObject* type) { return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0); }

void free_object(void* object) {
  PyTypeObject* type = Py_TYPE((PyObject*)object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

int add_errors(void) {
  PyObject* errors = PyImport_ImportModule("cppgen._errors");
  if (!errors) return -1;
  user_error = PyObject_GetAttrString(errors, "UserError");
  internal_error = PyObject_GetAttrString(errors, "InternalError");
  cancelled_error = PyObject_GetAttrString(errors, "Cancelled");
  Py_DECREF(errors);
  return user_error && internal_error && cancelled_error ? 0 : -1;
}
