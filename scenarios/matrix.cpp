// A sparse product with a handful of non-zeros, in a matrix that is zero otherwise: is all of it
// copied to the host, or do the non-zeros alone cross the link?
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "scenarios/asked_number.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossing.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/sizes.hpp"
#include "scenarios/sparse_product.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint32_t full_edge = 8192;
constexpr std::uint32_t most_edge = 65535;
constexpr std::uint64_t most_nonzeros = 1'000'000;

/// Edge of the largest square of floats in so many bytes.
std::uint32_t edge_of(std::uint64_t bytes) {
  const std::uint64_t floats = bytes / sizeof(float);
  auto edge = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(floats)));
  edge -= edge * edge * sizeof(float) > bytes ? 1 : 0;
  return static_cast<std::uint32_t>(edge);
}

std::string text_of(std::uint32_t edge) {
  return std::to_string(edge) + "x" + std::to_string(edge);
}

std::uint32_t usual_edge(const settings& asked) {
  const bool on_cpu = asked.where.kind() == device_kind::cpu;
  return asked.full ? full_edge : on_cpu ? 1024 : 4096;
}

std::uint32_t asked_edge(const settings& asked) {
  const auto size = asked_size(asked, "matrix", sizeof(float));
  constexpr std::uint64_t most = std::uint64_t{most_edge} * most_edge * sizeof(float);
  if (size && *size > most) {
    pinhole::detail::reject(
        "use --size " + std::to_string(*size) + " for matrix",
        "allowed are 4 B to " + std::to_string(most) + " B, which is " + text_of(most_edge));
  }
  return size ? edge_of(*size) : usual_edge(asked);
}

/// The article has 3 to 5.
std::uint64_t nonzeros_of(const settings& asked, std::uint32_t edge) {
  const std::uint64_t cells = std::uint64_t{edge} * edge;
  const std::uint64_t usual = std::min(cells, 3 + scramble(asked.seed) % 3);
  return asked_number("--nonzeros", asked.nonzeros, usual, 1, std::min(cells, most_nonzeros));
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint32_t wanted_edge) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  // Pinned: the result of each placement in host memory, one that is copied, and the expert's list.
  const std::uint64_t bytes = std::uint64_t{wanted_edge} * wanted_edge * sizeof(float);
  const std::uint32_t edge =
      edge_of(fit_to_budget(bytes, pinned_among(placements) + 2, made->notes));
  const std::uint64_t nonzeros = nonzeros_of(asked, edge);
  made->label = text_of(edge) + " with " + std::to_string(nonzeros) + " non-zeros";
  made->unit = "product";
  made->unmeasured_runs = 1;
  made->notes.push_back("the result is zeroed outside the timing; the host reads the non-zeros");
  add_arms(*made, asked, product_job(asked.where, draw_factors(edge, nonzeros, asked.seed)));
  return made;
}

class matrix_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "matrix"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a large sparse product of which 3 to 5 elements are not zero";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const std::uint32_t edge = asked_edge(asked);
    const std::uint64_t nonzeros = nonzeros_of(asked, edge);
    (void)placements_anywhere(asked);
    return {{text_of(edge) + " with " + std::to_string(nonzeros) + " non-zeros",
             [=] { return make_trial(asked, edge); }}};
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    return what_crosses(measured);
  }
};

}  // namespace

const scenario& matrix() {
  static const matrix_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
