// Questions from the host, answered by a kernel that stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "pinhole/core/units.hpp"
#include "pinhole/signal/desk.hpp"
#include "pinhole/signal/waiting.hpp"

namespace pinhole {

struct mailbox_options {
  /// Requests that may be in flight at once; a power of two.
  std::size_t capacity = 64;
  ordering orders = ordering::all_memory;
};

/// A request that was posted, and whose reply is still to be fetched.
struct ticket {
  std::uint64_t number = 0;
};

/// The host asks, a resident kernel answers:
///
///     pinhole::mailbox<query, reply> desk(gpu);
///     pinhole::resident worker(gpu, desk, lookup{table.device()});   // kernel/resident.cuh
///     reply r = desk.ask(query{42}, 50us);
///
/// A request of up to 32 bytes rides in the doorbell that wakes the kernel, and a reply of up to 48
/// bytes in the word that wakes the host; larger ones, up to 64 KiB, lie in a slot beside it. The
/// doorbells live in VRAM where the CPU reaches it (one MOVDIR64B each where the CPU has it), the
/// replies in pinned host memory. No message is ever torn: see kernel::message.
///
/// Any number of threads may ask. A lock of some 20 ns keeps the doorbells in order; each waits for
/// its own reply. Tickets are served in order of posting by as many blocks as the resident has.
///
/// Ordering, at system scope: the handler sees the request whole, the host the reply whole. With
/// ordering::all_memory the handler also sees all that the asking thread wrote before, and who has
/// taken the reply all that the handler's thread wrote or saw before it answered.
///
/// Errors of all members: fault::invalid_argument after resident::stop() (until another resident
/// serves the mailbox) and for tickets that were answered or abandoned; the device's own error when
/// the kernel has failed; fault::call_failed when it has ended otherwise; fault::timed_out with
/// what was waited for and the last reply seen. A request that was posted before there is a
/// resident waits for one.
template <class Request, class Reply>
class mailbox {
  static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>,
                "a mailbox carries trivially copyable requests and replies: put what they point to "
                "into a buffer, and its device() view or an index into the request");
  static_assert(std::is_default_constructible_v<Reply>,
                "a mailbox makes a reply before it fills it: give it a default constructor");
  static_assert(sizeof(Request) <= kernel::message::largest &&
                    sizeof(Reply) <= kernel::message::largest,
                "a mailbox carries messages of up to 64 KiB: put the bytes into a buffer, and "
                "where they are into the request");
  static_assert(alignof(Request) <= 128 && alignof(Reply) <= 128,
                "a mailbox aligns messages to 128 bytes at most");

 public:
  /// Throws fault::invalid_argument unless the capacity is a power of two, fault::not_supported
  /// where the device cannot map host memory, and what allocations throw.
  explicit mailbox(const pinhole::device& where, const mailbox_options& options = {})
      : desk_(std::make_shared<detail::desk>(where,
                                             detail::desk_shape{.request_bytes = sizeof(Request),
                                                                .reply_bytes = sizeof(Reply),
                                                                .capacity = options.capacity,
                                                                .orders = options.orders})) {}
  mailbox(mailbox&&) noexcept = default;
  mailbox& operator=(mailbox&&) noexcept = default;
  mailbox(const mailbox&) = delete;             // two would draw the same tickets
  mailbox& operator=(const mailbox&) = delete;  // two would draw the same tickets

  /// Posts and waits for the reply, both within the deadline. After a time-out the late reply is
  /// dropped, and the slot is used again when it has come.
  Reply ask(const Request& request, timeout limit,
            wait_policy policy = wait_policy::spin_then_yield) {
    Reply reply;
    desk().ask(&request, &reply, limit, policy);
    return reply;
  }

  /// Posts without waiting for the reply. Waits for a free slot; try_post gives up at once instead.
  ticket post(const Request& request, timeout limit,
              wait_policy policy = wait_policy::spin_then_yield) {
    return {desk().post(&request, limit, policy)};
  }
  std::optional<ticket> try_post(const Request& request) {
    ticket drawn;
    return desk().try_post(&request, drawn.number) ? std::optional(drawn) : std::nullopt;
  }
  /// The reply, if it has come; the ticket is used up then. Never waits.
  std::optional<Reply> poll(ticket asked) {
    Reply reply;
    return desk().poll(asked.number, &reply) ? std::optional(reply) : std::nullopt;
  }
  /// Waits for the reply. After a time-out the ticket is still good: wait again, or abandon it.
  Reply wait(ticket asked, timeout limit, wait_policy policy = wait_policy::spin_then_yield) {
    Reply reply;
    desk().wait(asked.number, &reply, limit, policy);
    return reply;
  }
  /// Gives up the ticket; its slot is used again when the reply has come.
  void abandon(ticket asked) { desk().abandon(asked.number); }

  [[nodiscard]] std::size_t capacity() const { return desk().capacity(); }
  /// For resident, and for kernels that serve it in their own way (kernel::mailbox_end).
  [[nodiscard]] kernel::desk_view device() const { return desk().on_device(); }
  void to_device(const stream_ref& work) { desk().to_device(work); }
  /// For resident, which keeps the mailbox's memory while it serves it.
  [[nodiscard]] std::shared_ptr<detail::bound> shared() const {
    desk();
    return desk_;
  }

 private:
  detail::desk& desk() const {
    detail::check_not_moved_from(desk_ != nullptr, "a mailbox");
    return *desk_;
  }

  std::shared_ptr<detail::desk> desk_;
};

}  // namespace pinhole
