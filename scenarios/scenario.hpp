// What a scenario is: a piece of work, written once, in several arms that must all give the same
// result. `pinhole compare`, the tests and scripts/measure run scenarios through runner.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pinhole/memory/placement.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole::scenarios {

/// What an arm stands for in the comparison.
enum class role {
  naive_copy,   ///< as the article does it: whole arrays, blocking copies
  expert_copy,  ///< the best explicit copy that an expert would write
  in_place,     ///< a placement of ours
  bare,         ///< the same without the library, to show what the library costs
  pitfall,      ///< a mistake, shown for what it gives; never wins and is not verified
};
/// As it is spelled in the enumeration.
[[nodiscard]] std::string_view to_string(role of) noexcept;

/// Bytes that cross the link in one run of an arm, by the arm's own count.
struct traffic {
  std::uint64_t to_device = 0;
  std::uint64_t to_host = 0;
};

/// A figure besides the time: missed periods, stale reads, changed bytes.
struct metric {
  std::string name;
  std::string unit;
  double value = 0;
};

/// One way of doing the work. The runner calls prepare(), run() and, at first, check().
class arm {
 public:
  virtual ~arm() = default;
  /// Short and unique in its trial: "copy", "expert copy", "mapped".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual role stands_for() const = 0;
  /// Empty where it is none of ours.
  [[nodiscard]] virtual std::optional<placement> placed() const { return std::nullopt; }

  /// Undoes the last run (zeroing, restoring). Outside the timing. The device is idle afterwards.
  virtual void prepare() {}
  /// The work, from the host's data to the host's result. This is what is timed.
  virtual void run() = 0;
  /// After a run: empty when the result equals the plain reference, else what differs, naming the
  /// element: "word 17 (byte 120): expected 'house', got 'hause'".
  [[nodiscard]] virtual std::optional<std::string> check() = 0;

  [[nodiscard]] virtual traffic moved() const { return {}; }
  /// Arms that time parts of a run themselves (a latency per message) return those times, in
  /// microseconds, instead of the one that the runner takes.
  [[nodiscard]] virtual std::optional<std::vector<double>> own_times_us() { return std::nullopt; }
  [[nodiscard]] virtual std::vector<metric> metrics() const { return {}; }
};

/// How a trial's times are best read.
enum class reading {
  time,           ///< time per run
  time_per_unit,  ///< time per unit of work: us per turn
  rate,           ///< units of work per second: GB/s, books/s
};

/// One size or variation of a scenario, with its arms. Arms may share data that the trial owns.
struct trial {
  std::string label;  ///< "256 MiB, every element"
  double units = 1;   ///< units of work in one run
  std::string unit;   ///< "B", "turn", "book"
  reading read_as = reading::time;
  /// Upper bound of runs per arm, for long ones; the runner and --repeat may ask for fewer.
  unsigned most_repeats = 1000;
  /// Runs per arm between verifying and measuring; long runs of many samples need none.
  unsigned warm_up_runs = 2;
  /// Runs of an arm right before each that is measured. One, where some arms move so much that the
  /// next one would pay for finding the caches empty.
  unsigned unmeasured_runs = 0;
  /// For runs that take seconds: each measured run is checked itself, and there are no others.
  bool checks_each_run = false;
  std::vector<std::unique_ptr<arm>> arms;
  std::vector<std::string> notes;  ///< shown under the rows: what was shrunk, what to look at
  /// What the trial leaves behind, such as a picture; called once, after every arm was verified.
  std::function<void()> finish = {};
};

/// What the user asked for.
struct settings {
  device where;
  std::vector<placement> placements;  ///< empty: all that the device has
  std::optional<std::uint64_t> size;  ///< --size, in bytes; a scenario's own default otherwise
  bool full = false;                  ///< the article's sizes
  std::string text_file;              ///< --text; empty: the default text
  std::string words_file;             ///< --words; empty: the default list
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> rate = {};      ///< --rate, messages a second
  std::optional<std::uint64_t> pixels = {};    ///< --pixels, how many are shaded
  std::optional<std::uint64_t> nonzeros = {};  ///< --nonzeros, of a sparse result
  std::string png_file = {};                   ///< --png; empty: no picture is written
  std::optional<std::uint64_t> fps = {};       ///< --fps, of the camera; empty: flat out
  std::optional<std::uint64_t> frames = {};    ///< --frames of one run
  std::optional<std::uint64_t> passes = {};    ///< --passes over the weights in one call
  std::optional<double> share = {};            ///< --share of an array that the host looks at, in %

  [[nodiscard]] bool wants(placement how) const;
};

/// Makes one trial; called right before it runs, so that one trial's memory is held at a time.
struct planned_trial {
  std::string label;
  std::function<std::unique_ptr<trial>()> make;
};

struct trial_result;  // runner.hpp

/// Stateless: one object per scenario lives as long as the process.
class scenario {
 public:
  virtual ~scenario() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;     ///< one lower-case word
  [[nodiscard]] virtual std::string_view summary() const = 0;  ///< one line for --list
  /// Checks the settings (throwing pinhole::error for bad ones, before any work is done) and lists
  /// the trials.
  [[nodiscard]] virtual std::vector<planned_trial> plan(const settings& asked) const = 0;
  /// What the measured trials show only together, one sentence a line, for under the last of them:
  /// the size from which a copy is faster. `measured` are this scenario's, in the order of plan().
  [[nodiscard]] virtual std::vector<std::string> conclude(
      const std::vector<trial_result>& /*measured*/) const {
    return {};
  }
};

/// Every scenario, in the order in which `compare` runs them.
[[nodiscard]] const std::vector<const scenario*>& all();
/// The one with this name, or nullptr.
[[nodiscard]] const scenario* find(std::string_view name);

/// The largest size up to `wanted` bytes of pinned memory, of which `copies` are needed at once,
/// that the pin budget has room for; appends a note to `notes` when that is less than wanted.
/// Throws fault::over_budget when there is not even room for a page each.
[[nodiscard]] std::uint64_t fit_to_budget(std::uint64_t wanted, unsigned copies,
                                          std::vector<std::string>& notes);

}  // namespace pinhole::scenarios
