// What waits for the device before it is freed.
#include "pinhole/platform/retire_list.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace pinhole {
namespace {

/// Can be released once `ready` is set; counts its destruction.
class thing final : public retirable {
 public:
  thing(const std::atomic<bool>& ready, std::atomic<int>& destroyed)
      : ready_(ready), destroyed_(destroyed) {}
  ~thing() override { ++destroyed_; }
  thing(const thing&) = delete;
  thing& operator=(const thing&) = delete;
  bool try_release() noexcept override { return ready_; }

 private:
  const std::atomic<bool>& ready_;
  std::atomic<int>& destroyed_;
};

TEST(RetireList, KeepsWhatCannotBeReleasedYet) {
  std::atomic<bool> ready = false;
  std::atomic<bool> at_once = true;
  std::atomic<int> destroyed = 0;
  retire_list list;
  list.add(std::make_unique<thing>(ready, destroyed));
  list.add(std::make_unique<thing>(at_once, destroyed));
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.collect(), 1U);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(list.collect(), 1U) << "asking again changes nothing";
  ready = true;
  EXPECT_EQ(list.collect(), 0U);
  EXPECT_EQ(destroyed, 2);
}

TEST(RetireList, LosesNothingBetweenThreads) {
  std::atomic<bool> ready = true;
  std::atomic<int> destroyed = 0;
  retire_list list;
  std::vector<std::thread> users;
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        list.add(std::make_unique<thing>(ready, destroyed));
        list.collect();
      }
    });
  }
  for (auto& user : users) {
    user.join();
  }
  EXPECT_EQ(list.collect(), 0U);
  EXPECT_EQ(destroyed, 800);
}

}  // namespace
}  // namespace pinhole
