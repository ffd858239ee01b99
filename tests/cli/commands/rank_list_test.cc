// Ranks as flags name them.
#include "cli/commands/rank_list.h"

#include <doctest/doctest.h>

namespace {

/// "0-2 5-5"; "none": it is not a list.
std::string ranges(std::string_view text) {
  const auto found = cli::rank_ranges(text);
  if (!found) return "none";
  std::string out;
  for (const cli::RankRange& range : *found)
    out += (out.empty() ? "" : " ") + std::to_string(range.first) + "-" + std::to_string(range.last);
  return out;
}

/// Of eight ranks; the mistake is in `message`.
std::vector<int64_t> named(const std::string& text, std::string& message) {
  dsl::Diagnostics diagnostics;
  const auto ranks = cli::ranks_named(
      text, [](int64_t rank) { return rank < 8; }, "the plan has 8", diagnostics);
  CHECK(ranks.has_value() != diagnostics.has_errors());
  message = diagnostics.list.empty() ? "" : diagnostics.list.front().message;
  return ranks.value_or(std::vector<int64_t>{});
}

}  // namespace

TEST_CASE("ranges of ranks stand as they were written") {
  CHECK(ranges("") == "");
  CHECK(ranges("5") == "5-5");
  CHECK(ranges("0-2,5") == "0-2 5-5");
  CHECK(ranges("7,0-0") == "7-7 0-0");
  CHECK(ranges("0-999999") == "0-999999");
  for (const char* wrong : {"a", "0-", "-1", "2-1", "0,", ",0", "0 1", "0-1000000", "0--1", ",", "1.5", "0x1", " 1",
                            "99999999999999999999", "+1"}) {
    CAPTURE(std::string(wrong));
    CHECK(ranges(wrong) == "none");
  }
}

TEST_CASE("--rank names ranks that there are, each once, in their order") {
  std::string message;
  CHECK(named("6,0-2", message) == std::vector<int64_t>{0, 1, 2, 6});
  const struct {
    const char *text, *message;
  } rows[] = {
      {"", "--rank '': expected numbers of ranks, joined by commas"},
      {"all", "--rank 'all': expected numbers of ranks, joined by commas"},
      {"8", "--rank '8': there is no rank 8: the plan has 8"},
      {"0-999999", "--rank '0-999999': there is no rank 8: the plan has 8"},
      {"0-3,3", "--rank '0-3,3': rank 3 stands twice"},
  };
  for (const auto& row : rows) {
    CHECK(named(row.text, message).empty());
    CHECK(message == row.message);
  }
}

TEST_CASE("--rank names a million ranks at most") {
  dsl::Diagnostics diagnostics;
  CHECK_FALSE(cli::ranks_named(
      "0-999999,1000000", [](int64_t) { return true; }, "", diagnostics));
  CHECK(diagnostics.list.front().message == "--rank '0-999999,1000000': more than 1000000 ranks");
}
