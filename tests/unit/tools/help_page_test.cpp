#include "tools/support/help_page.hpp"

#include <gtest/gtest.h>

namespace pinhole::tool {
namespace {

TEST(RenderMarkdown, LeavesNoMarkupBehind) {
  EXPECT_EQ(render_markdown("# Title\n\nSome `code` and **weight**.\n\n```sh\nls `x` # y\n```\nend",
                            false),
            "Title\n\nSome code and weight.\n\n    ls `x` # y\nend\n");
}

TEST(RenderMarkdown, PrintsHeadingsInBoldOnATerminal) {
  EXPECT_EQ(render_markdown("## Title\ntext\n", true), "\x1b[1mTitle\x1b[0m\ntext\n");
}

}  // namespace
}  // namespace pinhole::tool
