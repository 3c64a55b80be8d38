#include "vec/scalar/vec.h"

#define PROBES kProbesScalar
#define PROBES_FOLDER "scalar"
#include "bench/kernels/probe_body.h"
