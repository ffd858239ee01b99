#include "cli/render/render.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "dsl/quoting.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample.h"

using cli::Report;

namespace {

std::string rendered(const Report& report, std::string_view format, int width = 80) {
  std::ostringstream out;
  cli::render(report, format, {.width = width}, out);
  return out.str();
}

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("every format row renders a sample with its figures") {
  for (const cli::ReportFormat& format : cli::kFormats) {
    std::string text = rendered(sample_report(), format.name);
    CAPTURE(std::string(format.name));
    CHECK((text.find("seconds") != std::string::npos) == (format.draws != cli::Draws::places));
    CHECK(text.back() == '\n');
    CHECK_FALSE(has_nan(text));
  }
}

TEST_CASE("text aligns numbers to the right and scales them") {
  CHECK(rendered(sample_report(), "table") ==
        "name    count   seconds  shape    tiers              fits\n"
        "a, \"b\"      3  12.50 ms  m=4 n=5  nvlink+infiniband  yes\n"
        "c|d e      10         -  m=6 k=7                     no\n");
}

TEST_CASE("rows with a tone have a colour on a terminal, and a class in HTML; --sort takes it along") {
  Report report = sample_report();
  cli::Table page{.columns = report.table.columns, .rows = report.table.rows};
  cli::set_tone(page, 1, cli::RowTone::best);
  report.text = {page};
  const auto on_terminal = [&](bool color) {
    std::ostringstream out;
    cli::render(report, "table", {.color = color}, out);
    return out.str();
  };
  CHECK(on_terminal(false).find('\x1b') == std::string::npos);
  CHECK(on_terminal(true).find("\x1b[1;32mc|d e") != std::string::npos);
  CHECK(rendered(report, "html").find("<tr class=\"best\"><td class=\"short\">c|d e") != std::string::npos);
  CHECK(cli::select(report, {.sort = "count:desc"}) == "");
  CHECK(on_terminal(true).find("\x1b[1;32mc|d e") < on_terminal(true).find("a, \"b\""));
}

TEST_CASE("JSON: format first, rows in their place, counts as integers, no NaN") {
  auto json = nlohmann::ordered_json::parse(rendered(sample_report(), "json"));
  CHECK(json.begin().key() == "format");
  CHECK(json["format"] == "trainplan.sample/1");
  CHECK(json["rows"].size() == 2);
  CHECK(json["rows"][0]["count"].is_number_integer());
  CHECK(json["rows"][0]["seconds"] == 0.0125);
  CHECK(json["rows"][1]["seconds"].is_null());
  CHECK(json["rows"][0]["shape"]["m"] == 4);
  CHECK(json["rows"][1]["tiers"].empty());
  CHECK(json["total"] == 3.5);
}

TEST_CASE("JSON: rows in a member of a member, and a name that stands twice") {
  Report report = sample_report();
  report.key = "roi.layers";
  report.document = {{"x", 1}, {"roi", cli::Data::Object{{"first", 2}}}, {"x", 3}};
  auto json = nlohmann::ordered_json::parse(rendered(report, "json"));
  CHECK(json["roi"]["first"] == 2);
  CHECK(json["roi"]["layers"].size() == 2);
  CHECK(json["x"] == 3);
  CHECK(std::next(json.begin()).key() == "x");
  report.document.clear();  // the members are made
  CHECK(nlohmann::json::parse(rendered(report, "json"))["roi"]["layers"].size() == 2);
}

TEST_CASE("JSON: what is printed in pieces is whole, and every escape reads back") {
  Report report{.format = "trainplan.sample/1", .document = {}, .key = "rows", .table = {}, .text = {}};
  report.table.columns = {{.name = "a \"name\""}, {.name = "n"}};
  const std::string text = "quote \" backslash \\ tab \t bell \x07 delete \x7f micro \xc2\xb5";
  for (int i = 0; i < 5000; ++i) report.table.rows.push_back({text, i});
  const auto json = nlohmann::json::parse(rendered(report, "json"));
  REQUIRE(json["rows"].size() == 5000);
  for (int i = 0; i < 5000; ++i) CHECK(json["rows"][static_cast<size_t>(i)]["n"] == i);
  CHECK(json["rows"][4999]["a \"name\""] == text);
}

TEST_CASE("JSON prints doubles so that they read back the same") {
  for (double x : {0.1, 1.0 / 3, 1e300, 5e-324, 123456789.123456789, 2039e9}) {
    Report report{.format = "f", .document = {{"x", x}}, .key = "", .table = {}, .text = {}};
    CHECK(nlohmann::json::parse(rendered(report, "json"))["x"].get<double>() == x);
  }
}

TEST_CASE("text that is not UTF-8 does not stop JSON") {
  Report report{.format = "f", .document = {{"x", "\xff\xfe"}}, .key = "", .table = {}, .text = {}};
  CHECK_NOTHROW(rendered(report, "json"));
}

TEST_CASE("NDJSON: a line per row, each with its format; a document is one line") {
  std::istringstream lines(rendered(sample_report(), "ndjson"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    CHECK(nlohmann::json::parse(line)["format"] == "trainplan.sample/1");
  CHECK(count == 2);
  Report report{.format = "f", .document = {{"x", 1}}, .key = "", .table = {}, .text = {}};
  CHECK(rendered(report, "ndjson") == "{\"format\":\"f\",\"x\":1}\n");
}

TEST_CASE("CSV has the quotes of RFC 4180, its line ends where asked, and flattens nested names") {
  std::string text =
      "name,count,seconds,shape.m,shape.n,shape.k,tiers,fits\n"
      "\"a, \"\"b\"\"\",3,0.0125,4,5,,nvlink infiniband,true\n"
      "c|d\te,10,,6,,7,,false\n";
  CHECK(rendered(sample_report(), "csv") == text);
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) text.insert(at, 1, '\r');
  std::ostringstream out;
  cli::render(sample_report(), "csv", {.crlf = true}, out);
  CHECK(out.str() == text);
}

TEST_CASE("TSV has no tabs and line ends inside cells") {
  CHECK(rendered(sample_report(), "tsv") ==
        "name\tcount\tseconds\tshape.m\tshape.n\tshape.k\ttiers\tfits\n"
        "a, \"b\"\t3\t0.0125\t4\t5\t\tnvlink infiniband\ttrue\n"
        "c|d e\t10\t\t6\t\t7\t\tfalse\n");
}

TEST_CASE("Markdown aligns numbers and escapes bars") {
  std::string text = rendered(sample_report(), "md");
  CHECK(text.find("| --- | ---: | ---: |") != std::string::npos);
  CHECK(text.find("c\\|d") != std::string::npos);
}

TEST_CASE("what a page leaves out of a table stands in row formats where the table is of the rows, else in JSON") {
  const std::string long_name(90, 'x');
  const auto said = [&](const std::string& key, const std::string& column) {
    Report report{.format = "trainplan.sample/1", .document = {}, .key = key, .table = {}, .text = {}};
    report.table = {.columns = {{.name = "name"}, {.name = "count", .rank = 1}}, .rows = {{"a", 1}}};
    report.text = {cli::Table{.columns = {{.name = "name"}, {.name = column, .rank = 1, .heading = long_name}},
                              .rows = {{"a", 1}}}};
    return rendered(report, "table");
  };
  const std::string rows = "; --columns picks, --format csv prints all)";
  CHECK(said("rows", "count").find("(not shown: count" + rows) != std::string::npos);
  CHECK(said("rows", "other").find("(not shown: other; --format json has all)") != std::string::npos);
  CHECK(said("", "other").find("(not shown: other" + rows) != std::string::npos);  // csv has the document
}

TEST_CASE("text fits the page: the columns of the highest rank go first and are named") {
  std::string narrow = rendered(sample_report(), "table", 50);
  CHECK(longest_line(narrow) <= 50);
  CHECK(narrow.find("nvlink") == std::string::npos);
  CHECK(narrow.find("(not shown: tiers") != std::string::npos);
  CHECK(narrow.find("m=4") != std::string::npos);
}

TEST_CASE("what still does not fit is wrapped") {
  Report report{.format = "f", .document = {{"rows", {}}}, .key = "rows", .table = {}, .text = {}};
  report.table.columns = {{.name = "key"}, {.name = "text"}};
  report.table.rows = {{"k", "one two three four five six seven eight nine ten"}};
  CHECK(rendered(report, "table", 30) == "key  text\nk    one two three four five\n     six seven eight nine ten\n");
}

TEST_CASE("a picture or a graph is made by the format that draws it, and by no other") {
  int made = 0, drawn = 0;
  Report report = sample_report();
  report.graph = [&drawn, draw = report.graph] { return ++drawn, draw(); };
  report.picture = [&made, draw = report.picture] {
    ++made;
    return draw();
  };
  for (const cli::ReportFormat& format : cli::kFormats) {
    made = drawn = 0;
    rendered(report, format.name);
    CAPTURE(std::string(format.name));
    CHECK(made == (format.draws == cli::Draws::picture || format.whole ? 1 : 0));
    CHECK(drawn == (format.draws == cli::Draws::graph ? 1 : 0));
  }
}

namespace {

/// A table of one text, under a title with the same text.
Report of_text(const std::string& text) {
  Report report{.format = "trainplan.sample/1", .document = {}, .key = "rows", .table = {}, .text = {}};
  report.table = {.columns = {{.name = "name"}, {.name = "count", .unit = cli::Unit::count}}, .rows = {{text, -1}}};
  report.text = {text + " of a model", report.table};
  return report;
}

}  // namespace

TEST_CASE("a page shows no control character, and nothing that turns the direction of writing") {
  for (const char* hidden :
       {"\x1b[31m", "\u009B31m", "\u202E", "\u2066", "\u2028", "\r", "\x7f", "\xFF", "\xC3", "\uFEFF"})
    for (const char* format : {"table", "md", "html", "json", "ndjson"}) {
      const std::string text = "a" + std::string(hidden) + "b", out = rendered(of_text(text), format);
      INFO(std::string(format), out);
      CHECK(out.find(hidden) == std::string::npos);
      CHECK(out.find('a') != std::string::npos);
    }
}

TEST_CASE("Markdown makes no HTML, no link and no escape of a name") {
  const struct {
    const char *text, *shown;
  } rows[] = {{"<script>x</script>", "&lt;script>x&lt;/script>"},
              {"&lt;", "&amp;lt;"},
              {"[a](javascript:x)", "[a]\\(javascript:x)"},
              {"a\\|b", "a\\\\\\|b"},
              {"a\nb", "a b"},
              {"a_b [0.5, 1] `c`", "a_b [0.5, 1] `c`"}};
  for (const auto& row : rows) {
    const std::string out = rendered(of_text(row.text), "md");
    INFO(out);
    CHECK(out.find("| " + std::string(row.shown) + " | -1 |") != std::string::npos);
    CHECK(out.find("<s") == std::string::npos);
  }
}

TEST_CASE("no text of CSV is a formula, and numbers stay numbers") {
  for (const char* text :
       {"=1+1", "@SUM(A1)", "+1+1", "-2+3", "-cmd|' /C calc'!A0", "+HYPERLINK(A1)", "\t=1", "\r=1"}) {
    const std::string csv = rendered(of_text(text), "csv");
    INFO(csv);
    CHECK(csv.find('\'' + std::string(text)) != std::string::npos);
    CHECK(csv.find(",-1\n") != std::string::npos);
  }
  for (const char* text : {"-1", "-1.5e-3", "+2", "--num-layers", "-", "a=1", "gpt3", "-x.y_z", ""})
    CHECK(rendered(of_text(text), "csv").find('\'') == std::string::npos);
  CHECK(rendered(of_text("=1"), "tsv").find("\n'=1\t-1\n") != std::string::npos);
}

TEST_CASE("a word that is wider than its column is cut between letters") {
  for (int width = 40; width < 60; ++width) {
    std::string word;
    for (int i = 0; i < 100; ++i) word += i % 3 ? "\u00FC" : i % 2 ? "\u20AC" : "\U0001F680";
    Report report = of_text(word);
    report.text.erase(report.text.begin());
    const std::string out = rendered(report, "table", width);
    INFO(out);
    std::string joined;
    for (const char c : out) joined += (c & 0x80) ? std::string(1, c) : "";
    CHECK(joined == word);
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) CHECK(dsl::find_hidden(line) == std::string::npos);
  }
}
