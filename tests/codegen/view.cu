// The kernels over pinhole::view.
#include "pinhole/core/view.hpp"

template <class T>
using range = pinhole::view<T>;

#include "kernels.inc"
