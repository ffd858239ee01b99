// Texts as other languages read them back: each quoted text goes through a reader of its language.
#include "dsl/quoting.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "dsl/node.h"
#include "dsl/toml.h"

namespace {

const std::string kVisible[] = {
    "",   "plain",    "a b",         "it's", "\"",        "\\",         "$(touch PWNED)",  "`x`",
    "{}", "{= $_ =}", "$HOME $$(x)", "*?[]", "#x;|&<>()", "\\n\\u0041", "gr\u00FC\u00DFe", "\U0001F680",
    "~",  "=ls",      "-x",          "!x",   "%s",        "'''",        "\"\"\"",          "${a}"};
const std::string kHidden[] = {"\n",
                               "a\nb'",
                               "\r",
                               "\t",
                               "\x1b[31mred",
                               "\x7f",
                               "\u0085",
                               "\u009B31m",
                               "\u2028",
                               "\u202Ex",
                               "\u2066",
                               "\uFEFF",
                               "\x01"
                               "23"};

/// What a shell makes of words: each in brackets.
std::string shell(const std::string& program, const std::string& words) {
  const std::string script = "printf '[%s]' " + words;
  const std::string command = program + " -c " + dsl::single_quoted(script);
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  std::array<char, 4096> part{};
  for (size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) out.append(part.data(), n);
  pclose(pipe);
  return out;
}

std::string read_as(dsl::Node (*parse)(const dsl::Source&, dsl::Diagnostics&, const dsl::ParseLimits&),
                    const std::string& text) {
  const dsl::Source source{"a", text, "."};
  dsl::Diagnostics diagnostics;
  const dsl::Node root = parse(source, diagnostics, {});
  INFO(text);
  REQUIRE_FALSE(diagnostics.has_errors());
  return root.entries.at(0).value.text;
}

}  // namespace

TEST_CASE("a text between double quotes is the same in JSON, YAML and TOML") {
  for (const std::string& text : kVisible) {
    INFO(text);
    const std::string quoted = dsl::double_quoted(text);
    CHECK(nlohmann::json::parse(quoted).get<std::string>() == text);
    CHECK(read_as(dsl::parse_yaml, "a: " + quoted + "\n") == text);
    CHECK(read_as(dsl::parse_toml, "a = " + quoted + "\n") == text);
  }
  for (const std::string& text : kHidden) {
    INFO(text);
    CHECK(nlohmann::json::parse(dsl::double_quoted(text)).get<std::string>() == text);
    CHECK(dsl::find_hidden(dsl::double_quoted(text)) == std::string::npos);
  }
  CHECK(dsl::double_quoted("a\xFF") == "\"a\\ufffd\"");
}

TEST_CASE("a word of a shell is the same in it, and shows") {
  for (const std::string& text : kVisible) {
    INFO(text);
    for (const char* program : {"sh", "bash"}) CHECK(shell(program, dsl::shell_word(text)) == "[" + text + "]");
    CHECK(shell("bash", dsl::single_quoted(text)) == "[" + text + "]");
    CHECK(shell("bash", dsl::parallel_word(text)) == "[" + text + "]");
  }
  for (const std::string& text : kHidden) {
    INFO(text);
    CHECK(shell("bash", dsl::shell_word(text)) == "[" + text + "]");
    CHECK(shell("bash", dsl::parallel_word("{}" + text)) == "[{}" + text + "]");
    CHECK(dsl::find_hidden(dsl::shell_word(text)) == std::string::npos);
  }
  CHECK(shell("bash", dsl::shell_word("\xFF\x80")) == "[\xFF\x80]");
  CHECK(dsl::shell_word("a/b=1") == "a/b=1");
  CHECK(dsl::shell_word("it's [1, 2]") == "'it'\\''s [1, 2]'");
}

TEST_CASE("nothing in a word of GNU parallel is replaced") {
  for (const char* text : {"{}", "a{}b", "{.}", "{//}", "{#}", "{1}", "{= s/a/b/ =}", "{{}}"}) {
    const std::string word = dsl::parallel_word(text);
    INFO(word);
    for (size_t at = 0; (at = word.find('{', at)) != std::string::npos; ++at) CHECK(word.at(at + 1) == '\'');
  }
}

TEST_CASE("a map of the language stays legible to GNU parallel's reader") {
  CHECK(dsl::parallel_word("goal={minimize: step}") == "'goal={minimize: step}'");
}

TEST_CASE("Groovy and Graphviz have quotes of their own") {
  CHECK(dsl::groovy_text("it's $x \\ \"") == "'it\\'s $x \\\\ \"'");
  CHECK(dsl::groovy_text("a\nb\x1b") == "'a\\nb\\u001b'");
  CHECK(dsl::dot_text("a\"b\\\nc\x1b") == "\"a\\\"b\\\\\nc?\"");
}

TEST_CASE("what does not show is found, and no other letter") {
  for (const std::string& text : kVisible) CHECK(dsl::find_hidden(text) == std::string::npos);
  for (const std::string& text : kHidden) {
    INFO(text);
    CHECK(dsl::find_hidden("ab" + text) == 2 + text.find_first_not_of("ab"));
    CHECK(dsl::find_hidden(dsl::printable(text)) == std::string::npos);
  }
  for (const char* broken : {"\x80", "\xC3", "\xED\xA0\x80", "\xF8"}) CHECK(dsl::find_hidden(broken) == 0);
  CHECK(dsl::printable("a\tb\nc\x1b\u202E\xFF\u00FC") == "a b c???\u00FC");
  CHECK(dsl::printable("a\nb\r", "\n") == "a\nb ");
}
