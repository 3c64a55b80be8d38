#pragma once
#include "cppgen/kernel/plan.h"

// The fields of a kernel's work, for the printer (field_printer.h) alone: it follows from the kernel.
namespace cppgen::schedule_text {

template <class V>
void fields(V& v, kernel::KernelWork& work) {
  auto& [flops, rate, products, multi_instruction, functions, instructions, bytes] = work;
  v("flops", flops, 0);
  v("rate", rate, 1);
  v("products", products, 0);
  v("compounds", multi_instruction, 0);
  v("functions", functions, 0);
  v("instructions", instructions, 0);
  v("bytes", bytes, 0);
}

}  // namespace cppgen::schedule_text
