// The pinhole program with scenarios that behave as a test needs them to: fast, wrong, failing,
// endless, or very wide. It also takes on the locale of its environment, which the real program
// never does, and looks for /proc below PINHOLE_TEST_ROOT.
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <locale>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pinhole/core/error.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/linux/standard_streams.hpp"
#include "scenarios/scenario.hpp"
#include "tools/tool.hpp"

namespace {

namespace scenarios = pinhole::scenarios;
using scenarios::role;

struct fake_arm : scenarios::arm {
  fake_arm(std::string called, role stands, double us)
      : called_(std::move(called)), stands_(stands), us_(us) {}

  [[nodiscard]] std::string name() const override { return called_; }
  [[nodiscard]] role stands_for() const override { return stands_; }
  void run() override {}
  [[nodiscard]] std::optional<std::string> check() override { return std::nullopt; }
  [[nodiscard]] scenarios::traffic moved() const override {
    return {.to_device = 1U << 20U, .to_host = 4};
  }
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() override {
    return std::vector<double>{us_, us_ * 1.5};
  }

 private:
  std::string called_;
  role stands_;
  double us_;
};

struct wrong_arm final : fake_arm {
  wrong_arm() : fake_arm("mapped", role::in_place, 1) {}
  [[nodiscard]] std::optional<std::string> check() override {
    return "element 3: expected 7, got 8";
  }
};

struct lost_arm final : fake_arm {
  lost_arm() : fake_arm("mapped", role::in_place, 1) {}
  void run() override {
    throw pinhole::error({.kind = pinhole::fault::device_failed,
                          .asked = "run the kernel",
                          .call = "cudaStreamQuery",
                          .status = "cudaErrorIllegalAddress",
                          .remedy = {},
                          .sticky = true,
                          .survives = "host memory can still be read"});
  }
};

struct slow_arm final : fake_arm {
  slow_arm() : fake_arm("mapped", role::in_place, 1) {}
  void run() override { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
};

struct talkative_arm final : fake_arm {
  using fake_arm::fake_arm;
  [[nodiscard]] std::vector<scenarios::metric> metrics() const override {
    return {{.name = "stale reads", .unit = "of 1000", .value = 12},
            {.name = "changed", .unit = "B", .value = 1536}};
  }
};

template <class Arm, class... Arguments>
void add(scenarios::trial& to, Arguments&&... arguments) {
  to.arms.push_back(std::make_unique<Arm>(std::forward<Arguments>(arguments)...));
}

std::unique_ptr<scenarios::trial> compared_trial() {
  auto made = std::make_unique<scenarios::trial>();
  made->label = "64 MiB, every element";
  made->units = 67108864;
  made->unit = "B";
  made->read_as = scenarios::reading::rate;
  made->notes = {"shrunk from 1 GiB: the pin budget has room for 64 MiB"};
  add<fake_arm>(*made, "copy", role::naive_copy, 12345.678);
  add<fake_arm>(*made, "expert copy", role::expert_copy, 2345.678);
  add<talkative_arm>(*made, "mapped", role::in_place, 1234.5);
  add<fake_arm>(*made, "no wait", role::pitfall, 0.5);
  return made;
}

std::unique_ptr<scenarios::trial> turns_trial() {
  auto made = std::make_unique<scenarios::trial>();
  made->label = "100 turns";
  made->units = 100;
  made->unit = "turn";
  made->read_as = scenarios::reading::time_per_unit;
  add<fake_arm>(*made, "copy", role::naive_copy, 1931.5);
  add<fake_arm>(*made, "mapped", role::in_place, 1031.25);
  return made;
}

template <class Arm>
std::unique_ptr<scenarios::trial> single_trial() {
  auto made = std::make_unique<scenarios::trial>();
  made->label = "small";
  add<Arm>(*made);
  return made;
}

class fake_scenario final : public scenarios::scenario {
 public:
  fake_scenario(std::string_view name, std::vector<scenarios::planned_trial> trials)
      : name_(name), trials_(std::move(trials)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view summary() const override { return "a fake, for the tests"; }
  [[nodiscard]] std::vector<scenarios::planned_trial> plan(
      const scenarios::settings& /*asked*/) const override {
    return trials_;
  }
  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<scenarios::trial_result>& /*measured*/) const override {
    return {"from 28 KiB on a copy is faster"};
  }

 private:
  std::string_view name_;
  std::vector<scenarios::planned_trial> trials_;
};

void take_on_the_locale() {
  if (std::setlocale(LC_ALL, "") != nullptr) {
    try {
      std::locale::global(std::locale(""));
    } catch (const std::runtime_error&) {
      // libstdc++ knows fewer names than the C library, which has taken it on already.
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  pinhole::platform::prepare_standard_streams();
  take_on_the_locale();
  if (const char* const root = std::getenv("PINHOLE_TEST_ROOT")) {
    pinhole::platform::set_system_root(root);
  }
  const fake_scenario quick("quick", {{"64 MiB", compared_trial}, {"100 turns", turns_trial}});
  const fake_scenario wrong("wrong", {{"small", single_trial<wrong_arm>}});
  const fake_scenario lost("lost", {{"small", single_trial<lost_arm>}});
  const fake_scenario endless("endless", {{"small", single_trial<slow_arm>}});
  return pinhole::tool::run(std::vector<std::string>(argv, argv + argc),
                            {&quick, &wrong, &lost, &endless});
}
