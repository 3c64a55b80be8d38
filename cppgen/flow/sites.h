#pragma once
#include <string>
#include <vector>

namespace cppgen {

struct ModelPart;

// A step for which something can be chosen (schedule/choices.h).
struct SiteReport {
  std::string site;
  bool contraction = false;
  std::vector<std::string> origins;  // nodes of the model
  std::string code;                  // equal for the same code in the same units of work
};

// Of parts whose kernels are emitted.
std::vector<SiteReport> sites_of(const std::vector<ModelPart>&);

}  // namespace cppgen
