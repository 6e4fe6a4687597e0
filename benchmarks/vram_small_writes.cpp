// Each arm is one function of the repetition's number.
#include "benchmarks/vram_small_writes.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <utility>

#include "pinhole/core/units.hpp"

namespace pinhole::measure {

namespace {

struct write_arm {
  timed_writes kept;
  int count;
  std::function<double(int repetition)> run;  ///< microseconds
};

template <class Work>
double after_a_pause(Work&& work) {
  using clock = std::chrono::steady_clock;
  for (const auto until = clock::now() + std::chrono::microseconds(2); clock::now() < until;) {
  }
  return microseconds(1, [&](std::size_t) { work(); });
}

/// The writes of one size.
class small_write {
 public:
  small_write(vram_buffer<std::byte>& into, std::size_t size, std::size_t batch)
      : into_(into),
        source_(numbered(size)),
        stride_(std::max<std::size_t>(64, size)),
        places_(into.size() / stride_),
        batch_(batch) {}

  void same_place() { into_.write(0, source_); }
  void new_place(std::size_t number) { into_.write(number % places_ * stride_, source_); }

  double same_place_spaced() {
    return after_a_pause([&] { same_place(); });
  }
  double new_places_spaced(int repetition) {
    return after_a_pause([&] { new_place(static_cast<std::size_t>(repetition)); });
  }
  double cold_spaced() {
    evict(source_);
    return after_a_pause([&] { same_place(); });
  }
  double same_place_back_to_back() {
    return microseconds(batch_, [&](std::size_t) { same_place(); });
  }
  double new_places_back_to_back() {
    return microseconds(batch_, [&](std::size_t n) { new_place(n); });
  }

 private:
  vram_buffer<std::byte>& into_;
  bytes source_;
  std::size_t stride_;
  std::size_t places_;
  std::size_t batch_;
};

void add_arms(std::vector<write_arm>& arms, const std::string& size, small_write& of) {
  constexpr int singles = 1000;
  constexpr int batches = 300;
  const auto add = [&](const char* how, int count, std::function<double(int)> run) {
    arms.push_back({{"write_" + size + "_" + how + "_us"}, count, std::move(run)});
  };
  add("same_place_spaced", singles, [&](int) { return of.same_place_spaced(); });
  add("new_places_spaced", singles, [&](int i) { return of.new_places_spaced(i); });
  add("cold_spaced", singles, [&](int) { return of.cold_spaced(); });
  add("same_place_back_to_back", batches, [&](int) { return of.same_place_back_to_back(); });
  add("new_places_back_to_back", batches, [&](int) { return of.new_places_back_to_back(); });
}

}  // namespace

std::vector<timed_writes> time_small_writes(vram_buffer<std::byte>& into) {
  small_write word(into, 4, 500);
  small_write line(into, 64, 500);
  small_write page(into, 4_KiB, 50);
  std::vector<write_arm> arms;
  add_arms(arms, "4B", word);
  add_arms(arms, "64B", line);
  add_arms(arms, "4KiB", page);
  arms.push_back({{clock_alone}, 1000, [](int) { return after_a_pause([] {}); }});

  for (int i = -20; i < 1000; ++i) {  // some to warm up
    for (auto& arm : arms) {
      if (i < arm.count) {
        const double us = arm.run(std::max(i, 0));
        if (i >= 0) {
          arm.kept.us.push_back(us);
        }
      }
    }
  }
  std::vector<timed_writes> all;
  for (auto& arm : arms) {
    all.push_back(std::move(arm.kept));
  }
  return all;
}

}  // namespace pinhole::measure
