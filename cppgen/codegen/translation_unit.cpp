#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/kernel_text.h"

namespace cppgen::codegen {

std::string kernel_headers(const std::string& vec_folder, bool calls_functions) {
  return fmt::format(
      "#include \"runtime/abi/abi.h\"\n#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n{}"
      "#include \"vec/generic/tile.h\"\n",
      vec_folder, calls_functions ? "#include \"vec/generic/math.h\"\n" : "");
}

std::string translation_unit(const std::vector<const KernelText*>& kernels, const std::string& vec_folder) {
  std::string text = kernel_headers(
      vec_folder, std::any_of(kernels.begin(), kernels.end(), [](const KernelText* k) { return k->calls_functions; }));
  for (const KernelText* k : kernels) text += "\n" + k->comment + k->code();
  return text;
}

}  // namespace cppgen::codegen
