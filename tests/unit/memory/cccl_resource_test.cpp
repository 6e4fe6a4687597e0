// A pool as a resource of CCCL, by its concepts and through its type-erased reference.
#include "pinhole/memory/cccl_resource.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/expect_error.hpp"
#include "tests/support/gate.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;

static_assert(
    cuda::mr::resource_with<cccl_resource, cuda::mr::host_accessible, cuda::mr::device_accessible>);
static_assert(cuda::mr::async_resource_with<cccl_resource, cuda::mr::host_accessible,
                                            cuda::mr::device_accessible>);

TEST(CcclResource, LendsAndTakesBackThroughAReference) {
  const pinned_pool pool(device::cpu());
  cccl_resource resource(pool);
  cuda::mr::resource_ref<cuda::mr::host_accessible, cuda::mr::device_accessible> any(resource);
  void* const memory = any.allocate(1000, 256);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  EXPECT_EQ(pool.statistics().lent, 1U);
  any.deallocate(memory, 1000, 256);
  EXPECT_EQ(pool.statistics().lent, 0U);
}

TEST(CcclResource, RefusesAStreamOnTheCpuDevice) {
  const pinned_pool pool(device::cpu());
  cccl_resource resource(pool);
  const stream work(device::cpu());
  const cuda::stream_ref theirs(work.native());
  void* const memory = resource.allocate_async(100, theirs);
  test::expect_error(fault::invalid_argument, {"streams of the CPU device"},
                     [&] { resource.deallocate_async(memory, 100, theirs); });
  EXPECT_EQ(pool.statistics().lent, 1U) << "nothing was lost";
  resource.deallocate(memory, 100);
  EXPECT_EQ(pool.statistics().lent, 0U);
}

TEST(CcclResource, TakesBackBehindTheWorkOfAStream) {
  const auto where = device::first();
  if (where.kind() == device_kind::cpu) {
    GTEST_SKIP() << "waived: a cudaStream_t needs a GPU";
  }
  const pinned_pool pool(where);
  cccl_resource resource(pool);
  const stream work(where);
  const cuda::stream_ref theirs(work.native());
  void* const memory = resource.allocate_async(100, theirs);
  test::gate closed(work);
  resource.deallocate_async(memory, 100, theirs);
  EXPECT_EQ(pool.statistics().waiting, 1U);
  closed.open();
  work.wait(60s);
  EXPECT_EQ(pool.statistics().waiting, 0U);
}

TEST(CcclResource, EqualsAnotherOfTheSamePool) {
  const pinned_pool pool(device::cpu());
  EXPECT_EQ(cccl_resource(pool), cccl_resource(pool));
  EXPECT_NE(cccl_resource(pool), cccl_resource(pinned_pool(device::cpu())));
}

}  // namespace
}  // namespace pinhole
