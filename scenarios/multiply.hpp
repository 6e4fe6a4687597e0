// The kernel of `compute`: a matrix times a vector.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::scenarios {

/// Whole numbers modulo 2^32, so that the order of a sum does not matter and results are exact.
using weight = std::uint32_t;
inline constexpr std::size_t matrix_columns = 8192;

/// Queues a kernel on `work`: y = weights * x, where weights has y.size() rows of matrix_columns,
/// and x, which may be shorter than a row, is repeated to its length. Each weight is read once, 16
/// bytes at a time; x is read by every block and should lie on the device. Throws
/// fault::invalid_argument for sizes that do not fit and weights that do not start at a multiple of
/// 16 bytes.
void multiply(const stream_ref& work, view<const weight> weights, view<const weight> x,
              view<weight> y);

namespace detail {
inline constexpr unsigned multiply_threads = 256;
/// The kernel, in multiply.cu; not there in a CPU-only build.
[[nodiscard]] const void* multiply_kernel();
}  // namespace detail

}  // namespace pinhole::scenarios
