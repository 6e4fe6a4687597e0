// The resident side of a mailbox: which block serves which ticket, and by which threads.
#pragma once

#include <concepts>
#include <cstdint>

#include "pinhole/core/config.hpp"
#include "pinhole/signal/mailbox_end.hpp"
#include "pinhole/signal/team.hpp"
#include "pinhole/signal/watch.hpp"

namespace pinhole {

/// Answers requests, one thread each.
template <class Handler, class Request, class Reply>
concept thread_handler = std::is_trivially_copyable_v<Handler> &&
                         requires(const Handler& handler, const Request& request) {
                           { handler(request) } -> std::convertible_to<Reply>;
                         };

/// Answers requests, all threads of a block together. Each thread is given the request and a Reply
/// of its own, of which that of rank 0 is sent; one larger than 48 bytes is shared by all and lies
/// in host memory, uninitialised.
template <class Handler, class Request, class Reply>
concept block_handler = std::is_trivially_copyable_v<Handler> &&
                        requires(const Handler& handler, const Request& request, Reply& reply,
                                 const kernel::one_block& team) { handler(request, reply, team); };

namespace kernel {

/// Block b of B answers the tickets b, b + B, b + 2 B, ... in this order.
template <class Request, class Reply, class Handler>
struct serve {
  desk_view desk;
  Handler handler;

  PINHOLE_HD void operator()(watch& life, const grid_place& at) const {
    const mailbox_end<Request, Reply> end(desk);
    for (std::uint64_t ticket = desk.first_ticket + at.block; answer_next(end, ticket, life);
         ticket += at.blocks) {
    }
  }

 private:
  using end_type = mailbox_end<Request, Reply>;
  struct delivery {
    typename end_type::box box;
    bool arrived;
  };

  /// False when there is no more to answer.
  PINHOLE_HD bool answer_next(const end_type& end, std::uint64_t ticket, watch& life) const {
    if constexpr (block_handler<Handler, Request, Reply>) {
      const one_block team;
      delivery got;
      got.arrived = team.rank() == 0 && end.receive(ticket, got.box, life);
      team.hand_out(got);  // answer_together() syncs before the next
      if (!got.arrived) {
        return false;
      }
      answer_together(end, ticket, end.request(ticket, got.box), team);
    } else {
      typename end_type::box box;
      if (one_block().rank() != 0 || !end.receive(ticket, box, life)) {
        return false;
      }
      answer_alone(end, ticket, handler(end.request(ticket, box)));
    }
    return true;
  }

  PINHOLE_HD void answer_alone(const end_type& end, std::uint64_t ticket,
                               const Reply& reply) const {
    if constexpr (!end_type::reply_in_line) {
      end.large_reply(ticket) = reply;
    }
    end.answer(ticket, reply);
  }

  PINHOLE_HD void answer_together(const end_type& end, std::uint64_t ticket, const Request& request,
                                  const one_block& team) const {
    if constexpr (end_type::reply_in_line) {
      Reply reply{};
      handler(request, reply, team);
      team.sync();  // nobody reads the request any more
      if (team.rank() == 0) {
        end.answer(ticket, reply);
      }
    } else {
      Reply& reply = end.large_reply(ticket);
      handler(request, reply, team);
      team.sync();
      if (team.rank() == 0) {
        end.answer(ticket, reply);
      }
    }
  }
};

}  // namespace kernel
}  // namespace pinhole
