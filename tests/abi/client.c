/* A client of the first header whose options have a size, which runs with today's library. Usage: client PACKAGE, which
 * computes y[N, 4] = (x[N, 4] + {1, 2, 3, 4}) * 2. */
#include <cppgen.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what, const char* message) {
  fprintf(stderr, "%s: %s\n", what, message);
  return 1;
}

int main(int argc, char** argv) {
  struct {
    cppgen_options options;
    unsigned char behind[256];
  } guarded;
  struct {
    cppgen_stats stats;
    unsigned char behind[256];
  } counted;
  const int64_t dims[2] = {2, 4};
  float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[8] = {0};
  const cppgen_tensor input = {CPPGEN_FLOAT32, 2, dims, x}, output = {CPPGEN_FLOAT32, 2, dims, y};
  cppgen_session* session;
  cppgen_error error;
  int i;

  if (argc != 2) return fail("usage", "client PACKAGE");
  memset(&guarded, 0xab, sizeof guarded);
  memset(&counted, 0xab, sizeof counted);
  if (cppgen_options_init(&guarded.options, &error) != CPPGEN_OK) return fail("options", error.message);
  for (i = 0; i < 256; i++)
    if (guarded.behind[i] != 0xab) return fail("options", "written beyond their end");
  guarded.options.threads = 2;
  guarded.options.settings = "OPS_STAMP=hash";
  if (cppgen_session_load(argv[1], &guarded.options, &session, &error) != CPPGEN_OK) return fail("load", error.message);
  if (cppgen_session_run(session, &input, 1, &output, 1, &error) != CPPGEN_OK) return fail("run", error.message);
  for (i = 0; i < 8; i++)
    if (y[i] != (x[i] + (float)(i % 4 + 1)) * 2) return fail("run", "a wrong result");
  if (cppgen_session_stats(session, &counted.stats, &error) != CPPGEN_OK) return fail("stats", error.message);
  for (i = 0; i < 256; i++)
    if (counted.behind[i] != 0xab) return fail("stats", "written beyond their end");
  if (counted.stats.threads != 2) return fail("stats", "the options had no effect");
  cppgen_session_free(session);
  printf("done\n");
  return 0;
}
