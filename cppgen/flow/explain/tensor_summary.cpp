#include "cppgen/flow/explain/tensor_summary.h"

namespace cppgen {

std::vector<ModelSummary::Tensor> summaries_of(const std::vector<rt::TensorInfo>& infos, const rt::Plan& plan) {
  std::vector<ModelSummary::Tensor> tensors;
  for (const rt::TensorInfo& info : infos) {
    tensors.push_back({info.name, std::string(name_of(info.type)), info.ranked, {}});
    for (const rt::DimExpr& dim : info.dims) tensors.back().dims.push_back(rt::dim_text(dim, plan.symbols));
  }
  return tensors;
}

}  // namespace cppgen
