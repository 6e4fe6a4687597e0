// An arm that answers requests as they come in, at a rate or flat out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/metronome.hpp"
#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

/// How many requests a run makes, and how fast they come.
struct pace {
  unsigned requests = 1;
  std::optional<std::uint64_t> rate;  ///< requests a second; empty: flat out
  /// Above 1, flat out: a request need not wait for the answer to the one before, and what is timed
  /// is the whole run.
  unsigned in_flight = 1;

  /// Enough for 10 ms at this rate, but 100 at most; with --full for 100 ms, and 10,000 at most.
  /// Two make a period.
  [[nodiscard]] static pace of(const settings& asked, std::optional<std::uint64_t> rate);
};

/// Each request is timed from when it is due until its answer is there; an answer that is there
/// only after the next request is due has missed its period.
class paced_arm : public arm {
 public:
  paced_arm(std::string name, role stands_for, const pace& how);

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

  void prepare() final;
  void run() final;
  [[nodiscard]] std::optional<std::string> check() final;
  /// Called for runs that are measured, so that those before do not count as missed either.
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() final;
  [[nodiscard]] std::vector<metric> metrics() const final;

 protected:
  /// The answer to this request, by way of the device.
  virtual std::uint64_t answer(std::uint32_t number) = 0;
  /// The answers to many, from request `first` on, with up to pace::in_flight at once. Where that
  /// is impossible: one after the other.
  virtual void answer_all(std::uint32_t first, std::span<std::uint64_t> answers);
  /// The plain reference.
  [[nodiscard]] virtual std::uint64_t expected(std::uint32_t number) const = 0;
  /// Before and after a run, outside the timing.
  virtual void begin() {}
  virtual void end() {}

 private:
  void run_one_by_one();
  void run_in_flight();

  std::string name_;
  role role_;
  pace pace_;
  metronome beats_;
  std::uint32_t first_ = 0;  ///< number of the run's first request
  std::vector<std::uint64_t> answers_;
  std::vector<double> times_us_;
  std::uint64_t measured_ = 0;
  std::uint64_t missed_ = 0;
};

/// A paced run takes its time, whatever the arm; what it takes is mostly waiting.
void set_pace(trial& made, const pace& how);

}  // namespace pinhole::scenarios
