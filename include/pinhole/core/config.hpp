// Annotations that the two compilers need. They may change nothing but annotations: a template
// that both g++ and nvcc instantiate must mean the same in both.
#pragma once

#if defined(__CUDACC__)
#define PINHOLE_HD __host__ __device__
#else
#define PINHOLE_HD
#endif

#if defined(__GNUC__)
#define PINHOLE_VISIBLE __attribute__((visibility("default")))
#else
#define PINHOLE_VISIBLE
#endif
