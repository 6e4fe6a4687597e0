// Makes the pages of fresh memory by several threads at once, next to the device.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pinhole/platform/device.hpp"

namespace pinhole::detail {

/// Throws fault::out_of_memory when the machine or a cgroup of the process has less RAM than that,
/// for sizes that can matter.
/// The kernel would promise it all the same, and end the process when the pages are touched.
void require_fits_memory(std::size_t bytes, const std::string& asked);

/// Threads that touch a range from its first page to its last, one byte of each page, by writing 0.
/// A page from the operating system is in RAM afterwards, on the NUMA node of its thread: the
/// threads run on the CPUs next to the device where those are known. They begin at once, so that
/// whoever goes over the range next finds the pages there.
class page_touch {
 public:
  /// Starts all but one of tuning.pin_threads. The last is the caller, when it joins in.
  page_touch(const device& where, std::byte* first, std::size_t bytes);
  /// Waits for the threads, which leave what they have not begun.
  ~page_touch();
  page_touch(const page_touch&) = delete;             // threads refer to it
  page_touch& operator=(const page_touch&) = delete;  // threads refer to it

  /// Touches along until all pages are there. `progress`, which may be empty, hears the share that
  /// was begun after each piece of the caller's; once it says false the rest is left out, and so
  /// does this return false.
  bool join_in(const std::function<bool(double)>& progress);

 private:
  bool touch_piece() noexcept;
  void wait() noexcept;

  std::byte* first_;
  std::size_t bytes_;
  std::atomic<std::size_t> next_{0};  // what nobody has begun yet
  std::vector<std::thread> threads_;
};

}  // namespace pinhole::detail
