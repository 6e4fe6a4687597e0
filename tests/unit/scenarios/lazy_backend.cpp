// Passes calls on, or pretends to.
#include "tests/unit/scenarios/lazy_backend.hpp"

namespace pinhole::test {

using namespace scenarios;

platform::status lazy_backend::launch(const launch_request& what, platform::native_stream work) {
  return skips_kernels ? platform::status{} : faulty_backend::launch(what, work);
}

platform::status lazy_backend::copy_async(void* to, const void* from, std::size_t bytes,
                                          platform::copy_way way, platform::native_stream work) {
  return skips_copies ? platform::status{} : faulty_backend::copy_async(to, from, bytes, way, work);
}

platform::status lazy_backend::copy_now(void* to, const void* from, std::size_t bytes,
                                        platform::copy_way way) {
  return skips_copies ? platform::status{} : faulty_backend::copy_now(to, from, bytes, way);
}

std::vector<finding> wrong_arms(std::string_view scenario, const settings& asked,
                                lazy_backend& lazy, bool lazy_backend::* skipping) {
  std::vector<finding> found;
  for (const auto& planned : find(scenario)->plan(asked)) {
    const auto made = planned.make();
    for (const auto& one : made->arms) {
      one->prepare();
      lazy.*skipping = true;
      try {
        one->run();
        lazy.*skipping = false;
        if (const auto difference = one->check()) {
          found.push_back({one->name(), *difference});
        }
      } catch (const error& noticed) {
        found.push_back({one->name(), noticed.what()});
      }
      lazy.*skipping = false;
    }
  }
  return found;
}

}  // namespace pinhole::test
