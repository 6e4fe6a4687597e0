// The list of buffers under test.
#include "tests/conformance/buffer_kinds.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "pinhole/memory/pinned_pool.hpp"
#include "pinhole/memory/pinned_view.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole::test {

namespace {

template <class Buffer, class... Options>
buffer_kind owned(std::string name, placement placed, const Options&... options) {
  return {std::move(name), placed, [options...](const device& where, std::size_t count) {
            return made_buffer{nullptr, Buffer(where, count, options...)};
          }};
}

made_buffer registered_vector(const device& where, std::size_t count) {
  // One element more on each side, so that the span is not aligned to anything.
  auto users = std::make_shared<std::vector<int>>(count + 2);
  registered_buffer<int> buffer(where, std::span(*users).subspan(1, count));
  return {std::move(users), std::move(buffer)};
}

made_buffer registered_counted(const device& where, std::size_t count) {
  auto users = std::make_shared<std::vector<int>>(count + 2);
  registered_buffer<int> buffer(where, std::span(*users).subspan(1, count),
                                {.again = repeated::counted});
  return {std::move(users), std::move(buffer)};
}

made_buffer view_of_mapped(const device& where, std::size_t count) {
  auto lender = std::make_shared<mapped_buffer<int>>(where, count);
  pinned_view<int> buffer(where, lender->host());
  return {std::move(lender), std::move(buffer)};
}

made_buffer mapped_pages(const device& where, std::size_t count) {
  where.tuning().pin_pages_from = 1;
  return {nullptr, mapped_buffer<int>(where, count)};
}

made_buffer from_pool(const device& where, std::size_t count) {
  auto pool = std::make_shared<pinned_pool>(where, pool_options{.block_bytes = 4096});
  pooled_buffer<int> buffer(*pool, count);
  return {std::move(pool), std::move(buffer)};
}

}  // namespace

std::vector<buffer_kind> buffer_kinds() {
  const staged_options pageable{.host = host_memory::pageable};
  const mapped_options write_combined{.caching = host_caching::write_combined};
  const mapped_options portable{.visible_to = visibility::all_devices};
  const managed_options migrating{.home = home::migrating};
  std::vector<buffer_kind> kinds = {
      owned<staged_buffer<int>>("staged", placement::staged),
      owned<staged_buffer<int>>("staged_pageable", placement::staged, pageable),
      owned<mapped_buffer<int>>("mapped", placement::mapped),
      owned<mapped_buffer<int>>("mapped_write_combined", placement::mapped, write_combined),
      owned<mapped_buffer<int>>("mapped_portable", placement::mapped, portable),
      {"mapped_pages", placement::mapped, mapped_pages},
      {"pooled", placement::mapped, from_pool},
      owned<managed_buffer<int>>("managed", placement::managed),
      owned<managed_buffer<int>>("managed_migrating", placement::managed, migrating),
      {"registered", placement::registered, registered_vector},
      {"registered_counted", placement::registered, registered_counted},
      {"pinned_view", placement::registered, view_of_mapped},
  };
  for (const auto how : all_placements()) {
    kinds.push_back(
        {"any_" + std::string(to_string(how)), how, [how](const device& where, std::size_t count) {
           return made_buffer{nullptr, make_buffer<int>(where, count, how)};
         }});
  }
  return kinds;
}

std::optional<std::string> why_not_supported(const buffer_kind& kind, const device& where) {
  try {
    static_cast<void>(kind.make(where, 1));
  } catch (const error& refused) {
    if (refused.kind() == fault::not_supported) {
      return refused.what();
    }
    throw;
  }
  where.collect();
  return std::nullopt;
}

void expect_round_trip(any_buffer<int>& buffer, const stream_ref& work) {
  const auto values = buffer.host();
  std::iota(values.begin(), values.end(), 5);
  buffer.to_device(work);
  add(work, buffer.device(), 3);
  buffer.to_host(work);
  work.wait(std::chrono::seconds(60));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], static_cast<int>(i) + 8) << "element " << i;
  }
}

}  // namespace pinhole::test
