// The CPU device: a second heap for device memory, threads for streams, everything else shared.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "platform/cpu/cpu_stream.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/platform.hpp"
#include "platform/range_map.hpp"

namespace pinhole::platform {

namespace {

constexpr unsigned most_blocks = 64;  // threads that one launch may start

thread_local status last_error;

/// Every failing call leaves its status in the slot, as the CUDA runtime does.
status fail(outcome what, const char* call, const char* name) {
  last_error = {what, call, name};
  return last_error;
}

struct cpu_event {
  std::shared_ptr<std::atomic<bool>> done;  // null: never recorded
};

cpu_stream& stream_from(native_stream work) {
  return *reinterpret_cast<cpu_stream*>(work);
}

const capability shared_memory{true, "the CPU device shares memory with the host", ""};
const capability not_on_cpu{false, "the CPU device has no such thing",
                            "run on a machine with a GPU"};

class cpu_backend final : public backend {
 public:
  explicit cpu_backend(const cpu_options& options) : options_(options) {}

  [[nodiscard]] device_kind kind() const noexcept override { return device_kind::cpu; }

  status describe(capabilities& into) override {
    into.map_host_memory = shared_memory;
    into.same_pointer_registered = shared_memory;
    into.register_read_only = shared_memory;
    into.managed_concurrent = shared_memory;
    into.pageable_access = shared_memory;
    into.native_host_atomics = shared_memory;
    into.integrated = shared_memory;
    into.vmm_on_host = not_on_cpu;
    into.dma_buf = not_on_cpu;
    into.pageable_through = page_tables::host;
    into.architecture = "host threads";
    into.multiprocessors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    into.memory_bytes = total_memory();
    into.link_unknown_reason = "the CPU device has no link";
    return {};
  }

  status allocate_device(std::size_t bytes, void** out) override {
    return allocate("allocate_device", bytes, device_, out);
  }
  status free_device(void* memory) override { return release("free_device", memory, device_); }

  status allocate_host(std::size_t bytes, host_flags /*flags*/, void** host,
                       void** on_device) override {
    const auto result = allocate("allocate_host", bytes, host_, host);
    if (result.ok()) {
      std::memset(*host, 0, bytes);
    }
    *on_device = *host;
    return result;
  }
  status free_host(void* memory) override { return release("free_host", memory, host_); }

  status allocate_managed(std::size_t bytes, managed_home /*home*/, void** out) override {
    return allocate("allocate_managed", bytes, managed_, out);
  }
  status free_managed(void* memory) override { return release("free_managed", memory, managed_); }
  status prefetch(void* /*first*/, std::size_t /*bytes*/, copy_way /*way*/,
                  native_stream /*work*/) override {
    return {};  // both sides are one
  }

  status vram_roads(std::vector<vram_road>& into) override {
    into = {{.name = "ordinary memory", .open = shared_memory, .window_bytes = total_memory()}};
    return {};
  }
  status allocate_vram(std::size_t bytes, vram_block& out) override {
    out = {};
    const auto result = allocate("allocate_vram", bytes, device_, &out.host);
    out.on_device = out.host;
    return result;
  }
  status free_vram(const vram_block& block) override {
    return release("free_vram", block.host, device_);
  }

  status register_host(void* first, std::size_t bytes, void** on_device) override {
    return pin("register_host", first, bytes, page_access::read_write, on_device);
  }
  status register_read_only(void* first, std::size_t bytes, void** on_device) override {
    return pin("register_read_only", first, bytes, page_access::read_only, on_device);
  }

  status unregister_host(void* first) override {
    constexpr auto call = "unregister_host";
    if (inside_host_callback()) {
      return fail(outcome::not_permitted, call, "called from a host function");
    }
    const std::lock_guard lock(mutex_);
    if (!registered_.erase(first)) {
      return fail(outcome::not_registered, call, "not registered");
    }
    return {};
  }

  status classify(const void* address, address_facts& into) override {
    const std::lock_guard lock(mutex_);
    into = {};
    if (device_.overlapping(address, 1)) {
      into = {memory_kind::device, const_cast<void*>(address)};
    } else if (managed_.overlapping(address, 1)) {
      into = {memory_kind::managed, const_cast<void*>(address)};
    } else if (host_.overlapping(address, 1) || registered_.overlapping(address, 1)) {
      into = {memory_kind::pinned_host, const_cast<void*>(address)};
    }
    return {};
  }

  status create_stream(stream_rank /*rank*/, native_stream* out) override {
    try {
      *out = reinterpret_cast<native_stream>(new cpu_stream(options_));
      return {};
    } catch (const std::exception&) {  // no thread or no memory for it
      return fail(outcome::out_of_memory, "create_stream", "no thread could be started");
    }
  }
  status destroy_stream(native_stream work) override {
    if (inside_host_callback()) {  // which may be the stream's own
      return fail(outcome::not_permitted, "destroy_stream", "called from a host function");
    }
    delete &stream_from(work);
    return {};
  }
  status query_stream(native_stream work) override {
    if (inside_host_callback()) {
      return fail(outcome::not_permitted, "query_stream", "called from a host function");
    }
    auto result = stream_from(work).query();
    if (!result.ok() && result.what != outcome::not_ready) {
      last_error = result;
    }
    return result;
  }
  status owns_stream(native_stream /*work*/) override {
    return fail(outcome::invalid_value, "owns_stream", "not a stream of the CPU device");
  }

