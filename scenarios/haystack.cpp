// Writes the file, and counts by std::string_view::find.
#include "scenarios/haystack.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "pinhole/core/error.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t one_needle_in = 100'000;  // bytes
constexpr std::uint64_t written_at_once = 1U << 20U;

[[noreturn]] void throw_failed(const std::string& asked, const char* call,
                               const std::error_code& why) {
  throw error({.kind = fault::io,
               .asked = asked,
               .call = call,
               .status = why.message(),
               .remedy = "choose a folder with room by TMPDIR, or a smaller --size",
               .sticky = false,
               .survives = {}});
}
std::error_code last_error() {
  return {errno, std::generic_category()};
}

std::string new_path() {
  std::error_code failed;
  const auto folder = std::filesystem::temp_directory_path(failed);
  if (failed) {
    throw_failed("find a folder for the file to be scanned", "temp_directory_path", failed);
  }
  std::random_device random;
  const auto name = "pinhole-scan-" + std::to_string(random()) + std::to_string(random());
  return (folder / name).string();
}

/// Places in order, at least a needle apart, the first and the last that there are among them.
std::vector<std::uint64_t> places_for_needles(std::uint64_t bytes, std::minstd_rand& random) {
  const std::uint64_t length = haystack::needle.size();
  std::vector<std::uint64_t> places;
  if (bytes >= length) {
    places.push_back(0);
  }
  while (bytes >= length && places.back() + 2 * length <= bytes) {
    const std::uint64_t next = places.back() + length + random() % (2 * one_needle_in);
    places.push_back(std::min(next, bytes - length));
  }
  return places;
}

}  // namespace

haystack::haystack(std::uint64_t bytes, std::uint64_t seed) : path_(new_path()), bytes_(bytes) {
  try {
    write_all(seed);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    throw;
  }
}

haystack::~haystack() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void haystack::write_all(std::uint64_t seed) {
  std::minstd_rand random(static_cast<unsigned>(seed) | 1U);
  needles_ = places_for_needles(bytes_, random);
  std::string letters(written_at_once + 997, ' ');  // no multiple of what is written at once
  std::ranges::generate(letters, [&] { return needle[random() % needle.size()]; });
  std::ofstream file(path_, std::ios::binary);
  for (std::uint64_t done = 0; done < bytes_ && file; done += written_at_once) {
    const auto count = std::min(written_at_once, bytes_ - done);
    file.write(letters.data() + random() % 997, static_cast<std::streamsize>(count));
  }
  for (const std::uint64_t place : needles_) {
    file.seekp(static_cast<std::streamoff>(place));
    file << needle;
  }
  file.close();
  if (!file) {
    throw_failed("write the file " + path_ + " to be scanned", "write", last_error());
  }
}

void haystack::change() {
  if (needles_.empty()) {
    return;
  }
  const auto which = changes_ % needles_.size();
  const bool is_spoiled = changes_ / needles_.size() % 2 == 1;
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(needles_[which]));
  file.put(is_spoiled ? needle.front() : '-');
  file.close();
  if (!file) {
    throw_failed("change the file " + path_ + " to be scanned", "write", last_error());
  }
  ++changes_;
}

std::uint64_t haystack::count() const {
  std::ifstream file(path_, std::ios::binary);
  std::string piece;
  std::uint64_t found = 0;
  for (std::uint64_t done = 0; done < bytes_;) {
    // The end of the piece before comes first: a needle may lie across.
    piece.erase(0, piece.size() - std::min(piece.size(), needle.size() - 1));
    const auto kept = piece.size();
    const auto more = std::min(written_at_once, bytes_ - done);
    piece.resize(kept + more);
    if (!file.read(&piece[kept], static_cast<std::streamsize>(more))) {
      throw_failed("read the file " + path_ + " that was scanned", "read", last_error());
    }
    done += more;
    for (auto at = piece.find(needle); at != std::string::npos; at = piece.find(needle, at + 1)) {
      ++found;
    }
  }
  return found;
}

}  // namespace pinhole::scenarios
