// The work of an access pattern, done on a real device: what calibration times, and what shows
// whether the advice was right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/touch.hpp"
#include "pinhole/advice/access_pattern.hpp"
#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/mapped_buffer.hpp"

namespace pinhole::advice {

/// Calls of one pattern over the first bytes of a buffer in any placement. A call is all that an
/// expert would do with it: the host writes the touched units where the buffer is, hands them over
/// (staged: copies everything, or run by run), a kernel touches them, and the host waits, takes
/// them back and reads them.
class pattern_work {
 public:
  /// `words` has at least pattern.bytes and outlives this. `copies_runs` is for staged alone. Fills
  /// the touched units, on both sides of a staged buffer, and waits.
  pattern_work(const stream_ref& work, basic_buffer<std::uint32_t>& words,
               const access_pattern& pattern, bool copies_runs, std::uint32_t key);

  /// Makes what the next call's host writes. Not part of the work.
  void prepare();
  void call();
  /// After a call: empty when it did its work, else what is wrong. Of very many runs the host looks
  /// at some.
  [[nodiscard]] std::optional<std::string> check();

 private:
  void host_writes();
  /// At most about `most_runs` of the runs, from all over.
  void host_reads(std::uint32_t most_runs);
  void copy_up();
  void copy_down();
  void make_content(std::uint32_t tag);
  template <class Visit>
  void for_each_part(Visit&& visit, std::uint32_t step = 1);

  stream_ref work_;
  basic_buffer<std::uint32_t>* words_;
  access_pattern pattern_;
  touch_plan plan_;
  std::size_t size_;
  bool copies_runs_;
  bool is_staged_;
  mapped_buffer<std::uint64_t> sums_;
  std::vector<std::uint32_t> content_;  ///< what the host writes, for any run
  std::vector<std::uint32_t> seen_;     ///< what the host read, of a part of a run
  std::uint32_t calls_ = 0;
  std::uint32_t tag_before_ = 0;   ///< of the words as the kernel finds them
  std::uint32_t wrong_words_ = 0;  ///< first words of parts that the host did not expect
};

}  // namespace pinhole::advice
