// Writes a small valid input of each kind for fuzz_formats.
#include <cstdio>
#include <string>

#include "cppgen/flow/trace/trace_record.h"
#include "cppgen/support/file_io.h"
#include "runtime/values/npy.h"

namespace {

using namespace cppgen;

void write_seed(const std::string& folder, char kind, const std::string& name, const std::string& content) {
  if (write_file(folder + "/" + name, kind + content) != 0) std::perror(name.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const std::string trace = folder + "/trace";
  if (make_directories(trace) != 0) return 1;
  TraceRecord record;
  record.version = "0.1.0", record.isa = "scalar", record.cpu = "cpu", record.compiler = "g++";
  record.model = "model/model.onnx", record.dims = {"N=3"}, record.files = {"io.json"};
  record.settings = {{"DEBUG_LEVEL", "-g -Og"}, {"MAX_MEMORY", "1GiB"}, {"TUNING", "contraction_units=8"}};
  record.kernels = {{"kernels_0.cpp", "00"}};
  write_trace_record(trace, record);
  if (write_file(trace + "/io.json", "{}") != 0) return 1;
  pack_trace(trace, record);
  const int64_t dims[] = {2, 2};
  const float values[] = {1, 2, 3, 4};
  rt::write_npy(trace + "/a.npy", {DType::f32, dims, values});
  write_seed(folder, 0, "archive", read_file(trace + ".tar"));
  write_seed(folder, 1, "record", read_file(trace + "/repro.json"));
  write_seed(folder, 2, "settings",
             "# comment\nTHREADS=2\nMAX_MEMORY = 1GiB\nDEBUG_LEVEL=-g -Og\nISA=avx2,scalar\nCXX=ccache g++\n"
             "CACHE_DIR=~/c\nPROGRESS=auto\n");
  write_seed(
      folder, 3, "results",
      "{\"cpu\":\"cpu\",\"isa\":\"scalar\",\"threads\":1,\"compiler\":[\"g++\"],\"version\":\"0.1.0\",\"site\":\"s\","
      "\"backend\":\"\",\"separate_epilogue\":true,\"tuning\":\"contraction_units=8\",\"usual_us\":2.5,\"best_us\":1,"
      "\"model\":\"m\",\"by\":\"b\"}\n");
  write_seed(folder, 4, "array", read_file(trace + "/a.npy"));
  remove_tree(trace), remove_tree(trace + ".tar");
}
