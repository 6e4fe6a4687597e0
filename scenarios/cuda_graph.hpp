// CUDA graphs with an owner, for the arms that are written by hand.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "pinhole/core/error.hpp"

namespace pinhole::scenarios {

inline void require(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    throw error({.kind = fault::call_failed,
                 .asked = "run a graph",
                 .call = call,
                 .status = cudaGetErrorName(status),
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
}

struct destroy_graph {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
};
using graph_plan = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, destroy_graph>;
using executable = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, destroy_graph>;

inline executable instantiated(const graph_plan& plan) {
  cudaGraphExec_t made = nullptr;
  require(cudaGraphInstantiate(&made, plan.get(), 0), "cudaGraphInstantiate");
  return executable(made);
}

/// What `queue` queues on `work`, as a graph. Captures what this thread does there and nothing
/// else.
template <class Queue>
executable captured(cudaStream_t work, const Queue& queue) {
  require(cudaStreamBeginCapture(work, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    queue();
  } catch (...) {
    (void)cudaStreamEndCapture(work, &graph);
    (void)cudaGetLastError();
    throw;
  }
  require(cudaStreamEndCapture(work, &graph), "cudaStreamEndCapture");
  return instantiated(graph_plan(graph));
}

}  // namespace pinhole::scenarios
