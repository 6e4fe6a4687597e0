// JSON that is taken at its word: every member is asked for by name, none may be left over, and
// what is wrong is said with its path.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pinhole::advice {

/// Throws fault::invalid_argument "cannot read the machine profile: <what is wrong>; <allowed>".
[[noreturn]] void refuse_profile(const std::string& what, const std::string& allowed);

/// Text as JSON. Throws for text that is cut off or no JSON, of more than a MiB, of objects more
/// than 8 deep, and of two members with one name.
[[nodiscard]] nlohmann::json parse_strictly(std::string_view text);

/// One object on its way to being read.
class strict_object {
 public:
  /// Throws unless `value` is an object. `path` is "" for the outermost one.
  strict_object(const nlohmann::json& value, std::string path);

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] strict_object object(std::string_view name);
  [[nodiscard]] double number(std::string_view name, double least, double most);
  [[nodiscard]] std::uint64_t whole(std::string_view name, std::uint64_t most);
  /// At most 200 bytes.
  [[nodiscard]] std::string text(std::string_view name);
  [[nodiscard]] std::vector<std::string> names() const;
  /// Throws when a member was not asked for.
  void require_all_read() const;

  [[nodiscard]] std::string path_of(std::string_view name) const;

 private:
  const nlohmann::json& member(std::string_view name, const char* wanted);

  const nlohmann::json* value_;
  std::string path_;
  std::vector<std::string> read_;
};

}  // namespace pinhole::advice
