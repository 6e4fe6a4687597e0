// The copies of x86-64. Each function is compiled for the instructions that it uses, so that the
// library as a whole runs on any of these CPUs.
#include "memory/wc_copy_x86.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include "memory/wc_lines.hpp"

namespace pinhole::detail {

namespace {

void store_lines_sse2(std::byte* far, const std::byte* near, std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    const auto* const from = reinterpret_cast<const __m128i*>(near);
    auto* const to = reinterpret_cast<__m128i*>(far);
    const __m128i a = _mm_loadu_si128(from);
    const __m128i b = _mm_loadu_si128(from + 1);
    const __m128i c = _mm_loadu_si128(from + 2);
    const __m128i d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
  }
}

__attribute__((target("avx2"))) void store_lines_avx2(std::byte* far, const std::byte* near,
                                                      std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    const auto* const from = reinterpret_cast<const __m256i*>(near);
    auto* const to = reinterpret_cast<__m256i*>(far);
    const __m256i a = _mm256_loadu_si256(from);
    const __m256i b = _mm256_loadu_si256(from + 1);
    _mm256_stream_si256(to, a);
    _mm256_stream_si256(to + 1, b);
  }
}

__attribute__((target("avx512f"))) void store_lines_avx512(std::byte* far, const std::byte* near,
                                                           std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(far), _mm512_loadu_si512(near));
  }
}

__attribute__((target("movdir64b"))) void store_lines_movdir64b(std::byte* far,
                                                                const std::byte* near,
                                                                std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    _movdir64b(far, near);
  }
}

// Loads: each line is a packet with a round trip of about a microsecond, so what counts is how many
// are under way. These loops depend on nothing, and the CPU runs ahead in them by itself.

__attribute__((target("sse4.1"))) void load_lines_sse41(std::byte* near, const std::byte* far,
                                                        std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    auto* const from = reinterpret_cast<__m128i*>(const_cast<std::byte*>(far));
    auto* const to = reinterpret_cast<__m128i*>(near);
    const __m128i a = _mm_stream_load_si128(from);
    const __m128i b = _mm_stream_load_si128(from + 1);
    const __m128i c = _mm_stream_load_si128(from + 2);
    const __m128i d = _mm_stream_load_si128(from + 3);
    _mm_storeu_si128(to, a);
    _mm_storeu_si128(to + 1, b);
    _mm_storeu_si128(to + 2, c);
    _mm_storeu_si128(to + 3, d);
  }
}

__attribute__((target("avx2"))) void load_lines_avx2(std::byte* near, const std::byte* far,
                                                     std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    const auto* const from = reinterpret_cast<const __m256i*>(far);
    auto* const to = reinterpret_cast<__m256i*>(near);
    const __m256i a = _mm256_stream_load_si256(from);
    const __m256i b = _mm256_stream_load_si256(from + 1);
    _mm256_storeu_si256(to, a);
    _mm256_storeu_si256(to + 1, b);
  }
}

__attribute__((target("avx512f"))) void load_lines_avx512(std::byte* near, const std::byte* far,
                                                          std::size_t lines) {
  for (; lines > 0; --lines, far += line_bytes, near += line_bytes) {
    _mm512_storeu_si512(near, _mm512_stream_load_si512(const_cast<std::byte*>(far)));
  }
}

/// Not among the features that g++ and clang both know by name.
bool has_movdir64b() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c >> 28U & 1U) != 0;
}

}  // namespace

std::size_t x86_wc_copies(std::span<wc_copies> into) noexcept {
  __builtin_cpu_init();
  std::size_t count = 0;
  if (!__builtin_cpu_supports("sse4.1")) {
    return count;  // streaming loads are younger than streaming stores
  }
  auto load = load_by<load_lines_sse41>;
  into[count++] = {wc_method::sse2, store_by<store_lines_sse2>, load};
  if (has_movdir64b()) {
    into[count++] = {wc_method::movdir64b, store_by<store_lines_movdir64b>, load};
  }
  if (__builtin_cpu_supports("avx2")) {
    load = load_by<load_lines_avx2>;
    into[count++] = {wc_method::avx2, store_by<store_lines_avx2>, load};
  }
  if (__builtin_cpu_supports("avx512f")) {
    load = load_by<load_lines_avx512>;
    into[count++] = {wc_method::avx512, store_by<store_lines_avx512>, load};
  }
  return count;
}

}  // namespace pinhole::detail

#endif
