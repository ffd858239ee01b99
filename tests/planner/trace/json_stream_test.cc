// Values of a text that comes in pieces, and mistakes in it.
#include "planner/trace/json_stream.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/kineto_text.h"

using planner::trace::json_text;
using planner::trace::JsonStream;
using planner::unpack::ByteReader;

namespace {

/// The numbers of a list, or the mistake.
std::string numbers(const std::string& text, size_t piece, int decimals = 0) {
  ByteReader bytes(sample::pieces(text, piece));
  JsonStream json(bytes);
  std::string out;
  if (!json.take([&] { return json.expect('['); })) return json.wrong();
  for (bool first = true, more = true; more;) {
    int64_t number = 0;
    const bool taken = json.take([&] {
      bool alone = first;
      more = json.another(']', alone);
      return more ? json.scaled(number, decimals) : !json.starves() && json.wrong().empty();
    });
    if (!taken) return json.wrong();
    if (more) out += (first ? "" : " ") + std::to_string(number);
    first = false;
  }
  return json.ends() ? out : "more";
}

}  // namespace

TEST_CASE("a text in pieces of any size is read as the whole one") {
  std::string text = " [ 1 ,", expected = "1";
  for (int i = 2; i < 3000; ++i) text += (i > 2 ? ", " : "") + std::to_string(i), expected += " " + std::to_string(i);
  text += "\n]\n ";
  for (const size_t piece : {1, 2, 3, 7, 64, 4096, 1 << 20}) CHECK(numbers(text, piece) == expected);
}

TEST_CASE("microseconds become whole nanoseconds, exactly") {
  const struct {
    const char *text, *ns;
  } rows[] = {{"[1694128201436271]", "1694128201436271000"},
              {"[4458676524670.502]", "4458676524670502"},
              {"[0.0015]", "2"},
              {"[0.0014999]", "1"},
              {"[-3.25]", "-3250"},
              {"[1.694e9]", "1694000000000"},
              {"[12.0]", "12000"},
              {"[0]", "0"},
              {"[9999999999999999.9]", "expected a number, got '9999999999999999.9'"},
              {"[1e40]", "expected a number, got '1e40'"},
              {"[NaN]", "expected a number, got 'N'"},
              {"[1-2]", "expected a number, got '1-2'"},
              {"[\"1\"]", "expected a number, got '\"'"}};
  for (const auto& row : rows) CHECK(numbers(row.text, 5, 3) == row.ns);
}

TEST_CASE("what is wrong with a text stands with its byte") {
  CHECK(numbers("[1, 2", 2) == "the text ends here, in the middle of a value");
  CHECK(numbers("", 1) == "the text ends here, in the middle of a value");
  CHECK(numbers("[1 2]", 1) == "expected ',', got '2'");
  CHECK(numbers("{", 1) == "expected '[', got '{'");
  CHECK(numbers("[1,\x01]", 9) == "expected a number, got byte 0x01");
  CHECK(numbers("[1]]", 2) == "more");
  ByteReader bytes(sample::pieces("[1, [2, }", 3));
  JsonStream json(bytes);
  std::string_view raw;
  CHECK_FALSE(json.take([&] { return json.skip(raw); }));
  CHECK(json.wrong() == "expected a value, got '}'");
  CHECK(json.wrong_at() == 8);
}

TEST_CASE("values that nobody asks for are passed over, however long") {
  std::string list = "[";
  for (int i = 0; i < 400'000; ++i) list += R"({"a": [1, "]\"}", null]},)";
  list += "0] 7";
  ByteReader bytes(sample::pieces(list, 1 << 16));
  JsonStream json(bytes);
  CHECK(json.pass());
  int64_t number = 0;
  CHECK_FALSE(json.take([&] { return json.whole(number); }));  // nothing ends it
  ByteReader again(sample::pieces(list + " ", 1 << 16));
  JsonStream other(again);
  CHECK(other.pass());
  CHECK(other.take([&] { return other.whole(number); }));
  CHECK(number == 7);
}

TEST_CASE("a string of JSON as UTF-8") {
  CHECK(json_text(R"(plain)") == "plain");
  CHECK(json_text(R"(a\"b\\c\/d\ne)") == "a\"b\\c/d e");
  CHECK(json_text(R"(\u00e9\u20ac\ud83d\ude00)") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(json_text(R"(\ud83d x \u12)") ==
        "\xEF\xBF\xBD x \xEF\xBF\xBD"
        "12");
  CHECK(json_text("a\xFF"
                  "b\xC3") ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  CHECK(json_text("\xC3\xA9\x01\x7F") == "\xC3\xA9  ");
  CHECK(json_text("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // half a pair
  CHECK(json_text("\\") == "\\");
}

TEST_CASE("a text without escapes is kept as UTF-8") {
  CHECK(planner::trace::plain_text("a\\n\"b\"") == "a\\n\"b\"");
  CHECK(planner::trace::plain_text("a\tb\x7F") == "a b ");
  CHECK(planner::trace::plain_text("\xC2\xB5s \xFF") == "\xC2\xB5s \xEF\xBF\xBD");
  CHECK(planner::trace::json_text("\xC2\xB5\\u00b5\\n\xFF") == "\xC2\xB5\xC2\xB5 \xEF\xBF\xBD");
}
