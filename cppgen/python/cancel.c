#include "module.h"

PyTypeObject* cancel_type;

static PyObject* cancel_new(PyTypeObject* type, PyObject* arguments, PyObject* named) {
  (void)arguments, (void)named;
  Cancel* self = new_object(type);
  cppgen_error error;
  if (!self) return NULL;
  const cppgen_status status = cppgen_cancel_create(&self->cancel, &error);
  if (status == CPPGEN_OK) return (PyObject*)self;
  Py_DECREF(self);
  return raise_status(status, &error);
}

static void cancel_dealloc(Cancel* self) {
  cppgen_cancel_free(self->cancel);
  free_object(self);
}

static PyObject* cancel_request(Cancel* self, PyObject* none) {
  (void)none;
  cppgen_cancel_request(self->cancel);
  Py_RETURN_NONE;
}

static PyObject* cancel_reset(Cancel* self, PyObject* none) {
  (void)none;
  cppgen_cancel_reset(self->cancel);
  Py_RETURN_NONE;
}

bool cancel_of(PyObject* object, const cppgen_cancel** cancel) {
  *cancel = NULL;
  if (!object || object == Py_None) return true;
  if (!PyObject_TypeCheck(object, cancel_type)) {
    PyErr_SetString(PyExc_TypeError, "cancel must be a cppgen.Cancel or None");
    return false;
  }
  *cancel = ((Cancel*)object)->cancel;
  return true;
}

static PyMethodDef cancel_methods[] = {
    {"request", (PyCFunction)cancel_request, METH_NOARGS,
     "Ends runs and compilations that were given this object; later ones end at once, until `reset`."},
    {"reset", (PyCFunction)cancel_reset, METH_NOARGS, "Allows runs and compilations again."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot cancel_slots[] = {
    {Py_tp_new, (void*)cancel_new},
    {Py_tp_dealloc, (void*)cancel_dealloc},
    {Py_tp_methods, cancel_methods},
    {Py_tp_doc, "Ends runs and compilations from another thread, with the exception `Cancelled`."},
    {0, NULL}};

static PyType_Spec cancel_spec = {"cppgen.Cancel", sizeof(Cancel), 0, Py_TPFLAGS_DEFAULT, cancel_slots};

int add_cancel(PyObject* module) {
  cancel_type = (PyTypeObject*)PyType_FromSpec(&cancel_spec);
  return cancel_type ? PyModule_AddObjectRef(module, "Cancel", (PyObject*)cancel_type) : -1;
}
