// main() of test programs whose tests start the program anew.
#include <gtest/gtest.h>

#include "tests/support/os.hpp"

int main(int argc, char** argv) {
  int code = 0;
  if (pinhole::test::ran_as_child(argc, argv, code)) {
    return code;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
