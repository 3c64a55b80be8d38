#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/abi/abi.h"

namespace cppgen::bench {

// Loops whose speed is a limit of the machine with one instruction set.
struct Probes {
  std::string_view folder;  // of vec, which they are written with
  float (*read)(const float* from, int64_t count);
  void (*write)(float* to, int64_t count);
  // `rounds` rounds of multiply-adds on registers alone, and the floating-point operations in each round.
  float (*multiply_add)(int64_t rounds);
  double flops_of_round;
  // to[i] = f(from[i]) for `count` floats, a multiple of 64.
  struct Function {
    const char* name;
    void (*apply)(const cppgen_runtime*, const float* from, float* to, int64_t count);
  };
  const Function* functions;
  int function_count;
};

// One per translation unit: each is compiled for its instruction set.
#define CPPGEN_ISA(isa, ...) extern const Probes kProbes_##isa;
#include "runtime/base/isas.def"

}  // namespace cppgen::bench
