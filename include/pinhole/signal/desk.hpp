// The untyped half of a mailbox: slots, tickets and doorbells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/stream.hpp"
#include "pinhole/signal/bound.hpp"
#include "pinhole/signal/mailbox_end.hpp"
#include "pinhole/signal/waiting.hpp"

namespace pinhole::detail {

struct desk_shape {
  std::size_t request_bytes = 0;
  std::size_t reply_bytes = 0;
  std::size_t capacity = 0;
  ordering orders = ordering::all_memory;
};

/// Ticket t uses slot t mod capacity, whose request line the host alone writes and whose reply line
/// kernels alone write. Tickets are drawn and doorbells rung under one lock, so that they ring in
/// order; each asker then polls a reply line of its own. A slot is used again when its reply was
/// taken, or was abandoned and has arrived: a late reply finds nobody's message in its place.
///
/// Any thread may call any member; a ticket belongs to the thread that drew it.
class desk final : public bound {
 public:
  desk(const device& where, const desk_shape& shape);
  ~desk() override;

  /// False when the slot of the next ticket is still in use.
  bool try_post(const void* request, std::uint64_t& ticket);
  std::uint64_t post(const void* request, timeout limit, wait_policy policy);
  bool poll(std::uint64_t ticket, void* reply);
  void wait(std::uint64_t ticket, void* reply, timeout limit, wait_policy policy);
  void abandon(std::uint64_t ticket);
  /// Posts and waits; a ticket that is not answered in time is abandoned.
  void ask(const void* request, void* reply, timeout limit, wait_policy policy);

  [[nodiscard]] kernel::desk_view on_device() const;
  void to_device(const stream_ref& work);
  [[nodiscard]] std::size_t capacity() const noexcept;

  void attach(const server& by) override;
  void close() noexcept override;
  void detach() noexcept override;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace pinhole::detail
