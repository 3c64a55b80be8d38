// Any bytes: the importer gives a verified graph or throws UserError. Other exceptions, crashes, leaks and excessive
// memory are findings.
#include <cstddef>
#include <cstdint>
#include <span>

#include "cppgen/import/import.h"
#include "runtime/base/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    cppgen::Graph graph = cppgen::import_onnx_bytes(std::as_bytes(std::span(data, size)), "");
    cppgen::to_string(graph);
  } catch (const cppgen::UserError&) {
  }
  return 0;
}
