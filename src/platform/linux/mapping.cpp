// mmap, madvise, and a pipe that reads memory on our behalf.
#include "platform/linux/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace pinhole::platform {

void keep_from_children(void* mapping, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(mapping) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(mapping) + bytes;
  // Where the kernel refuses, the driver has already said that children do not get the mapping.
  static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTFORK));
}

bool can_be_read(const void* address) noexcept {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return true;  // out of descriptors: nothing is known against it
  }
  const bool read =
      write(ends[1], address, 1) == 1;  // the kernel answers EFAULT where we would die
  close(ends[0]);
  close(ends[1]);
  return read;
}

void* map_shared(int file, std::size_t bytes) noexcept {
  void* const got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return got != MAP_FAILED ? got : nullptr;
}

void* map_own_pages(std::size_t bytes) noexcept {
  constexpr std::uintptr_t huge = std::uintptr_t{2} << 20U;
  if (bytes > SIZE_MAX - 2 * huge) {
    return nullptr;
  }
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* const got = mmap(nullptr, whole + huge, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    return nullptr;
  }
  // More was mapped than is needed, and what lies before and behind the aligned part is given back.
  const auto mapped = reinterpret_cast<std::uintptr_t>(got);
  const auto first = (mapped + huge - 1) / huge * huge;
  const std::size_t before = first - mapped;
  if (before > 0) {
    munmap(got, before);
  }
  munmap(reinterpret_cast<void*>(first + whole), huge - before);
  auto* const pages = reinterpret_cast<void*>(first);
  // A kernel without either still gives the pages, only slower or also to children.
  static_cast<void>(madvise(pages, whole, MADV_HUGEPAGE));
  static_cast<void>(madvise(pages, whole, MADV_DONTFORK));
  return pages;
}

void unmap(void* mapping, std::size_t bytes) noexcept {
  munmap(mapping, bytes);
}

void close_file(int file) noexcept {
  close(file);
}

const char* errno_name(int number) noexcept {
  constexpr int enotsupp = 524;  // of the kernel's own list
  const char* const name = number == enotsupp ? "ENOTSUPP" : strerrorname_np(number);
  return name != nullptr ? name : "an unknown errno";
}

}  // namespace pinhole::platform
