// The repair as a kernel. The text may lie in host memory, so each of its bytes is loaded once,
// with its neighbours, into shared memory; what follows works there and in the dictionary.
#include "scenarios/repair.hpp"

namespace pinhole::scenarios::detail {

namespace {

constexpr unsigned quad_bytes = sizeof(uint4);
constexpr unsigned bytes_before = quad_bytes;     // what decides whether a word starts
constexpr unsigned bytes_after = 3 * quad_bytes;  // the rest of a word that starts in the tile
constexpr unsigned most_words = tile_bytes / 2;   // one letter and one space each
constexpr unsigned all_lanes = 0xFFFFFFFFU;
static_assert(bytes_before >= 2 && bytes_after >= longest_word + 2);
static_assert(repair_threads >= (bytes_before + tile_bytes + bytes_after) / quad_bytes);

/// A tile with its surroundings, in shared memory; byte 0 is the tile's first.
struct tile {
  alignas(quad_bytes) char bytes[bytes_before + tile_bytes + bytes_after];
  PINHOLE_HD char operator[](std::ptrdiff_t at) const { return bytes[at + bytes_before]; }
};

/// Words of a tile by their starts, in any order.
struct word_starts {
  unsigned count;
  std::uint16_t at[most_words];
  __device__ void add(unsigned start) {
    at[atomicAdd(&count, 1U)] = static_cast<std::uint16_t>(start);
  }
};

/// Sixteen bytes of the text, spaces outside of it.
__device__ uint4 load_quad(view<const char> text, std::ptrdiff_t first) {
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  if (first >= 0 && first + static_cast<std::ptrdiff_t>(quad_bytes) <= size) {
    return *reinterpret_cast<const uint4*>(text.data() + first);
  }
  uint4 quad;
  auto* const bytes = reinterpret_cast<char*>(&quad);
  for (unsigned i = 0; i < quad_bytes; ++i) {
    const std::ptrdiff_t at = first + i;
    bytes[i] = at >= 0 && at < size ? text[at] : ' ';
  }
  return quad;
}

__device__ void load(tile& here, view<const char> text, std::ptrdiff_t tile_first) {
  const unsigned first = threadIdx.x * quad_bytes;
  if (first < sizeof here.bytes) {
    *reinterpret_cast<uint4*>(here.bytes + first) =
        load_quad(text, tile_first - bytes_before + first);
  }
}

__device__ void find_words(const tile& here, std::size_t bytes, word_starts& words) {
  for (unsigned at = threadIdx.x; at < tile_bytes && at < bytes; at += repair_threads) {
    if (starts_word(here, at)) {
      words.add(at);
    }
  }
}

__device__ void keep_unlisted(const tile& here, const dictionary_view& dictionary,
                              const word_starts& words, word_starts& unlisted) {
  for (unsigned i = threadIdx.x; i < words.count; i += repair_threads) {
    const unsigned length = length_of_word(here, words.at[i]);
    const spelling<tile> word{.text = here, .first = words.at[i], .length = length};
    if (length > 0 && !dictionary.contains(hash_of(word, length), word)) {
      unlisted.add(words.at[i]);
    }
  }
}

__device__ void put(const repair_output& into, std::size_t position, char letter) {
  if (into.list.empty()) {
    into.in_place[position] = letter;
  } else {
    const unsigned entry = 1 + atomicAdd(&into.list[0].position, 1U);
    into.list[entry] = {static_cast<std::uint32_t>(position), letter};
  }
}

/// Work of one warp: each lane tries one letter of the alphabet in every place of the word.
__device__ void repair_word(const tile& here, std::size_t tile_first,
                            const dictionary_view& dictionary, unsigned start,
                            const repair_output& into) {
  const unsigned lane = threadIdx.x % warpSize;
  const bool has_letter = lane < 26;
  const char letter = static_cast<char>(has_letter ? 'a' + lane : 'a');
  const unsigned length = length_of_word(here, start);
  const spelling<tile> word{.text = here, .first = start, .length = length};
  const std::uint64_t hash = hash_of(word, length);
  unsigned found = 0;
  unsigned where = 0;
  std::uint64_t power = 1;
  for (unsigned i = length; i-- > 0; power *= hash_base) {
    if (has_letter && fits(dictionary, word, hash, i, letter, power)) {
      ++found;
      where = i;
    }
  }
  if (__reduce_add_sync(all_lanes, found) == 1 && found == 1) {
    put(into, tile_first + start + where, in_case_of(here[start + where], letter));
  }
}

/// A block repairs the words that start in its tile. A neighbour may repair a letter that this
/// block reads beside its tile; a letter stays a letter, so what is a word here does not change by
/// it.
__global__ void __launch_bounds__(repair_threads)
    repair_text(view<const char> text, dictionary_view dictionary, repair_output into) {
  __shared__ tile here;
  __shared__ word_starts words;
  __shared__ word_starts unlisted;
  const std::size_t tile_first = static_cast<std::size_t>(blockIdx.x) * tile_bytes;
  load(here, text, static_cast<std::ptrdiff_t>(tile_first));
  if (threadIdx.x == 0) {
    words.count = 0;
    unlisted.count = 0;
  }
  __syncthreads();
  find_words(here, text.size() - tile_first, words);
  __syncthreads();
  keep_unlisted(here, dictionary, words, unlisted);
  __syncthreads();
  for (unsigned i = threadIdx.x / warpSize; i < unlisted.count; i += repair_threads / warpSize) {
    repair_word(here, tile_first, dictionary, unlisted.at[i], into);
  }
}

}  // namespace

const void* repair_kernel() {
  return reinterpret_cast<const void*>(&repair_text);
}

}  // namespace pinhole::scenarios::detail
