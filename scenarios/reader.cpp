// Writes the words, and sums them up the plain way.
#include "scenarios/reader.hpp"

#include <algorithm>

#include "pinhole/core/units.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t sector = 32;        // bytes: the least that a device reads
constexpr std::size_t most_changed = 4096;  // words that the host rewrites between runs

/// Mixes two numbers into one that depends on every bit of both.
std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
  std::uint32_t x = a * 0x9E3779B9U + b;
  x = (x ^ (x >> 16U)) * 0x85EBCA6BU;
  x = (x ^ (x >> 13U)) * 0xC2B2AE35U;
  return x ^ (x >> 16U);
}

std::uint64_t plain_sum(std::span<const std::uint32_t> words, std::size_t stride) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); i += stride) {
    sum += words[i];
  }
  return sum;
}

}  // namespace

std::uint64_t reading_job::bytes_read() const noexcept {
  return std::min<std::uint64_t>(bytes(), pattern.reads() * sector);
}

void reader::prepare() {
  total_ = 0;
  write(host_words());
  after_writing();
}

void reader::write(std::span<std::uint32_t> words) {
  ++writes_;
  if (writes_ == 1) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = mix(static_cast<std::uint32_t>(i), writes_);
    }
    return;
  }
  const std::size_t reads = job_.pattern.reads();
  const std::size_t changed = std::min(reads, most_changed);
  for (std::size_t i = 0; i < changed; ++i) {
    const std::size_t read = changed == 1 ? 0 : i * (reads - 1) / (changed - 1);
    words[read * job_.pattern.stride] = mix(static_cast<std::uint32_t>(read), writes_);
  }
}

void reader::take(std::span<const std::uint64_t> sums) {
  for (const std::uint64_t sum : sums) {
    total_ += sum;
  }
}

std::optional<std::string> reader::check() {
  const std::uint64_t expected = job_.passes * plain_sum(host_words(), job_.pattern.stride);
  if (total_ == expected) {
    return std::nullopt;
  }
  return "sum of words 0 to " + std::to_string(job_.pattern.words - 1) + " (one in " +
         std::to_string(job_.pattern.stride) + ", " + std::to_string(job_.passes) +
         " passes): expected " + std::to_string(expected) + ", got " + std::to_string(total_);
}

}  // namespace pinhole::scenarios
