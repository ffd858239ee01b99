// Members of an object that this program printed: the first mistake is reported at its place, and no other one.
#include "cli/input/json_object.h"

#include <doctest/doctest.h>

#include <functional>

#include "dsl/json.h"

namespace {

using cli::JsonObject;

/// Returns the errors that `read` reports of an object's text.
std::string told(const std::string& text, const std::function<void(const JsonObject&)>& read) {
  const dsl::Source source{"t.json", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = dsl::parse_json(source, diagnostics, dsl::kWrittenLimits);
  REQUIRE(!diagnostics.has_errors());
  read(JsonObject(node, diagnostics));
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list)
    out += std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " + d.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("members of the kind that is asked for") {
  CHECK(told(R"({"a": 1.5, "b": 3, "c": true, "d": "x", "e": [1], "f": {"g": 2}, "h": null})", [](const JsonObject& o) {
          CHECK(o.number("a") == 1.5);
          CHECK(o.whole("b", 1) == 3);
          CHECK(o.flag("c"));
          CHECK(o.text("d") == "x");
          CHECK(o.list("e").size() == 1);
          CHECK(o.object("f").whole("g", 0) == 2);
          CHECK(!o.number_or_null("h"));
          CHECK(o.number_or_null("a") == 1.5);
          CHECK(o.has("h"));
          CHECK(!o.has("i"));
        }).empty());
}

TEST_CASE("a member that is missing or of another kind: one message, at the member or at the object") {
  const struct {
    const char* text;
    std::function<void(const JsonObject&)> read;
    const char* message;
  } rows[] = {
      {"{}", [](const JsonObject& o) { CHECK(o.number("a") == 0); }, "1:1 expected a member 'a' here\n"},
      {R"({"a": "x"})", [](const JsonObject& o) { CHECK(o.number("a") == 0); }, "1:7 expected a number for 'a'\n"},
      {R"({"a": 1.5})", [](const JsonObject& o) { CHECK(o.whole("a", 2) == 2); },
       "1:7 expected a whole number from 2 for 'a'\n"},
      {R"({"a": 1})", [](const JsonObject& o) { CHECK(!o.flag("a")); }, "1:7 expected true or false for 'a'\n"},
      {R"({"a": 1})", [](const JsonObject& o) { o.text("a"); }, "1:7 expected a text for 'a'\n"},
      {R"({"a": 1})", [](const JsonObject& o) { CHECK(o.list("a").empty()); }, "1:7 expected a list for 'a'\n"},
      {R"({"a": [{}]})", [](const JsonObject& o) { CHECK(o.object("a").number("b") == 0); },
       "1:7 expected an object for 'a'\n"},
      {"{}", [](const JsonObject& o) { CHECK(o.object("a").text("b").empty()); }, "1:1 expected a member 'a' here\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(told(row.text, row.read) == row.message);
  }
}

TEST_CASE("a member that is not there has the place of its object") {
  CHECK(told("{\n \"a\": 1}", [](const JsonObject& o) { o.wrong(o.place("a"), "here"); }) == "2:7 here\n");
  CHECK(told("{\n \"a\": 1}", [](const JsonObject& o) { o.wrong(o.place("b"), "here"); }) == "1:1 here\n");
  CHECK(told("{}", [](const JsonObject& o) {
          o.wrong(o.place("b"), "first");
          o.wrong(o.place("b"), "second");
        }) == "1:1 first\n");
}
