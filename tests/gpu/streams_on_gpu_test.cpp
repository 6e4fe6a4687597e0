// Streams of other libraries, graph capture, several GPUs, and what failures must not leave behind.
#include <algorithm>
#include <span>
#include <vector>

#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/pinned_view.hpp"
#include "tests/conformance/buffer_kinds.hpp"
#include "tests/gpu/failing_kernels.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole::test {
namespace {

class StreamsOnGpu : public OnGpu {
 protected:
  void expect_usable(const stream_ref& work) const {
    for (const auto how : {placement::staged, placement::mapped, placement::registered}) {
      SCOPED_TRACE(to_string(how));
      auto buffer = make_buffer<int>(where, 5000, how);
      expect_round_trip(buffer, work);
    }
  }
};

TEST_F(StreamsOnGpu, MayBeAnotherLibrarys) {
  cudaStream_t theirs = nullptr;
  must(cudaStreamCreateWithFlags(&theirs, cudaStreamNonBlocking));
  const stream_ref work(where, theirs);
  EXPECT_EQ(work.native(), theirs);
  EXPECT_EQ(work.where(), where);
  EXPECT_TRUE(work.is_done());
  expect_usable(work);
  must(cudaStreamDestroy(theirs));
}

TEST_F(StreamsOnGpu, MayBeTheDefaultStreams) {
  expect_usable(stream_ref(where, nullptr));
  expect_usable(stream_ref(where, cudaStreamLegacy));
  expect_usable(stream_ref(where, cudaStreamPerThread));
}

TEST_F(StreamsOnGpu, OfOursDoNotSynchroniseWithTheLegacyDefaultStream) {
  const stream work(where);
  unsigned flags = 0;
  must(cudaStreamGetFlags(work.native(), &flags));
  EXPECT_EQ(flags, cudaStreamNonBlocking);
}

TEST_F(StreamsOnGpu, SeeWhatABlockingCopyFromPageableMemoryBrought) {
  // cudaMemcpy alone returns while such bytes are on their way, and these streams do not wait.
  const stream work(where);
  staged_buffer<int> buffer(where, 1'000'000);
  for (int round = 1; round <= 200; ++round) {
    const std::vector<int> sent(buffer.size(), round);
    copy_to_device(where, buffer.device(), std::span<const int>(sent));
    buffer.to_host(work);
    work.wait(10s);
    ASSERT_TRUE(std::ranges::equal(buffer.host(), sent)) << "round " << round;
  }
}

TEST_F(StreamsOnGpu, CaptureHandOversAndKernelsIntoAGraph) {
  const stream work(where);
  mapped_buffer<int> mapped(where, 5000);
  staged_buffer<int> staged(where, 5000);
  add(work, mapped.device(), 0);  // loads the kernel, which is not for a capture to do
  work.wait(10s);
  std::fill(mapped.host().begin(), mapped.host().end(), 0);
  std::fill(staged.host().begin(), staged.host().end(), 100);

  must(cudaStreamBeginCapture(work.native(), cudaStreamCaptureModeGlobal));
  mapped.to_device(work);
  staged.to_device(work);
  add(work, mapped.device(), 1);
  add(work, staged.device(), 1);
  cudaGraph_t graph = nullptr;
  must(cudaStreamEndCapture(work.native(), &graph));
  EXPECT_EQ(std::count(mapped.host().begin(), mapped.host().end(), 0), 5000)
      << "nothing ran while it was captured";

  cudaGraphExec_t ready = nullptr;
  must(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 3; ++i) {
    must(cudaGraphLaunch(ready, work.native()));
  }
  mapped.to_host(work);
  staged.to_host(work);
  work.wait(10s);
  EXPECT_EQ(std::count(mapped.host().begin(), mapped.host().end(), 3), 5000);
  EXPECT_EQ(std::count(staged.host().begin(), staged.host().end(), 101), 5000)
      << "each launch copied the host's 100 again";
  must(cudaGraphExecDestroy(ready));
  must(cudaGraphDestroy(graph));
}

TEST_F(StreamsOnGpu, RefuseToBeWaitedForDuringCapture) {
  const stream work(where);
  must(cudaStreamBeginCapture(work.native(), cudaStreamCaptureModeThreadLocal));
  expect_error(fault::call_failed, {"wait", "capture"}, [&] { work.wait(1s); });
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_NE(cudaStreamEndCapture(work.native(), &graph), cudaSuccess) << "the wait broke it";
  static_cast<void>(cudaGetLastError());
  expect_usable(work);
}

TEST_F(StreamsOnGpu, AreNotBlamedForAnEarlierRefusal) {
  const stream work(where);
  expect_error(fault::invalid_argument, {"too wide", "cudaLaunchKernel"},
               [&] { launch_too_wide(work); });
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expect_usable(work);
}

TEST_F(StreamsOnGpu, TimeOutWhileTheWorkGoesOn) {
  const stream work(where);
  staged_buffer<int> large(where, 16U << 20U);
  for (int i = 0; i < 50; ++i) {
    large.to_device(work);
  }
  expect_error(fault::timed_out, {"wait again"}, [&] { work.wait(0s); });
  EXPECT_FALSE(work.is_done());
  work.wait(60s);
  EXPECT_TRUE(work.is_done());
}

class SeveralGpus : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (!IsSkipped() && device::all().size() < 2) {
      GTEST_SKIP() << "waived: this machine has one GPU";
    }
  }
};

