// Elementary functions, for kernels that call them: half of all kernels do not, and are compiled faster without.
// Included after kernel.h. Each header builds on the ones before it.
#pragma once
// clang-format off
#include "polynomial.h"
#include "math_exp.h"
#include "math_erf.h"
#include "math_log.h"
#include "math_trig.h"
#include "math_pow.h"
#include "math_runtime.h"
#include "math_fast.h"
#include "online_softmax.h"
// clang-format on
