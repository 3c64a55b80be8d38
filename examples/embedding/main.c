/* A model inside of an application, which keeps the package in its own memory, lends its threads and its memory,
 * receives messages, and can end a run. Prints what the model says about itself and what the application gave.
 *
 *   cc -pthread main.c $(pkg-config --cflags --libs cppgen-runtime) -o embedding
 *   embedding PACKAGE_DIRECTORY [SIZE]      SIZE: of all dimensions that depend on the inputs; default: 1 */
#define _XOPEN_SOURCE 700
#include <cppgen.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 64, MAX_RANK = 8, MAX_TENSORS = 16, THREADS = 3 };

static int fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 2;
}

/* The package in memory. Weights that are aligned to 64 bytes are used in place. */

static cppgen_file files[MAX_FILES];
static size_t file_count, folder_length;

static int add_file(const char* path, const struct stat* status, int kind, struct FTW* place) {
  void* data = NULL;
  FILE* file;
  size_t bytes = (size_t)status->st_size;
  (void)place;
  if (kind != FTW_F) return 0;
  if (file_count == MAX_FILES || posix_memalign(&data, 64, bytes ? bytes : 1) != 0) return 1;
  file = fopen(path, "rb");
  if (!file || fread(data, 1, bytes, file) != bytes) return 1;
  fclose(file);
  files[file_count].name = strdup(path + folder_length);
  files[file_count].data = data;
  files[file_count++].bytes = bytes;
  return 0;
}

/* Memory of the application, which counts what it gives. */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t allocations, held;

static void* allocate(void* context, size_t bytes, size_t alignment) {
  void* memory = NULL;
  (void)context;
  if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
  pthread_mutex_lock(&mutex);
  allocations++, held++;
  pthread_mutex_unlock(&mutex);
  return memory;
}

static void release(void* context, void* memory, size_t bytes) {
  (void)context, (void)bytes;
  free(memory);
  pthread_mutex_lock(&mutex);
  held--;
  pthread_mutex_unlock(&mutex);
}

/* Threads of the application: each waits for a task, which is a call of `help`. */

static pthread_cond_t task_added = PTHREAD_COND_INITIALIZER;
static struct {
  void (*help)(void*);
  void* argument;
} tasks[1024];
static size_t first_task, last_task, helped;
static int stopping;

