// The host's end of a mailbox.
#include "pinhole/signal/desk.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pinhole/core/error.hpp"
#include "signal/doorbell.hpp"
#include "signal/host_wait.hpp"
#include "signal/memory.hpp"

namespace pinhole::detail {

namespace {

using namespace kernel::message;

constexpr std::uint64_t nobody = 0;
constexpr std::uint64_t abandoned = std::uint64_t{1} << 63U;

std::size_t checked_capacity(std::size_t slots) {
  if (slots == 0 || !std::has_single_bit(slots)) {
    reject("make a mailbox of " + std::to_string(slots) + " slots",
           "the number of slots must be a power of two: 1, 2, 4, ...");
  }
  return slots;
}

storage_handle payloads(bool needed, const device& where, std::size_t slots, std::size_t bytes,
                        storage_handle (*make)(const device&, std::size_t)) {
  return needed ? make(where, checked_bytes(slots, slot_bytes(bytes), "make a mailbox")) : nullptr;
}

std::byte* device_side(const storage_handle& maybe) noexcept {
  return maybe ? maybe->on_device() : nullptr;
}

}  // namespace

struct desk::parts {
  parts(const device& on, const desk_shape& of)
      : where(on),
        shape(of),
        slots(checked_capacity(of.capacity)),
        owner(slots),
        requests(make_device_polled(on, checked_bytes(slots, line_bytes, "make a mailbox"))),
        request_payloads(payloads(of.request_bytes > request_inline, on, slots, of.request_bytes,
                                  &make_device_polled)),
        replies(make_host_polled(on, checked_bytes(slots, line_bytes, "make a mailbox"))),
        reply_payloads(
            payloads(of.reply_bytes > reply_inline, on, slots, of.reply_bytes, &make_host_polled)),
        bell(*requests) {}

  [[nodiscard]] std::size_t slot(std::uint64_t ticket) const noexcept {
    return ticket & (slots - 1);
  }
  [[nodiscard]] const words::pair* reply_line(std::uint64_t ticket) const noexcept {
    return reinterpret_cast<const words::pair*>(replies->host() + slot(ticket) * line_bytes);
  }

  /// The tag in the last piece of the slot's reply line: which ticket it answered last, plus one.
  [[nodiscard]] std::uint32_t last_reply(std::uint64_t ticket) const noexcept {
    const auto* const last = reply_line(ticket) + reply_pieces(shape.reply_bytes) - 1;
    return static_cast<std::uint32_t>(words::look(&last->high) >> 32U);
  }

  [[nodiscard]] std::string last_reply_seen(std::uint64_t ticket) const {
    const std::uint32_t tag = last_reply(ticket);
    return tag == 0 ? "no reply was seen in its slot yet"
                    : "the last reply seen in its slot answered ticket " + std::to_string(tag - 1);
  }

  [[nodiscard]] bool has_arrived(std::uint64_t ticket) const noexcept {
    const auto* const line = reply_line(ticket);
    for (unsigned i = reply_pieces(shape.reply_bytes); i-- > 0;) {
      if (words::look(&line[i].high) >> 32U != tag_of(ticket)) {
        return false;
      }
    }
    return true;
  }

  /// Copies a reply that has arrived, and frees the slot.
  void take(std::uint64_t ticket, void* reply) noexcept {
    if (reply_payloads) {
      std::memcpy(reply, reply_payloads->host() + slot(ticket) * slot_bytes(shape.reply_bytes),
                  shape.reply_bytes);
    } else {
      std::array<std::uint32_t, reply_inline / 4> payload{};
      const auto* const line = reply_line(ticket);
      for (unsigned i = 0; i < reply_pieces(shape.reply_bytes); ++i) {
        const words::pair piece = words::look(line + i);
        payload[3 * i] = static_cast<std::uint32_t>(piece.low);
        payload[3 * i + 1] = static_cast<std::uint32_t>(piece.low >> 32U);
        payload[3 * i + 2] = static_cast<std::uint32_t>(piece.high);
      }
      std::memcpy(reply, payload.data(), shape.reply_bytes);
    }
    owner[slot(ticket)].store(nobody, std::memory_order_release);
  }

