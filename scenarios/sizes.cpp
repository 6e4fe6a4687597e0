// Checks sizes against the device, and fits them into the pin budget.
#include "scenarios/sizes.hpp"

#include <string>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t page = 4_KiB;
/// For what the arms pin besides: flags, sums, the pages that round up a size.
constexpr std::uint64_t spare = 256_KiB;

}  // namespace

std::optional<std::uint64_t> asked_size(const settings& asked, std::string_view scenario_name,
                                        std::uint64_t unit) {
  if (!asked.size) {
    return std::nullopt;
  }
  const std::uint64_t size = *asked.size;
  const auto refuse = [&](const std::string& reason) {
    detail::reject("use --size " + std::to_string(size) + " for " + std::string(scenario_name),
                   reason);
  };
  if (size == 0 || size % unit != 0) {
    refuse("allowed are multiples of " + format_bytes(unit) + ", from " + format_bytes(unit) +
           " on");
  }
  // The CPU device keeps its copy beside the host's.
  const bool shares = asked.where.kind() == device_kind::cpu;
  const std::uint64_t memory = asked.where.capabilities().memory_bytes;
  if (size > (shares ? memory / 2 : memory)) {
    refuse(asked.where.id() + " has " + format_bytes(memory) + " of memory" +
           (shares ? ", for its copy and the host's" : ""));
  }
  return size;
}

std::uint64_t fit_to_budget(std::uint64_t wanted, unsigned copies,
                            std::vector<std::string>& notes) {
  const auto& budget = pin_budget::process();
  const std::uint64_t limit = budget.limit();
  const std::uint64_t taken = budget.in_use() + spare;
  const std::uint64_t room = limit > taken ? limit - taken : 0;
  const std::uint64_t fits = room / copies / page * page;
  if (wanted <= fits) {
    return wanted;
  }
  const std::string budget_text = std::to_string(copies) + " pinned copies at once, and the pin " +
                                  "budget is " + format_bytes(limit) + " (" + budget.origin() + ")";
  if (fits == 0) {
    throw error({.kind = fault::over_budget,
                 .asked = "measure " + format_bytes(wanted),
                 .call = {},
                 .status = "it takes " + budget_text + ", of which " +
                           format_bytes(budget.in_use()) + " are in use",
                 .remedy = "raise it with --pin-limit",
                 .sticky = false,
                 .survives = {}});
  }
  notes.push_back("shrunk from " + format_bytes(wanted) + " to " + format_bytes(fits) +
                  ": it takes " + budget_text + "; --pin-limit raises it");
  return fits;
}

}  // namespace pinhole::scenarios
