// make_import_corpus OUT [MAX_BYTES]: copies the small models of the ONNX test data to OUT as seeds for fuzz_import.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

int main(int argc, char** argv) {
  const fs::path source = "/usr/share/libonnx-testdata/data";
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s OUT [MAX_BYTES, default 2000]\n", argv[0]);
    return 2;
  }
  if (!fs::exists(source)) {
    std::fprintf(stderr, "%s is missing: install libonnx-testdata\n", source.c_str());
    return 1;
  }
  const auto max_bytes = uintmax_t(argc == 3 ? std::atoll(argv[2]) : 2000);
  const fs::path out = argv[1];
  fs::create_directories(out);
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".onnx" || entry.file_size() > max_bytes) continue;
    std::string name = entry.path().parent_path().filename().string() + ".onnx";
    fs::copy_file(entry.path(), out / name, fs::copy_options::overwrite_existing);
    count++;
  }
  std::printf("%d seeds in %s\n", count, out.c_str());
  return 0;
}
