#include "module.h"

/* In the order of cppgen_dtype. */
static const Storage numbers[] = {
    {"float32", 'f', 4, false},        {"float64", 'f', 8, false},
    {"float16", 'f', 2, false},        {"bfloat16", 'u', 2, true},
    {"int8", 'i', 1, false},           {"int16", 'i', 2, false},
    {"int32", 'i', 4, false},          {"int64", 'i', 8, false},
    {"uint8", 'u', 1, false},          {"uint16", 'u', 2, false},
    {"uint32", 'u', 4, false},         {"uint64", 'u', 8, false},
    {"bool", 'b', 1, false},           {"float8_e4m3fn", 'u', 1, true},
    {"float8_e4m3fnuz", 'u', 1, true}, {"float8_e5m2", 'u', 1, true},
    {"float8_e5m2fnuz", 'u', 1, true}, {"int4", 'i', 1, true},
    {"uint4", 'u', 1, true},           {"int2", 'i', 1, true},
    {"uint2", 'u', 1, true},           {"float4_e2m1fn", 'u', 1, true},
    {"float8_e8m0fnu", 'u', 1, true},
};
enum { number_count = sizeof numbers / sizeof *numbers };
static const Storage strings = {"str", 's', 0, false};

static PyObject* empty;                       /* numpy.empty */
static PyObject* stored_dtypes[number_count]; /* numpy.dtype of the storage */
static PyObject* shown_dtypes[number_count];  /* of ml_dtypes; null where the storage is shown */

const Storage* storage_of(cppgen_dtype dtype) {
  if (dtype == CPPGEN_STRING) return &strings;
  return (unsigned)dtype < number_count ? &numbers[dtype] : NULL;
}

int dtype_named(const char* name) {
  for (int i = 0; i < number_count; i++)
    if (strcmp(numbers[i].name, name) == 0) return i;
  return strcmp(strings.name, name) == 0 ? CPPGEN_STRING : -1;
}

bool is_stored_as(const Py_buffer* buffer, const Storage* storage) {
  if (buffer->itemsize != storage->size) return false;
  const char* format = buffer->format ? buffer->format : "B";
  if (*format == '@' || *format == '=' || *format == '<') format++; /* all CPUs that cppgen knows are little-endian */
  if (format[0] == '\0' || format[1] != '\0') return false;
  switch (storage->kind) {
    case 'f':
      return strchr("efd", *format);
    case 'i':
      return strchr("bhilqn", *format);
    case 'u':
      return strchr("BHILQN", *format);
    default:
      return *format == '?';
  }
}

PyObject* empty_array(PyObject* shape, cppgen_dtype dtype) {
  return PyObject_CallFunctionObjArgs(empty, shape, stored_dtypes[dtype], NULL);
}

PyObject* shown_array(PyObject* array, cppgen_dtype dtype) {
  if (!array || !shown_dtypes[dtype]) return array;
  PyObject* shown = PyObject_CallMethod(array, "view", "O", shown_dtypes[dtype]);
  Py_DECREF(array);
  return shown;
}

PyObject* tuple_of_dims(const int64_t* dims, size_t rank) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)rank);
  for (size_t i = 0; tuple && i < rank; i++) {
    PyObject* dim = PyLong_FromLongLong(dims[i]);
    if (!dim) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, dim);
    }
  }
  return tuple;
}

/* The type of ml_dtypes of this name, or null without an exception. */
static PyObject* extended_dtype(PyObject* numpy, PyObject* extended, const char* name) {
  PyObject* type = extended ? PyObject_GetAttrString(extended, name) : NULL;
  PyObject* dtype = type ? PyObject_CallMethod(numpy, "dtype", "O", type) : NULL;
  PyErr_Clear();
  Py_XDECREF(type);
  return dtype;
}

int add_dtypes(PyObject* module) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  if (!numpy) return -1;
  PyObject* extended = PyImport_ImportModule("ml_dtypes");
  PyErr_Clear();
  empty = PyObject_GetAttrString(numpy, "empty");
  PyObject* names = PyDict_New(); /* the dtypes that users see, by their names */
  bool ok = empty && names;
  for (int i = 0; ok && i < number_count; i++) {
    const Storage* storage = &numbers[i];
    char text[8] = {storage->kind, (char)('0' + storage->size), '\0'};
    stored_dtypes[i] = PyObject_CallMethod(numpy, "dtype", "s", storage->kind == 'b' ? "?" : text);
    if (storage->extended) shown_dtypes[i] = extended_dtype(numpy, extended, storage->name);
    PyObject* shown = shown_dtypes[i] ? shown_dtypes[i] : stored_dtypes[i];
    ok = stored_dtypes[i] && PyDict_SetItemString(names, storage->name, shown) == 0;
  }
  ok = ok && PyModule_AddObjectRef(module, "dtypes", names) == 0;
  Py_XDECREF(names);
  Py_XDECREF(extended);
  Py_DECREF(numpy);
  return ok ? 0 : -1;
}
