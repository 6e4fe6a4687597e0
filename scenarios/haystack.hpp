// The file that `scan` searches, and the plain count of what is in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinhole::scenarios {

/// A file of random letters, among which the needle stands here and there, also at both ends. It
/// lies in the folder for temporary files and is removed at the end. The file was written just now,
/// so the page cache holds it.
class haystack {
 public:
  static constexpr std::string_view needle = "zerocopy";

  /// Throws fault::io when the file cannot be written. Pre: bytes > 0.
  haystack(std::uint64_t bytes, std::uint64_t seed);
  ~haystack();
  haystack(const haystack&) = delete;             // removes a file
  haystack& operator=(const haystack&) = delete;  // removes a file

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Spoils one of the needles, or mends one that was spoiled, in the file: the count changes.
  void change();
  /// How often the needle is in the file, by reading it the plain way.
  [[nodiscard]] std::uint64_t count() const;

 private:
  void write_all(std::uint64_t seed);

  std::string path_;
  std::uint64_t bytes_;
  std::vector<std::uint64_t> needles_;  // where they are
  std::uint64_t changes_ = 0;
};

}  // namespace pinhole::scenarios
