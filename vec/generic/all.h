// The headers that need nothing but the ISA's primitives and ops.h. Each builds on the ones before it.
#pragma once
// clang-format off
#include "float8.h"
#include "cast.h"
#include "float_remainder.h"
#include "int_ops.h"
#include "memory.h"
#include "horizontal.h"
#include "transpose.h"
#include "polynomial.h"
#include "math_exp.h"
#include "math_erf.h"
#include "math_log.h"
#include "math_trig.h"
#include "math_pow.h"
#include "math_runtime.h"
#include "product.h"
// clang-format on
