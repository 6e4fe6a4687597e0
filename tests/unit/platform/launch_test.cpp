// Launches: blocks, bad requests, and for_each_index over awkward sizes.
#include "pinhole/platform/launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "pinhole/core/view.hpp"
#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;

launch_request request_of(unsigned blocks, std::function<void(unsigned, unsigned)> block) {
  launch_request request;
  request.name = "the kernel";
  request.blocks = blocks;
  request.cpu_block = std::move(block);
  return request;
}

TEST(Launch, CallsEachBlockOnceWithItsNumber) {
  const stream work(device::cpu());
  for (const unsigned blocks : {1U, 2U, 7U, 64U, 3U}) {
    std::vector<std::atomic<int>> calls(blocks);
    launch(work, request_of(blocks, [&](unsigned block, unsigned of) {
             EXPECT_EQ(of, blocks);
             ++calls.at(block);
           }));
    work.wait(10s);
    EXPECT_TRUE(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));
  }
}

TEST(Launch, RunsBlocksAtTheSameTime) {
  const stream work(device::cpu());
  std::atomic<unsigned> arrived = 0;
  launch(work, request_of(4, [&](unsigned, unsigned blocks) {
           ++arrived;
           while (arrived < blocks) {  // ends only when all blocks are there together
             std::this_thread::yield();
           }
         }));
  EXPECT_NO_THROW(work.wait(10s));
}

TEST(Launch, RefusesNoBlocksAndNoThreads) {
  const stream work(device::cpu());
  auto request = request_of(0, [](unsigned, unsigned) {});
  expect_error(fault::invalid_argument, {"the kernel", "cpu", "at least 1"},
               [&] { launch(work, request); });
  request.blocks = 1;
  request.threads = 0;
  expect_error(fault::invalid_argument, {"the kernel", "at least 1"},
               [&] { launch(work, request); });
}

TEST(Launch, RefusesARequestWithoutCodeForTheDevice) {
  const stream work(device::cpu());
  launch_request request;
  request.name = "cuda only";
  request.cuda_kernel = &request;
  expect_error(fault::not_supported, {"cuda only", "CPU device", "cpu_block"},
               [&] { launch(work, request); });
}

TEST(Launch, RefusesMoreBlocksThanTheCpuDeviceHasThreads) {
  const stream work(device::cpu());
  expect_error(fault::invalid_argument, {"the kernel", "64"},
               [&] { launch(work, request_of(65, [](unsigned, unsigned) {})); });
  EXPECT_NO_THROW(work.wait(1s));
}

TEST(Launch, PassesOnWhatABlockThrows) {
  const stream work(device::cpu());
  for (const unsigned guilty : {0U, 2U}) {
    launch(work, request_of(3, [guilty](unsigned block, unsigned) {
             if (block == guilty) {
               throw std::runtime_error("block failed");
             }
           }));
    expect_error(fault::call_failed, {"the kernel", "block failed"}, [&] { work.wait(10s); });
  }
}

TEST(ForEachIndex, CoversEveryIndexOnceForAnySize) {
  const stream work(device::cpu());
  for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 255UL, 4095UL, 4096UL, 4097UL, 10'001UL}) {
    std::vector<int> data(n, 5);
    test::add(work, {data.data(), n}, 2);
    work.wait(10s);
    EXPECT_EQ(std::count(data.begin(), data.end(), 7), static_cast<std::ptrdiff_t>(n)) << n;
  }
}

TEST(ForEachIndex, WorksWithAnyTuningOfTheBlock) {
  const auto cpu = platform::make_device(platform::make_cpu({}), "cpu", "tuned");
  const stream work(cpu);
  std::vector<int> data(5000, 0);
  for (const unsigned threads : {0U, 1U, 1024U}) {
    cpu.tuning().block_threads = threads;
    test::add(work, {data.data(), data.size()}, 1);
  }
  work.wait(10s);
  EXPECT_EQ(std::count(data.begin(), data.end(), 3), 5000);
}

}  // namespace
}  // namespace pinhole
