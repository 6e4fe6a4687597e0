// A pool as a resource of CCCL, by its concepts and through its type-erased reference.
#include "pinhole/memory/cccl_resource.hpp"

#include <gtest/gtest.h>

#include <chrono>

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

TEST(CcclResource, TakesBackBehindTheWorkOfAStream) {
  const auto where = device::cpu();
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
