// A lookup per launch of a CUDA graph, by hand. The host polls for the reply instead of
// synchronising: the best that a launch per request can do.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/signal/words.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/cuda_graph.hpp"
#include "scenarios/lookup.hpp"

namespace pinhole::scenarios {

namespace {

struct graph_request {
  std::uint32_t row;
  std::uint32_t number;
};

/// Replies with the number of the request and the value, in one word.
__global__ void look_up_row(view<const std::uint32_t> table, const graph_request* request,
                            std::uint64_t* reply) {
  const graph_request asked = *request;
  words::store(reply, std::uint64_t{asked.number} << 32U | table[asked.row]);
}

class graph_lookup final : public lookup_arm {
 public:
  graph_lookup(const device& gpu, const lookup_job& job)
      : lookup_arm("graph", role::expert_copy, job),
        work_(gpu),
        request_(gpu, 1),
        reply_(gpu, 1),
        graph_(captured(work_.native(), [&] {
          look_up_row<<<1, 1, 0, work_.native()>>>(table(), request_.device().data(),
                                                   reply_.device().data());
        })) {
    reply_.host()[0] = 0;
  }

 private:
  void end() override { work_.wait(patience); }

  std::uint32_t look_up(std::uint32_t row) override {
    request_.host()[0] = {row, ++number_};
    require(cudaGraphLaunch(graph_.get(), work_.native()), "cudaGraphLaunch");
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t seen = 0;
    for (unsigned looks = 1; (seen = words::look(reply_.host().data())) >> 32U != number_;
         ++looks) {
      if (looks % 4096 == 0 && std::chrono::steady_clock::now() - start > patience) {
        work_.wait(std::chrono::nanoseconds(0));  // the device's error, if there is one
        return 0;
      }
    }
    return static_cast<std::uint32_t>(seen);
  }

  stream work_;  // outlives the buffers that are handed over on it
  mapped_buffer<graph_request> request_;
  mapped_buffer<std::uint64_t> reply_;
  executable graph_;
  std::uint32_t number_ = 0;
};

}  // namespace

std::unique_ptr<arm> make_graph_lookup(const device& gpu, const lookup_job& job) {
  return std::make_unique<graph_lookup>(gpu, job);
}

}  // namespace pinhole::scenarios
