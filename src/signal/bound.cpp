// Errors that all signals have in common.
#include "pinhole/signal/bound.hpp"

#include "pinhole/core/error.hpp"
#include "pinhole/signal/watch.hpp"

namespace pinhole::detail {

void check_not_moved_from(bool held, const char* what) {
  if (!held) {
    throw error({.kind = fault::moved_from,
                 .asked = std::string("use ") + what,
                 .call = {},
                 .status = "it was moved from",
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
}

void reject_more_blocks_than_one(unsigned blocks) {
  if (blocks > 1) {
    reject("serve a ring by " + std::to_string(blocks) + " blocks",
           "a ring has one producer and one consumer: use one block, or a ring for each");
  }
}

void throw_ended(const server& by, const std::string& asked) {
  error_parts parts{.kind = fault::call_failed,
                    .asked = asked,
                    .call = {},
                    .status = "the resident kernel has ended",
                    .remedy = "start another one",
                    .sticky = false,
                    .survives = {}};
  switch (static_cast<kernel::ending>(words::look(by.ended))) {
    case kernel::ending::none:
    case kernel::ending::returned:
      break;
    case kernel::ending::stopped:
      parts.status = "the resident kernel was stopped";
      break;
    case kernel::ending::host_is_gone:
      parts.status =
          "the resident kernel has ended, because the heartbeat of this process stood still";
      parts.remedy =
          "raise resident_options::heartbeat_limit if the process may be held up for as "
          "long as that (a debugger, a suspended machine)";
      break;
    case kernel::ending::lifetime_over:
      parts.status = "the resident kernel has ended, because its lifetime was over";
      parts.remedy = "raise resident_options::lifetime, or start another one";
      break;
  }
  throw error(parts);
}

}  // namespace pinhole::detail
