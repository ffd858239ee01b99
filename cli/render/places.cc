// Mistakes for the services that show them beside the lines of a change: workflow commands of GitHub, and SARIF 2.1.0.
#include <fmt/format.h>

#include "cli/render/render.h"

namespace cli {
namespace {

/// A row of trainplan.diagnostics/1.
class MistakeRow {
 public:
  MistakeRow(const Table& table, size_t row) : members_(row_object(table, row)) {}

  std::string text(std::string_view name) const {
    const Data* cell = members_.find(name);
    return cell && !cell->is_null() ? figure(*cell, Unit::text) : "";
  }
  int64_t count(std::string_view name) const {
    const Data* cell = members_.find(name);
    return cell ? static_cast<int64_t>(cell->number().value_or(0)) : 0;
  }
  /// The message, and the hint on a line of its own.
  std::string whole() const { return text("message") + (text("hint").empty() ? "" : "\nhint: " + text("hint")); }

 private:
  Data members_;
};

/// Line ends and '%', and in a property ':' and ',' too, as percent signs and numbers (actions/toolkit, command.ts).
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool is_special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

/// A file name as a reference of a URI (RFC 3986, 2.3): other letters as numbers.
std::string uri_of(std::string_view file) {
  constexpr std::string_view kPlain = "-._~/";
  std::string out;
  for (const char c : file) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += is_letter || kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

/// Where a mistake is; one without a file has no place.
Data::List places_of(const MistakeRow& mistake) {
  if (mistake.text("file").empty()) return {};
  Data::Object place{{"artifactLocation", Data::Object{{"uri", uri_of(mistake.text("file"))}}}};
  if (mistake.count("line") > 0)
    place.push_back({"region", Data::Object{{"startLine", mistake.count("line")},
                                            {"startColumn", std::max<int64_t>(mistake.count("column"), 1)}}});
  return {Data::Object{{"physicalLocation", std::move(place)}}};
}

Data result_of(const MistakeRow& mistake) {
  return Data::Object{{"ruleId", mistake.text("severity")},
                      {"level", mistake.text("severity")},
                      {"message", Data::Object{{"text", mistake.whole()}}},
                      {"locations", places_of(mistake)}};
}

}  // namespace

void render_github(const Report& report, const Page&, std::ostream& out) {
  for (size_t i = 0; i < report.table.rows.size(); ++i) {
    const MistakeRow mistake(report.table, i);
    std::string place;
    if (!mistake.text("file").empty()) place = " file=" + escaped(mistake.text("file"), true);
    if (!place.empty() && mistake.count("line") > 0)
      place += fmt::format(",line={},col={}", mistake.count("line"), mistake.count("column"));
    out << "::" << mistake.text("severity") << place << "::" << escaped(mistake.whole(), false) << '\n';
  }
}

void render_sarif(const Report& report, const Page&, std::ostream& out) {
  Data::List results;
  for (size_t i = 0; i < report.table.rows.size(); ++i) results.push_back(result_of({report.table, i}));
  const Data rules = Data::List{
      Data::Object{{"id", "error"}, {"shortDescription", Data::Object{{"text", "a mistake in a scenario"}}}},
      Data::Object{{"id", "warning"}, {"shortDescription", Data::Object{{"text", "a doubtful figure or word"}}}}};
  Data::Object driver{{"name", "trainplan"}, {"version", TRAINPLAN_VERSION}, {"rules", rules}};
  Data::Object run{{"tool", Data::Object{{"driver", std::move(driver)}}}, {"results", std::move(results)}};
  print_json(Data::Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                          {"version", "2.1.0"},
                          {"runs", Data::List{std::move(run)}}},
             out);
}

}  // namespace cli
