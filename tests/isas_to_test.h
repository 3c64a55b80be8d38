#pragma once
#include <vector>

#include "isa/vec_isa.h"

// The most preferred instruction set that this CPU runs for each kind of emitted code: the others differ
// from it in fewer contraction tiles only.
inline std::vector<const cppgen::VecISA*> isas_to_test() {
  std::vector<const cppgen::VecISA*> list;
  const cppgen::CpuFeatures cpu = cppgen::detect_cpu_features();
  for (const cppgen::VecISA& isa : cppgen::all_isas()) {
    if (!cpu.has_all(isa.required)) continue;
    if (!list.empty() && list.back()->folder == isa.folder)
      list.back() = &isa;
    else
      list.push_back(&isa);
  }
  return list;
}
