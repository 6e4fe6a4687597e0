// A lookup per launch of a CUDA graph, by hand. The request lies in the device's memory where the
// CPU reaches it, and the host polls for the reply instead of synchronising: the best that a launch
// per request can do.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"
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

placement nearest_to_kernels(const device& gpu) {
  return vram_in_cpu_address_space(gpu) ? placement::vram : placement::mapped;
}

class graph_lookup final : public lookup_arm {
 public:
  graph_lookup(const device& gpu, const lookup_job& job)
      : lookup_arm("graph", role::expert_copy, job),
        work_(gpu),
        requests_(make_buffer<graph_request>(gpu, job.how.in_flight, nearest_to_kernels(gpu))),
        replies_(gpu, job.how.in_flight) {
    std::ranges::fill(replies_.host(), 0);
    for (std::size_t slot = 0; slot < job.how.in_flight; ++slot) {
      graphs_.push_back(captured(work_.native(), [&] {
        look_up_row<<<1, 1, 0, work_.native()>>>(table(), requests_.device().data() + slot,
                                                 replies_.device().data() + slot);
      }));
    }
  }

 private:
  void end() override { work_.wait(patience); }

  std::uint32_t look_up(std::uint32_t row) override {
    post(0, row);
    return reply_in(0, number_);
  }
  void answer_all(std::uint32_t first, std::span<std::uint64_t> answers) override {
    while (!answers.empty()) {
      const auto some = answers.first(std::min(graphs_.size(), answers.size()));
      const std::uint32_t before = number_;
      for (std::size_t slot = 0; slot < some.size(); ++slot) {
        post(slot, row_of(first++));
      }
      for (std::uint32_t slot = 0; slot < some.size(); ++slot) {
        some[slot] = reply_in(slot, before + 1 + slot);
      }
      answers = answers.subspan(some.size());
    }
  }

  void post(std::size_t slot, std::uint32_t row) {
    const graph_request asked{row, ++number_};
    requests_.write(slot, {&asked, 1});
    require(cudaGraphLaunch(graphs_[slot].get(), work_.native()), "cudaGraphLaunch");
  }
  std::uint32_t reply_in(std::size_t slot, std::uint32_t number) {
    const std::uint64_t* const reply = replies_.host().data() + slot;
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t seen = 0;
    for (unsigned looks = 1; (seen = words::look(reply)) >> 32U != number; ++looks) {
      if (looks % 4096 == 0 && std::chrono::steady_clock::now() - start > patience) {
        work_.wait(std::chrono::nanoseconds(0));  // the device's error, if there is one
        return 0;
      }
    }
    return static_cast<std::uint32_t>(seen);
  }

  stream work_;  // outlives the buffers that are handed over on it
  any_buffer<graph_request> requests_;
  mapped_buffer<std::uint64_t> replies_;
  std::vector<executable> graphs_;
  std::uint32_t number_ = 0;
};

}  // namespace

std::unique_ptr<arm> make_graph_lookup(const device& gpu, const lookup_job& job) {
  return std::make_unique<graph_lookup>(gpu, job);
}

}  // namespace pinhole::scenarios
