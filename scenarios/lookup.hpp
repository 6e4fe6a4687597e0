// The work of `lookup`: one row of a table that stays on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "pinhole/core/view.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/paced_arm.hpp"

namespace pinhole::scenarios {

/// What stands in a row; never 0.
[[nodiscard]] PINHOLE_HD constexpr std::uint32_t row_value(std::uint32_t row) {
  return static_cast<std::uint32_t>(scramble(row)) | 1U;
}

/// In device memory, filled. The arms of a trial share it, and none of them changes it.
class lookup_table {
 public:
  lookup_table(const device& where, std::uint32_t rows);
  [[nodiscard]] view<const std::uint32_t> on_device() const { return table_.device(); }

 private:
  staged_buffer<std::uint32_t> table_;
};

struct lookup_job {
  std::shared_ptr<const lookup_table> table;
  std::uint32_t rows = 1;
  std::uint64_t seed = 1;
  pace how;

  /// What row a request asks for: random, and nothing tells the next one.
  [[nodiscard]] std::uint32_t row_of(std::uint32_t request) const noexcept {
    return static_cast<std::uint32_t>(scramble(seed + request) % rows);
  }
};

/// Requests of one arm that may wait for their answers at once; a power of two.
inline constexpr unsigned most_in_flight = 64;

class lookup_arm : public paced_arm {
 public:
  lookup_arm(const char* name, role stands_for, const lookup_job& job)
      : paced_arm(name, stands_for, job.how), job_(job) {}

  [[nodiscard]] traffic moved() const final {
    return {.to_device = sizeof(std::uint32_t), .to_host = sizeof(std::uint32_t)};
  }

 protected:
  virtual std::uint32_t look_up(std::uint32_t row) = 0;
  [[nodiscard]] std::uint32_t row_of(std::uint32_t request) const { return job_.row_of(request); }
  [[nodiscard]] view<const std::uint32_t> table() const { return job_.table->on_device(); }

 private:
  std::uint64_t answer(std::uint32_t number) final { return look_up(job_.row_of(number)); }
  [[nodiscard]] std::uint64_t expected(std::uint32_t number) const final {
    return row_value(job_.row_of(number));
  }

  lookup_job job_;
};

/// A launch per request by way of a CUDA graph. GPUs only.
[[nodiscard]] std::unique_ptr<arm> make_graph_lookup(const device& gpu, const lookup_job& job);

}  // namespace pinhole::scenarios