TEST_F(SeveralGpus, ShareAPortableMappedBuffer) {
  const auto second = device::all().at(1);
  mapped_buffer<int> shared(where, 5000, {.visible_to = visibility::all_devices});
  std::fill(shared.host().begin(), shared.host().end(), 1);
  pinned_view<int> there(second, shared.host());
  const stream here_work(where);
  const stream there_work(second);
  shared.to_device(here_work);
  add(here_work, shared.device(), 10);
  shared.to_host(here_work);
  here_work.wait(10s);
  there.to_device(there_work);
  add(there_work, there.device(), 100);
  there.to_host(there_work);
  there_work.wait(10s);
  EXPECT_EQ(std::count(shared.host().begin(), shared.host().end(), 111), 5000);
}

TEST_F(SeveralGpus, ShareRegisteredMemory) {
  const auto second = device::all().at(1);
  std::vector<int> users(5000, 1);
  const registered_buffer<int> here(where, users);
  pinned_view<int> there(second, here.host());
  const stream work(second);
  there.to_device(work);
  add(work, there.device(), 1);
  there.to_host(work);
  work.wait(10s);
  EXPECT_EQ(std::count(users.begin(), users.end(), 2), 5000);
}

TEST_F(SeveralGpus, RefuseEachOthersStreams) {
  const auto second = device::all().at(1);
  const stream foreign(second);
  mapped_buffer<int> buffer(where, 10);
  expect_error(fault::invalid_argument, {"cuda:0", "cuda:1"}, [&] { buffer.to_device(foreign); });
  expect_error(fault::invalid_argument, {"cudaStream_t on cuda:0", "another device"},
               [&] { (void)stream_ref(where, foreign.native()); });
}

TEST_F(SeveralGpus, AreUsedWhicheverIsCurrent) {
  must(cudaSetDevice(1));
  const stream work(where);
  for (const auto how : all_placements()) {
    if (how == placement::vram && !vram_in_cpu_address_space(where)) {
      continue;
    }
    auto buffer = make_buffer<int>(where, 5000, how);
    expect_round_trip(buffer, work);
    int current = -1;
    must(cudaGetDevice(&current));
    EXPECT_EQ(current, 1) << to_string(how);
  }
  must(cudaSetDevice(0));
}

}  // namespace
}  // namespace pinhole::test
