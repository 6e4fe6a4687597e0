// open, mmap, and pread.
#include "platform/linux/file_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "pinhole/core/error.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/linux/system_error.hpp"

namespace pinhole::platform {

namespace {

/// The bytes of a regular file; throws for anything else.
std::uint64_t size_of(int file, const std::string& asked) {
  struct stat facts{};
  if (fstat(file, &facts) != 0) {
    throw system_error(asked, "fstat", errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    detail::reject(asked, S_ISDIR(facts.st_mode) ? "it is a folder" : "it is no regular file");
  }
  return static_cast<std::uint64_t>(facts.st_size);
}

}  // namespace

file_mapping::file_mapping(const std::string& path, file_access access, std::uint64_t first,
                           std::size_t bytes, bool read_ahead)
    : path_(path), offset_(first) {
  const std::string asked = "map the file " + path;
  // Not blocking: a pipe would wait for its other end before it can be refused.
  file_mapping opened;
  const int rights = access == file_access::shared_writable ? O_RDWR : O_RDONLY;
  opened.file_ = open(path.c_str(), rights | O_CLOEXEC | O_NONBLOCK);
  if (opened.file_ < 0) {
    throw system_error(asked, "open", errno);
  }
  const auto size = size_of(opened.file_, asked);
  if (first > size || (bytes != SIZE_MAX && bytes > size - first)) {
    detail::reject(asked, "the range from " + std::to_string(first) +
                              " on reaches past its end at " + std::to_string(size));
  }
  bytes_ = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size - first));
  if (bytes_ > 0) {
    const std::uint64_t lead = first % page_size();
    const int may = access == file_access::shared_read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    const int kind = access == file_access::private_writable ? MAP_PRIVATE : MAP_SHARED;
    void* const mapped =
        mmap(nullptr, bytes_ + lead, may, kind, opened.file_, static_cast<off_t>(first - lead));
    if (mapped == MAP_FAILED) {
      throw system_error(asked, "mmap", errno);
    }
    // Hints: without them the same happens, only later.
    static_cast<void>(madvise(mapped, bytes_ + lead, MADV_DONTFORK));
    if (read_ahead) {
      static_cast<void>(madvise(mapped, bytes_ + lead, MADV_WILLNEED));
    }
    data_ = static_cast<std::byte*>(mapped) + lead;
  }
  file_ = std::exchange(opened.file_, -1);
}

file_mapping::file_mapping(file_mapping&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      offset_(other.offset_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

file_mapping& file_mapping::operator=(file_mapping&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(offset_, other.offset_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

file_mapping::~file_mapping() {
  if (data_ != nullptr) {
    const std::uint64_t lead = offset_ % page_size();
    munmap(data_ - lead, bytes_ + lead);
  }
  if (file_ >= 0) {
    close(file_);
  }
}

void file_mapping::read(std::size_t first, void* out, std::size_t count) const {
  auto* to = static_cast<char*>(out);
  while (count > 0) {
    const auto got = pread(file_, to, count, static_cast<off_t>(offset_ + first));
    if (got < 0 && errno != EINTR) {
      throw system_error("read the mapped file " + path_, "pread", errno);
    }
    if (got == 0) {
      throw error({.kind = fault::io,
                   .asked = "read the mapped file " + path_,
                   .call = {},
                   .status = "it has become shorter than it was when it was mapped",
                   .remedy = "map it again; touching the missing part through host() would end the "
                             "process",
                   .sticky = false,
                   .survives = {}});
    }
    if (got > 0) {
      to += got;
      first += static_cast<std::size_t>(got);
      count -= static_cast<std::size_t>(got);
    }
  }
}

}  // namespace pinhole::platform