  /// Nobody waits for what is in the slot, and no kernel will write to it.
  [[nodiscard]] bool is_free(std::uint64_t next_ticket) const noexcept {
    const std::uint64_t by = owner[slot(next_ticket)].load(std::memory_order_acquire);
    if ((by & abandoned) == 0) {
      return by == nobody;
    }
    const std::uint64_t last = (by & ~abandoned) - 1;
    return has_arrived(last) || last < unanswered_below.load(std::memory_order_acquire);
  }

  void check_owner(const char* verb, std::uint64_t ticket) const {
    if (owner[slot(ticket)].load(std::memory_order_relaxed) != ticket + 1) {
      reject(std::string(verb) + " ticket " + std::to_string(ticket) + " of a mailbox",
             "it was answered or abandoned before, or never drawn");
    }
  }

  /// True when the kernel that should answer has ended; throws when it has failed.
  bool kernel_has_ended() {
    const std::lock_guard lock(mutex);
    return served_by && served_by->work.is_done();
  }

  [[noreturn]] void throw_not_answered(std::uint64_t ticket) {
    const std::string asked =
        "get the reply to ticket " + std::to_string(ticket) + " of a mailbox on " + where.id();
    std::unique_lock lock(mutex);
    if (served_by) {
      const server by = *served_by;
      lock.unlock();
      throw_ended(by, asked);
    }
    reject(asked, "its resident kernel was stopped before it answered");
  }

  void post_locked(std::uint64_t ticket, const void* request) {
    owner[slot(ticket)].store(ticket + 1, std::memory_order_relaxed);
    std::size_t in_line = shape.request_bytes;
    if (request_payloads) {  // write() drains, so that the bell need not
      request_payloads->write(slot(ticket) * slot_bytes(shape.request_bytes), request,
                              shape.request_bytes);
      in_line = 0;
    }
    bell.ring(requests->host() + slot(ticket) * line_bytes, request, in_line, tag_of(ticket),
              !request_payloads && shape.orders == ordering::all_memory);
  }

  device where;
  desk_shape shape;
  std::size_t slots;
  std::vector<std::atomic<std::uint64_t>> owner;  // ticket + 1, `nobody`, or with `abandoned` set
  storage_handle requests;
  storage_handle request_payloads;  // null when requests fit into their lines
  storage_handle replies;
  storage_handle reply_payloads;  // null when replies fit into their lines
  doorbell bell;

  std::atomic<std::uint64_t> unanswered_below{0};  // older tickets are answered by now, or never
  std::atomic<unsigned> idle_polls{0};

