#include "vec/avx512/vec.h"

#define PROBES kProbesAvx512
#define PROBES_FOLDER "avx512"
#include "bench/kernels/probe_body.h"
