#include "runtime/linked/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/linked/npy_file.h"

namespace cppgen::linked {
namespace {

constexpr int kUsersError = 2;

struct Options {
  const char** files;  // of the inputs
  const char* output = nullptr;
  int threads = 0;
  long runs = 1;
};

struct Buffers {
  void** data;  // of inputs, then of outputs
  int64_t (*dims)[kMostAxes];
  int64_t* bytes;
  int64_t* sizes;
};

void print_usage(const Program& program, FILE* to) {
  fprintf(to, "Runs the model '%s'.\nUsage: %s [OPTIONS] --input NAME=FILE.npy ...\n\nInputs:\n", program.name,
          program.name);
  for (int i = 0; i < program.inputs; i++) fprintf(to, "  %s  %s\n", program.tensors[i].name, program.tensors[i].text);
  fprintf(to, "Outputs:\n");
  for (int i = program.inputs; i < program.inputs + program.outputs; i++)
    fprintf(to, "  %s  %s, written to %s.npy\n", program.tensors[i].name, program.tensors[i].text,
            program.tensors[i].file);
  fprintf(to,
          "\nOptions:\n"
          "  --input NAME=FILE.npy  An input; all are needed\n"
          "  --output DIR           Write the outputs into this folder\n"
          "  --threads N            Threads of a run (default: the CPUs that this process may use)\n"
          "  --runs N               Run N times, and print the least and the median time\n"
          "  -h, --help             Print this text\n"
          "\nExit status: 0 done, 2 a bad option or input.\n");
}

int fail(const char* what, const char* which, const char* why) {
  fprintf(stderr, "%s '%s': %s\n", what, which, why);
  return kUsersError;
}

int input_named(const Program& program, const char* text, size_t length) {
  for (int i = 0; i < program.inputs; i++)
    if (strlen(program.tensors[i].name) == length && strncmp(program.tensors[i].name, text, length) == 0) return i;
  return -1;
}

int read_input_option(const Program& program, const char* text, Options& options) {
  // A name may contain '=': the last one that leaves the name of an input counts.
  for (const char* at = strrchr(text, '='); at && at > text;
       at = static_cast<const char*>(memrchr(text, '=', size_t(at - text)))) {
    const int input = input_named(program, text, size_t(at - text));
    if (input < 0) continue;
    options.files[input] = at + 1;
    return 0;
  }
  return fail("--input", text, "it is not NAME=FILE.npy with the name of an input (see --help)");
}

bool read_number(const char* text, long least, long most, long& number) {
  char* end = nullptr;
  number = strtol(text, &end, 10);
  return end != text && !*end && number >= least && number <= most;
}

int read_option(const Program& program, const char* name, const char* value, Options& options) {
  if (!value) return fail("option", name, "its value is missing, or it is none (see --help)");
  long number = 0;
  if (!strcmp(name, "--input")) return read_input_option(program, value, options);
  if (!strcmp(name, "--output")) return options.output = value, 0;
  if (!strcmp(name, "--threads")) {
    if (!read_number(value, 1, 1024, number)) return fail("--threads", value, "it is not a number from 1 to 1024");
    return options.threads = int(number), 0;
  }
  if (!strcmp(name, "--runs")) {
    if (!read_number(value, 1, 1000000, options.runs))
      return fail("--runs", value, "it is not a number from 1 to 1000000");
    return 0;
  }
  return fail("option", name, "there is none of this name (see --help)");
}

int read_inputs(const Program& program, const Options& options, Buffers& buffers) {
  for (int i = 0; i < program.inputs; i++) {
    const TensorRow& row = program.tensors[i];
    if (!options.files[i]) return fail("input", row.name, "it is missing: --input NAME=FILE.npy");
    static NpyArray array;
    const char* wrong = read_npy(options.files[i], row.element_bytes, array);
    if (!wrong && (array.type[0] == '>' || strcmp(array.type + 1, row.type + 1) != 0))
      wrong = "its elements have another type than the input's (see --help)";
    if (!wrong && array.rank != row.rank) wrong = "its shape has another number of dimensions than the input's";
    if (wrong) return fail("file", options.files[i], wrong);
    buffers.data[i] = array.data, buffers.bytes[i] = array.bytes;
    memcpy(buffers.dims[i], array.dims, sizeof array.dims);
  }
  for (int i = 0; i < program.size_count; i++)
    buffers.sizes[i] = buffers.dims[program.sizes[i].input][program.sizes[i].axis];
  return 0;
}

int check_inputs(const Program& program, const Options& options, Buffers& buffers) {
  for (int i = 0; i < program.inputs; i++) {
    int64_t dims[kMostAxes];
    if (const int status = program.dims(buffers.sizes, i, dims))
      return fail("model", program.name, program.message(status));
    for (int axis = 0; axis < program.tensors[i].rank; axis++)
      if (dims[axis] != buffers.dims[i][axis])
        return fail("file", options.files[i], "its shape is not the input's (see --help)");
  }
  return 0;
}

int make_outputs(const Program& program, Buffers& buffers) {
  for (int i = program.inputs; i < program.inputs + program.outputs; i++) {
    const TensorRow& row = program.tensors[i];
    if (const int status = program.dims(buffers.sizes, i, buffers.dims[i]))
      return fail("model", program.name, program.message(status));
    buffers.bytes[i] = row.element_bytes;
    for (int axis = 0; axis < row.rank; axis++)
      if (__builtin_mul_overflow(buffers.bytes[i], buffers.dims[i][axis], &buffers.bytes[i]))
        return fail("output", row.name, "it is too large");
    buffers.data[i] = aligned_alloc(64, size_t(buffers.bytes[i] + 63) / 64 * 64 + 64);
    if (!buffers.data[i]) return fail("output", row.name, "there is not enough memory for it");
  }
  return 0;
}

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

int compare_times(const void* a, const void* b) {
  const double x = *static_cast<const double*>(a), y = *static_cast<const double*>(b);
  return (x > y) - (x < y);
}

int run_model(const Program& program, const Options& options, const Buffers& buffers) {
  void* model = nullptr;
  if (const int status = program.create(&model, options.threads))
    return fail("model", program.name, program.message(status));
  auto* times = static_cast<double*>(calloc(size_t(options.runs), sizeof(double)));
  int status = times ? 0 : 1;
  for (long i = 0; i < options.runs && !status; i++) {
    const double begin = milliseconds();
    status = program.run(model, buffers.sizes, buffers.data, buffers.data + program.inputs);
    times[i] = milliseconds() - begin;
  }
  program.destroy(model);
  if (status) return fail("model", program.name, program.message(status));
  qsort(times, size_t(options.runs), sizeof(double), compare_times);
  if (options.runs > 1)
    printf("%ld runs: least %.3f ms, median %.3f ms\n", options.runs, times[0], times[options.runs / 2]);
  free(times);
  return 0;
}

int write_outputs(const Program& program, const Options& options, const Buffers& buffers) {
  for (int i = program.inputs; options.output && i < program.inputs + program.outputs; i++) {
    const TensorRow& row = program.tensors[i];
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.npy", options.output, row.file) >= int(sizeof path))
      return fail("--output", options.output, "its path is too long");
    if (const char* wrong = write_npy(path, row.type, row.rank, buffers.dims[i], buffers.data[i], buffers.bytes[i]))
      return fail("file", path, wrong);
  }
  return 0;
}

void print_shapes(const Program& program, const Buffers& buffers) {
  for (int i = program.inputs; i < program.inputs + program.outputs; i++) {
    printf("%s [", program.tensors[i].name);
    for (int axis = 0; axis < program.tensors[i].rank; axis++)
      printf("%s%lld", axis ? ", " : "", (long long)buffers.dims[i][axis]);
    printf("]\n");
  }
}

int run_with(const Program& program, const Options& options, Buffers& buffers) {
  int status = read_inputs(program, options, buffers);
  if (!status) status = check_inputs(program, options, buffers);
  if (!status) status = make_outputs(program, buffers);
  if (!status) status = run_model(program, options, buffers);
  if (!status) status = write_outputs(program, options, buffers);
  if (!status) print_shapes(program, buffers);
  return status;
}

template <class T>
T* array_of(int count) {
  return static_cast<T*>(calloc(size_t(count) + 1, sizeof(T)));
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  const int tensors = program.inputs + program.outputs;
  Options options;
  options.files = array_of<const char*>(program.inputs);
  Buffers buffers{array_of<void*>(tensors), array_of<int64_t[kMostAxes]>(tensors), array_of<int64_t>(tensors),
                  array_of<int64_t>(program.size_count)};
  if (!options.files || !buffers.data || !buffers.dims || !buffers.bytes || !buffers.sizes)
    return fail("model", program.name, "there is not enough memory");
  for (int i = 1; i < argc; i += 2) {
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) return print_usage(program, stdout), 0;
    if (const int status = read_option(program, argv[i], i + 1 < argc ? argv[i + 1] : nullptr, options)) return status;
  }
  return run_with(program, options, buffers);
}

}  // namespace cppgen::linked
