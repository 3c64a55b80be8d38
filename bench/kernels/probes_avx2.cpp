#include "vec/avx2/vec.h"

#define PROBES kProbesAvx2
#define PROBES_FOLDER "avx2"
#include "bench/kernels/probe_body.h"
