#include "cli/files/partial_rest.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cli/pages/search_report.h"

namespace cli {
namespace {

Data counts_data(const std::vector<int64_t>& counts) { return Data::List(counts.begin(), counts.end()); }

std::vector<int64_t> counts_of(const JsonObject& from, const char* key) {
  std::vector<int64_t> counts;
  for (const dsl::Node& node : from.list(key)) {
    const std::optional<int64_t> count = json_whole(node);
    if (!count || *count < 0 || *count > kMostCount) from.wrong(node.span, "expected a count of candidates");
    counts.push_back(count.value_or(0));
  }
  return counts;
}

Data miss_data(const planner::Miss& miss, const std::vector<std::string>& names) {
  Data::Object choices;
  for (size_t i = 0; i < names.size(); ++i) choices.push_back({names[i], value_data(miss.choices[i])});
  return Data::Object{{"excess", miss.excess.shares},
                      {"fits", !miss.excess.overflows},
                      {"part", miss.position.part},
                      {"at", at_data(miss.position)},
                      {"choices", std::move(choices)}};
}

/// A value as the report prints it.
dsl::Value value_of(const dsl::Node& node) {
  if (const std::optional<double> number = json_number(node)) return {dsl::Number{*number, dsl::kNone}};
  if (!node.quoted && (node.text == "true" || node.text == "false")) return {node.text == "true"};
  return {node.text};
}

constexpr const char* kHex = "0123456789ABCDEF";

/// Control bytes as in a URL, "%0A": in JSON that is read they are blanks.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F && c != '%') out += c;
    else out += {'%', kHex[byte / 16], kHex[byte % 16]};
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char* high = text[i] == '%' && i + 2 < text.size() ? std::strchr(kHex, text[i + 1]) : nullptr;
    const char* low = high ? std::strchr(kHex, text[i + 2]) : nullptr;
    out += low ? static_cast<char>((high - kHex) * 16 + (low - kHex)) : text[i];
    if (low) i += 2;
  }
  return out;
}

Data::List escaped(const std::vector<std::string>& texts) {
  Data::List list;
  for (const std::string& text : texts) list.push_back(Data(escaped(text)));
  return list;
}

std::vector<std::string> unescaped(const std::vector<dsl::Node>& list) {
  std::vector<std::string> texts;
  for (const dsl::Node& node : list) texts.push_back(unescaped(node.text));
  return texts;
}

}  // namespace

Data searched_data(const SearchedText& of) {
  return Data::Object{{"name", escaped(of.name)},     {"directory", escaped(of.directory)},
                      {"text", escaped(of.text)},     {"set", escaped(of.set)},
                      {"prices", escaped(of.prices)}, {"catalog", escaped(of.catalog)}};
}

SearchedText read_searched(const JsonObject& from) {
  return {.name = unescaped(from.text("name")),
          .text = unescaped(from.text("text")),
          .directory = unescaped(from.text("directory")),
          .set = unescaped(from.list("set")),
          .catalog = unescaped(from.list("catalog")),
          .prices = unescaped(from.text("prices"))};
}

Data::List at_data(const planner::Position& position) {
  Data::List at;
  for (uint32_t value : position.at) at.push_back(Data(static_cast<int64_t>(value)));
  return at;
}

planner::Position read_position(const JsonObject& from) {
  planner::Position position{.part = from.whole("part", 0), .at = {}};
  for (const dsl::Node& node : from.list("at")) {
    const std::optional<int64_t> at = json_whole(node);
    if (!at || *at < 0 || *at > std::numeric_limits<uint32_t>::max())
      from.wrong(node.span, "expected the number of a value, 0 or more");
    position.at.push_back(static_cast<uint32_t>(at.value_or(0)));
  }
  return position;
}

std::vector<dsl::Value> read_choices(const JsonObject& from, const std::vector<std::string>& names) {
  const auto same = [](const dsl::Entry& entry, const std::string& name) { return entry.key == name; };
  if (!std::equal(from.entries().begin(), from.entries().end(), names.begin(), names.end(), same))
    from.wrong(from.span(), "these are not the choices that 'partial' names");
  std::vector<dsl::Value> values;
  for (const dsl::Entry& entry : from.entries()) values.push_back(value_of(entry.value));
  return values;
}

void add_refused(const planner::SearchResult& result, const std::vector<std::string>& choices, Data::Object& members) {
  members.push_back({"valueless", counts_data(result.valueless)});
  members.push_back({"unmet", counts_data(result.unmet)});
  members.push_back({"nearest", result.nearest ? miss_data(*result.nearest, choices) : Data()});
}

void read_refused(const JsonObject& partial, const std::vector<std::string>& choices, dsl::Diagnostics& diagnostics,
                  planner::SearchResult& result) {
  result.valueless = counts_of(partial, "valueless");
  result.unmet = counts_of(partial, "unmet");
  const dsl::Node* nearest = partial.member("nearest");
  if (!nearest || nearest->kind == dsl::Node::Kind::null) return;
  const JsonObject from(*nearest, diagnostics);
  // An excess that no number says is infinite, and printed as null.
  const planner::Excess excess{
      .overflows = !from.flag("fits"),
      .shares = from.number_or_null("excess").value_or(std::numeric_limits<double>::infinity())};
  result.nearest = planner::Miss{
      .excess = excess, .position = read_position(from), .choices = read_choices(from.object("choices"), choices)};
  if (result.feasible > 0) from.wrong(from.span(), "a search that found plans has no nearest miss");
}

}  // namespace cli
