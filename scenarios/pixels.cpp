// A few pixels of a picture are shaded and the rest stays: is all of the picture copied to the
// host, or do the pixels alone cross the link?
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pinhole/core/units.hpp"
#include "scenarios/asked_number.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossing.hpp"
#include "scenarios/png_file.hpp"
#include "scenarios/shading.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

constexpr picture_size full_picture = {.width = scene::width, .height = scene::height};
constexpr std::uint64_t usual_pixels = 100;

std::string text_of(picture_size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// The largest picture of the usual shape in so many bytes.
picture_size fitting(std::uint64_t bytes) {
  const auto whole = static_cast<double>(full_picture.pixels() * sizeof(rgba));
  const double scale = std::min(1.0, std::sqrt(static_cast<double>(bytes) / whole));
  return {.width = static_cast<std::uint32_t>(full_picture.width * scale),
          .height = static_cast<std::uint32_t>(full_picture.height * scale)};
}

/// Writes the picture as an arm holds it, which by then has been verified.
void write_picture(const std::string& file, picture_size size, sparse_arm<rgba>& of) {
  std::vector<rgba> pixels(size.pixels());
  of.array().read(0, pixels);
  write_png(file, size, pixels);
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t wanted) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  // Pinned: the picture of each placement in host memory, one that is copied, and the expert's
  // list.
  const picture_size size = fitting(fit_to_budget(full_picture.pixels() * sizeof(rgba),
                                                  pinned_among(placements) + 2, made->notes));
  const std::uint64_t count = std::min<std::uint64_t>(wanted, size.pixels());
  made->label = std::to_string(count) + " pixels of " + text_of(size);
  made->unit = "picture";
  made->unmeasured_runs = 1;
  made->notes.emplace_back(
      "the pixels are restored outside the timing; the host reads those that "
      "were shaded");
  if (asked.size) {
    made->notes.emplace_back("--size says nothing here: see --pixels");
  }
  add_arms(*made, asked, shading_job(size, count, asked.seed));
  if (!asked.png_file.empty()) {
    auto& last = dynamic_cast<sparse_arm<rgba>&>(*made->arms.back());
    made->finish = [file = asked.png_file, size, &last] { write_picture(file, size, last); };
  }
  return made;
}

class pixels_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "pixels"; }
  [[nodiscard]] std::string_view summary() const override {
    return "100 pixels of a picture are shaded by sparse ray casting; the rest stays";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    (void)asked_size(asked, name(), 1);
    const std::uint64_t count =
        asked_number("--pixels", asked.pixels, usual_pixels, 1, full_picture.pixels());
    if (!asked.png_file.empty()) {
      check_png(asked.png_file);
    }
    (void)placements_anywhere(asked);
    return {{std::to_string(count) + " pixels of " + text_of(full_picture),
             [=] { return make_trial(asked, count); }}};
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    return what_crosses(measured);
  }
};

}  // namespace

const scenario& pixels() {
  static const pixels_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
