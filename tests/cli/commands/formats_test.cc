// Every command in every format: JSON parses, CSV and TSV are rectangles, Markdown holds tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

using Args = std::vector<std::string>;

const std::string kRuns = std::string(TRAINPLAN_SOURCE_DIR) + "/tests/accuracy/runs_small.csv";
const std::string kGold = "group == \"korthikanti-tab5\"";

struct Printed {
  Args args;
  const char *format, *rows;  // of the JSON document; rows "": a document without
};
const Printed kCommands[] = {
    {{"plan", "-"}, "trainplan.plan/1", ""},
    {{"ops", "-"}, "trainplan.ops/1", "ops"},
    {{"ops", "-", "--group", "kind"}, "trainplan.ops/1", "ops"},
    {{"validate", kRuns, "--quiet", "--where", kGold}, "trainplan.validate/1", "rows"},
    {{"list"}, "trainplan.list/1", "entries"},
    {{"list", "accelerator"}, "trainplan.list/1", "entries"},
    {{"list", "cluster"}, "trainplan.list/1", "entries"},
    {{"list", "model"}, "trainplan.list/1", "entries"},
    {{"list", "software"}, "trainplan.list/1", "entries"},
    {{"list", "calibration"}, "trainplan.list/1", "entries"},
    {{"list", "operator-model"}, "trainplan.list/1", "entries"},
    {{"list", "scenario-field"}, "trainplan.list/1", "entries"},
    {{"list", "format"}, "trainplan.list/1", "entries"},
    {{"show", "gpt3-175b"}, "trainplan.show/1", "figures"},
    {{"show", "dgx-a100-80gb"}, "trainplan.show/1", "figures"},
    {{"show", "accelerator/a100-sxm-80gb"}, "trainplan.show/1", "figures"},
};

Ran printed(const Printed& command, const char* format, const Args& more = {}) {
  Args args = command.args;
  args.insert(args.end(), {"--format", format});
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kSmallJob);
}

std::string name(const Printed& command) {
  std::string out;
  for (const std::string& a : command.args) out += a + " ";
  return out;
}

// The cells of a text with the quotes of RFC 4180, one row per record.
std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') rows.back().back() += text[++i];
      else quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      if (i + 1 < text.size()) rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  CHECK_FALSE(quoted);
  return rows;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

size_t count(const std::string& text, char c) { return static_cast<size_t>(std::count(text.begin(), text.end(), c)); }

}  // namespace

TEST_CASE("JSON is one document that names itself; NDJSON has the same rows, each with the name") {
  for (const Printed& command : kCommands) {
    INFO(name(command));
    Ran json = printed(command, "json"), lines = printed(command, "ndjson");
    CHECK(json.err == "");
    const Json document = Json::parse(json.out);
    CHECK(document.begin().key() == "format");
    CHECK(document["format"] == command.format);
    std::vector<Json> rows;
    for (const std::string& line : lines_of(lines.out)) {
      Json row = Json::parse(line);
      CHECK(row.begin().key() == "format");
      CHECK(row["format"] == command.format);
      if (*command.rows) row.erase("format");
      rows.push_back(row);
    }
    if (*command.rows) {
      REQUIRE(rows.size() == document[command.rows].size());
      for (size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == document[command.rows][i]);
    } else {
      CHECK(rows == std::vector<Json>{document});
    }
  }
}

TEST_CASE("CSV and TSV are rectangles with one header and the rows of JSON") {
  for (const Printed& command : kCommands) {
    INFO(name(command));
    const Json document = Json::parse(printed(command, "json").out);
    const size_t expected = *command.rows ? document[command.rows].size() : 1;
    const auto csv = csv_rows(printed(command, "csv").out);
    const auto tsv = lines_of(printed(command, "tsv").out);
    REQUIRE(csv.size() == expected + 1);
    REQUIRE(tsv.size() == expected + 1);
    for (const auto& row : csv) CHECK(row.size() == csv[0].size());
    for (const std::string& row : tsv) CHECK(count(row, '\t') + 1 == csv[0].size());
    for (const std::string& column : csv[0]) {
      CHECK(column != "");
      CHECK(std::count(csv[0].begin(), csv[0].end(), column) == 1);
    }
  }
}

