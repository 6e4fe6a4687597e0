// The untyped half of a ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/stream.hpp"
#include "pinhole/signal/bound.hpp"
#include "pinhole/signal/waiting.hpp"

namespace pinhole::detail {

enum class ring_way { to_device, to_host };

/// Two counts that only grow: the tail, of elements pushed, which the producer alone writes, and
/// the head, of elements consumed, which the consumer alone writes. Each side remembers the other's
/// count and looks again only when what it remembers does not do.
class ring_core final : public bound {
 public:
  ring_core(const device& where, ring_way way, std::size_t capacity, std::size_t element_bytes);
  ~ring_core() override;

  std::size_t push_some(const void* elements, std::size_t n);
  void push(const void* elements, std::size_t n, timeout limit, wait_policy policy);
  void close_tail();
  void wait_until_consumed(timeout limit, wait_policy policy);
  std::size_t pop_some(void* out, std::size_t most);
  std::size_t pop(void* out, std::size_t most, timeout limit, wait_policy policy);

  const void* front(std::size_t& n);
  void pop_front(std::size_t n);

  [[nodiscard]] std::uint64_t tail() const noexcept;
  [[nodiscard]] std::uint64_t head() const noexcept;
  [[nodiscard]] bool is_closed() const noexcept;
  [[nodiscard]] std::size_t capacity() const noexcept;

  [[nodiscard]] std::byte* elements_on_device() const noexcept;
  [[nodiscard]] std::uint64_t* tail_on_device() const noexcept;
  [[nodiscard]] std::uint64_t* head_on_device() const noexcept;
  void to_device(const stream_ref& work);

  void attach(const server& by) override;
  void close() noexcept override;
  void detach() noexcept override;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

std::shared_ptr<ring_core> make_ring(const device& where, ring_way way, std::size_t capacity,
                                     std::size_t element_bytes);

}  // namespace pinhole::detail
