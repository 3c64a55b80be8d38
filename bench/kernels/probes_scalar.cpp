#include "vec/scalar/vec.h"

#define PROBES kProbesScalar
#define PROBES_ISA "scalar"
#include "bench/kernels/probe_body.h"
