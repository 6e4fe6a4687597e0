// memfd_create gives memory that is mapped twice, as VRAM is.
#include "tests/support/fake_gpu.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace pinhole::test {

using platform::outcome;
using platform::status;

class fake_gpu::file {
 public:
  explicit file(int number) : number_(number) {
    if (number < 0) {
      throw std::runtime_error("a fake GPU has no file for its memory");
    }
  }
  ~file() { close(number_); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  static int of_size(std::size_t bytes) {
    const int made = memfd_create("a fake GPU", MFD_CLOEXEC);
    return ftruncate(made, static_cast<off_t>(bytes)) == 0 ? made : -1;
  }
  [[nodiscard]] int copy() const { return fcntl(number_, F_DUPFD_CLOEXEC, 0); }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

class fake_gpu::mapped_file {
 public:
  mapped_file(int number, std::size_t bytes)
      : of_(number),
        bytes_(bytes),
        at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)) {
    if (at_ == MAP_FAILED) {
      throw std::runtime_error("a fake GPU has no memory");
    }
  }
  ~mapped_file() { munmap(at_, bytes_); }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  [[nodiscard]] const file& of() const noexcept { return of_; }
  [[nodiscard]] void* at() const noexcept { return at_; }

 private:
  file of_;
  std::size_t bytes_;
  void* at_;
};

fake_gpu::fake_gpu() {
  identity.uuid.fill(7);
  identity.memory_bytes = std::uint64_t{256} << 20U;
}

fake_gpu::~fake_gpu() = default;

void fake_gpu::reset() {
  memory_.clear();
  imports_.clear();
}

status fake_gpu::result_of(const char* call) const noexcept {
  return call == failing ? status{failure, call, "a fake reason"} : status{};
}

status fake_gpu::identify(platform::gpu_identity& into) {
  into = identity;
  return result_of("identify");
}

status fake_gpu::is_coherent(bool& into) {
  into = coherent;
  return result_of("is_coherent");
}

/// Of more than 64 MiB only the address is real.
status fake_gpu::allocate(std::size_t bytes, void*& out) {
  const auto result = result_of("allocate");
  if (result.ok()) {
    const auto real = std::min(bytes, std::size_t{64} << 20U);
    auto made = std::make_unique<mapped_file>(file::of_size(real), real);
    out = made->at();
    memory_[out] = std::move(made);
  }
  return result;
}

status fake_gpu::allocate_managed(std::size_t bytes, void*& out) {
  const auto result = result_of("allocate_managed");
  return result.ok() ? allocate(bytes, out) : result;
}

status fake_gpu::free(void* memory) {
  const auto result = result_of("free");
  if (result.what == outcome::not_permitted) {
    return result;
  }
  return memory_.erase(memory) == 1 ? result
                                    : status{outcome::invalid_value, "free", "no such memory"};
}

status fake_gpu::prefer_device(void* /*managed*/, std::size_t /*bytes*/) {
  return result_of("prefer_device");
}

status fake_gpu::map_for_cpu(void* /*managed*/, std::size_t /*bytes*/) {
  return result_of("map_for_cpu");
}

status fake_gpu::move_to_device(void* /*managed*/, std::size_t /*bytes*/) {
  return result_of("move_to_device");
}

status fake_gpu::export_dma_buf(void* memory, std::size_t /*bytes*/, int& out) {
  const auto result = result_of("export_dma_buf");
  if (result.ok()) {
    out = exports == dma_buf::of_memory       ? memory_.at(memory)->of().copy()
          : exports == dma_buf::without_pages ? file::of_size(0)
                                              : open("/dev/null", O_RDWR | O_CLOEXEC);
  }
  return result;
}

status fake_gpu::import_file(int number, std::size_t /*bytes*/, void*& imported) {
  const auto result = result_of("import_file");
  if (result.ok()) {
    auto made = std::make_unique<file>(number);
    imported = made.get();
    imports_[imported] = std::move(made);
  }
  return result;
}

status fake_gpu::map_import(void* imported, std::size_t bytes, void*& on_device) {
  const auto result = result_of("map_import");
  if (result.ok()) {
    auto made = std::make_unique<mapped_file>(imports_.at(imported)->copy(), bytes);
    on_device = made->at();
    memory_[on_device] = std::move(made);
  }
  return result;
}

/// A real driver may well crash on a handle that dangles.
status fake_gpu::drop_import(void* imported) {
  if (imports_.erase(imported) == 0) {
    throw std::logic_error("a handle was used that a reset had taken away");
  }
  return result_of("drop_import");
}

status fake_gpu::copy_to_device(void* on_device, const void* from, std::size_t bytes) {
  const auto result = result_of("copy_to_device");
  if (result.ok() && !cpu_is_blind) {
    std::memcpy(on_device, from, bytes);
  }
  return result;
}

status fake_gpu::copy_to_host(void* to, const void* on_device, std::size_t bytes) {
  const auto result = result_of("copy_to_host");
  if (result.ok() && !device_is_blind) {
    std::memcpy(to, on_device, bytes);
  }
  return result;
}

}  // namespace pinhole::test
