// Builds the text of errors, once.
#include "pinhole/core/error.hpp"

#include <atomic>
#include <utility>

namespace pinhole {

namespace {

std::string text_of(const error_parts& parts) {
  std::string text = "cannot " + parts.asked;
  if (!parts.call.empty()) {
    text += ": " + parts.call;
    text += parts.status.empty() ? " failed" : " failed with " + parts.status;
  } else if (!parts.status.empty()) {
    text += ": " + parts.status;
  }
  if (!parts.remedy.empty()) {
    text += "; " + parts.remedy;
  }
  if (parts.sticky) {
    text += "; the device is lost for this process";
  }
  if (!parts.survives.empty()) {
    text += ", " + parts.survives;
  }
  return text;
}

std::atomic<cleanup_handler>& handler_slot() noexcept {
  static std::atomic<cleanup_handler> slot{nullptr};
  return slot;
}

}  // namespace

std::string_view to_string(fault kind) noexcept {
  switch (kind) {
    case fault::invalid_argument:
      return "invalid_argument";
    case fault::moved_from:
      return "moved_from";
    case fault::out_of_memory:
      return "out_of_memory";
    case fault::over_budget:
      return "over_budget";
    case fault::not_supported:
      return "not_supported";
    case fault::already_registered:
      return "already_registered";
    case fault::cancelled:
      return "cancelled";
    case fault::timed_out:
      return "timed_out";
    case fault::device_failed:
      return "device_failed";
    case fault::io:
      return "io";
    case fault::call_failed:
      break;
  }
  return "call_failed";
}

error::error(error_parts parts)
    : std::runtime_error(text_of(parts)),
      parts_(std::make_shared<const error_parts>(std::move(parts))) {}

cleanup_handler set_cleanup_handler(cleanup_handler handler) noexcept {
  return handler_slot().exchange(handler);
}

namespace detail {

void report_cleanup(const error& failure) noexcept {
  if (const auto handler = handler_slot().load()) {
    handler(failure);
  }
}

void reject(std::string asked, std::string reason) {
  throw error({.kind = fault::invalid_argument,
               .asked = std::move(asked),
               .call = {},
               .status = std::move(reason),
               .remedy = {},
               .sticky = false,
               .survives = {}});
}

}  // namespace detail

}  // namespace pinhole
