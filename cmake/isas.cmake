# Compiler flags of sources that are written for one instruction set; emitted kernels have those of isa/vec_isa.cpp.
set(cppgen_flags_scalar -march=x86-64)
set(cppgen_flags_avx2 -mavx2 -mfma -mf16c)
set(cppgen_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl ${cppgen_flags_avx2} -mprefer-vector-width=512)
set(cppgen_flags_avx512_vnni ${cppgen_flags_avx512} -mavx512vnni)
set(cppgen_flags_avx512_bf16 ${cppgen_flags_avx512} -mavx512bf16)
