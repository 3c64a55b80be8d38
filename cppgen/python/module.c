#include "module.h"

static PyObject* version(PyObject* module, PyObject* none) {
  (void)module, (void)none;
  return PyUnicode_FromString(cppgen_version());
}

static PyMethodDef functions[] = {{"version", version, METH_NOARGS, "The version of the runtime library: \"0.2.0\"."},
                                  {"set_log", set_log, METH_O,
                                   "Calls the argument with the severity (0 debug, 1 information, 2 warning, 3 error) "
                                   "and the text of each message of "
                                   "the libraries; None: they write to stderr."},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_cppgen",
                                        "The C APIs of cppgen. Use the module cppgen, which is above this one.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__cppgen(void) {
  PyObject* module = PyModule_Create(&definition);
  if (!module) return NULL;
  if (add_errors() < 0 || add_dtypes(module) < 0 || add_cancel(module) < 0 || add_package(module) < 0 ||
      add_request(module) < 0 || add_session(module) < 0 || add_state(module) < 0)
    Py_CLEAR(module);
  return module;
}
