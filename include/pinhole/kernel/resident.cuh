// Starts kernels that stay.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/listed_kernel.hpp"
#include "pinhole/signal/mailbox.hpp"
#include "pinhole/signal/resident.hpp"
#include "pinhole/signal/ring.hpp"
#include "pinhole/signal/serve.hpp"

#if !defined(__CUDACC__) && !defined(PINHOLE_CPU_ONLY)
#error "resident launches kernels: compile this file with nvcc, or build with PINHOLE_CPU_ONLY"
#endif

namespace pinhole {

/// Work that stays: returns when the watch says so.
template <class Body>
concept resident_body = std::is_trivially_copyable_v<Body> &&
                        requires(const Body& body, kernel::watch& life,
                                 const kernel::grid_place& at) { body(life, at); };

namespace kernel {

/// Runs the body and tells the host when it began and why it ended.
template <class Body>
PINHOLE_HD void stay(const Body& body, const life_line& line, const grid_place& at) {
  const bool tells = at.block == 0 && one_block().rank() == 0;
  watch life(line);
  if (tells) {
    words::store(&line.signs->runs, 1);
  }
  body(life, at);
  if (tells) {
    const auto why = life.why() == ending::none ? ending::returned : life.why();
    words::release();
    words::store(&line.signs->ended, static_cast<std::uint64_t>(why));
  }
}

#if defined(__CUDACC__)
template <class Body>
__global__ void resident(Body body, life_line line) {
  stay(body, line, {blockIdx.x, gridDim.x});
}
template <class Body>
inline const pinhole::detail::listed_kernel listed_resident(
    reinterpret_cast<const void*>(&resident<Body>));
#endif

/// Calls the handler for each element, one thread each, until the ring is closed and empty.
template <class T, class Handler>
struct consume {
  ring_source<T> ring;
  Handler handler;

  PINHOLE_HD void operator()(watch& life, const grid_place& /*at*/) const {
    const one_block team;
    ring_reader<T, one_block> reader(ring);
    while (const std::uint64_t n = reader.wait(life)) {
      for (std::uint64_t i = team.rank(); i < n; i += team.size()) {
        handler(reader[i]);
      }
      reader.release(n);
    }
  }
};

/// Lets the handler fill a ring.
template <class T, class Handler>
struct produce {
  ring_sink<T> ring;
  Handler handler;

  PINHOLE_HD void operator()(watch& life, const grid_place& /*at*/) const {
    ring_writer<T, one_block> writer(ring);
    handler(writer, life);
  }
};

}  // namespace kernel

template <class Body, class... Leased>
void resident::run(Body body, unsigned threads, Leased&... leased) {
  (leased.to_device(work()), ...);
  kernel::life_line line = life();
  launch_request request;
  request.threads = threads;
#if defined(__CUDACC__)
  void* arguments[] = {&body, &line};
  request.cuda_kernel = kernel::listed_resident<Body>.cuda_kernel();
  request.arguments = arguments;
#endif
  if (work().where().kind() == device_kind::cpu) {
    request.cpu_block = [body, line](unsigned block, unsigned blocks) {
      kernel::stay(body, line, {block, blocks});
    };
  }
  start(request);
}

template <class Body, class... Leased>
resident::resident(const device& where, Body body, resident_options options, Leased&... leased) {
  static_assert(resident_body<Body>,
                "a resident body is a trivially copyable functor with PINHOLE_HD void "
                "operator()(kernel::watch&, const kernel::grid_place&) const");
  const unsigned threads = options.threads != 0 ? options.threads : 256;
  prepare(where, std::move(options), nullptr);
  run(body, threads, leased...);
}

template <class Request, class Reply, class Handler, class... Leased>
resident::resident(const device& where, mailbox<Request, Reply>& desk, Handler handler,
                   resident_options options, Leased&... leased) {
  constexpr bool together = block_handler<Handler, Request, Reply>;
  static_assert(
      together || thread_handler<Handler, Request, Reply>,
      "a mailbox handler is a trivially copyable functor with PINHOLE_HD "
      "Reply operator()(const Request&) const, or void operator()(const Request&, Reply&, "
      "const kernel::one_block&) const");
  if (options.blocks > desk.capacity()) {
    detail::reject("serve a mailbox of " + std::to_string(desk.capacity()) + " slots by " +
                       std::to_string(options.blocks) + " blocks",
                   "each slot is one request in flight, so that more blocks have nothing to do");
  }
  const unsigned threads = options.threads != 0 ? options.threads : together ? 256 : 1;
  prepare(where, std::move(options), desk.shared());
  run(kernel::serve<Request, Reply, Handler>{desk.device(), handler}, threads, desk, leased...);
}

template <class T, class Handler, class... Leased>
resident::resident(const device& where, ring_to_device<T>& ring, Handler handler,
                   resident_options options, Leased&... leased) {
  static_assert(
      std::is_trivially_copyable_v<Handler> && std::invocable<const Handler&, const T&>,
      "the handler of a ring to the device is a trivially copyable functor with PINHOLE_HD "
      "void operator()(const T&) const");
  detail::reject_more_blocks_than_one(options.blocks);
  const unsigned threads = options.threads != 0 ? options.threads : 256;
  prepare(where, std::move(options), ring.shared());
  run(kernel::consume<T, Handler>{ring.device(), handler}, threads, ring, leased...);
}

template <class T, class Handler, class... Leased>
resident::resident(const device& where, ring_to_host<T>& ring, Handler handler,
                   resident_options options, Leased&... leased) {
  static_assert(
      std::is_trivially_copyable_v<Handler> &&
          std::invocable<const Handler&, kernel::ring_writer<T, kernel::one_block>&,
                         kernel::watch&>,
      "the handler of a ring to the host is a trivially copyable functor with PINHOLE_HD "
      "void operator()(kernel::ring_writer<T, kernel::one_block>&, kernel::watch&) const");
  detail::reject_more_blocks_than_one(options.blocks);
  const unsigned threads = options.threads != 0 ? options.threads : 256;
  prepare(where, std::move(options), ring.shared());
  run(kernel::produce<T, Handler>{ring.device(), handler}, threads, ring, leased...);
}

}  // namespace pinhole
