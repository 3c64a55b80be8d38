/* How a Session is made: its options, its package, and the descriptions of its inputs and outputs. */
#include <stddef.h>

#include "module.h"

static bool describe_port(Session* self, size_t index, bool is_input, Port* port) {
  cppgen_error error;
  cppgen_tensor_info info;
  cppgen_status status = (is_input ? cppgen_session_input : cppgen_session_output)(self->session, index, &info, &error);
  if (status == CPPGEN_OK)
    status =
        (is_input ? cppgen_session_input_kind : cppgen_session_output_kind)(self->session, index, &port->kind, &error);
  if (status != CPPGEN_OK) return raise_status(status, &error);
  port->name = PyUnicode_DecodeUTF8(info.name, (Py_ssize_t)strlen(info.name), "backslashreplace");
  if (!port->name) return false;
  PyUnicode_InternInPlace(&port->name);
  port->dtype = info.dtype;
  port->rank = info.rank;
  port->dims = info.dims;
  bool constant = port->kind == CPPGEN_TENSOR && port->dims;
  for (size_t i = 0; i < info.rank; i++) constant = constant && info.dims[i] >= 0;
  if (constant && !(port->shape = tuple_of_dims(info.dims, info.rank))) return false;
  self->only_tensors = self->only_tensors && port->kind == CPPGEN_TENSOR && info.dtype != CPPGEN_STRING;
  return true;
}

/* The type of the keys of an output that is a sequence of maps; null for others. The compiler writes which outputs are
 * such sequences to what the package tells about its model. */
static const char* keys_of(const Session* self, PyObject* output) {
  for (size_t i = 0; i < cppgen_session_metadata_count(self->session); i++) {
    const char *key, *type;
    cppgen_error error;
    if (cppgen_session_metadata(self->session, i, &key, &type, &error) != CPPGEN_OK) continue;
    if (strncmp(key, "type:", 5) != 0 || PyUnicode_CompareWithASCIIString(output, key + 5) != 0) continue;
    if (strcmp(type, "seq(map(string,tensor(float)))") == 0) return "str";
    if (strcmp(type, "seq(map(int64,tensor(float)))") == 0) return "int64";
  }
  return NULL;
}

static bool describe_ports(Session* self) {
  self->input_count = cppgen_session_input_count(self->session);
  self->output_count = cppgen_session_output_count(self->session);
  self->inputs = PyMem_Calloc(self->input_count + 1, sizeof(Port));
  self->outputs = PyMem_Calloc(self->output_count + 1, sizeof(Port));
  if (!self->inputs || !self->outputs) return PyErr_NoMemory();
  self->only_tensors = self->all_sized = true;
  for (size_t i = 0; i < self->input_count; i++)
    if (!describe_port(self, i, true, &self->inputs[i])) return false;
  for (size_t i = 0; i < self->output_count; i++) {
    if (!describe_port(self, i, false, &self->outputs[i])) return false;
    if (self->outputs[i].kind == CPPGEN_SEQUENCE) self->outputs[i].keys = keys_of(self, self->outputs[i].name);
    self->all_sized = self->all_sized && self->outputs[i].shape;
    self->output_ranks += self->outputs[i].rank;
  }
  return true;
}

/* Loads `source`, a path or a Package. */
static bool load(Session* self, PyObject* source, const cppgen_options* options) {
  const bool is_package = PyObject_TypeCheck(source, package_type);
  PyObject* path = NULL;
  if (!is_package && !PyUnicode_FSConverter(source, &path)) return false;
  const char* directory = path ? PyBytes_AsString(path) : NULL;
  cppgen_session* session = NULL;
  cppgen_error error;
  cppgen_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = is_package ? cppgen_package_load(((Package*)source)->package, options, &session, &error)
                      : cppgen_session_load(directory, options, &session, &error);
  Py_END_ALLOW_THREADS;
  Py_XDECREF(path);
  if (status != CPPGEN_OK) return raise_status(status, &error);
  self->session = session;
  return describe_ports(self);
}

/* The members of cppgen_options that a Session can be given, by the names of their settings. */
static const struct {
  const char* name;
  size_t offset;
  char kind; /* of the member: i for int, l for int64_t, s for text */
} members[] = {
    {"THREADS", offsetof(cppgen_options, threads), 'l'},
    {"AFFINITY", offsetof(cppgen_options, affinity), 's'},
    {"SMT", offsetof(cppgen_options, smt), 'i'},
    {"MIN_CHUNK_SIZE", offsetof(cppgen_options, min_chunk_size), 'l'},
    {"MEMORY_PLANNING", offsetof(cppgen_options, memory_planning), 'i'},
    {"SPIN_MICROSECONDS", offsetof(cppgen_options, spin_microseconds), 'l'},
    {"ENABLE_KERNEL_PROFILE", offsetof(cppgen_options, profile), 'i'},
    {"CUSTOM_OPS", offsetof(cppgen_options, custom_ops), 's'},
};
enum { member_count = sizeof members / sizeof *members };

static bool set_member(cppgen_options* options, size_t i, PyObject* value) {
  char* member = (char*)options + members[i].offset;
  if (members[i].kind == 's') {
    *(const char**)member = PyUnicode_AsUTF8AndSize(value, NULL);
    return *(const char**)member;
  }
  const long long number = PyLong_AsLongLong(value);
  if (PyErr_Occurred()) return false;
  if (members[i].kind == 'l')
    *(int64_t*)member = number;
  else
    *(int*)member = (int)number;
  return true;
}

/* Options of the environment, changed by settings as text and by a dict of members, whose texts are not copied. */
static bool make_options(const char* settings, PyObject* values, cppgen_options* options) {
  cppgen_error error;
  cppgen_status status;
  Py_BEGIN_ALLOW_THREADS; /* it may warn about variables */
  status = cppgen_options_init(options, &error);
  Py_END_ALLOW_THREADS;
  if (status != CPPGEN_OK) return raise_status(status, &error);
  options->settings = settings;
  PyObject *name, *value;
  for (Py_ssize_t next = 0; PyDict_Next(values, &next, &name, &value);) {
    size_t i = 0;
    while (i < member_count && PyUnicode_CompareWithASCIIString(name, members[i].name) != 0) i++;
    if (i == member_count) return PyErr_Format(PyExc_TypeError, "the options have no member %U", name);
    if (!set_member(options, i, value)) return false;
  }
  return true;
}

int load_session(Session* self, PyObject* arguments, PyObject* named) {
  static char* names[] = {"source", "settings", "members", NULL};
  PyObject *source, *values;
  const char* settings;
  cppgen_options options;
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "OzO!", names, &source, &settings, &PyDict_Type, &values))
    return -1;
  if (self->session) {
    PyErr_SetString(PyExc_RuntimeError, "the session is loaded already");
    return -1;
  }
  return make_options(settings, values, &options) && load(self, source, &options) ? 0 : -1;
}

PyObject* option_member_names(void) {
  PyObject* all = PyTuple_New(member_count);
  for (Py_ssize_t i = 0; all && i < member_count; i++) {
    PyObject* pair = Py_BuildValue("(sO)", members[i].name, members[i].kind == 's' ? &PyUnicode_Type : &PyLong_Type);
    if (!pair) {
      Py_CLEAR(all);
    } else {
      PyTuple_SetItem(all, i, pair);
    }
  }
  return all;
}