  mutable std::mutex mutex;  // guards what follows, and the order of doorbells
  std::uint64_t next = 0;
  std::uint64_t first = 0;  // the first ticket of the resident that serves, or is to serve
  bool closed = false;
  std::optional<server> served_by;
};

desk::desk(const device& where, const desk_shape& shape)
    : parts_(std::make_unique<parts>(where, shape)) {}
desk::~desk() = default;

bool desk::try_post(const void* request, std::uint64_t& ticket) {
  auto& my = *parts_;
  const std::lock_guard lock(my.mutex);
  if (my.closed) {
    reject("post to a mailbox on " + my.where.id(), "its resident kernel was stopped");
  }
  if (!my.is_free(my.next)) {
    return false;
  }
  ticket = my.next++;
  my.post_locked(ticket, request);
  return true;
}

std::uint64_t desk::post(const void* request, timeout limit, wait_policy policy) {
  auto& my = *parts_;
  std::uint64_t ticket = 0;
  host_wait waiting(my.where, limit, policy);
  if (wait_until(
          waiting, [&] { return try_post(request, ticket); },
          [&] { return my.kernel_has_ended(); })) {
    return ticket;
  }
  const std::string asked = "post to a mailbox on " + my.where.id();
  std::unique_lock lock(my.mutex);
  if (my.served_by && my.served_by->work.is_done()) {
    const server by = *my.served_by;
    lock.unlock();
    throw_ended(by, asked);
  }
  waiting.give_up(asked,
                  "ticket " + std::to_string(my.next) + " waits for its slot, one of " +
                      std::to_string(my.slots) + "; " + my.last_reply_seen(my.next),
                  "take or abandon older replies, or give the mailbox more slots");
}

bool desk::poll(std::uint64_t ticket, void* reply) {
  auto& my = *parts_;
  my.check_owner("poll", ticket);
  if (my.has_arrived(ticket)) {
    my.take(ticket, reply);
    return true;
  }
  constexpr unsigned polls_per_query = 256;
  const bool is_dead = ticket < my.unanswered_below.load(std::memory_order_acquire);
  const bool asks = my.idle_polls.fetch_add(1, std::memory_order_relaxed) % polls_per_query == 0;
  if (!is_dead && !(asks && my.kernel_has_ended())) {
    return false;
  }
  if (!my.has_arrived(ticket)) {
    my.throw_not_answered(ticket);
  }
  my.take(ticket, reply);
  return true;
}

void desk::wait(std::uint64_t ticket, void* reply, timeout limit, wait_policy policy) {
  auto& my = *parts_;
  my.check_owner("wait for", ticket);
  bool ended = false;
  host_wait waiting(my.where, limit, policy);
  const auto ask_kernel = [&] {
    return ended = ticket < my.unanswered_below.load(std::memory_order_acquire) ||
                   my.kernel_has_ended();
  };
  if (wait_until(waiting, [&] { return my.has_arrived(ticket); }, ask_kernel)) {
    my.take(ticket, reply);
    return;
  }
  if (ended) {
    my.throw_not_answered(ticket);
  }
  const bool served = [&] {
    const std::lock_guard lock(my.mutex);
    return my.served_by.has_value();
  }();
  waiting.give_up(
      "get the reply to ticket " + std::to_string(ticket) + " of a mailbox on " + my.where.id(),
      my.last_reply_seen(ticket),
      served ? "give it more time" : "no resident kernel serves the mailbox: start one");
}

void desk::abandon(std::uint64_t ticket) {
  parts_->check_owner("abandon", ticket);
  parts_->owner[parts_->slot(ticket)].store((ticket + 1) | abandoned, std::memory_order_release);
}

void desk::ask(const void* request, void* reply, timeout limit, wait_policy policy) {
  const std::uint64_t ticket = post(request, limit, policy);
  try {
    wait(ticket, reply, limit, policy);
  } catch (...) {
    abandon(ticket);
    throw;
  }
}

kernel::desk_view desk::on_device() const {
  const auto& my = *parts_;
  const std::lock_guard lock(my.mutex);
  return {.requests = reinterpret_cast<const words::pair*>(my.requests->on_device()),
          .request_payloads = device_side(my.request_payloads),
          .replies = reinterpret_cast<words::pair*>(my.replies->on_device()),
          .reply_payloads = device_side(my.reply_payloads),
          .slots = my.slots,
          .first_ticket = my.first,
          .orders = my.shape.orders};
}

void desk::to_device(const stream_ref& work) {
  for (auto* const part :
       {&parts_->requests, &parts_->request_payloads, &parts_->replies, &parts_->reply_payloads}) {
    if (*part) {
      (*part)->to_device(work, 0, 0);
    }
  }
}

std::size_t desk::capacity() const noexcept {
  return parts_->slots;
}

void desk::attach(const server& by) {
  auto& my = *parts_;
  const std::lock_guard lock(my.mutex);
  if (my.served_by) {
    reject("serve a mailbox on " + my.where.id(),
           "another resident kernel serves it: stop it first");
  }
  my.served_by = by;
  my.closed = false;
}

void desk::close() noexcept {
  const std::lock_guard lock(parts_->mutex);
  parts_->closed = true;
}

void desk::detach() noexcept {
  auto& my = *parts_;
  const std::lock_guard lock(my.mutex);
  my.served_by.reset();
  my.first = my.next;
  my.unanswered_below.store(my.next, std::memory_order_release);
}

}  // namespace pinhole::detail
