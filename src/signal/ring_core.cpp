// The host's ends of rings.
#include "pinhole/signal/ring_core.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <optional>
#include <string>

#include "pinhole/core/error.hpp"
#include "pinhole/signal/ring_end.hpp"
#include "signal/host_wait.hpp"
#include "signal/memory.hpp"

namespace pinhole::detail {

namespace {

using kernel::ring_tail;

std::size_t checked_capacity(std::size_t elements) {
  if (elements == 0 || !std::has_single_bit(elements)) {
    reject("make a ring of " + std::to_string(elements) + " elements",
           "the number of elements must be a power of two: 1, 2, 4, ...");
  }
  return elements;
}

std::uint64_t* word(const storage_handle& in) noexcept {
  return reinterpret_cast<std::uint64_t*>(in->host());
}

/// Marks an end of a ring as in use; there is one user at a time.
class only_user {
 public:
  only_user(std::atomic<bool>& taken, const char* verb) : taken_(taken) {
    if (taken.exchange(true, std::memory_order_acquire)) {
      reject(std::string(verb) + " a ring",
             "another thread is doing so: a ring has one producer and "
             "one consumer");
    }
  }
  ~only_user() { taken_.store(false, std::memory_order_release); }
  only_user(const only_user&) = delete;
  only_user& operator=(const only_user&) = delete;

 private:
  std::atomic<bool>& taken_;
};

}  // namespace

struct ring_core::parts {
  parts(const device& on, ring_way goes, std::size_t elements_at_most, std::size_t bytes_each)
      : where(on),
        to_device(goes == ring_way::to_device),
        capacity(checked_capacity(elements_at_most)),
        element_bytes(bytes_each),
        elements(make(to_device, checked_bytes(capacity, bytes_each, "make a ring"))),
        tail_memory(make(to_device, sizeof(std::uint64_t))),
        head_memory(make(!to_device, sizeof(std::uint64_t))),
        writer(to_device ? *tail_memory : *head_memory) {}

  [[nodiscard]] storage_handle make(bool for_kernels, std::size_t bytes) const {
    return for_kernels ? make_device_polled(where, bytes) : make_host_polled(where, bytes);
  }

  [[nodiscard]] std::string name() const { return "a ring on " + where.id(); }

  /// Calls f(first element of the ring, elements from the user's first, count) for each straight
  /// part of [position, position + n).
  template <class Function>
  void straight_parts(std::uint64_t position, std::size_t n, const Function& f) const {
    const std::size_t first = position & (capacity - 1);
    const std::size_t before_wrap = std::min(n, capacity - first);
    f(first, std::size_t{0}, before_wrap);
    if (before_wrap < n) {
      f(std::size_t{0}, before_wrap, n - before_wrap);
    }
  }

  std::size_t push_some(const std::byte* from, std::size_t n) {
    if (capacity - (mine - theirs) < n) {
      theirs = words::look(word(head_memory));
    }
    const std::size_t count = std::min<std::size_t>(n, capacity - (mine - theirs));
    if (count == 0) {
      return 0;
    }
    straight_parts(mine, count, [&](std::size_t at, std::size_t first, std::size_t part) {
      elements->write(at * element_bytes, from + first * element_bytes, part * element_bytes);
    });
    mine += count;
    writer.store(word(tail_memory), mine);
    return count;
  }

  std::size_t pop_some(std::byte* out, std::size_t most) {
    if (theirs - mine < most) {
      theirs = ring_tail{words::look(word(tail_memory))}.count();
    }
    const std::size_t count = std::min<std::size_t>(most, theirs - mine);
    if (count == 0) {
      return 0;
    }
    straight_parts(mine, count, [&](std::size_t at, std::size_t first, std::size_t part) {
      elements->read(at * element_bytes, out + first * element_bytes, part * element_bytes);
    });
    mine += count;
    writer.store(word(head_memory), mine);
    return count;
  }

  void check_open(const char* verb) const {
    if (closed || stopped.load(std::memory_order_acquire)) {
      reject(std::string(verb) + " " + name(),
             closed ? "it was closed" : "its resident kernel was stopped");
    }
  }

  /// True when the kernel at the other end has ended; throws when it has failed.
  bool kernel_has_ended() {
    const std::lock_guard lock(mutex);
    return served_by ? served_by->work.is_done() : stopped.load(std::memory_order_acquire);
  }

  /// Waits for `ready`; when it does not come, throws what that means.
  template <class Ready>
  void wait(const char* verb, Ready&& ready, timeout limit, wait_policy policy) {
    bool ended = false;
    host_wait waiting(where, limit, policy);
    if (wait_until(waiting, ready, [&] { return ended = kernel_has_ended(); })) {
      return;
    }
    const std::string asked = std::string(verb) + " " + name();
    if (ended) {
      const auto by = [&] {
        const std::lock_guard lock(mutex);
        return served_by;
      }();
      if (by) {
        throw_ended(*by, asked);
      }
      reject(asked, "its resident kernel was stopped");
    }
    waiting.give_up(asked,
                    std::to_string(ring_tail{words::look(word(tail_memory))}.count()) +
                        " elements were pushed and " +
                        std::to_string(words::look(word(head_memory))) + " consumed so far",
                    "give it more time, or look whether the kernel runs");
  }

  device where;
  bool to_device;
  std::size_t capacity;
  std::size_t element_bytes;
  storage_handle elements;
  storage_handle tail_memory;
  storage_handle head_memory;
  word_writer writer;

