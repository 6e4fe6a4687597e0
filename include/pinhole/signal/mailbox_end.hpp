// The kernel's end of a mailbox, and how a message is laid out in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pinhole/core/config.hpp"
#include "pinhole/signal/ordering.hpp"
#include "pinhole/signal/team.hpp"
#include "pinhole/signal/watch.hpp"
#include "pinhole/signal/words.hpp"

namespace pinhole {

namespace kernel {

/// A message is whole when every piece of it carries the tag of its ticket. Requests are written by
/// CPUs, of which some pass a line on in pieces of 8 bytes: each piece is 4 bytes of payload and a
/// tag. Replies are written by kernels, 16 bytes at once: 12 bytes of payload and a tag.
namespace message {
inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t request_inline = line_bytes / 8 * 4;
inline constexpr std::size_t reply_inline = line_bytes / 16 * 12;
/// Larger messages belong in a buffer; the mailbox then carries where.
inline constexpr std::size_t largest = 64UL << 10U;

/// Pieces that a message takes in its line. One that does not fit there lies in a payload slot, and
/// its line holds the tag alone.
PINHOLE_HD constexpr unsigned request_pieces(std::size_t bytes) {
  return bytes > request_inline ? 1U : static_cast<unsigned>((bytes + 3) / 4);
}
PINHOLE_HD constexpr unsigned reply_pieces(std::size_t bytes) {
  return bytes > reply_inline ? 1U : static_cast<unsigned>((bytes + 11) / 12);
}
/// From one payload slot to the next.
PINHOLE_HD constexpr std::size_t slot_bytes(std::size_t bytes) {
  return (bytes + 127) / 128 * 128;
}

/// Never that of an older message in the same slot, nor of memory that was never written.
PINHOLE_HD constexpr std::uint32_t tag_of(std::uint64_t ticket) {
  return static_cast<std::uint32_t>(ticket + 1);
}
}  // namespace message

/// The memory of a mailbox, as kernels see it.
struct desk_view {
  const words::pair* requests = nullptr;        ///< one line for each slot, polled by kernels
  const std::byte* request_payloads = nullptr;  ///< null: requests fit into their lines
  words::pair* replies = nullptr;               ///< one line for each slot, polled by the host
  std::byte* reply_payloads = nullptr;          ///< null: replies fit into their lines
  std::uint64_t slots = 0;                      ///< a power of two
  std::uint64_t first_ticket = 0;
  ordering orders = ordering::all_memory;
};

/// One thread's access to a desk: tickets are served by whoever takes them, each by one thread.
template <class Request, class Reply>
class mailbox_end {
 public:
  static constexpr bool request_in_line = sizeof(Request) <= message::request_inline;
  static constexpr bool reply_in_line = sizeof(Reply) <= message::reply_inline;

  /// Room for a request that came in its line; larger ones are read where they lie.
  struct box {
    alignas(Request) unsigned char bytes[request_in_line ? sizeof(Request) : 1];
  };

  PINHOLE_HD explicit mailbox_end(const desk_view& desk) noexcept : desk_(desk) {}

  /// Waits for the request of this ticket. False: the kernel must end, and no request is there.
  PINHOLE_HD bool receive(std::uint64_t ticket, box& into, watch& life) const noexcept {
    bool ends = false;
    while (!look_for(ticket, into)) {
      if (ends) {
        return false;
      }
      ends = life.should_end();
    }
    life.found();
    return true;
  }
  /// What was received: in `from`, or in the payload slot. Valid until it is answered.
  PINHOLE_HD const Request& request(std::uint64_t ticket, const box& from) const noexcept {
    return *reinterpret_cast<const Request*>(
        request_in_line
            ? static_cast<const void*>(from.bytes)
            : desk_.request_payloads + slot(ticket) * message::slot_bytes(sizeof(Request)));
  }
  /// Where a reply that does not fit into its line is to be written before answer().
  PINHOLE_HD Reply& large_reply(std::uint64_t ticket) const noexcept {
    return *reinterpret_cast<Reply*>(desk_.reply_payloads +
                                     slot(ticket) * message::slot_bytes(sizeof(Reply)));
  }

  /// Answers it, once for each ticket: with `reply`, or with what was written to large_reply().
  PINHOLE_HD void answer(std::uint64_t ticket, const Reply& reply) const noexcept {
    if (!reply_in_line || desk_.orders == ordering::all_memory) {
      words::release();
    }
    constexpr unsigned pieces = message::reply_pieces(sizeof(Reply));
    std::uint32_t payload[pieces * 3] = {};
    __builtin_memcpy(payload, &reply, reply_in_line ? sizeof(Reply) : 0);
    const std::uint64_t tag = std::uint64_t{message::tag_of(ticket)} << 32U;
    for (unsigned i = 0; i < pieces; ++i) {
      const std::uint32_t* const piece = payload + 3 * i;
      words::store(line(desk_.replies, ticket) + i,
                   {piece[0] | std::uint64_t{piece[1]} << 32U, piece[2] | tag});
    }
  }

 private:
  static constexpr std::size_t pairs_per_line = message::line_bytes / sizeof(words::pair);
  PINHOLE_HD std::uint64_t slot(std::uint64_t ticket) const noexcept {
    return ticket & (desk_.slots - 1);
  }
  template <class Pair>
  PINHOLE_HD Pair* line(Pair* lines, std::uint64_t ticket) const noexcept {
    return lines + slot(ticket) * pairs_per_line;
  }

  /// One look. All pieces are loaded before any of them is judged; the last load is the one that
  /// acquires, where more than the line itself is to be ordered.
  PINHOLE_HD bool look_for(std::uint64_t ticket, box& into) const noexcept {
    constexpr unsigned pieces = message::request_pieces(sizeof(Request));
    constexpr unsigned pairs = (pieces + 1) / 2;
    const words::pair* const from = line(desk_.requests, ticket);
    words::pair seen[pairs];
    for (unsigned i = 0; i + 1 < pairs; ++i) {
      seen[i] = words::look(from + i);
    }
    const words::pair* const last = from + pairs - 1;
    const bool orders = !request_in_line || desk_.orders == ordering::all_memory;
    seen[pairs - 1] = orders ? words::look_acquire(last) : words::look(last);
    std::uint32_t payload[pieces];
    bool whole = true;
    for (unsigned i = 0; i < pieces; ++i) {
      const std::uint64_t piece = i % 2 == 0 ? seen[i / 2].low : seen[i / 2].high;
      payload[i] = static_cast<std::uint32_t>(piece);
      whole = whole && piece >> 32U == message::tag_of(ticket);
    }
    if (!whole) {
      return false;
    }
    __builtin_memcpy(into.bytes, payload, request_in_line ? sizeof(Request) : 0);
    return true;
  }

  desk_view desk_;
};

}  // namespace kernel
}  // namespace pinhole
