#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cppgen/codegen/kernel_text.h"

namespace cppgen::codegen {

std::string translation_unit(const std::vector<const KernelText*>& kernels, const std::string& vec_folder) {
  std::string text = fmt::format(
      "#include \"runtime/abi/abi.h\"\n#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n", vec_folder);
  for (const KernelText* k : kernels) text += "\n" + k->code;
  return text;
}

std::vector<std::vector<size_t>> balance(const std::vector<KernelText>& kernels, int count) {
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return kernels[a].code.size() > kernels[b].code.size(); });
  std::vector<std::vector<size_t>> units(std::min(size_t(std::max(count, 1)), std::max<size_t>(kernels.size(), 1)));
  std::vector<size_t> cost(units.size(), 0);
  for (size_t k : order) {
    size_t least = size_t(std::min_element(cost.begin(), cost.end()) - cost.begin());
    units[least].push_back(k);
    cost[least] += kernels[k].code.size();
  }
  for (auto& u : units) std::sort(u.begin(), u.end());
  return units;
}

}  // namespace cppgen::codegen