  std::atomic<bool> in_use{false};
  std::uint64_t mine = 0;    // the count that the host writes
  std::uint64_t theirs = 0;  // the kernel's, as last seen
  bool closed = false;       // by close_tail()
  std::atomic<bool> stopped{false};

  std::mutex mutex;  // guards what follows
  std::optional<server> served_by;
};

ring_core::ring_core(const device& where, ring_way way, std::size_t capacity,
                     std::size_t element_bytes)
    : parts_(std::make_unique<parts>(where, way, capacity, element_bytes)) {}
ring_core::~ring_core() = default;

std::size_t ring_core::push_some(const void* elements, std::size_t n) {
  const only_user alone(parts_->in_use, "push to");
  parts_->check_open("push to");
  return parts_->push_some(static_cast<const std::byte*>(elements), n);
}

void ring_core::push(const void* elements, std::size_t n, timeout limit, wait_policy policy) {
  auto& my = *parts_;
  const only_user alone(my.in_use, "push to");
  my.check_open("push to");
  const auto* const from = static_cast<const std::byte*>(elements);
  std::size_t done = 0;
  my.wait(
      "push to",
      [&] {
        done += my.push_some(from + done * my.element_bytes, n - done);
        return done == n;
      },
      limit, policy);
}

void ring_core::close_tail() {
  auto& my = *parts_;
  const only_user alone(my.in_use, "close");
  my.closed = true;
  my.writer.store(word(my.tail_memory), my.mine | ring_tail::closed_bit);
}

void ring_core::wait_until_consumed(timeout limit, wait_policy policy) {
  auto& my = *parts_;
  const only_user alone(my.in_use, "wait for");
  my.wait(
      "wait for the consumer of",
      [&] {
        my.theirs = words::look(word(my.head_memory));
        return my.theirs == my.mine;
      },
      limit, policy);
}

std::size_t ring_core::pop_some(void* out, std::size_t most) {
  const only_user alone(parts_->in_use, "pop from");
  return parts_->pop_some(static_cast<std::byte*>(out), most);
}

std::size_t ring_core::pop(void* out, std::size_t most, timeout limit, wait_policy policy) {
  auto& my = *parts_;
  const only_user alone(my.in_use, "pop from");
  std::size_t popped = 0;
  my.wait(
      "pop from",
      [&] {
        const bool closed_before = is_closed();  // looked at first: its last elements count
        popped = my.pop_some(static_cast<std::byte*>(out), most);
        return popped != 0 || closed_before || most == 0;
      },
      limit, policy);
  return popped;
}

const void* ring_core::front(std::size_t& n) {
  auto& my = *parts_;
  const only_user alone(my.in_use, "read");
  const std::size_t first = my.mine & (my.capacity - 1);
  my.theirs = ring_tail{words::look(word(my.tail_memory))}.count();
  n = std::min<std::size_t>(my.theirs - my.mine, my.capacity - first);
  return my.elements->host() + first * my.element_bytes;
}

void ring_core::pop_front(std::size_t n) {
  auto& my = *parts_;
  const only_user alone(my.in_use, "pop from");
  if (n > my.theirs - my.mine) {
    reject("pop " + std::to_string(n) + " elements from " + my.name(),
           "front() has shown " + std::to_string(my.theirs - my.mine));
  }
  my.mine += n;
  my.writer.store(word(my.head_memory), my.mine);
}

std::uint64_t ring_core::tail() const noexcept {
  const auto& my = *parts_;
  return my.to_device ? my.mine : ring_tail{words::look(word(my.tail_memory))}.count();
}

std::uint64_t ring_core::head() const noexcept {
  const auto& my = *parts_;
  return my.to_device ? words::look(word(my.head_memory)) : my.mine;
}

bool ring_core::is_closed() const noexcept {
  const auto& my = *parts_;
  return my.to_device ? my.closed : ring_tail{words::look(word(my.tail_memory))}.is_closed();
}

std::size_t ring_core::capacity() const noexcept {
  return parts_->capacity;
}

std::byte* ring_core::elements_on_device() const noexcept {
  return parts_->elements->on_device();
}
std::uint64_t* ring_core::tail_on_device() const noexcept {
  return reinterpret_cast<std::uint64_t*>(parts_->tail_memory->on_device());
}
std::uint64_t* ring_core::head_on_device() const noexcept {
  return reinterpret_cast<std::uint64_t*>(parts_->head_memory->on_device());
}

void ring_core::to_device(const stream_ref& work) {
  for (auto* const part : {&parts_->elements, &parts_->tail_memory, &parts_->head_memory}) {
    (*part)->to_device(work, 0, 0);
  }
}

void ring_core::attach(const server& by) {
  auto& my = *parts_;
  const std::lock_guard lock(my.mutex);
  if (my.served_by) {
    reject("serve " + my.name(),
           "another resident kernel serves it: a ring has one producer and one consumer");
  }
  my.served_by = by;
  my.stopped.store(false, std::memory_order_release);
}

void ring_core::close() noexcept {
  parts_->stopped.store(parts_->to_device, std::memory_order_release);
}

void ring_core::detach() noexcept {
  const std::lock_guard lock(parts_->mutex);
  parts_->served_by.reset();
  parts_->stopped.store(true, std::memory_order_release);
}

std::shared_ptr<ring_core> make_ring(const device& where, ring_way way, std::size_t capacity,
                                     std::size_t element_bytes) {
  return std::make_shared<ring_core>(where, way, capacity, element_bytes);
}

}  // namespace pinhole::detail