  status create_event(native_event* out) override {
    *out = new (std::nothrow) cpu_event;
    return *out != nullptr ? status{}
                           : fail(outcome::out_of_memory, "create_event", "out of memory");
  }
  status destroy_event(native_event mark) override {
    delete static_cast<cpu_event*>(mark);
    return {};
  }
  status record_event(native_event mark, native_stream work) override {
    auto done = std::make_shared<std::atomic<bool>>(false);
    static_cast<cpu_event*>(mark)->done = done;
    stream_from(work).enqueue([done] {
      done->store(true, std::memory_order_release);
      done->notify_all();
    });
    return {};
  }
  status wait_event(native_stream work, native_event mark) override {
    const auto done = static_cast<cpu_event*>(mark)->done;
    if (done) {
      stream_from(work).enqueue([done] { done->wait(false, std::memory_order_acquire); });
    }
    return {};
  }
  status query_event(native_event mark) override {
    if (inside_host_callback()) {
      return fail(outcome::not_permitted, "query_event", "called from a host function");
    }
    const auto& done = static_cast<cpu_event*>(mark)->done;
    if (done && !done->load(std::memory_order_acquire)) {
      return {outcome::not_ready, "query_event", "not ready"};
    }
    return {};
  }

  status copy_async(void* to, const void* from, std::size_t bytes, copy_way /*way*/,
                    native_stream work) override {
    stream_from(work).enqueue([=] { std::memcpy(to, from, bytes); });
    return {};
  }
  status copy_now(void* to, const void* from, std::size_t bytes, copy_way /*way*/) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  status prepare_kernel(const launch_request& /*what*/, unsigned& at_once) override {
    at_once = most_blocks;
    return {};
  }
  status launch(const launch_request& what, native_stream work) override {
    if (what.blocks > most_blocks) {
      return fail(outcome::invalid_value, "launch", "more than 64 blocks, which are threads here");
    }
    stream_from(work).enqueue_blocks(what.name, what.blocks, what.cpu_block);
    return {};
  }
  status call_host(std::function<void()> what, native_stream work) override {
    stream_from(work).enqueue_callback(std::move(what));
    return {};
  }

  status peek_last_error() override { return last_error; }
  void clear_last_error() override { last_error = {}; }

 private:
  status pin(const char* call, void* first, std::size_t bytes, page_access needed,
             void** on_device) {
    if (inside_host_callback()) {
      return fail(outcome::not_permitted, call, "called from a host function");
    }
    const auto access = access_of(first, bytes);
    if (access < needed && access != page_access::unknown) {
      return fail(outcome::invalid_value, call,
                  needed == page_access::read_only ? "pages that cannot be read"
                                                   : "pages that cannot be written");
    }
    const std::lock_guard lock(mutex_);
    if (registered_.overlapping(first, bytes) || host_.overlapping(first, bytes)) {
      return fail(outcome::already_registered, call, "already registered");
    }
    registered_.insert(first, bytes);
    *on_device = first;
    return {};
  }

  status allocate(const char* call, std::size_t bytes, range_map& heap, void** out) {
    *out = nullptr;
    if (inside_host_callback()) {
      return fail(outcome::not_permitted, call, "called from a host function");
    }
    const std::size_t page = page_size();
    // Linux would promise more than there is and end the process when it is touched.
    if (bytes > total_memory() || bytes > SIZE_MAX - page) {
      return fail(outcome::out_of_memory, call, "more than the machine's memory");
    }
    void* const memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (memory == nullptr) {
      return fail(outcome::out_of_memory, call, "out of memory");
    }
    const std::lock_guard lock(mutex_);
    heap.insert(memory, bytes);
    *out = memory;
    return {};
  }

  status release(const char* call, void* memory, range_map& heap) {
    if (inside_host_callback()) {
      return fail(outcome::not_permitted, call, "called from a host function");
    }
    {
      const std::lock_guard lock(mutex_);
      if (!heap.erase(memory)) {
        return fail(outcome::invalid_value, call, "not allocated here");
      }
    }
    std::free(memory);
    return {};
  }

  cpu_options options_;
  std::mutex mutex_;  // guards the maps
  range_map device_;
  range_map host_;
  range_map managed_;
  range_map registered_;
};

}  // namespace

std::shared_ptr<backend> make_cpu(const cpu_options& options) {
  return std::make_shared<cpu_backend>(options);
}

}  // namespace pinhole::platform
