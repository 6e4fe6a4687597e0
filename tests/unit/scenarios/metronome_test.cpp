// The metronome: beats at equal distances, never early, and late ones are not forgiven.
#include "scenarios/metronome.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;

TEST(Metronome, BeatsAtItsRateAndNeverEarly) {
  metronome beats(1000);
  EXPECT_EQ(beats.period(), 1ms);
  const auto first = beats.next();
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(beats.next(), first + i * 1ms);
    EXPECT_GE(metronome::clock::now(), first + i * 1ms);
  }
}

TEST(Metronome, AfterALatePieceOfWorkTheNextBeatIsPast) {
  metronome beats(1000);
  const auto first = beats.next();
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(beats.next(), first + 1ms);
  EXPECT_EQ(beats.next(), first + 2ms);
}

TEST(Metronome, StartsAnewWhenTold) {
  metronome beats(1);
  const auto first = beats.next();
  beats.restart();
  const auto again = beats.next();
  EXPECT_GE(again, first);
  EXPECT_LT(again, first + 500ms);
}

TEST(Metronome, FlatOutEverythingIsDueAtOnce) {
  metronome beats(std::nullopt);
  const auto before = metronome::clock::now();
  const auto due = beats.next();
  EXPECT_GE(due, before);
  EXPECT_LE(due, metronome::clock::now());
  EXPECT_EQ(beats.period(), 0ns);
}

}  // namespace
}  // namespace pinhole::scenarios
