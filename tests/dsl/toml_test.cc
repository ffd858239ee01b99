// TOML: the values read, their places, and messages about invalid texts.
#include "dsl/toml.h"

#include <doctest/doctest.h>

#include <string>

namespace {

std::string place_of(const dsl::Span& span) {
  return std::to_string(span.line) + ":" + std::to_string(span.column) + "+" + std::to_string(span.length);
}

/// A value as it was understood, with its place: strings in quotes.
std::string text_of(const dsl::Node& node) {
  const std::string place = "@" + place_of(node.span);
  if (node.kind == dsl::Node::Kind::scalar) return (node.quoted ? "'" + node.text + "'" : node.text) + place;
  std::string out = node.kind == dsl::Node::Kind::list ? "[" : "{";
  for (const dsl::Node& item : node.items) out += text_of(item) + " ";
  for (const dsl::Entry& e : node.entries) out += e.key + "@" + place_of(e.key_span) + "=" + text_of(e.value) + " ";
  if (out.size() > 1) out.pop_back();
  return out + (node.kind == dsl::Node::Kind::list ? "]" : "}") + place;
}

std::string parsed(const std::string& text, const dsl::ParseLimits& limits = {}) {
  const dsl::Source source{"a.toml", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = dsl::parse_toml(source, diagnostics, limits);
  CHECK(node.broken == diagnostics.has_errors());
  if (!node.broken) return text_of(node);
  const dsl::Diagnostic& d = diagnostics.list.front();
  return place_of(d.span) + " " + d.message;
}

struct Case {
  const char *text, *result;
};

constexpr Case kRead[] = {
    {"", "{}@1:1+1"},
    {"# nothing\n", "{}@1:1+1"},
    {"[b]\nx = 1\n[a]\ny = 2", "{b@1:2+1={x@2:1+1=1@2:5+1}@1:1+1 a@3:2+1={y@4:1+1=2@4:5+1}@3:1+1}@1:1+1"},
    {"z = true\na = false # why", "{z@1:1+1=true@1:5+4 a@2:1+1=false@2:5+5}@1:1+1"},
    {"x = 8_192", "{x@1:1+1=8192@1:5+5}@1:1+1"},
    {"x = 0x1F", "{x@1:1+1=31@1:5+4}@1:1+1"},
    {"x = -1", "{x@1:1+1=-1@1:5+2}@1:1+1"},
    {"x = 8e-5", "{x@1:1+1=8e-5@1:5+4}@1:1+1"},
    {"x = 1_0.5", "{x@1:1+1=10.5@1:5+5}@1:1+1"},
    {"x = 1979-05-27", "{x@1:1+1=1979-05-27@1:5+10}@1:1+1"},
    {"x = \"a\\tb\"", "{x@1:1+1='a b'@1:5+6}@1:1+1"},
    {"x = 'a\\b'", "{x@1:1+1='a\\b'@1:5+5}@1:1+1"},
    {"x = \"\"\"\na\nb\"\"\"", "{x@1:1+1='a b'@1:5+1}@1:1+1"},
    // columns count bytes: the umlaut has two
    {"\"\xc3\xa4\" = [\"\xc3\xa4\", 1]", "{\xc3\xa4@1:1+4=['\xc3\xa4'@1:9+4 1@1:15+1]@1:8+1}@1:1+1"},
    {"a.b = {d = 1, c = [2]}", "{a@1:1+1={b@1:3+1={d@1:8+1=1@1:12+1 c@1:15+1=[2@1:20+1]@1:19+1}@1:7+1}@1:1+1}@1:1+1"},
    {"[[a]]\nx=1\n[[a]]", "{a@1:3+1=[{x@2:1+1=1@2:3+1}@1:1+1 {}@3:1+1]@1:1+1}@1:1+1"},
};

constexpr Case kRefused[] = {
    {"a = 1\na = 2", "2:5+1 this is no TOML: key-value pair: cannot redefine existing integer 'a'"},
    {"[a]\n[a]", "2:1+1 this is no TOML: table header: cannot redefine existing table 'a'"},
    {"a = trux", "1:8+1 this is no TOML: boolean: expected 'true', saw 'trux'"},
    {"a = True", "1:5+1 this is no TOML: boolean: expected 'true', saw 'T'"},
    {"a = [1,", "1:8+1 this is no TOML: array: encountered end-of-file"},
    {"a", "1:2+1 this is no TOML: key-value pair: encountered end-of-file"},
    {"a = \"x", "1:7+1 this is no TOML: string: encountered end-of-file"},
    {"x = 99999999999999999999",
     "1:25+1 this is no TOML: decimal integer: '99999999999999999999' is not representable in 64 bits"},
    {"\"\xc3\xa4\" = 1 2", "1:10+1 this is no TOML: key-value pair: expected a comment or whitespace, saw '2'"},
    // what toml++ asserts that it cannot be
    {"[=]", "1:2+1 this is no TOML: key: expected bare key starting character or string delimiter, saw '='"},
    {"\xc3\xa4 = 1",
     "1:1+1 this is no TOML: root table: expected keys, tables, whitespace or comments, saw '\xc3\xa4'"},
    {"a = 1 \xc3\xa4", "1:7+1 this is no TOML: key-value pair: expected a comment or whitespace, saw '\xc3\xa4'"},
    {"[# x]", "1:2+1 this is no TOML: key: expected bare key starting character or string delimiter, saw '#'"},
    {"a = 1\x01", "1:6+1 a control byte is not allowed here"},
    {"{\"train_batch_size\": 8}",
     "1:1+1 this is no TOML: root table: expected keys, tables, whitespace or comments, saw '{'"},
};

std::string repeated(const std::string& what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}

}  // namespace

TEST_CASE("TOML: values and keys in written order, with their places in bytes") {
  for (const Case& c : kRead) CHECK(parsed(c.text) == c.result);
}

TEST_CASE("TOML: what is no TOML") {
  for (const Case& c : kRefused) CHECK(parsed(c.text) == c.result);
}

TEST_CASE("TOML: limits") {
  CHECK(parsed(repeated("a.", 63) + "a = 1").starts_with("{a@1:1+1"));
  CHECK(parsed(repeated("a.", 64) + "a = 1") == "1:128+1 tables nest more than 64 deep");
  CHECK(parsed("[" + repeated("a . ", 200000) + "a]").ends_with("tables nest more than 64 deep"));
  CHECK(parsed("a=" + repeated("[", 100)).find("exceeded maximum nested value depth of 64") != std::string::npos);
  CHECK(parsed("a = [1, 2]", {.nodes = 3}) == "1:1+1 the text has more than 3 values");
  CHECK(parsed("a = 1", {.bytes = 4}) == "1:1+1 the text is longer than 4 bytes");
}

TEST_CASE("TOML: dots that are no depth of keys") {
  const std::string dots(100, '.');
  for (const std::string& value : {"\"" + dots + "\"", "'" + dots + "'", "\"\"\"\n\"" + dots + "\\\"\n\"\"\"",
                                   "1 # it's \"" + dots, "[" + repeated("1.5, ", 100) + "]"})
    CHECK(parsed("a = " + value).starts_with("{a@1:1+1="));
}
