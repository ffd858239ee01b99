// Extra-P's text format (extra-p/extrap docs/file-formats.md): a keyword begins a line.
//
//     PARAMETER p             one line or several, one name or several
//     POINTS (4) (8) (16)     coordinates; the brackets may be left out where there is one parameter
//     REGION main             a call path
//     METRIC time             stands until the next METRIC
//     DATA 8.1 8.3 8.2        repetitions: the k-th line of a block belongs to the k-th point
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "dsl/csv.h"
#include "dsl/raw_text.h"
#include "planner/scaling/read/formats.h"

namespace planner::scaling {
namespace {

void split(const dsl::Source& source, std::string_view line, int number, bool brackets,
           std::vector<PlacedName>& words) {
  words.clear();
  for (size_t at = 0; at < line.size();) {
    if (dsl::is_blank(line[at]) || line[at] == '\r') {
      ++at;
      continue;
    }
    const auto is_bracket = [&](size_t i) { return brackets && (line[i] == '(' || line[i] == ')'); };
    size_t end = at + 1;
    while (!is_bracket(at) && end < line.size() && !dsl::is_blank(line[end]) && line[end] != '\r' && !is_bracket(end))
      ++end;
    words.push_back({std::string(line.substr(at, end - at)),
                     {&source, number, static_cast<int>(at) + 1, static_cast<int>(end - at)}});
    at = end;
  }
}

class TextReader {
 public:
  TextReader(const dsl::Source& source, ReadContext& context)
      : source_(source), builder_(context.builder), diagnostics_(context.diagnostics) {}

  void read() {
    std::string_view text = source_.text;
    for (int line = 1; !text.empty() && going_; ++line) {
      const size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end), line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (going_ && blocks_.empty()) diagnostics_.error({&source_, 1, 1, 1}, "no DATA lines");
  }

 private:
  using Words = std::vector<PlacedName>;
  struct Keyword {
    const char* name;
    void (TextReader::*read)(const PlacedName& keyword, const Words& words);
  };
  static const Keyword kKeywords[5];
  friend bool is_keyword(std::string_view word);

  void read_line(std::string_view line, int number) {
    if (line.starts_with('#')) return;
    split(source_, line, number, false, words_);
    if (words_.empty()) return;
    const PlacedName keyword = words_.front();
    for (const Keyword& row : kKeywords) {
      if (keyword.text != row.name) continue;
      if (words_.size() == 1)
        return stop(keyword.place, fmt::format("{} without {}", row.name,
                                               *row.name == 'D' || row.name[1] == 'O' ? "values" : "a name"));
      if (keyword.text == "POINTS") split(source_, line, number, true, words_);
      words_.erase(words_.begin());
      return (this->*row.read)(keyword, words_);
    }
    std::vector<std::string> names;
    for (const Keyword& row : kKeywords) names.emplace_back(row.name);
    const std::string nearest = dsl::did_you_mean(keyword.text, names);
    stop(keyword.place, fmt::format("unknown keyword '{}'", dsl::shortened(keyword.text)),
         nearest.empty() ? "known: PARAMETER, POINTS, REGION, METRIC, DATA; a comment begins with '#'" : nearest);
  }

  void stop(dsl::Span place, std::string message, std::string hint = {}) {
    diagnostics_.error(place, std::move(message), std::move(hint));
    going_ = false;
  }

  void parameter(const PlacedName& keyword, const Words& words) {
    if (!points_.empty())
      return stop(keyword.place, "PARAMETER after POINTS", "all parameters stand before the points");
    parameters_.insert(parameters_.end(), words.begin(), words.end());
  }

  void point_list(const PlacedName& keyword, const Words& words) {
    if (parameters_.empty()) return stop(keyword.place, "POINTS before PARAMETER");
    if (points_.empty() && !builder_.parameters(parameters_)) return void(going_ = false);
    const bool brackets = words.front().text == "(";
    if (!brackets && parameters_.size() > 1)
      return stop(words.front().place, "expected '('", "a point of several parameters stands in brackets: (4 100)");
    for (size_t i = 0; i < words.size() && going_; ++i) {
      if (brackets) i = bracketed(words, i);
      else add_point({&words[i], 1}, words[i].place);
    }
  }

