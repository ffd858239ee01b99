#include "planner/replay/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace planner::replay {
namespace {

constexpr std::array<const char*, 8> kNames{"call",  "between", "launch",    "stream",
                                            "event", "sync",    "hand-over", "span"};

// What each level knows of begin, end, before and after.
constexpr std::array<std::array<bool, 4>, 5> kKnows{
    {{true, true, true, true}, {true, true, false, true}, {false, true, false, true}, {false, false, false, true}, {}}};

std::pair<TimeKind, Statistics::Texts> key_of(const TimeMoment& moment, size_t level) {
  Statistics::Texts texts;
  const std::array<std::string_view, 4> all{moment.begin, moment.end, moment.before, moment.after};
  for (size_t i = 0; i < all.size(); ++i)
    if (kKnows[level][i]) texts[i] = all[i];
  return {moment.kind, std::move(texts)};
}

std::optional<TimeKind> time_kind(std::string_view name) {
  const auto* const at = std::ranges::find(kNames, name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<TimeKind>(at - kNames.begin());
}

}  // namespace

const char* name_of(TimeKind kind) { return kNames[static_cast<size_t>(kind)]; }

void Statistics::add(const TimeMoment& moment, double ns, int64_t count) {
  count_ += count;
  if (moment.place >= 0) {
    auto [kind, texts] = key_of(moment, 0);
    TimeSum& sum = placed_[{kind, std::move(texts), moment.place}];
    sum.ns += ns, sum.count += count;
  }
  for (size_t level = 0; level < kLevels; ++level) {
    TimeSum& sum = levels_[level][key_of(moment, level)];
    sum.ns += ns;
    sum.count += count;
  }
}

std::optional<int64_t> Statistics::mean_ns(const TimeMoment& moment) const {
  const auto mean = [](const TimeSum& sum) { return std::llround(sum.ns / static_cast<double>(sum.count)); };
  if (moment.place >= 0) {
    const auto [kind, texts] = key_of(moment, 0);
    if (const auto sum = placed_.find({kind, texts, moment.place}); sum != placed_.end()) return mean(sum->second);
  }
  for (size_t level = 0; level < kLevels; ++level)
    if (const auto sum = levels_[level].find(key_of(moment, level)); sum != levels_[level].end())
      return mean(sum->second);
  return std::nullopt;
}

namespace {

constexpr std::array<std::string_view, 7> kColumns{"kind", "begin", "end", "before", "after", "count", "mean_ns"};
constexpr double kMostNs = 3600e9, kMostCount = 9e15;  // whole numbers of a double

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

class StatisticsReader {
 public:
  StatisticsReader(const dsl::CsvTable& table, Statistics& statistics, dsl::Diagnostics& diagnostics)
      : table_(table), statistics_(statistics), diagnostics_(diagnostics) {}

  void read() {
    for (size_t i = 0; i < kColumns.size(); ++i) {
      const auto column = table_.column(kColumns[i]);
      if (!column)
        return diagnostics_.error(table_.header.front().span, fmt::format("no column '{}'", kColumns[i]),
                                  fmt::format("expected the columns {}", fmt::join(kColumns, ", ")));
      columns_[i] = *column;
    }
    for (const auto& row : table_.rows) read_row(row);
  }

 private:
  using Row = std::vector<dsl::CsvCell>;

  const dsl::CsvCell& cell(const Row& row, size_t column) const { return row[columns_[column]]; }

  void read_row(const Row& row) {
    const std::optional<TimeKind> kind = time_kind(cell(row, 0).text);
    if (!kind)
      return diagnostics_.error(cell(row, 0).span, fmt::format("unknown kind '{}'", cell(row, 0).text),
                                fmt::format("expected one of {}", fmt::join(kNames, ", ")));
    const std::optional<double> count = dsl::cell_number(cell(row, 5).text), mean = dsl::cell_number(cell(row, 6).text);
    if (!count || *count < 1 || *count != std::floor(*count))
      return diagnostics_.error(cell(row, 5).span,
                                fmt::format("expected a whole number above zero, got '{}'", cell(row, 5).text));
    if (*count > kMostCount - static_cast<double>(statistics_.count()))
      return diagnostics_.error(cell(row, 5).span, fmt::format("more than {} times in all", kMostCount));
    if (!mean || std::abs(*mean) > kMostNs)
      return diagnostics_.error(cell(row, 6).span,
                                fmt::format("expected nanoseconds, an hour at most, got '{}'", cell(row, 6).text));
    statistics_.add({.kind = *kind,
                     .begin = cell(row, 1).text,
                     .end = cell(row, 2).text,
                     .before = cell(row, 3).text,
                     .after = cell(row, 4).text},
                    *mean * *count, static_cast<int64_t>(*count));
  }

  const dsl::CsvTable& table_;
  Statistics& statistics_;
  dsl::Diagnostics& diagnostics_;
  std::array<size_t, kColumns.size()> columns_{};  // of the table
};

}  // namespace

void write_statistics(const Statistics& statistics, const std::function<void(std::string_view)>& write) {
  write(fmt::format("{}\n", fmt::join(kColumns, ",")));
  for (const auto& [moment, sum] : statistics.sums()) {
    const auto& [kind, texts] = moment;
    write(fmt::format("{},{},{},{},{},{},{:.3f}\n", name_of(kind), quoted(texts[0]), quoted(texts[1]), quoted(texts[2]),
                      quoted(texts[3]), sum.count, sum.ns / static_cast<double>(sum.count)));
  }
}

void read_statistics(const dsl::Source& source, Statistics& statistics, dsl::Diagnostics& diagnostics) {
  if (source.text.size() > kMostStatisticsBytes)
    return diagnostics.error({&source, 1, 1, 0},
                             fmt::format("the file is larger than {} MiB", kMostStatisticsBytes >> 20),
                             "a part of its rows is a file, too: the first line, and some of the others");
  const size_t told = diagnostics.list.size();
  const dsl::CsvTable table = dsl::read_csv(source, diagnostics);
  if (diagnostics.list.size() == told) StatisticsReader(table, statistics, diagnostics).read();
}

}  // namespace planner::replay
