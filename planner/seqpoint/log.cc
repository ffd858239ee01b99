#include "planner/seqpoint/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "dsl/csv.h"
#include "dsl/raw_text.h"
#include "planner/unpack/gzip.h"

namespace planner::seqpoint {
namespace {

constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e12;  // sums and squares of all iterations stay numbers
constexpr double kMostCount = 1e30;
constexpr size_t kMostErrors = 20;  // in full; a file of another kind has one on each line
constexpr const char* kColumns = "columns are iteration, length (or sequence_length) and seconds (or time_us)";
constexpr double kMicro = 1e-6;

class LogReader {
 public:
  LogReader(const dsl::Source& source, std::span<const std::string> statistics, dsl::Diagnostics& diagnostics)
      : source_(source), asked_(statistics), diagnostics_(diagnostics) {}

  Log read() {
    const std::string& text = source_.text;
    const std::string first = text.substr(0, text.find_first_of("\r\n"));
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
      diagnostics_.error({&source_, 1, 1, 0}, "no lengths: the file is empty",
                         std::string("one length a line, or ") + kColumns);
    else if (first.find(',') == std::string::npos && dsl::cell_number(first)) read_numbers();
    else read_table();
    if (log_.lengths.empty() && !diagnostics_.has_errors())
      diagnostics_.error({&source_, 1, 1, 0}, "no iterations", kColumns);
    for (const std::string& name : asked_)
      if (!has_column(name) && !diagnostics_.has_errors())
        diagnostics_.error({&source_, 1, 1, 0}, fmt::format("no column '{}'", dsl::shortened(name)),
                           "a statistic is a column of numbers beside the lengths of the iterations");
    return std::move(log_);
  }

 private:
  bool full() const { return diagnostics_.list.size() >= kMostErrors; }

  /// A whole number from `least` to the most that a length may be.
  std::optional<int64_t> whole(const dsl::CsvCell& cell, int64_t least, const char* what) {
    const std::optional<double> x = dsl::cell_number(cell.text);
    const bool good = x && *x == std::floor(*x) && *x >= static_cast<double>(least) && *x <= kMostLength;
    if (good) return static_cast<int64_t>(*x);
    diagnostics_.error(cell.span, fmt::format("expected {}, a whole number from {} to {}, got '{}'", what, least,
                                              kMostLength, dsl::shortened(cell.text)));
    return std::nullopt;
  }

  bool has_column(const std::string& name) const {
    return std::ranges::any_of(log_.statistics, [&](const Statistic& s) { return s.name == name; });
  }

  /// A count: sums and squares of all iterations stay numbers.
  std::optional<double> counter(const dsl::CsvCell& cell, const std::string& name) {
    const std::optional<double> x = dsl::cell_number(cell.text);
    if (x && *x >= 0 && *x <= kMostCount) return x;
    diagnostics_.error(cell.span, fmt::format("expected the {} of an iteration, 0 to {:g}, got '{}'",
                                              dsl::shortened(name), kMostCount, dsl::shortened(cell.text)));
    return std::nullopt;
  }

  std::optional<double> time(const dsl::CsvCell& cell) {
    std::optional<double> x = dsl::cell_number(cell.text);
    if (x && micro_) *x *= kMicro;
    if (x && *x >= kLeastSeconds && *x <= kMostSeconds) return x;
    const char* expected = x && *x > 0 ? "of 1e-12 to 1e12 seconds" : "above zero";
    diagnostics_.error(cell.span, fmt::format("expected a time {}, got '{}'", expected, dsl::shortened(cell.text)),
                       x        ? ""
                       : micro_ ? "a plain number of microseconds"
                                : "a plain number of seconds");
    return std::nullopt;
  }

  void read_numbers() {
    log_.sequences = true;
    const std::string& text = source_.text;
    int line = 1;
    for (size_t begin = 0; begin < text.size() && !full(); ++line) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      size_t length = end - begin;
      while (length > 0 && (text[begin + length - 1] == '\r' || text[begin + length - 1] == ' ')) --length;
      const dsl::CsvCell cell{text.substr(begin, length), {&source_, line, 1, static_cast<int>(length)}};
      if (length > 0)
        if (const auto n = whole(cell, 1, "a length")) log_.lengths.push_back(*n);
      begin = end + 1;
    }
  }

  void read_table() {
    const dsl::CsvTable table = dsl::read_csv(source_, diagnostics_);
    if (diagnostics_.has_errors() || !find_columns(table)) return;
    log_.sequences = !iteration_ && !seconds_ && counters_.empty();
    for (const auto& row : table.rows)
      if (!full()) read_row(row);
    if (iteration_ && !diagnostics_.has_errors()) sort();
  }

  bool find_columns(const dsl::CsvTable& table) {
    for (size_t i = 0; i < table.header.size(); ++i) {
      const dsl::CsvCell& cell = table.header[i];
      if (cell.text == "length" || cell.text == "sequence_length") {
        if (length_) diagnostics_.error(cell.span, "a second column of lengths");
        length_ = i;
      } else if (cell.text == "seconds" || cell.text == "time_us") {
        if (seconds_) diagnostics_.error(cell.span, "a second column of times");
        seconds_ = i;
        micro_ = cell.text == "time_us";
      } else if (cell.text == "iteration") {
        iteration_ = i;
      } else if (std::ranges::find(asked_, cell.text) != asked_.end()) {
        counters_.push_back(i);
        log_.statistics.push_back({cell.text, {}});
      } else if (asked_.empty()) {
        unknown(cell);
      }
    }
    if (!length_ && !diagnostics_.has_errors())
      diagnostics_.error(table.header.front().span, "no column of lengths", kColumns);
    return !diagnostics_.has_errors();
  }

