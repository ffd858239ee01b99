#include "cli/args/wrapped.h"

#include <doctest/doctest.h>

TEST_CASE("wrapping breaks at blanks, indents what follows, and keeps a long word whole") {
  using Lines = std::vector<std::string>;
  CHECK(cli::wrapped("a b c", 80) == Lines{"a b c"});
  CHECK(cli::wrapped("aaaa bbbb cccc", 9) == Lines{"aaaa bbbb", "cccc"});
  CHECK(cli::wrapped("aaaa bbbb cccc dddd", 12, 2) == Lines{"aaaa bbbb", "  cccc dddd"});
  CHECK(cli::wrapped("aaaaaaaaaaaaaaaaaaaaaaa b", 10) == Lines{"aaaaaaaaaaaaaaaaaaaaaaa", "b"});
  CHECK(cli::wrapped("aaaa\nbbbb cccc\n", 9) == Lines{"aaaa", "bbbb cccc", ""});
  CHECK(cli::wrapped("- aaaa bbbb\n- cccc", 9, 2) == Lines{"- aaaa", "  bbbb", "- cccc"});
  CHECK(cli::wrapped("", 10) == Lines{""});
  CHECK(cli::wrapped("trailing ", 80) == Lines{"trailing "});
}
