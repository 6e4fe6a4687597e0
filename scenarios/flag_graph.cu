// The search of `flag` as one CUDA graph, by hand: the device itself decides whether there is a
// next turn, and the host is told once, at the end.
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/signal/team.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/cuda_graph.hpp"
#include "scenarios/flag_arms.hpp"
#include "scenarios/search_arm.hpp"

namespace pinhole::scenarios {

namespace {

/// In device memory, from turn to turn.
struct progress {
  std::uint64_t turns = 0;     ///< that have ended
  std::uint64_t finished = 0;  ///< blocks, over all turns
  std::uint64_t is_found = 0;
};

/// For the host, when the graph has ended.
struct outcome {
  std::uint64_t answer;
  std::uint64_t turns;
};

/// One turn. The last block to finish it says whether the graph goes on; it gives up one turn after
/// the last, as the other arms do.
__global__ void search_turn(std::uint64_t wanted, unsigned most_turns, progress* now, outcome* out,
                            cudaGraphConditionalHandle goes_on) {
  const std::uint64_t turn = now->turns;
  const std::uint64_t i =
      turn * search::candidates_per_turn + blockIdx.x * blockDim.x + threadIdx.x;
  if (scramble(i) == wanted) {
    out->answer = i;
    now->is_found = 1;
  }
  __syncthreads();
  if (threadIdx.x == 0 && kernel::count_up(&now->finished) == (turn + 1) * gridDim.x) {
    now->turns = turn + 1;
    const bool ends =
        *static_cast<volatile std::uint64_t*>(&now->is_found) != 0 || turn + 1 > most_turns;
    if (ends) {
      out->turns = turn + 1;
    }
    cudaGraphSetConditional(goes_on, ends ? 0U : 1U);
  }
}

class graph_searcher final : public search_arm {
 public:
  graph_searcher(const device& gpu, const search& what)
      : search_arm("graph while", role::in_place, what),
        work_(gpu),
        now_(gpu, 1),
        out_(gpu, 1),
        graph_(make_graph(gpu)) {}

  void prepare() override {
    search_arm::prepare();
    now_.host()[0] = {};
    now_.to_device(work_);
    out_.host()[0] = {nothing, 0};
    out_.to_device(work_);
    work_.wait(patience);
  }

  void run() override {
    require(cudaGraphLaunch(graph_.get(), work_.native()), "cudaGraphLaunch");
    work_.wait(patience);
    conclude(static_cast<unsigned>(out_.host()[0].turns), out_.host()[0].answer);
  }

  [[nodiscard]] traffic moved() const override {
    return {.to_device = 0, .to_host = sizeof(outcome)};
  }

 private:
  executable make_graph(const device& gpu) {
    cudaGraph_t empty = nullptr;
    require(cudaGraphCreate(&empty, 0), "cudaGraphCreate");
    const graph_plan plan(empty);
    cudaGraphConditionalHandle goes_on{};
    require(cudaGraphConditionalHandleCreate(&goes_on, empty, 1, cudaGraphCondAssignDefault),
            "cudaGraphConditionalHandleCreate");
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = goes_on;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    require(cudaGraphAddNode(&node, empty, nullptr, nullptr, 0, &loop), "cudaGraphAddNode");
#else
    require(cudaGraphAddNode(&node, empty, nullptr, 0, &loop), "cudaGraphAddNode");
#endif
    add_turn(gpu, loop.conditional.phGraph_out[0], goes_on);
    return instantiated(plan);
  }

  void add_turn(const device& gpu, cudaGraph_t body, cudaGraphConditionalHandle goes_on) {
    std::uint64_t wanted = what().wanted;
    unsigned most_turns = what().turns;
    progress* now = now_.device().data();
    outcome* out = out_.device().data();
    void* arguments[] = {&wanted, &most_turns, static_cast<void*>(&now), static_cast<void*>(&out),
                         &goes_on};
    const unsigned threads = gpu.tuning().block_threads;
    cudaKernelNodeParams turn{};
    turn.func = reinterpret_cast<void*>(&search_turn);
    turn.gridDim = dim3(search_blocks(gpu));
    turn.blockDim = dim3(threads);
    turn.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    require(cudaGraphAddKernelNode(&node, body, nullptr, 0, &turn), "cudaGraphAddKernelNode");
  }

  stream work_;  // outlives the buffers that are handed over on it
  staged_buffer<progress> now_;
  mapped_buffer<outcome> out_;
  executable graph_;
};

}  // namespace

std::unique_ptr<arm> make_graph_searcher(const device& gpu, const search& what) {
  return std::make_unique<graph_searcher>(gpu, what);
}

}  // namespace pinhole::scenarios
