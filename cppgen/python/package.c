#include "module.h"

PyTypeObject* package_type;

static void package_dealloc(Package* self) {
  cppgen_package* package = self->package;
  Py_BEGIN_ALLOW_THREADS;
  cppgen_package_free(package); /* which may remove a directory */
  Py_END_ALLOW_THREADS;
  free_object(self);
}

static PyObject* package_path(Package* self, void* closure) {
  (void)closure;
  return PyUnicode_DecodeFSDefault(cppgen_package_path(self->package));
}

static PyObject* package_report(Package* self, void* closure) {
  (void)closure;
  return PyUnicode_FromString(cppgen_package_report(self->package));
}

static PyGetSetDef package_properties[] = {
    {"path", (getter)package_path, NULL, "The directory of the package.", NULL},
    {"report", (getter)package_report, NULL, "JSON: what `cppgen compile --json` prints.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot package_slots[] = {{Py_tp_dealloc, (void*)package_dealloc},
                                      {Py_tp_getset, package_properties},
                                      {Py_tp_doc, "A compiled model."},
                                      {0, NULL}};

static PyType_Spec package_spec = {"cppgen._cppgen.Package", sizeof(Package), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, package_slots};

int add_package(PyObject* module) {
  package_type = (PyTypeObject*)PyType_FromSpec(&package_spec);
  return package_type ? PyModule_AddObjectRef(module, "Package", (PyObject*)package_type) : -1;
}
