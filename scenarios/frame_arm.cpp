// Takes frames from the camera in time, and compares what was found in them.
#include "scenarios/frame_arm.hpp"

#include <chrono>

namespace pinhole::scenarios {

namespace {

using clock = metronome::clock;

constexpr const char* colour_names[colours] = {"blue", "violet", "red", "yellow", "green", "cyan"};

std::string text_of(const box& one) {
  if (one.pixels == 0) {
    return "nothing";
  }
  return std::to_string(one.pixels) + " pixels from " + std::to_string(one.left) + "," +
         std::to_string(one.top) + " to " + std::to_string(one.right) + "," +
         std::to_string(one.bottom);
}

}  // namespace

video_job::video_job(std::uint64_t seed)
    : source(seed), convert(make_converter()), background(frame_bytes) {
  for (unsigned band = 0; band < bands; ++band) {
    convert->convert(source.background(), band,
                     std::span(background).subspan(band * band_bytes, band_bytes));
  }
}

frame_arm::frame_arm(std::string name, role stands_for, shared_video_job job)
    : name_(std::move(name)), role_(stands_for), job_(std::move(job)), beat_(job_->fps) {
  seen_.reserve(job_->frames);
  times_us_.reserve(job_->frames);
}

void frame_arm::prepare() {
  seen_.clear();
  times_us_.clear();
  drops_ = 0;
  beat_.restart();
  if (job_->fps) {
    rehearse();
  }
}

void frame_arm::rehearse() {
  boxes unseen{};
  for (unsigned number = 0; number < camera::ring; ++number) {
    process(job_->source.take(number), unseen);
  }
}

void frame_arm::run() {
  const auto kept_for = beat_.period() * camera::ring;
  for (unsigned number = 0; number < job_->frames; ++number) {
    const auto raw = job_->source.take(number);  // the camera's own writing, before it is due
    const auto due = beat_.next();
    if (beat_.period() > clock::duration{} && clock::now() > due + kept_for) {
      ++drops_;
      continue;
    }
    auto& frame = seen_.emplace_back(seen_frame{.number = number, .found = no_boxes()});
    process(raw, frame.found);
    times_us_.push_back(std::chrono::duration<double, std::micro>(clock::now() - due).count());
  }
}

std::optional<std::string> frame_arm::check() {
  if (seen_.size() + drops_ != job_->frames) {
    return "frames: expected " + std::to_string(job_->frames) + ", got " +
           std::to_string(seen_.size() + drops_);
  }
  for (const auto& frame : seen_) {
    const boxes expected = job_->source.shapes_in(frame.number);
    for (unsigned colour = 0; colour < colours; ++colour) {
      if (frame.found[colour] != expected[colour]) {
        return std::string("the ") + colour_names[colour] + " shape of frame " +
               std::to_string(frame.number) + ": expected " + text_of(expected[colour]) + ", got " +
               text_of(frame.found[colour]);
      }
    }
  }
  return std::nullopt;
}

traffic frame_arm::moved() const {
  return {.to_device = std::uint64_t{job_->frames} * frame_bytes,
          .to_host = std::uint64_t{job_->frames} * sizeof(boxes)};
}

std::vector<metric> frame_arm::metrics() const {
  return {{.name = "drops",
           .unit = "of " + std::to_string(job_->frames),
           .value = static_cast<double>(drops_)}};
}

void frame_arm::convert(std::span<const std::uint8_t> raw, std::span<std::uint8_t> frame) {
  for (unsigned band = 0; band < bands; ++band) {
    convert_band(raw, band, frame);
  }
}

void frame_arm::convert_band(std::span<const std::uint8_t> raw, unsigned band,
                             std::span<std::uint8_t> frame) {
  job_->convert->convert(raw, band, frame.subspan(band * band_bytes, band_bytes));
}

}  // namespace pinhole::scenarios
