// The kernels over the least that a range can be: two fields.
#include <cstddef>

template <class T>
struct range {
  T* first;
  std::size_t count;
  __device__ T* data() const { return first; }
  __device__ std::size_t size() const { return count; }
  __device__ T& operator[](std::size_t i) const { return first[i]; }
};

#include "kernels.inc"
