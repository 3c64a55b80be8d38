#include "module.h"

static PyObject* log_receiver;

static void receive(void* context, int severity, const char* message) {
  (void)context;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* receiver = Py_XNewRef(log_receiver);
  if (receiver) {
    PyObject* text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "backslashreplace");
    PyObject* result = text ? PyObject_CallFunction(receiver, "iO", severity, text) : NULL;
    if (!result) PyErr_WriteUnraisable(receiver);
    Py_XDECREF(result);
    Py_XDECREF(text);
    Py_DECREF(receiver);
  }
  PyGILState_Release(state);
}

PyObject* set_log(PyObject* module, PyObject* receiver) {
  (void)module;
  PyObject* before = log_receiver;
  log_receiver = receiver == Py_None ? NULL : Py_NewRef(receiver);
  cppgen_log_function function = log_receiver ? receive : NULL;
  Py_BEGIN_ALLOW_THREADS; /* who reports a message at this moment needs the lock of the interpreter */
  cppgen_set_log(function, NULL);
  cppgen_compiler_set_log(function, NULL);
  Py_END_ALLOW_THREADS;
  Py_XDECREF(before);
  Py_RETURN_NONE;
}
