// What an access kernel left out, because it was asked for what is not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pinhole/access/row_copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"

namespace pinhole {

namespace detail {
void launch_rows(const stream_ref& work, row_copy what, const struct row_launch& how);
}  // namespace detail

/// Give one to an access function to learn which indices were out of range: they are skipped, and
/// counted here. Holds the result of the last launch that it was given to, once the stream was
/// waited for. One thread at a time; one launch at a time.
class access_report {
 public:
  /// Throws what a mapped buffer throws.
  explicit access_report(const device& where);

  /// How many indices were out of range.
  [[nodiscard]] std::uint64_t skipped() const;
  /// The position in the list of the first of them.
  [[nodiscard]] std::optional<std::uint64_t> first() const;
  /// Throws fault::invalid_argument, naming the first, unless all were in range. `asked` completes
  /// "cannot ...".
  void require_none(const std::string& asked) const;

 private:
  friend void detail::launch_rows(const stream_ref&, detail::row_copy, const detail::row_launch&);
  static constexpr unsigned most_blocks = 1024;
  mapped_buffer<detail::block_report> of_block_;
  unsigned blocks_ = 0;  // of the last launch
};

}  // namespace pinhole
