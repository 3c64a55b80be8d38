// The headers that need nothing but the ISA's primitives and ops.h. Each builds on the ones before it.
#pragma once
// clang-format off
#include "float8.h"
#include "cast.h"
#include "float_remainder.h"
#include "int_ops.h"
#include "fixed_power.h"
#include "memory.h"
#include "horizontal.h"
#include "transpose.h"
#include "product.h"
// clang-format on
