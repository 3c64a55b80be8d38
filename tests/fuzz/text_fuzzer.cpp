// Any bytes as a text of a graph or a program: it is read, and then printed as a text that is read again and printed
// the same, or refused by a UserError. Other exceptions, crashes and hangs are findings.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cppgen/graph/graph_text.h"
#include "cppgen/ir/text/program_text.h"
#include "cppgen/text/graph_reader.h"
#include "cppgen/text/program_reader.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

std::string printed(std::string_view text) {
  if (text::is_program(text, "fuzz")) return ir::program_text(text::read_program(text, "fuzz"));
  return graph_text(text::read_graph(text, "fuzz"));
}

}  // namespace
}  // namespace cppgen

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string once;
  try {
    once = cppgen::printed({reinterpret_cast<const char*>(data), size});
  } catch (const cppgen::UserError&) {
    return 0;
  }
  if (cppgen::printed(once) != once) std::abort();
  return 0;
}
