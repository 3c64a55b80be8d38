/* Uses the C API from C. Returns 0, or the line of the first failed check. */
#include <stdlib.h>
#include <string.h>

#include "runtime/session/cppgen.h"

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int check_c_api(const char* package) {
  cppgen_error error;
  cppgen_options options;
  cppgen_session* session = NULL;
  cppgen_tensor_info info;
  cppgen_stats stats;
  int64_t dims[2] = {3, 4}, found[2] = {0, 0};
  float x[12], y[12];
  cppgen_tensor input = {CPPGEN_FLOAT32, 2, NULL, NULL}, output = {CPPGEN_FLOAT32, 2, NULL, NULL};
  char table[2000];
  size_t length;
  int i;

  CHECK(cppgen_session_load("/no/such/package", NULL, &session, &error) == CPPGEN_USER_ERROR);
  CHECK(session == NULL && strstr(error.message, "is not a package") != NULL);
  CHECK(cppgen_session_load(NULL, NULL, &session, NULL) == CPPGEN_USER_ERROR);
  CHECK(cppgen_session_load(package, NULL, NULL, &error) == CPPGEN_USER_ERROR);

  CHECK(cppgen_options_init(&options, &error) == CPPGEN_OK);
  options.threads = 2;
  options.profile = 1;
  options.affinity = "nowhere";
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  CHECK(strstr(error.message, "AFFINITY: \"nowhere\" is not allowed; allowed: none, core") != NULL);
  options.affinity = NULL;
  options.min_chunk_size = 0;
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  CHECK(strstr(error.message, "MIN_CHUNK_SIZE: \"0\" is not allowed; allowed: 1 to") != NULL);
  options.min_chunk_size = 1;
  options.spin_microseconds = 1000001;
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  CHECK(strstr(error.message, "SPIN_MICROSECONDS") != NULL);
  options.spin_microseconds = 0;
  options.streams = 0;
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  options.streams = 1;
  options.struct_size = 4;
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  options.struct_size = sizeof options;
  options.settings = "OPS_STAMP";
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  CHECK(strstr(error.message, "is not NAME=VALUE") != NULL);
  options.settings = "MAX_FUSION_SIZE=3";
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_USER_ERROR);
  options.settings = "OPS_STAMP=hash\nOPS_PREFIX=mine:";
  CHECK(cppgen_session_load(package, &options, &session, &error) == CPPGEN_OK);
  CHECK(session != NULL && error.message[0] == '\0');

  CHECK(cppgen_session_input_count(session) == 1 && cppgen_session_output_count(session) == 1);
  CHECK(cppgen_session_input(session, 0, &info, &error) == CPPGEN_OK);
  CHECK(strcmp(info.name, "x") == 0 && info.dtype == CPPGEN_FLOAT32 && info.rank == 2);
  CHECK(info.dims[0] == -1 && info.dims[1] == 4);
  CHECK(cppgen_session_output(session, 1, &info, &error) == CPPGEN_USER_ERROR);

  for (i = 0; i < 12; i++) x[i] = (float)i;
  input.dims = dims;
  output.dims = dims;
  CHECK(cppgen_session_output_dims(session, &input, 1, 0, found, 2, &error) == CPPGEN_OK);
  CHECK(found[0] == 3 && found[1] == 4);
  CHECK(cppgen_session_output_dims(session, &input, 1, 0, found, 1, &error) == CPPGEN_USER_ERROR);
  CHECK(cppgen_session_run(session, &input, 1, &output, 1, &error) == CPPGEN_USER_ERROR);
  CHECK(strstr(error.message, "has no data") != NULL);
  input.data = x;
  output.data = y;
  CHECK(cppgen_session_run(session, &input, 1, &output, 1, &error) == CPPGEN_OK);
  for (i = 0; i < 12; i++) CHECK(y[i] == (float)((i + i % 4 + 1) * 2));
  input.dtype = (cppgen_dtype)99;
  CHECK(cppgen_session_run(session, &input, 1, &output, 1, &error) == CPPGEN_USER_ERROR);

  CHECK(cppgen_session_set_parameter(session, "w", &output, &error) == CPPGEN_USER_ERROR);
  CHECK(strstr(error.message, "no parameter 'w'") != NULL);

  CHECK(cppgen_session_stats(session, &stats, &error) == CPPGEN_OK);
  CHECK(stats.threads == 2 && stats.steps == 2 && stats.weights_bytes == 16);
  CHECK(cppgen_session_profile(session, table, sizeof table, &length, &error) == CPPGEN_OK);
  CHECK(strstr(table, "mine:k_twice:") != NULL && length == strlen(table));
  CHECK(cppgen_session_profile(session, table, 5, &length, &error) == CPPGEN_OK);
  CHECK(strlen(table) == 4 && length > 4);
  CHECK(cppgen_session_profile(session, NULL, 1, NULL, &error) == CPPGEN_USER_ERROR);
  CHECK(strlen(cppgen_version()) >= 5);
  cppgen_session_free(session);
  cppgen_session_free(NULL);
  return 0;
}