  // The point whose bracket opens at `open`; where it closes.
  size_t bracketed(const Words& words, size_t open) {
    size_t close = open + 1;
    while (close < words.size() && words[close].text != ")" && words[close].text != "(") ++close;
    if (words[open].text != "(") stop(words[open].place, "expected '('");
    else if (close == words.size() || words[close].text != ")") stop(words[open].place, "the bracket is not closed");
    else add_point({&words[open + 1], close - open - 1}, words[open].place);
    return close;
  }

  void add_point(std::span<const PlacedName> words, dsl::Span place) {
    std::vector<double> coordinates;
    for (size_t i = 0; i < words.size() && going_; ++i) coordinates.push_back(number(words[i]));
    if (!going_) return;
    const auto point = builder_.point(coordinates, place);
    if (!point) going_ = false;
    else if (!known_.insert(*point).second)
      stop(place, fmt::format("the point {} stands here twice", shown(coordinates)));
    else points_.push_back(*point);
  }

  double number(const PlacedName& word) {
    std::string_view text = word.text;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto value = dsl::cell_number(text);
    if (!value) stop(word.place, fmt::format("expected a number, got '{}'", dsl::shortened(word.text)));
    return value.value_or(0);
  }

  static std::string joined(const Words& words) {
    std::string name;
    for (const PlacedName& word : words) name += (name.empty() ? "" : " ") + word.text;
    return name;
  }
  void region(const PlacedName&, const Words& words) { region_ = joined(words), row_ = 0; }
  void metric(const PlacedName&, const Words& words) { metric_ = joined(words), row_ = 0; }

  void data(const PlacedName& keyword, const Words& words) {
    if (points_.empty()) return stop(keyword.place, "DATA before POINTS");
    if (row_ == points_.size())
      return stop(keyword.place, fmt::format("more DATA lines than the {} points of POINTS", points_.size()),
                  "repetitions stand in one line");
    if (row_ == 0) {
      const auto [at, is_new] = blocks_.try_emplace({region_, metric_}, keyword.place.line);
      if (!is_new)
        return stop(keyword.place, fmt::format("a second block of values of '{}' ({})", region_, metric_),
                    fmt::format("the first begins in line {}", at->second));
      series_ = builder_.series(region_, metric_, keyword.place);
    }
    for (const PlacedName& word : words) {
      const double value = number(word);
      if (!going_) return;
      builder_.measure(series_, points_[row_], value, word.place);
    }
    ++row_;
  }

  const dsl::Source& source_;
  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  bool going_ = true;
  Words words_;  // of the line that is read
  Words parameters_;
  std::vector<size_t> points_;
  std::set<size_t> known_;  // the same
  std::string region_, metric_;
  size_t row_ = 0, series_ = 0;                                // DATA lines of this block, where they go
  std::map<std::pair<std::string, std::string>, int> blocks_;  // with the line of their first values
};

const TextReader::Keyword TextReader::kKeywords[5] = {{"PARAMETER", &TextReader::parameter},
                                                      {"POINTS", &TextReader::point_list},
                                                      {"REGION", &TextReader::region},
                                                      {"METRIC", &TextReader::metric},
                                                      {"DATA", &TextReader::data}};

bool is_keyword(std::string_view word) {
  for (const TextReader::Keyword& row : TextReader::kKeywords)
    if (word == row.name) return true;
  return false;
}

}  // namespace

bool looks_like_text(const MeasurementFile& file) {
  std::string_view text = file.source->text;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::vector<PlacedName> words;
    split(*file.source, text.substr(0, end), 1, false, words);
    if (!words.empty() && !words.front().text.starts_with('#')) return is_keyword(words.front().text);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

void read_text(const dsl::Source& source, ReadContext& context) { TextReader(source, context).read(); }

}  // namespace planner::scaling
