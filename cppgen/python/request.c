/* What is compiled and how (cppgen_request), and what is asked about it. */
#include "module.h"

typedef struct {
  PyObject ob_base;
  cppgen_request* request;
  Py_buffer bytes; /* of the model; its `obj` is null if there are none */
  PyObject *progress, *cancel;
} Request;

static PyObject* request_new(PyTypeObject* type, PyObject* arguments, PyObject* named) {
  (void)arguments, (void)named;
  Request* self = new_object(type);
  cppgen_error error;
  if (!self) return NULL;
  const cppgen_status status = cppgen_request_create(&self->request, &error);
  if (status == CPPGEN_OK) return (PyObject*)self;
  Py_DECREF(self);
  return raise_status(status, &error);
}

static void request_dealloc(Request* self) {
  cppgen_request_free(self->request);
  if (self->bytes.obj) PyBuffer_Release(&self->bytes);
  Py_XDECREF(self->progress);
  Py_XDECREF(self->cancel);
  free_object(self);
}

static PyObject* none_or(cppgen_status status, const cppgen_error* error) {
  if (status != CPPGEN_OK) return raise_status(status, error);
  Py_RETURN_NONE;
}

static PyObject* set_model(Request* self, PyObject* path) {
  PyObject* encoded = NULL;
  cppgen_error error;
  if (!PyUnicode_FSConverter(path, &encoded)) return NULL;
  const cppgen_status status = cppgen_request_set_model(self->request, PyBytes_AsString(encoded), &error);
  Py_DECREF(encoded);
  return none_or(status, &error);
}

static PyObject* set_model_bytes(Request* self, PyObject* arguments) {
  PyObject *bytes, *folder = NULL;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "OzO&", &bytes, &name, PyUnicode_FSConverter, &folder)) return NULL;
  cppgen_error error;
  Py_buffer buffer;
  PyObject* result = NULL;
  if (PyObject_GetBuffer(bytes, &buffer, PyBUF_SIMPLE) == 0) {
    const char* path = PyBytes_Size(folder) ? PyBytes_AsString(folder) : NULL;
    const cppgen_status status =
        cppgen_request_set_model_bytes(self->request, buffer.buf, (size_t)buffer.len, name, path, &error);
    if (self->bytes.obj) PyBuffer_Release(&self->bytes);
    self->bytes = buffer;
    result = none_or(status, &error);
  }
  Py_DECREF(folder);
  return result;
}

static PyObject* set_setting(Request* self, PyObject* arguments) {
  const char *name, *value;
  if (!PyArg_ParseTuple(arguments, "ss", &name, &value)) return NULL;
  cppgen_error error;
  return none_or(cppgen_request_set(self->request, name, value, &error), &error);
}

static PyObject* add_text(Request* self, PyObject* text,
                          cppgen_status (*add)(cppgen_request*, const char*, cppgen_error*)) {
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, NULL);
  cppgen_error error;
  return utf8 ? none_or(add(self->request, utf8, &error), &error) : NULL;
}

static PyObject* add_dim(Request* self, PyObject* text) { return add_text(self, text, cppgen_request_add_dim); }
static PyObject* add_sizes(Request* self, PyObject* text) { return add_text(self, text, cppgen_request_add_sizes); }
static PyObject* add_state_text(Request* self, PyObject* text) {
  return add_text(self, text, cppgen_request_add_state);
}
static PyObject* add_custom_operators(Request* self, PyObject* path) {
  return add_text(self, path, cppgen_request_add_custom_operators);
}

static void tell_progress(void* context, int done, int total) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* result = PyObject_CallFunction((PyObject*)context, "ii", done, total);
  if (!result) PyErr_WriteUnraisable((PyObject*)context);
  Py_XDECREF(result);
  PyGILState_Release(state);
}

static PyObject* set_progress(Request* self, PyObject* function) {
  cppgen_error error;
  Py_XDECREF(self->progress);
  self->progress = Py_NewRef(function);
  return none_or(cppgen_request_set_progress(self->request, tell_progress, function, &error), &error);
}

