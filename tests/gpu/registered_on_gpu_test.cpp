// Registering with a real driver: everything that may be registered, and everything that may not.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "pinhole/memory/pinned_view.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {
namespace {

using byte_span = std::span<unsigned char>;

byte_span bytes_of(pages& memory) {
  return {reinterpret_cast<unsigned char*>(memory.data()), memory.bytes()};
}

class RegisteredOnGpu : public OnGpu {
 protected:
  /// The kernel reaches every byte of the span, and none beside it.
  void expect_reached(byte_span users) {
    std::fill(users.begin(), users.end(), static_cast<unsigned char>(0x0f));
    registered_buffer<unsigned char> buffer(where, users);
    const stream work(where);
    buffer.to_device(work);
    flip(work, buffer.device(), 0xff);
    buffer.to_host(work);
    work.wait(10s);
    EXPECT_EQ(std::count(users.begin(), users.end(), 0xf0),
              static_cast<std::ptrdiff_t>(users.size()));
  }

  template <class Element>
  void expect_refusal(fault kind, std::string_view why, std::span<Element> users) {
    expect_error(kind, {why}, [&] { (void)registered_buffer<Element>(where, users); });
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "a later kernel would be blamed for: " << why;
  }
};

TEST_F(RegisteredOnGpu, ReachesSpansOfAnyAlignmentAndLength) {
  pages memory(3);
  for (const std::size_t first : {0UL, 1UL, 13UL, 4090UL, 4096UL}) {
    for (const std::size_t bytes : {1UL, 7UL, 4096UL, 8000UL}) {
      SCOPED_TRACE(std::to_string(first) + " + " + std::to_string(bytes));
      expect_reached(bytes_of(memory).subspan(first, bytes));
    }
  }
}

TEST_F(RegisteredOnGpu, SeesWhatItsOwnerWritesAfterAFork) {
  pages memory(2);
  const auto users = bytes_of(memory);
  registered_buffer<unsigned char> buffer(where, users);
  const auto child = in_forked_child([&] { users[0] = 9; });  // a copy of its own
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(users[0], 0);
  std::fill(users.begin(), users.end(), static_cast<unsigned char>(0x0f));
  const stream work(where);
  buffer.to_device(work);
  flip(work, buffer.device(), 0xff);
  buffer.to_host(work);
  work.wait(10s);
  EXPECT_EQ(std::count(users.begin(), users.end(), 0xf0), static_cast<std::ptrdiff_t>(users.size()))
      << "the fork gave the pages that the device has to the child";
}

TEST_F(RegisteredOnGpu, ReachesTwoDisjointSpansInOnePage) {
  pages memory(1);
  const auto all = bytes_of(memory);
  registered_buffer<unsigned char> left(where, all.subspan(0, 100));
  {
    registered_buffer<unsigned char> right(where, all.subspan(100, 100));
    const stream work(where);
    left.to_device(work);
    right.to_device(work);
    flip(work, left.device(), 0x01);
    flip(work, right.device(), 0x02);
    left.to_host(work);
    right.to_host(work);
    work.wait(10s);
  }
  EXPECT_EQ(std::count(all.begin(), all.begin() + 100, 1), 100);
  EXPECT_EQ(std::count(all.begin() + 100, all.begin() + 200, 2), 100);
  EXPECT_EQ(std::count(all.begin() + 200, all.end(), 0), 4096 - 200);
  const stream work(where);
  left.to_device(work);  // the page stays pinned for the one that is left
  flip(work, left.device(), 0x01);
  left.to_host(work);
  work.wait(10s);
  EXPECT_EQ(all[99], 0);
}

TEST_F(RegisteredOnGpu, ReachesTheStackAndAVector) {
  std::array<unsigned char, 1000> on_stack{};
  expect_reached(on_stack);
  std::vector<unsigned char> on_heap(100'000);
  expect_reached(on_heap);
}

TEST_F(RegisteredOnGpu, RefusesPagesThatCannotBeWritten) {
  pages memory(3);
  memory.protect(1, 1, protection::read_only);
  expect_refusal(fault::invalid_argument, "may only be read", bytes_of(memory).first(5000));
  memory.protect(1, 1, protection::none);
  expect_refusal(fault::invalid_argument, "neither read nor written", bytes_of(memory).first(5000));
  memory.unmap(1, 1);
  expect_refusal(fault::invalid_argument, "no memory of this process", bytes_of(memory));
  expect_reached(bytes_of(memory).first(4096));
}

TEST_F(RegisteredOnGpu, RefusesOverlapsWithItsOwn) {
  std::vector<int> users(1000);
  const registered_buffer<int> first(where, std::span(users).subspan(400, 200));
  for (const auto& [begin, count] : {std::pair{300UL, 150UL}, std::pair{550UL, 100UL},
                                     std::pair{450UL, 10UL}, std::pair{0UL, 1000UL}}) {
    expect_refusal(fault::already_registered, "overlaps", std::span(users).subspan(begin, count));
  }
}

TEST_F(RegisteredOnGpu, RefusesWhatAnotherLibraryRegistered) {
  std::vector<int> users(100'000);
  int* const foreign = users.data() + 30'000;
  must(cudaHostRegister(foreign, 40'000 * sizeof(int), cudaHostRegisterDefault));
  for (const auto& [begin, count] : {std::pair{30'000UL, 40'000UL}, std::pair{40'000UL, 10UL},
                                     std::pair{0UL, 100'000UL}, std::pair{20'000UL, 20'000UL}}) {
    expect_refusal(fault::already_registered, "pinned_view",
                   std::span(users).subspan(begin, count));
  }
  must(cudaHostUnregister(foreign));  // it was left alone
  EXPECT_NO_THROW((void)registered_buffer<int>(where, users));
}

TEST_F(RegisteredOnGpu, RefusesMemoryThatIsNotTheHosts) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, 8192));
  expect_refusal(fault::invalid_argument, "device memory",
                 std::span(static_cast<int*>(memory), 2048));
  must(cudaFree(memory));
  must(cudaMallocManaged(&memory, 8192, cudaMemAttachGlobal));
  expect_refusal(fault::invalid_argument, "managed memory",
                 std::span(static_cast<int*>(memory), 2048));
  must(cudaFree(memory));
  must(cudaHostAlloc(&memory, 8192, cudaHostAllocMapped));
  expect_refusal(fault::already_registered, "pinned_view",
                 std::span(static_cast<int*>(memory), 2048));
  must(cudaFreeHost(memory));
  expect_refusal(fault::invalid_argument, "null", std::span(static_cast<int*>(nullptr), 1));
}

class PinnedViewOnGpu : public OnGpu {};

TEST_F(PinnedViewOnGpu, AdoptsAnAllocationOfAnotherLibraryAndLeavesItAlone) {
  void* memory = nullptr;
  must(cudaHostAlloc(&memory, 4000, cudaHostAllocDefault));
  const std::span<int> foreign(static_cast<int*>(memory), 1000);
  std::iota(foreign.begin(), foreign.end(), 0);
  {
    pinned_view<int> part(where, foreign.subspan(500));
    const stream work(where);
    part.to_device(work);
    add(work, part.device(), 1000);
    part.to_host(work);
    work.wait(10s);
  }
  EXPECT_EQ(foreign[499], 499);
  EXPECT_EQ(foreign[500], 1500);
  EXPECT_EQ(foreign[999], 1999);
  must(cudaFreeHost(memory));
}

TEST_F(PinnedViewOnGpu, RefusesWhatIsNotPinned) {
  std::vector<int> users(100);
  expect_error(fault::invalid_argument, {"not pinned", "registered_buffer"},
               [&] { (void)pinned_view<int>(where, users); });
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  void* memory = nullptr;
  must(cudaMalloc(&memory, 400));
  expect_error(fault::invalid_argument, {"device memory"},
               [&] { (void)pinned_view<int>(where, std::span(static_cast<int*>(memory), 100)); });
  must(cudaFree(memory));
}

}  // namespace
}  // namespace pinhole::test
