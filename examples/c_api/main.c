/* Runs a compiled model from C: float inputs are ones, others zeros; symbolic dimensions are `size`.
 *
 *   cc main.c $(pkg-config --cflags --libs cppgen-runtime) -o run_model
 *   run_model PACKAGE [size] */
#include <cppgen.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TENSORS = 16, MAX_RANK = 8 };

/* Bytes of an element; 0 for strings, which have no size of their own. Without a default, so that the compiler names a
 * type that is missing here. */
static size_t element_size(cppgen_dtype type) {
  switch (type) {
    case CPPGEN_FLOAT64:
    case CPPGEN_INT64:
    case CPPGEN_UINT64:
      return 8;
    case CPPGEN_FLOAT32:
    case CPPGEN_INT32:
    case CPPGEN_UINT32:
      return 4;
    case CPPGEN_FLOAT16:
    case CPPGEN_BFLOAT16:
    case CPPGEN_INT16:
    case CPPGEN_UINT16:
      return 2;
    case CPPGEN_INT8:
    case CPPGEN_UINT8:
    case CPPGEN_BOOL:
    case CPPGEN_FLOAT8E4M3FN:
    case CPPGEN_FLOAT8E4M3FNUZ:
    case CPPGEN_FLOAT8E5M2:
    case CPPGEN_FLOAT8E5M2FNUZ:
    case CPPGEN_INT4:
    case CPPGEN_UINT4:
    case CPPGEN_INT2:
    case CPPGEN_UINT2:
    case CPPGEN_FLOAT4E2M1:
    case CPPGEN_FLOAT8E8M0:
      return 1;
    case CPPGEN_STRING:
      return 0;
  }
  return 0;
}

static void* allocate(cppgen_tensor* tensor) {
  size_t count = 1, d;
  for (d = 0; d < tensor->rank; d++) count *= (size_t)tensor->dims[d];
  if (element_size(tensor->dtype) == 0) {
    fprintf(stderr, "this example has no strings; see cppgen_session_run_results\n");
    return NULL;
  }
  tensor->data = calloc(count ? count : 1, element_size(tensor->dtype));
  if (tensor->data && tensor->dtype == CPPGEN_FLOAT32)
    for (d = 0; d < count; d++) ((float*)tensor->data)[d] = 1.0f;
  return tensor->data;
}

static int fail(const char* what, const cppgen_error* error) {
  fprintf(stderr, "%s: %s\n", what, error->message);
  return 2;
}

int main(int argc, char** argv) {
  cppgen_error error;
  cppgen_session* session;
  cppgen_tensor_info info;
  cppgen_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  int64_t dims[2][MAX_TENSORS][MAX_RANK];
  size_t i, d, input_count, output_count;
  const int64_t size = argc > 2 ? atoll(argv[2]) : 1;

  if (argc < 2) {
    fprintf(stderr, "usage: %s PACKAGE [size]\n", argv[0]);
    return 2;
  }
  if (cppgen_session_load(argv[1], NULL, &session, &error) != CPPGEN_OK) return fail("load", &error);
  input_count = cppgen_session_input_count(session);
  output_count = cppgen_session_output_count(session);
  if (input_count > MAX_TENSORS || output_count > MAX_TENSORS) return 2;

  for (i = 0; i < input_count; i++) {
    if (cppgen_session_input(session, i, &info, &error) != CPPGEN_OK) return fail("input", &error);
    if (info.rank > MAX_RANK) return 2;
    for (d = 0; d < info.rank; d++) dims[0][i][d] = info.dims[d] < 0 ? size : info.dims[d];
    inputs[i].dtype = info.dtype;
    inputs[i].rank = info.rank;
    inputs[i].dims = dims[0][i];
    if (!allocate(&inputs[i])) return 2;
  }
  for (i = 0; i < output_count; i++) {
    if (cppgen_session_output(session, i, &info, &error) != CPPGEN_OK) return fail("output", &error);
    if (cppgen_session_output_dims(session, inputs, input_count, i, dims[1][i], MAX_RANK, &error) != CPPGEN_OK)
      return fail("shapes", &error);
    outputs[i].dtype = info.dtype;
    outputs[i].rank = info.rank;
    outputs[i].dims = dims[1][i];
    if (!allocate(&outputs[i])) return 2;
  }

  if (cppgen_session_run(session, inputs, input_count, outputs, output_count, &error) != CPPGEN_OK)
    return fail("run", &error);
  for (i = 0; i < output_count; i++) {
    cppgen_session_output(session, i, &info, &error);
    printf("%s [", info.name);
    for (d = 0; d < outputs[i].rank; d++) printf(d ? ", %lld" : "%lld", (long long)outputs[i].dims[d]);
    printf("]");
    if (info.dtype == CPPGEN_FLOAT32) printf(": %g ...", ((float*)outputs[i].data)[0]);
    printf("\n");
    free(outputs[i].data);
  }
  for (i = 0; i < input_count; i++) free(inputs[i].data);
  cppgen_session_free(session);
  return 0;
}
