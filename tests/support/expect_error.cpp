// Compares what was thrown with what was expected.
#include "tests/support/expect_error.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace pinhole::test {

namespace {

// The handler is a plain function, so what it collects is global.
std::mutex log_mutex;
std::vector<error> log_entries;

}  // namespace

void expect_error(fault kind, std::initializer_list<std::string_view> parts,
                  const std::function<void()>& action, std::source_location from) {
  const auto line = static_cast<int>(from.line());
  try {
    action();
  } catch (const error& thrown) {
    const std::string text = thrown.what();
    if (thrown.kind() != kind) {
      ADD_FAILURE_AT(from.file_name(), line)
          << "expected " << to_string(kind) << ", got " << to_string(thrown.kind()) << ": " << text;
    }
    for (const auto part : parts) {
      if (text.find(part) == std::string::npos) {
        ADD_FAILURE_AT(from.file_name(), line)
            << "the message does not name '" << part << "': " << text;
      }
    }
    return;
  } catch (const std::exception& other) {
    ADD_FAILURE_AT(from.file_name(), line)
        << "expected a pinhole::error, got another exception: " << other.what();
    return;
  }
  ADD_FAILURE_AT(from.file_name(), line)
      << "expected " << to_string(kind) << ", but nothing was thrown";
}

cleanup_log::cleanup_log() : before_(set_cleanup_handler(&cleanup_log::receive)) {
  const std::lock_guard lock(log_mutex);
  log_entries.clear();
}

cleanup_log::~cleanup_log() {
  set_cleanup_handler(before_);
}

std::vector<error> cleanup_log::errors() const {
  const std::lock_guard lock(log_mutex);
  return log_entries;
}

void cleanup_log::receive(const error& failure) noexcept {
  const std::lock_guard lock(log_mutex);
  log_entries.push_back(failure);
}

}  // namespace pinhole::test