static void* work(void* context) {
  (void)context;
  pthread_mutex_lock(&mutex);
  for (;;) {
    void (*help)(void*);
    void* argument;
    while (first_task == last_task && !stopping) pthread_cond_wait(&task_added, &mutex);
    if (first_task == last_task) break;
    help = tasks[first_task % 1024].help;
    argument = tasks[first_task++ % 1024].argument;
    helped++;
    pthread_mutex_unlock(&mutex);
    help(argument);
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static int bring(void* context, int count, void (*help)(void*), void* argument) {
  int brought = 0;
  (void)context;
  pthread_mutex_lock(&mutex);
  for (; brought < count && last_task - first_task < 1024; brought++) {
    tasks[last_task % 1024].help = help;
    tasks[last_task++ % 1024].argument = argument;
  }
  pthread_cond_broadcast(&task_added);
  pthread_mutex_unlock(&mutex);
  return brought;
}

static void report(void* context, int severity, const char* message) {
  printf("%s %d: %s\n", (const char*)context, severity, message);
}

/* Zeros for each input, as tensors of the caller. */
static int make_inputs(const cppgen_session* session, int64_t size, cppgen_tensor* inputs, int64_t (*dims)[MAX_RANK],
                       cppgen_error* error) {
  size_t i, d;
  for (i = 0; i < cppgen_session_input_count(session); i++) {
    cppgen_tensor_info info;
    size_t bytes = 8; /* as many as an element has at most */
    if (i == MAX_TENSORS) return fail("inputs", "this example has space for few tensors");
    if (cppgen_session_input(session, i, &info, error) != CPPGEN_OK) return fail("input", error->message);
    if (info.rank > MAX_RANK || info.dtype == CPPGEN_STRING) return fail(info.name, "not for this example");
    for (d = 0; d < info.rank; d++) bytes *= (size_t)(dims[i][d] = info.dims[d] < 0 ? size : info.dims[d]);
    inputs[i].dtype = info.dtype;
    inputs[i].rank = info.rank;
    inputs[i].dims = dims[i];
    inputs[i].data = calloc(1, bytes ? bytes : 1);
    if (!inputs[i].data) return fail(info.name, "there is no memory");
  }
  return 0;
}

static int run(cppgen_session* session, int64_t size) {
  cppgen_error error;
  cppgen_tensor inputs[MAX_TENSORS], found;
  int64_t dims[MAX_TENSORS][MAX_RANK];
  const cppgen_value* values[MAX_TENSORS];
  cppgen_run_options options = {sizeof options, NULL};
  cppgen_cancel* cancel;
  cppgen_results* results;
  const char *key, *text;
  size_t i;
  cppgen_status status;

  for (i = 0; i < cppgen_session_metadata_count(session); i++)
    if (cppgen_session_metadata(session, i, &key, &text, &error) == CPPGEN_OK) printf("%s: %s\n", key, text);
  if (make_inputs(session, size, inputs, dims, &error) != 0) return 2;
  for (i = 0; i < cppgen_session_input_count(session); i++) {
    cppgen_value* value;
    if (cppgen_value_tensor(&inputs[i], &value, &error) != CPPGEN_OK) return fail("value", error.message);
    values[i] = value;
    free(inputs[i].data);
  }
  if (cppgen_cancel_create(&cancel, &error) != CPPGEN_OK) return fail("cancel", error.message);
  options.cancel = cancel;
  if (cppgen_session_run_values(session, values, i, &options, &results, &error) != CPPGEN_OK)
    return fail("run", error.message);
  for (i = 0; i < cppgen_session_output_count(session); i++) {
    cppgen_tensor_info info;
    size_t d;
    if (cppgen_session_output(session, i, &info, &error) != CPPGEN_OK) return fail("output", error.message);
    if (cppgen_results_tensor(results, i, 0, &found, &error) != CPPGEN_OK) return fail("output", error.message);
    printf("%s [", info.name);
    for (d = 0; d < found.rank; d++) printf(d ? ", %lld" : "%lld", (long long)found.dims[d]);
    printf("]\n");
  }
  cppgen_results_free(results);
  cppgen_cancel_request(cancel); /* another thread or a signal handler would do this */
  status = cppgen_session_run_values(session, values, cppgen_session_input_count(session), &options, &results, &error);
  printf("%s\n", status == CPPGEN_CANCELLED ? error.message : "the run was not cancelled");
  cppgen_cancel_free(cancel);
  for (i = 0; i < cppgen_session_input_count(session); i++) cppgen_value_free((cppgen_value*)values[i]);
  return 0;
}

int main(int argc, char** argv) {
  const cppgen_allocator allocator = {sizeof allocator, NULL, allocate, release};
  const cppgen_executor executor = {sizeof executor, NULL, THREADS, bring};
  char message[] = "message";
  cppgen_options options;
  cppgen_error error;
  cppgen_pool* pool;
  cppgen_session* sessions[2];
  pthread_t threads[THREADS - 1];
  int i, status = 0;

  if (argc < 2) return fail("usage", "embedding PACKAGE_DIRECTORY [SIZE]");
  folder_length = strlen(argv[1]) + 1;
  if (nftw(argv[1], add_file, 8, FTW_PHYS) != 0) return fail(argv[1], "cannot be read");
  for (i = 0; i < THREADS - 1; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0) return fail("threads", "cannot be made");

  cppgen_set_log(report, message);
  if (cppgen_pool_create_on(&executor, &pool, &error) != CPPGEN_OK) return fail("pool", error.message);
  if (cppgen_options_init(&options, &error) != CPPGEN_OK) return fail("options", error.message);
  options.pool = pool;
  options.allocator = &allocator;
  for (i = 0; i < 2 && status == 0; i++) { /* two sessions share the threads and the weights in memory */
    if (cppgen_session_load_memory(files, file_count, &options, &sessions[i], &error) != CPPGEN_OK)
      return fail("load", error.message);
    status = run(sessions[i], argc > 2 ? atoll(argv[2]) : 1);
  }
  for (i = 0; i < 2; i++) cppgen_session_free(sessions[i]);
  cppgen_pool_free(pool);
  pthread_mutex_lock(&mutex);
  stopping = 1;
  pthread_cond_broadcast(&task_added);
  pthread_mutex_unlock(&mutex);
  for (i = 0; i < THREADS - 1; i++) pthread_join(threads[i], NULL);
  printf("%s allocations, %zu still held; threads helped %s\n", allocations > 0 ? "some" : "no", held,
         helped > 0 ? "sometimes" : "never");
  return status;
}
