#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "cppgen/codegen/kernel_text.h"

namespace cppgen::codegen {

std::string kernel_headers(const std::string& vec_folder, bool calls_runtime) {
  return fmt::format(
      "#include \"runtime/abi/abi.h\"\n#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n{}"
      "#include \"vec/generic/tile.h\"\n",
      vec_folder, calls_runtime ? "#include \"vec/generic/math.h\"\n" : "");
}

std::string translation_unit(const std::vector<const KernelText*>& kernels, const std::string& vec_folder) {
  std::string text = kernel_headers(
      vec_folder, std::any_of(kernels.begin(), kernels.end(), [](const KernelText* k) { return k->calls_runtime; }));
  for (const KernelText* k : kernels) text += "\n" + k->comment + k->code();
  return text;
}

std::vector<size_t> share_functions(std::vector<KernelText>& kernels) {
  std::vector<size_t> holder(kernels.size());
  std::unordered_map<std::string, size_t> seen;  // function without its name -> position
  std::vector<int> users(kernels.size(), 0);
  for (size_t i = 0; i < kernels.size(); i++) {
    KernelText& k = kernels[i];
    auto [it, fresh] = seen.try_emplace(k.linkage + k.function, i);
    holder[i] = it->second;
    if (fresh) continue;
    k.shared = kernels[it->second].name;
    k.function.clear();
    users[it->second]++;
  }
  for (size_t i = 0; i < kernels.size(); i++)
    if (users[i] && !kernels[i].comment.empty())
      kernels[i].comment +=
          fmt::format("// Also the function of {} more kernel{}.\n", users[i], users[i] == 1 ? "" : "s");
  return holder;
}

}  // namespace cppgen::codegen
