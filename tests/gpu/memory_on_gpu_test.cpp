// Host memory as a GPU sees it: managed memory that stays, large pinned pages, files in place.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "pinhole/access/gather.hpp"
#include "pinhole/memory/managed_buffer.hpp"
#include "pinhole/memory/mapped_file.hpp"
#include "pinhole/memory/pinned_pool.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {
namespace {

class MemoryOnGpu : public OnGpu {
 protected:
  [[nodiscard]] static std::size_t free_device_memory() {
    std::size_t free_bytes = 0;
    std::size_t all = 0;
    EXPECT_EQ(cudaMemGetInfo(&free_bytes, &all), cudaSuccess);
    return free_bytes;
  }
};

TEST_F(MemoryOnGpu, ManagedPagesAtHomeOnTheHostStayThere) {
  if (!where.capabilities().managed_concurrent) {
    GTEST_SKIP() << "waived: " << where.capabilities().managed_concurrent.reason;
  }
  constexpr std::size_t count = std::size_t{256} << 18U;  // 256 MiB
  const stream work(where);
  managed_buffer<int> buffer(where, count);
  std::iota(buffer.host().begin(), buffer.host().end(), 0);
  add(work, buffer.device().subview(0, 1), 0);  // what the kernel itself takes is taken
  work.wait(60s);
  const auto before = free_device_memory();
  buffer.to_device(work);
  for (int i = 0; i < 5; ++i) {
    add(work, buffer.device(), 1);
  }
  buffer.to_host(work);
  work.wait(60s);
  EXPECT_GT(free_device_memory() + (std::size_t{64} << 20U), before)
      << "pages moved into device memory";
  for (std::size_t i = 0; i < count; i += 1001) {
    ASSERT_EQ(buffer.host()[i], static_cast<int>(i) + 5);
  }
}

TEST_F(MemoryOnGpu, LargePinnedMemoryIsPinnedInTheDriversEyesToo) {
  constexpr std::size_t count = std::size_t{64} << 18U;  // 64 MiB: by pages
  const stream work(where);
  mapped_buffer<int> buffer(where, count);
  for (const auto* const address : {&buffer.host().front(), &buffer.host().back()}) {
    cudaPointerAttributes facts{};
    ASSERT_EQ(cudaPointerGetAttributes(&facts, address), cudaSuccess);
    EXPECT_EQ(facts.type, cudaMemoryTypeHost);
  }
  std::iota(buffer.host().begin(), buffer.host().end(), 0);
  buffer.to_device(work);
  add(work, buffer.device(), 1);
  buffer.to_host(work);
  work.wait(60s);
  std::vector<int> copied(count);
  ASSERT_EQ(
      cudaMemcpy(copied.data(), buffer.device().data(), count * sizeof(int), cudaMemcpyDefault),
      cudaSuccess)
      << "a copy of all of it in one piece";
  for (std::size_t i = 0; i < count; i += 999) {
    ASSERT_EQ(copied[i], static_cast<int>(i) + 1);
  }
}

TEST_F(MemoryOnGpu, KernelsReadAFileWhereThePageCacheHoldsIt) {
  const temporary_folder folder;
  const std::string path = folder.path() / "numbers";
  std::vector<std::uint32_t> numbers(300'000);
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(std::uint32_t)));
  const stream work(where);
  const auto look = [&](const auto& file) {
    mapped_buffer<std::uint32_t> which(where, 3);
    which.host()[0] = 0;
    which.host()[1] = 299'998;
    which.host()[2] = 77;
    mapped_buffer<std::uint32_t> out(where, 3);
    gather(work, rows<const std::uint32_t>(view<const std::uint32_t>(file.device())),
           which.device(), out.device());
    out.to_host(work);
    work.wait(60s);
    EXPECT_EQ(out.host()[0], 1U);
    EXPECT_EQ(out.host()[1], 299'999U);
    EXPECT_EQ(out.host()[2], 78U);
  };
  private_file<std::uint32_t> own(where, path, {.first_byte = 4});
  own.to_device(work);
  look(own);
  try {
    mapped_file<std::uint32_t> shared(where, path, {.first_byte = 4});
    shared.to_device(work);
    look(shared);
  } catch (const error& refused) {
    if (refused.kind() != fault::not_supported) {
      throw;
    }
    GTEST_SKIP() << "waived: " << refused.what();
  }
}

TEST_F(MemoryOnGpu, APoolsAddressesAreTheDevices) {
  const stream work(where);
  const pinned_pool pool(where);
  auto* const memory = static_cast<int*>(pool.allocate(1000 * sizeof(int)));
  std::fill_n(memory, 1000, 1);
  add(work, view<int>(static_cast<int*>(pool.device_address(memory)), 1000), 1);
  pool.deallocate(pool.allocate(100), work);
  work.wait(60s);
  EXPECT_EQ(std::count(memory, memory + 1000, 2), 1000);
  pool.deallocate(memory);
  EXPECT_EQ(pool.statistics().lent, 0U);
}

}  // namespace
}  // namespace pinhole::test