static PyObject* set_cancel(Request* self, PyObject* object) {
  const cppgen_cancel* cancel;
  cppgen_error error;
  if (!cancel_of(object, &cancel)) return NULL;
  const cppgen_status status = cppgen_request_set_cancel(self->request, cancel, &error);
  Py_XDECREF(self->cancel);
  self->cancel = Py_NewRef(object);
  return none_or(status, &error);
}

static PyObject* compile(Request* self, PyObject* output) {
  PyObject* path = NULL;
  if (output != Py_None && !PyUnicode_FSConverter(output, &path)) return NULL;
  const char* directory = path ? PyBytes_AsString(path) : NULL;
  cppgen_package* package = NULL;
  cppgen_error error;
  cppgen_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = cppgen_compile(self->request, directory, &package, &error);
  Py_END_ALLOW_THREADS;
  Py_XDECREF(path);
  if (status != CPPGEN_OK) return raise_status(status, &error);
  Package* result = new_object(package_type);
  if (result)
    result->package = package;
  else
    cppgen_package_free(package);
  return (PyObject*)result;
}

static PyObject* ask(Request* self, cppgen_status (*question)(const cppgen_request*, char**, cppgen_error*)) {
  char* text = NULL;
  cppgen_error error;
  cppgen_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = question(self->request, &text, &error);
  Py_END_ALLOW_THREADS;
  if (status != CPPGEN_OK) return raise_status(status, &error);
  PyObject* result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
  cppgen_text_free(text);
  return result;
}

static PyObject* check(Request* self, PyObject* none) { return (void)none, ask(self, cppgen_check); }
static PyObject* inspect(Request* self, PyObject* none) { return (void)none, ask(self, cppgen_inspect); }
static PyObject* explain(Request* self, PyObject* none) { return (void)none, ask(self, cppgen_explain); }
static PyObject* config(Request* self, PyObject* none) { return (void)none, ask(self, cppgen_config); }

static PyMethodDef request_methods[] = {
    {"set_model", (PyCFunction)set_model, METH_O, "The model is the .onnx file of this path."},
    {"set_model_bytes", (PyCFunction)set_model_bytes, METH_VARARGS,
     "The model is a bytes-like object; its name in messages, and the folder of its external data or \"\"."},
    {"set", (PyCFunction)set_setting, METH_VARARGS, "A setting: its name and its value as text."},
    {"add_dim", (PyCFunction)add_dim, METH_O, "\"batch=8\", \"x.0=batch\"."},
    {"add_state", (PyCFunction)add_state_text, METH_O, "\"present=past:2048\"."},
    {"add_sizes", (PyCFunction)add_sizes, METH_O, "\"batch=1,length=128\"."},
    {"add_custom_operators", (PyCFunction)add_custom_operators, METH_O, "The path of a description."},
    {"set_progress", (PyCFunction)set_progress, METH_O, "A function of the numbers of units: done, all."},
    {"set_cancel", (PyCFunction)set_cancel, METH_O, "What ends the compilation."},
    {"compile", (PyCFunction)compile, METH_O, "Compiles to the directory, or to the cache (None)."},
    {"check", (PyCFunction)check, METH_NOARGS, "JSON: can the model be compiled?"},
    {"inspect", (PyCFunction)inspect, METH_NOARGS, "JSON: what is in the model."},
    {"explain", (PyCFunction)explain, METH_NOARGS, "JSON: what the model becomes."},
    {"config", (PyCFunction)config, METH_NOARGS, "JSON: all settings."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot request_slots[] = {{Py_tp_new, (void*)request_new},
                                      {Py_tp_dealloc, (void*)request_dealloc},
                                      {Py_tp_methods, request_methods},
                                      {Py_tp_doc, "What is compiled and how."},
                                      {0, NULL}};

static PyType_Spec request_spec = {"cppgen._cppgen.Request", sizeof(Request), 0, Py_TPFLAGS_DEFAULT, request_slots};

int add_request(PyObject* module) {
  PyObject* type = PyType_FromSpec(&request_spec);
  const int status = type ? PyModule_AddObjectRef(module, "Request", type) : -1;
  Py_XDECREF(type);
  return status;
}
