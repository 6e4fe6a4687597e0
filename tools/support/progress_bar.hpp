// Shows how far long work is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pinhole::tool {

/// One line on standard error, redrawn in place at most every 100 ms. Wipe it before anything else
/// is printed. Where standard error is no terminal nothing is shown, unless `otherwise` is given:
/// then a plain line as often as that.
class progress_bar {
 public:
  explicit progress_bar(std::chrono::seconds otherwise = std::chrono::seconds::zero());
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;             // there is one line
  progress_bar& operator=(const progress_bar&) = delete;  // there is one line

  /// `done` from 0 to 1.
  void show(std::string_view what, double done);
  void wipe() noexcept;

 private:
  bool on_terminal_;
  std::chrono::seconds otherwise_;
  bool visible_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace pinhole::tool
