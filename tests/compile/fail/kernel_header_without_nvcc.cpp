// In a build with CUDA, a template that g++ instantiated could silently replace that of nvcc.
// must fail with: for_each_index launches kernels: compile this file with nvcc
#if !defined(MUST_FAIL)
#define PINHOLE_CPU_ONLY
#endif
#include "pinhole/kernel/for_each_index.cuh"
