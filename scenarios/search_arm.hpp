// What every arm of `flag` has in common: the search, how far it came, and what must come out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "scenarios/scenario.hpp"
#include "scenarios/search.hpp"

namespace pinhole::scenarios {

/// Of a kernel that searches: one candidate for each thread on a GPU; a block of the CPU device is
/// one thread, and two of them show that turns are shared.
inline unsigned search_blocks(const device& where) {
  return where.kind() == device_kind::cpu
             ? 2
             : static_cast<unsigned>(search::candidates_per_turn) / where.tuning().block_threads;
}

class search_arm : public arm {
 public:
  search_arm(std::string name, role stands_for, const search& what)
      : name_(std::move(name)), role_(stands_for), what_(what) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

  void prepare() override { conclude(0, nothing); }

  [[nodiscard]] std::optional<std::string> check() final {
    const std::uint64_t expected = what_.plain_answer();
    if (answer_ != expected) {
      return "answer: expected " + std::to_string(expected) + ", got " +
             (answer_ == nothing ? "none" : std::to_string(answer_));
    }
    if (turns_taken_ != what_.turns) {
      return "turns: expected " + std::to_string(what_.turns) + ", took " +
             std::to_string(turns_taken_);
    }
    return std::nullopt;
  }

 protected:
  /// What an answer is before there is one.
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  [[nodiscard]] const search& what() const noexcept { return what_; }
  /// The first candidate of the next turn.
  [[nodiscard]] std::uint64_t next_turn() noexcept {
    return turns_taken_++ * search::candidates_per_turn;
  }
  /// Whether more turns were taken than there are; an arm that goes on then would never end.
  [[nodiscard]] bool is_lost() const noexcept { return turns_taken_ > what_.turns; }
  void conclude(std::uint64_t answer) noexcept { answer_ = answer; }
  void conclude(unsigned turns, std::uint64_t answer) noexcept {
    turns_taken_ = turns;
    answer_ = answer;
  }

 private:
  std::string name_;
  role role_;
  search what_;
  unsigned turns_taken_ = 0;
  std::uint64_t answer_ = nothing;
};

}  // namespace pinhole::scenarios
