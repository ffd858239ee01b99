#include "operator_models/calibrate/nccl_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "operator_models/calibrate/readers.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr size_t kTimes = 8;                        // last columns: time, algbw, busbw, wrong, twice
constexpr size_t kLeastColumns = 3 + kTimes;        // size, count, type
constexpr size_t kMostColumns = 5 + kTimes;         // and redop, root
constexpr double kRounding = 0.011, kSlack = 0.02;  // GB/s are printed with two digits, times with four or more
constexpr double kLeastRate = 1;                    // GB/s: below, the printed digits say too little

struct LogWord {
  std::string_view text;
  dsl::Span place;
};

/// Words between blanks, with their places; `column` is that of the line's first byte.
std::vector<LogWord> words_of(std::string_view line, int column, const dsl::Source& source, int number) {
  std::vector<LogWord> words;
  for (size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(
        {line.substr(at, end - at), {&source, number, column + static_cast<int>(at), static_cast<int>(end - at)}});
    at = end;
  }
  return words;
}

bool is_count(std::string_view text) {
  return !text.empty() && text.size() < 19 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int64_t count_of(std::string_view text) {
  int64_t x = 0;
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}

/// "[1,0]<stdout>:" of mpirun, "[host:1000]" of its tags, "3: " of srun: how many bytes of the line they are.
size_t prefix_length(std::string_view line) {
  if (line.starts_with('[')) {
    size_t end = line.find(']');
    if (end != std::string_view::npos && line.substr(end + 1).starts_with("<std")) end = line.find('>', end);
    if (end == std::string_view::npos) return 0;
    return end + 1 + (line.substr(end + 1).starts_with(':') ? 1 : 0);
  }
  const size_t colon = line.find(": ");
  return colon != std::string_view::npos && is_count(line.substr(0, colon)) ? colon + 2 : 0;
}

/// One test while its lines are read.
struct LogTest {
  std::string op;               // "": unknown
  std::set<std::string> hosts;  // of group 0
  int64_t ranks = 0;            // device lines of group 0
  size_t first_row = 0;         // of the table
  int lines = 0;                // measurement lines
  bool closed = false;          // its average was printed
  std::string unknown;          // a program whose operation has no model
  double ratio = 0, rate = 0;   // bus over algorithm bandwidth where that was largest
  dsl::Span place;              // of its first measurement line
};

class NcclLog {
 public:
  NcclLog(const dsl::Source& source, dsl::Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {
    for (const char* name : {"op", "ranks", "nodes", "gpus_per_node", "size_bytes", "type", "in_place", "time_us"})
      table_.header.push_back({name, {&source, 1, 1, 0}});
  }

  dsl::CsvTable read() {
    std::string_view rest = source_.text;
    for (int number = 1; !rest.empty(); ++number) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      line(rest.substr(0, end), number);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    finish();
    if (measured_ == 0)
      diagnostics_.error({&source_, 1, 1, 0}, "no line of the log is a measurement of nccl-tests",
                         "expected lines of size, count, type, redop, root, time, algbw, busbw, #wrong ...");
    return std::move(table_);
  }

 private:
  void line(std::string_view text, int number) {
    const size_t prefix = prefix_length(text);
    std::string_view body = text.substr(prefix);
    int column = static_cast<int>(prefix) + 1;
    const bool comment = body.starts_with('#');
    if (comment) body.remove_prefix(1), ++column;
    const std::vector<LogWord> words = words_of(body, column, source_, number);
    if (words.empty()) return;
    if (words.size() >= 3 && !comment && is_count(words[0].text) && is_count(words[1].text)) return measurement(words);
    if (words[0].text == "Rank" && words.size() > 2) return device(words);
    header(body, words);
  }

  void header(std::string_view body, const std::vector<LogWord>& words) {
    const auto starts = [&](std::string_view text) { return body.find(text) != std::string_view::npos; };
    if (starts("Collective test starting:")) begin(words.back().text);
    else if (starts("nThread") && test_.lines > 0) begin("");
    else if (starts("Using devices")) again();
    else if (starts("Avg bus bandwidth")) test_.closed = true;
    else if (starts("Out of bounds values") && words.back().text == "FAILED")
      diagnostics_.warning(words.back().place, "the test found wrong results: its times may mean little");
    else if (test_.lines == 0 && words[0].text.ends_with("_perf")) test_.op = op_in(words[0].text);
  }

  void begin(std::string_view name) {
    finish();
    test_ = {};
    test_.op = op_in(name);
    if (test_.op.empty()) test_.unknown = name;
    test_.first_row = table_.rows.size();
  }
  /// The list of devices starts anew; so does the test, unless another line names it.
  void again() {
    if (test_.lines > 0) begin("");
    test_.ranks = 0;
    test_.hosts.clear();
  }

  /// "Rank  0 Group  0 Pid 4180122 on HOST device  0 [...]"
  void device(const std::vector<LogWord>& words) {
    if (test_.lines > 0) begin("");
    if (words[2].text == "Group" && words.size() > 3 && words[3].text != "0") return;
    const auto on = std::find_if(words.begin(), words.end(), [](const LogWord& w) { return w.text == "on"; });
    if (on == words.end() || on + 1 == words.end()) return;
    ++test_.ranks;
    test_.hosts.emplace((on + 1)->text);
  }

  void measurement(const std::vector<LogWord>& words) {
    if (words.size() < kLeastColumns || words.size() > kMostColumns) {
      diagnostics_.warning(words[0].place,
                           fmt::format("passed over: a measurement line with {} columns", words.size()));
      return;
    }
    if (test_.lines++ == 0) test_.place = words[0].place;
    ++measured_;
    const size_t times = words.size() - kTimes;
    for (size_t in_place : {0, 1}) times_of(words, times + in_place * kTimes / 2, in_place);
  }

  void times_of(const std::vector<LogWord>& words, size_t at, size_t in_place) {
    if (words[at].text == "N/A") return;
    std::array<double, 3> x{};  // us, GB/s, GB/s
    for (size_t i = 0; i < x.size(); ++i) {
      const auto number = dsl::cell_number(words[at + i].text);
      if (!number || *number < 0)
        return diagnostics_.error(words[at + i].place, fmt::format("expected a number, got '{}'", words[at + i].text));
      x[i] = *number;
    }
    const LogWord& size = words[0];
    const double bytes = real(count_of(size.text));
    if (bytes == 0) return;  // a test prints the size nothing is left of
    if (x[0] > 0 && std::abs(x[1] - bytes / x[0] * 1e-3) > kRounding + kSlack * x[1])
      return diagnostics_.error(words[at + 1].place,
                                fmt::format("{} B in {} us are {:.2f} GB/s, the line says {}", size.text,
                                            words[at].text, bytes / x[0] * 1e-3, words[at + 1].text),
                                "columns or units are not those of nccl-tests");
    if (x[1] > test_.rate && x[1] > 0) test_.rate = x[1], test_.ratio = x[2] / x[1];
    const auto cell = [](std::string text, dsl::Span place) { return dsl::CsvCell{std::move(text), place}; };
    const dsl::Span here = words[at].place;
    table_.rows.push_back({cell("", size.place), cell("", here), cell("", here), cell("", here),
                           cell(std::string(size.text), size.place), cell(std::string(words[2].text), words[2].place),
                           cell(in_place ? "1" : "0", here), cell(std::string(words[at].text), here)});
  }

  /// The operation of a program's or a file's name: "all_gather_perf", "h100x16_all_gather.txt".
  static std::string op_in(std::string_view name) { return collective_in(name).value_or(""); }

  std::string_view file_name() const {
    const std::string_view name = source_.name;
    return name.substr(name.find_last_of('/') + 1);
  }

  /// The number before or after a mark in the file's name: N2_G8, 2nodes.
  int64_t number_in_name(std::string_view mark, bool before) const {
    const std::string_view name = file_name();
    const auto digit = [&](size_t i) { return i < name.size() && name[i] >= '0' && name[i] <= '9'; };
    for (size_t at = name.find(mark); at != std::string_view::npos; at = name.find(mark, at + 1)) {
      size_t begin = before ? at : at + mark.size(), end = begin;
      if (before)
        while (begin > 0 && digit(begin - 1)) --begin;
      else
        while (digit(end)) ++end;
      if (is_count(name.substr(begin, end - begin)) && end - begin < 7)
        return count_of(name.substr(begin, end - begin));
    }
    return 0;
  }

  /// Ranks that a bus factor belongs to: 2 (n - 1) / n of an all-reduce, (n - 1) / n of the others.
  static int64_t ranks_of(const std::string& op, double ratio) {
    const double share = op == "all-reduce" ? ratio / 2 : ratio;
    if (op == "send-recv" || op == "broadcast" || share <= 0 || share >= 1) return 0;
    return std::llround(1 / (1 - share));
  }

  void check_factor(int64_t ranks) {
    const double n = real(ranks);
    const double expected = test_.op == "send-recv" ? 1 : bus_factor(*collective_kind(test_.op), n);
    if (test_.rate < kLeastRate || std::abs(test_.ratio - expected) <= kSlack * expected) return;
    diagnostics_.error(test_.place,
                       fmt::format("the bus bandwidth of {} over {} ranks is {:.3f} of the algorithm bandwidth, this "
                                   "test says {:.3f}",
                                   test_.op, ranks, expected, test_.ratio),
                       "another test, or another number of ranks");
  }

  /// What the test's rows did not know while they were read.
  void finish() {
    if (test_.lines == 0) return;
    if (!test_.unknown.empty()) {
      diagnostics_.warning(test_.place, fmt::format("no model for {}: passed over", test_.unknown));
      return table_.rows.resize(test_.first_row);
    }
    if (!test_.closed)
      diagnostics_.warning(test_.place, fmt::format("the log ends inside this test: {} lines are read", test_.lines));
    if (test_.op.empty()) test_.op = op_in(file_name());
    if (test_.op.empty())
      return diagnostics_.error(test_.place, "which collective is this? neither the log nor the file's name says it",
                                "name the file after it: all_gather_2nodes.log");
    int64_t nodes = static_cast<int64_t>(test_.hosts.size()), ranks = test_.ranks;
    if (nodes == 0) nodes = std::max(number_in_name("N", false), number_in_name("node", true));
    const int64_t per_node = number_in_name("_G", false);
    if (ranks == 0 && nodes > 0) ranks = nodes * per_node;
    if (ranks == 0) ranks = ranks_of(test_.op, test_.ratio);
    if (ranks < 2)
      return diagnostics_.error(test_.place, "over how many ranks? the log has no lines of devices",
                                "put nodes and GPUs per node in the file's name: N2_G8");
    check_factor(ranks);
    for (size_t i = test_.first_row; i < table_.rows.size(); ++i) fill(table_.rows[i], ranks, nodes);
  }
  void fill(std::vector<dsl::CsvCell>& row, int64_t ranks, int64_t nodes) const {
    row[0].text = test_.op;
    row[1].text = std::to_string(ranks);
    if (nodes > 0 && ranks % nodes == 0)
      row[2].text = std::to_string(nodes), row[3].text = std::to_string(ranks / nodes);
  }

  const dsl::Source& source_;
  dsl::Diagnostics& diagnostics_;
  dsl::CsvTable table_;
  LogTest test_;
  int measured_ = 0;
};

}  // namespace

dsl::CsvTable read_nccl_log(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  return NcclLog(source, diagnostics).read();
}

}  // namespace operator_models
