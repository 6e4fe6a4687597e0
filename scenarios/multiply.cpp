// Launches the product, and does it on the CPU device.
#include "scenarios/multiply.hpp"

#include <algorithm>

#include "pinhole/core/error.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

weight dot(const weight* row, view<const weight> x) {
  weight sum = 0;
  for (std::size_t first = 0; first < matrix_columns; first += x.size()) {
    const std::size_t count = std::min(x.size(), matrix_columns - first);
    for (std::size_t i = 0; i < count; ++i) {
      sum += row[first + i] * x[i];
    }
  }
  return sum;
}

void multiply_share(view<const weight> weights, view<const weight> x, view<weight> y,
                    unsigned block, unsigned blocks) {
  const std::size_t share = (y.size() + blocks - 1) / blocks;
  const std::size_t last = std::min(y.size(), share * (block + 1));
  for (std::size_t row = share * block; row < last; ++row) {
    y[row] = dot(weights.data() + row * matrix_columns, x);
  }
}

unsigned blocks_for(const device& where, std::size_t rows) {
  const std::size_t most = where.kind() == device_kind::cpu
                               ? 2
                               : 3 * static_cast<std::size_t>(where.capabilities().multiprocessors);
  return static_cast<unsigned>(std::min(rows, most));
}

}  // namespace

void multiply(const stream_ref& work, view<const weight> weights, view<const weight> x,
              view<weight> y) {
  if (weights.size() != y.size() * matrix_columns || x.empty()) {
    pinhole::detail::reject("multiply", "the sizes of matrix and vectors do not fit");
  }
  if (reinterpret_cast<std::uintptr_t>(weights.data()) % 16 != 0) {
    pinhole::detail::reject("multiply", "the weights do not start at a multiple of 16 bytes");
  }
  if (y.empty()) {
    return;
  }
  launch_request request;
  request.name = "multiply";
#if !defined(PINHOLE_CPU_ONLY)
  void* arguments[] = {&weights, &x, &y};
  request.cuda_kernel = detail::multiply_kernel();
  request.arguments = arguments;
#endif
  request.threads = detail::multiply_threads;
  request.blocks = blocks_for(work.where(), y.size());
  if (work.where().kind() == device_kind::cpu) {
    request.cpu_block = [=](unsigned block, unsigned blocks) {
      multiply_share(weights, x, y, block, blocks);
    };
  }
  launch(work, request);
}

}  // namespace pinhole::scenarios
