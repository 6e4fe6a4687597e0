// Reads a whole range once, at the best rate, and gives each element to a functor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "pinhole/access/chunk_engine.hpp"
#include "pinhole/access/rows.hpp"
#include "pinhole/core/config.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/memory/concepts.hpp"
#include "pinhole/memory/placement.hpp"
#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/listed_kernel.hpp"

#if !defined(__CUDACC__) && !defined(PINHOLE_CPU_ONLY)
#error \
    "stream_through launches kernels: compile this file with nvcc, or build with PINHOLE_CPU_ONLY"
#endif

namespace pinhole {

struct stream_options {
  /// Blocks of 1024 threads; 0: tuning.link_blocks where the range lies across the link, else
  /// enough for the whole device.
  unsigned blocks = 0;
  chunk_engine* engine = nullptr;  ///< by which long ranges may be brought in
};

namespace detail {
inline constexpr unsigned stream_threads = 1024;
}

#if defined(__CUDACC__)
namespace kernel {
/// Four elements of each thread are under way together, so that few blocks fill the link.
template <class Range, class Function>
__global__ void __launch_bounds__(detail::stream_threads)
    stream_through(Range range, std::size_t first, Function function) {
  using T = typename Range::value_type;
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * threads < range.size(); i += 4 * threads) {
    const T a = range[i];
    const T b = range[i + threads];
    const T c = range[i + 2 * threads];
    const T d = range[i + 3 * threads];
    function(first + i, a);
    function(first + i + threads, b);
    function(first + i + 2 * threads, c);
    function(first + i + 3 * threads, d);
  }
  for (; i < range.size(); i += threads) {
    function(first + i, range[i]);
  }
}
template <class Range, class Function>
inline const pinhole::detail::listed_kernel listed_stream_through(
    reinterpret_cast<const void*>(&stream_through<Range, Function>));
}  // namespace kernel
#endif

/// Queues function(first + i, range[i]) for all i, in place, on `work`; the order is not defined
/// and calls may run at the same time. `Range` is a view of const elements or rows_in_order of
/// them. `Function` is a named, trivially copyable functor with
/// PINHOLE_HD void operator()(std::size_t, const T&) const. Elements of 16 bytes give the best rate
/// (count them in fours when they are words).
template <class Range, class Function>
void stream_in_place(const stream_ref& work, Range range, std::size_t first, Function function,
                     unsigned blocks) {
  static_assert(std::is_trivially_copyable_v<Function>,
                "the functor travels to the device as bytes: make it trivially copyable (views and "
                "numbers, no containers)");
  if (range.size() == 0) {
    return;
  }
  const std::size_t useful = (range.size() + detail::stream_threads - 1) / detail::stream_threads;
  launch_request request;
  request.name = "stream_through";
  request.threads = detail::stream_threads;
  request.blocks = static_cast<unsigned>(std::clamp<std::size_t>(useful, 1, std::max(1U, blocks)));
#if defined(__CUDACC__)
  void* arguments[] = {&range, &first, &function};
  request.cuda_kernel = kernel::listed_stream_through<Range, Function>.cuda_kernel();
  request.arguments = arguments;
#endif
  if (work.where().kind() == device_kind::cpu) {
    request.blocks = range.size() < 4096 ? 1 : 2;
    request.cpu_block = [=](unsigned block, unsigned all) {
      const std::size_t share = (range.size() + all - 1) / all;
      const std::size_t last = std::min(range.size(), share * (block + 1));
      for (std::size_t i = share * block; i < last; ++i) {
        function(first + i, range[i]);
      }
    };
  }
  launch(work, request);
}

/// Queues function(i, element i) for all elements of a table or rectangle that the device owns, in
/// place, where i counts row behind row: element c of row r is number r * length + c. Needs no more
/// blocks than fill the link (tuning.link_blocks) unless options.blocks says so.
template <class T, class Function>
void stream_through(const stream_ref& work, const rows<T>& from, Function function,
                    const stream_options& options = {}) {
  using plain = std::remove_const_t<T>;
  const rows<const plain> read(from.elements(), from.length(), from.pitch());
  stream_in_place(work, rows_in_order<const plain>(read), 0, function,
                  options.blocks != 0 ? options.blocks : work.where().tuning().link_blocks);
}

/// Queues function(i, element i) for all elements of a buffer that the device owns, by the fastest
/// road of its placement: in place on few multiprocessors, or from tuning.stream_by_engine_from on
/// through options.engine, when there is one. Throws what launch() and the engine throw.
template <readable_buffer Buffer, class Function>
void stream_through(const stream_ref& work, const Buffer& from, Function function,
                    const stream_options& options = {}) {
  using T = std::remove_const_t<typename Buffer::value_type>;
  const view<const T> range = from.device();
  const auto& numbers = work.where().tuning();
  const bool is_near = from.placed() == placement::staged || from.placed() == placement::vram;
  const bool is_on_cpu = work.where().kind() == device_kind::cpu;
  const unsigned whole =
      is_on_cpu ? 1 : 2 * static_cast<unsigned>(work.where().capabilities().multiprocessors);
  const std::size_t bytes = range.size() * sizeof(T);
  if (is_near || options.engine == nullptr || bytes < numbers.stream_by_engine_from) {
    const unsigned usual = is_near ? whole : numbers.link_blocks;
    stream_in_place(work, range, 0, function, options.blocks != 0 ? options.blocks : usual);
    return;
  }
  options.engine->run(
      work, reinterpret_cast<const std::byte*>(from.host().data()), bytes, sizeof(T),
      [&](const stream_ref& lane, const std::byte* chunk, std::size_t first, std::size_t count) {
        stream_in_place(lane, view<const T>(reinterpret_cast<const T*>(chunk), count / sizeof(T)),
                        first / sizeof(T), function, options.blocks != 0 ? options.blocks : whole);
      });
}

}  // namespace pinhole
