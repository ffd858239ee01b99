#include "cli/svg/text.h"

#include <doctest/doctest.h>

using namespace cli::svg;

TEST_CASE("escaped text stands in an element and in an attribute") {
  CHECK(escaped("a <b> & \"c\"") == "a &lt;b&gt; &amp; &quot;c&quot;");
  CHECK(escaped("one\ttwo\nthree\x01\u009B") == "one two three??");
  CHECK(escaped("größer µ") == "größer µ");
}

TEST_CASE("a text is as wide as its letters") {
  CHECK(text_width("", 12) == 0);
  CHECK(text_width("iiii", 10) < text_width("mmmm", 10));
  CHECK(text_width("0123456789", 10) == doctest::Approx(55.6));
  CHECK(text_width("ab", 20) == doctest::Approx(2 * text_width("ab", 10)));
  CHECK(text_width("a\xC2\xA0"
                   "b",
                   10) == doctest::Approx(text_width("a b", 10)));
  CHECK(text_width("ö", 10) == doctest::Approx(6.5));  // one character of two bytes
}

TEST_CASE("a shortened text fits, and says so") {
  const std::string text = "a-model-with-a-very-long-name";
  CHECK(shortened(text, 12, 500) == text);
  for (double width : {20.0, 60.0, 100.0}) {
    const std::string part = shortened(text, 12, width);
    CHECK(text_width(part, 12) <= width);
    CHECK(part.ends_with("..."));
    CHECK(text.starts_with(part.substr(0, part.size() - 3)));
  }
  CHECK(shortened("öööööööööö", 10, 40) == "öööö...");  // no half of a character
}

TEST_CASE("lines are broken at blanks, and inside words that are too wide") {
  CHECK(broken("", 12, 100) == std::vector<std::string>{""});
  CHECK(broken("one two", 12, 100) == std::vector<std::string>{"one two"});
  CHECK(broken("one two three", 12, 50) == std::vector<std::string>{"one two", "three"});
  CHECK(broken("gpt3-175b-search", 12, 40) == std::vector<std::string>{"gpt3-", "175b-", "search"});
  CHECK(broken("tp\xC2\xA0"
               "8, pp\xC2\xA0"
               "16",
               12, 40) == std::vector<std::string>{"tp\xC2\xA0"
                                                   "8,",
                                                   "pp\xC2\xA0"
                                                   "16"});
}

TEST_CASE("a coordinate has two decimals at most") {
  CHECK(fixed(3) == "3");
  CHECK(fixed(3.14159) == "3.14");
  CHECK(fixed(2.5) == "2.5");
  CHECK(fixed(-0.001) == "0");
  CHECK(fixed(100) == "100");
}

TEST_CASE("a figure of an axis has a prefix where it is long") {
  struct Row {
    double value;
    const char* text;
  };
  const Row rows[] = {{0, "0"},         {1, "1"},        {0.05, "0.05"},  {2500, "2500"},
                      {25000, "25k"},   {1e6, "1M"},     {1.5e6, "1.5M"}, {312e12, "312T"},
                      {1e15, "1P"},     {1e18, "1E"},    {2e-5, "20u"},   {5e-4, "500u"},
                      {-25000, "-25k"}, {9999.6, "10k"}, {1e-3, "0.001"}, {940000, "940k"}};
  for (const Row& row : rows) CHECK(short_number(row.value) == row.text);
}
