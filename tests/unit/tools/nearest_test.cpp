#include "tools/support/nearest.hpp"

#include <gtest/gtest.h>

namespace pinhole::tool {
namespace {

const std::vector<std::string> words = {"staged", "mapped", "registered"};

TEST(Nearest, FindsSwappedMissingAndAddedLetters) {
  EXPECT_EQ(nearest("mapepd", words), "mapped");
  EXPECT_EQ(nearest("stagd", words), "staged");
  EXPECT_EQ(nearest("registereed", words), "registered");
}

TEST(Nearest, GuessesNothingFromFarAway) {
  EXPECT_EQ(nearest("vulkan", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("mapped", {}), "");
}

TEST(NotAllowed, SaysWhatIsAllowedAndGuesses) {
  EXPECT_EQ(
      not_allowed("maped", "a placement", words),
      "'maped' is not a placement; allowed: staged, mapped, registered; did you mean 'mapped'?");
  EXPECT_EQ(not_allowed("x", "a placement", words),
            "'x' is not a placement; allowed: staged, mapped, registered");
}

}  // namespace
}  // namespace pinhole::tool