TEST_CASE("numbers of CSV are those of JSON, to the last digit") {
  for (const Printed& command : kCommands) {
    if (!*command.rows) continue;
    INFO(name(command));
    const Json rows = Json::parse(printed(command, "json").out)[command.rows];
    const auto csv = csv_rows(printed(command, "csv").out);
    for (size_t r = 0; r < rows.size(); ++r)
      for (size_t c = 0; c < csv[0].size(); ++c) {
        const auto member = rows[r].find(csv[0][c]);
        if (member == rows[r].end()) continue;  // a part of a nested one
        const std::string& cell = csv[r + 1][c];
        if (member->is_number()) CHECK(Json::parse(cell).get<double>() == member->get<double>());
        else if (member->is_string()) CHECK(cell == member->get<std::string>());
        else if (member->is_null()) CHECK(cell == "");
        else if (member->is_boolean()) CHECK(cell == member->dump());
      }
  }
}

TEST_CASE("Markdown tables have one rule below their header and as many cells in each row") {
  for (const Printed& command : kCommands) {
    INFO(name(command));
    size_t cells = 0, rules = 0;
    for (const std::string& line : lines_of(printed(command, "md").out)) {
      if (!line.starts_with('|')) {
        cells = 0;
        continue;
      }
      size_t bars = 0;
      for (size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
      if (cells == 0) cells = bars;
      CHECK(bars == cells);
      rules += line.find_first_not_of("|-: ") == std::string::npos && holds(line, "---");
    }
    CHECK(rules >= 1);
  }
}

TEST_CASE("the page of every command fits its width, and ends its lines without blanks") {
  for (const Printed& command : kCommands)
    for (int width : {80, 120}) {
      INFO(name(command), width);
      Ran r = ran(command.args, kSmallJob, width);
      for (const std::string& line : lines_of(r.out)) {
        size_t glyphs = 0;
        for (char c : line) glyphs += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        CHECK_MESSAGE(glyphs <= static_cast<size_t>(width), line);
        CHECK_FALSE(line.ends_with(' '));
        CHECK_FALSE(holds(line, "\t"));
      }
    }
}

TEST_CASE("--columns, --sort and --top act on the rows of every command and format") {
  for (const Printed& command : kCommands) {
    if (!*command.rows) continue;
    INFO(name(command));
    const Json all = Json::parse(printed(command, "json").out)[command.rows];
    const std::string last = std::prev(all[0].end()).key(), first = all[0].begin().key();
    const Json picked =
        Json::parse(printed(command, "json", {"--columns", last + "," + first, "--top", "2"}).out)[command.rows];
    REQUIRE(picked.size() == std::min<size_t>(all.size(), 2));
    for (size_t i = 0; i < picked.size(); ++i) CHECK(picked[i] == Json{{last, all[i][last]}, {first, all[i][first]}});
    CHECK(csv_rows(printed(command, "csv", {"--columns", first}).out)[0] == std::vector<std::string>{first});
    const Json down = Json::parse(printed(command, "json", {"--sort", first + ":desc"}).out)[command.rows];
    CHECK(down.size() == all.size());
    for (size_t i = 1; i < down.size(); ++i) CHECK(down[i - 1][first] >= down[i][first]);
    CHECK(Json::parse(printed(command, "json", {"--top", "1000000"}).out)[command.rows] == all);
    Ran wrong = printed(command, "csv", {"--columns", first + "," + first + "x_"});
    CHECK(wrong.status == 2);
    CHECK(holds(wrong.err, "--columns: no column '" + first + "x_'"));
    CHECK(printed(command, "json", {"--sort", ":asc"}).status == 2);
    CHECK(printed(command, "json", {"--sort", first + ":up"}).status == 2);
  }
}

TEST_CASE("--columns of a plan: every leaf of its JSON can be asked for alone") {
  const Json flat = Json::parse(printed(kCommands[0], "json").out);
  for (const char* section : {"step", "breakdown", "throughput", "cost"})
    for (const auto& [key, value] : flat[section].items()) {
      const std::string column = std::string(section) + "." + key;
      INFO(column);
      const Json picked = Json::parse(printed(kCommands[0], "json", {"--columns", column}).out);
      CHECK(picked == Json{{"format", "trainplan.plan/1"}, {column, value}});
    }
  CHECK(printed(kCommands[0], "json", {"--columns", "step.secs"}).status == 2);
}
