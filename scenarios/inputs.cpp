// Reads whole files, and says in one line what is wrong with them.
#include "scenarios/inputs.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace pinhole::scenarios {

namespace {

namespace fs = std::filesystem;

/// The folder of the running program; empty where the system does not say.
fs::path program_folder() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).parent_path();
}

fs::path default_file(const input& which) {
  auto places = which.usual;
  if (const auto folder = program_folder(); !folder.empty()) {
    places.insert(places.begin(), folder / which.bundled_name);
  }
  for (const auto& place : places) {
    std::error_code unknown;
    if (fs::is_regular_file(place, unknown)) {
      return place;
    }
  }
  std::string tried;
  for (const auto& place : places) {
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  refuse_input(
      fault::io, which, "",
      "it was not given, and there is none of " + tried + " (" + std::string(which.remedy) + ")");
}

std::string read_whole(const input& which, const fs::path& file) {
  std::error_code failed;
  const auto status = fs::status(file, failed);
  if (!fs::exists(status)) {
    const bool missing = !failed || failed == std::errc::no_such_file_or_directory;
    refuse_input(fault::io, which, file.string(), missing ? "it does not exist" : failed.message());
  }
  if (fs::is_directory(status)) {
    refuse_input(fault::io, which, file.string(), "it is a folder");
  }
  if (!fs::is_regular_file(status)) {
    refuse_input(fault::io, which, file.string(), "it is not a regular file");
  }
  errno = 0;
  std::ifstream from(file, std::ios::binary);
  if (!from) {
    refuse_input(fault::io, which, file.string(),
                 "it cannot be opened (" + std::generic_category().message(errno) + ")");
  }
  std::string all{std::istreambuf_iterator<char>(from), {}};
  if (from.bad()) {
    refuse_input(fault::io, which, file.string(), "it cannot be read to its end");
  }
  return all;
}

/// Control characters other than those that lay out a text.
bool is_binary(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && !(code >= '\t' && code <= '\r')) || code == 0x7F;
}

/// Length of the well-formed sequence at the front of `text`; 0: there is none.
std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  unsigned code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return 0;
    }
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return lead < 0xC0 || lead > 0xF7 || code < least[length] || code > 0x10FFFF || surrogate
             ? 0
             : length;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

void refuse_input(fault kind, const input& which, const std::string& file,
                  const std::string& reason) {
  throw error({.kind = kind,
               .asked = "use " + std::string(which.option) + (file.empty() ? "" : " " + file),
               .call = {},
               .status = reason,
               .remedy = "allowed is " + std::string(which.what),
               .sticky = false,
               .survives = {}});
}

std::string read_input(const input& which, const std::string& chosen) {
  const fs::path file = chosen.empty() ? default_file(which) : fs::path(chosen);
  std::string all = read_whole(which, file);
  if (all.empty()) {
    refuse_input(fault::invalid_argument, which, file.string(), "it is empty");
  }
  if (std::ranges::any_of(all, is_binary)) {
    refuse_input(fault::invalid_argument, which, file.string(), "it is binary");
  }
  if (!is_utf8(all)) {
    refuse_input(fault::invalid_argument, which, file.string(), "it is not UTF-8");
  }
  return all;
}

}  // namespace pinhole::scenarios
