// How tests ask for an error: by its kind, and by what its text must name.
#pragma once

#include <functional>
#include <initializer_list>
#include <mutex>
#include <source_location>
#include <string_view>
#include <vector>

#include "pinhole/core/error.hpp"

namespace pinhole::test {

/// Fails the test unless `action` throws a pinhole::error of this kind whose text holds all
/// `parts`.
void expect_error(fault kind, std::initializer_list<std::string_view> parts,
                  const std::function<void()>& action,
                  std::source_location from = std::source_location::current());

/// Collects what the cleanup handler gets while it lives; one at a time.
class cleanup_log {
 public:
  cleanup_log();
  ~cleanup_log();
  cleanup_log(const cleanup_log&) = delete;
  cleanup_log& operator=(const cleanup_log&) = delete;

  [[nodiscard]] std::vector<error> errors() const;

 private:
  static void receive(const error& failure) noexcept;
  cleanup_handler before_;
};

}  // namespace pinhole::test