  void unknown(const dsl::CsvCell& cell) {
    const std::string near = dsl::did_you_mean(cell.text, {"iteration", "length", "sequence_length", "seconds"});
    diagnostics_.error(
        cell.span, fmt::format("unknown column '{}'", dsl::shortened(cell.text)),
        near.empty() ? std::string(kColumns) + "; lengths alone may stand one a line, and --statistic names others"
                     : near);
  }

  void read_row(const std::vector<dsl::CsvCell>& row) {
    const auto length = whole(row[*length_], 1, "a length");
    const auto seconds = seconds_ ? time(row[*seconds_]) : std::nullopt;
    const auto number = iteration_ ? whole(row[*iteration_], 0, "the number of an iteration") : std::nullopt;
    if (number) {
      const auto [twin, fresh] = lines_.emplace(*number, row[*iteration_].span.line);
      if (!fresh)
        diagnostics_.error(row[*iteration_].span, fmt::format("iteration {} is a second time here", *number),
                           fmt::format("the first is on line {}", twin->second));
      numbers_.push_back(*number);
    }
    if (length) log_.lengths.push_back(*length);
    if (seconds) log_.seconds.push_back(*seconds);
    for (size_t i = 0; i < counters_.size(); ++i)
      if (const auto x = counter(row[counters_[i]], log_.statistics[i].name)) log_.statistics[i].values.push_back(*x);
  }

  /// By the number of the iteration. REQUIRES: no row is missing a part.
  void sort() {
    std::vector<size_t> order(numbers_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return numbers_[a] < numbers_[b]; });
    const auto put_in_order = [&](auto& values) {
      const auto unsorted = std::exchange(values, {});
      for (const size_t at : order) values.push_back(unsorted[at]);
    };
    put_in_order(log_.lengths);
    if (seconds_) put_in_order(log_.seconds);
    for (Statistic& s : log_.statistics) put_in_order(s.values);
  }

  const dsl::Source& source_;
  std::span<const std::string> asked_;
  dsl::Diagnostics& diagnostics_;
  Log log_;
  std::optional<size_t> length_, seconds_, iteration_;  // columns
  std::vector<size_t> counters_;                        // columns of the statistics
  bool micro_ = false;                                  // times are microseconds
  std::vector<int64_t> numbers_;                        // of the iterations, by row
  std::map<int64_t, int> lines_;                        // of the iterations, by number
};

}  // namespace

std::optional<LogRun> run_of(const Log& log, const Batching& batching, const dsl::Span& place,
                             dsl::Diagnostics& diagnostics) {
  const auto sequences = static_cast<int64_t>(log.lengths.size());
  if (log.sequences && sequences < batching.batch) {
    diagnostics.error(place,
                      fmt::format("a batch of {} is larger than the data set: it has {} sequence{}", batching.batch,
                                  sequences, sequences == 1 ? "" : "s"),
                      "the scenario's job.global_batch says the batch");
    return std::nullopt;
  }
  const std::vector<int64_t> lengths = log.sequences ? batch_lengths(log.lengths, batching) : log.lengths;
  std::vector<Iteration> iterations;
  for (size_t i = 0; i < lengths.size(); ++i)
    iterations.push_back({lengths[i], log.seconds.empty() ? 0 : log.seconds[i]});
  LogRun run{epoch_of(iterations), log.sequences ? sequences % batching.batch : 0};
  for (const Statistic& s : log.statistics) run.statistics.push_back({s.name, means_by_length(run.epoch, s.values)});
  return run;
}

std::optional<std::vector<double>> times_at(const Log& log, const Epoch& epoch, const dsl::Span& place,
                                            dsl::Diagnostics& diagnostics) {
  std::vector<Iteration> iterations;
  for (size_t i = 0; i < log.lengths.size(); ++i) iterations.push_back({log.lengths[i], log.seconds[i]});
  std::map<int64_t, double> known;
  for (const LengthTime& l : epoch_of(iterations).lengths) known[l.length] = l.seconds;
  std::vector<double> times;
  std::vector<int64_t> missing;
  for (const LengthTime& l : epoch.lengths)
    if (const auto at = known.find(l.length); at != known.end()) times.push_back(at->second);
    else missing.push_back(l.length);
  if (missing.empty()) return times;
  diagnostics.error(place,
                    fmt::format("{} of the run's {} lengths have no time here, the first of them {}", missing.size(),
                                epoch.lengths.size(), missing.front()),
                    "--quantum pads the batches of a data set to lengths that have one");
  return std::nullopt;
}

int64_t longest_of(const Log& log, Batching batching) {
  if (!log.sequences) return *std::max_element(log.lengths.begin(), log.lengths.end());
  batching.batch = static_cast<int64_t>(log.lengths.size());
  return batch_lengths(log.lengths, batching).front();
}

std::optional<Log> read_log(const dsl::Source& file, dsl::Sources& sources, dsl::Diagnostics& diagnostics,
                            std::span<const std::string> statistics) {
  const dsl::Source* source = &file;
  if (unpack::is_gzip(file.text) || file.name.ends_with(".gz")) {
    std::optional<std::string> text = unpack::gunzip(file, diagnostics, kMostLogBytes);
    if (!text) return std::nullopt;
    source = &sources.emplace_back(dsl::Source{file.name, std::move(*text), file.directory});
  }
  if (source->text.size() > kMostLogBytes) {
    diagnostics.error({source, 1, 1, 0}, fmt::format("the log is larger than {} MiB", kMostLogBytes >> 20));
    return std::nullopt;
  }
  dsl::Diagnostics found;
  Log log = LogReader(*source, statistics, found).read();
  diagnostics.list.insert(diagnostics.list.end(), found.list.begin(), found.list.end());
  if (found.has_errors()) return std::nullopt;
  return log;
}

}  // namespace planner::seqpoint
