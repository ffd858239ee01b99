#include "planner/scaling/read/nsight_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "dsl/csv.h"
#include "dsl/raw_text.h"

namespace planner::scaling {
namespace {

constexpr const char* kConvention = "profiles are named app.p4.r1.mpi0.sqlite: parameters, repetition, rank";

// The number behind `prefix`, if that is all there is.
std::optional<long> number_behind(std::string_view part, std::string_view prefix) {
  long number = 0;
  if (!part.starts_with(prefix) || part.size() == prefix.size()) return std::nullopt;
  const char* end = part.data() + part.size();
  const auto read = std::from_chars(part.data() + prefix.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

class NameReader {
 public:
  NameReader(const dsl::Source& source, dsl::Diagnostics& diagnostics)
      : source_(source), text_(source.text), diagnostics_(diagnostics) {}

  std::optional<ProfileName> read() {
    if (text_.ends_with(".sqlite")) text_.remove_suffix(7);
    size_t at = std::min(text_.find('.'), text_.size());
    name_.app = text_.substr(0, at);
    while (at < text_.size()) {
      const size_t end = std::min(text_.find('.', at + 1), text_.size());
      if (!read_part(at + 1, end)) return std::nullopt;
      at = end;
    }
    if (!name_.parameters.empty()) return name_;
    fail(0, text_.size(), "the name says no parameter");
    return std::nullopt;
  }

 private:
  bool fail(size_t from, size_t to, std::string message) {
    const int column = static_cast<int>(from) + 1, length = static_cast<int>(to - from);
    diagnostics_.error({&source_, 1, column, length}, std::move(message), kConvention);
    return false;
  }

  bool read_part(size_t from, size_t to) {
    const std::string_view part = text_.substr(from, to - from);
    if (const auto rank = number_behind(part, "mpi")) return name_.rank = *rank, true;
    if (const auto repetition = number_behind(part, "r")) return name_.repetition = *repetition, true;
    return read_parameters(from, to);
  }

  // One parameter or several: p4, x2y8.
  bool read_parameters(size_t from, size_t to) {
    const auto is_value = [&](size_t i) { return dsl::is_digit(text_[i]) || text_[i] == ','; };
    for (size_t at = from; at < to || at == from;) {
      size_t digits = at, end;
      while (digits < to && !is_value(digits)) ++digits;
      for (end = digits; end < to && is_value(end);) ++end;
      std::string value(text_.substr(digits, end - digits));
      std::replace(value.begin(), value.end(), ',', '.');
      const auto number = dsl::cell_number(value);
      if (digits == at || !number)
        return fail(from, to,
                    fmt::format("expected a name and a number such as 'p4', got '{}'",
                                dsl::shortened(text_.substr(from, to - from))));
      name_.parameters.emplace_back(text_.substr(at, digits - at));
      name_.values.push_back(*number);
      at = end;
    }
    return true;
  }

  const dsl::Source& source_;
  std::string_view text_;
  dsl::Diagnostics& diagnostics_;
  ProfileName name_;
};

using trace::Rows;

// Types of rows of NVTX_EVENTS (Nsight Systems, SQLite export schema reference: NsysNvtxEventType).
constexpr int64_t kCategory = 33, kMark = 34;

enum class MarkUnit { training, validation, epoch };

struct MarkedSpan {
  int64_t start, end, number;
  MarkUnit unit;
};

std::optional<MarkUnit> unit_of(std::string category) {
  std::replace(category.begin(), category.end(), '_', ' ');
  if (category == "epoch") return MarkUnit::epoch;
  if (category == "training step") return MarkUnit::training;
  if (category == "testing step" || category == "validation step") return MarkUnit::validation;
  return std::nullopt;
}

// "step:3,type:started"
struct Mark {
  bool epoch, started;
  int64_t number;
};

std::optional<Mark> read_mark(std::string_view text) {
  const bool epoch = text.starts_with("epoch:");
  if (!epoch && !text.starts_with("step:")) return std::nullopt;
  Mark mark{epoch, text.ends_with(",type:started"), 0};
  if (!mark.started && !text.ends_with(",type:ended")) return std::nullopt;
  const char* begin = text.data() + (epoch ? 6 : 5);
  if (std::from_chars(begin, text.data() + text.size(), mark.number).ec != std::errc()) return std::nullopt;
  return mark;
}

class StepReader {
 public:
  StepReader(Database& database, const Strings& strings) : database_(database), strings_(strings) {}

  StepWindows read() {
    if (database_.has("NVTX_EVENTS")) {
      read_categories();
      read_spans();
    }
    return windows();
  }

 private:
  void read_categories() {
    Rows rows(database_, "SELECT category, text FROM NVTX_EVENTS WHERE eventType = 33 AND text IS NOT NULL");
    while (rows.next())
      if (const auto unit = unit_of(std::string(rows.text(1)))) units_[rows.integer(0)] = *unit;
  }

  void read_spans() {
    const std::string id = database_.has("NVTX_EVENTS", "textId") ? "textId" : "NULL";
    Rows rows(database_, "SELECT start, end, eventType, category, text, " + id +
                             " FROM NVTX_EVENTS WHERE eventType = 34 OR category IS NOT NULL ORDER BY start");
    while (rows.next()) {
      const auto unit = units_.find(rows.integer(3));
      const bool known = !rows.is_null(3) && unit != units_.end();
      if (rows.integer(2) == kMark) take_mark(rows, known ? std::optional(unit->second) : std::nullopt);
      else if (known && rows.integer(2) != kCategory && !rows.is_null(1))
        spans_.push_back({rows.integer(0), rows.integer(1), -1, unit->second});
    }
  }

  void take_mark(const Rows& rows, std::optional<MarkUnit> unit) {
    const std::string* string = rows.is_null(4) ? strings_.find(rows.integer(5)) : nullptr;
    const std::string_view text = string ? std::string_view(*string) : rows.text(4);
    if (text == "test started" || text == "test ended") testing_ = text == "test started";
    const auto mark = read_mark(text);
    if (!mark) return;
    if (mark->epoch) unit = MarkUnit::epoch;
    else if (!unit) unit = testing_ ? MarkUnit::validation : MarkUnit::training;
    std::optional<MarkedSpan>& open = open_[*unit];
    if (mark->started) open = MarkedSpan{rows.integer(0), 0, mark->number, *unit};
    if (mark->started || !open || open->number != mark->number) return;
    open->end = rows.integer(0);
    spans_.push_back(*open);
    open.reset();
  }

  StepWindows windows() {
    StepWindows found;
    for (const auto& [category, unit] : units_) found.categories.push_back(category);
    std::sort(spans_.begin(), spans_.end(), [](const MarkedSpan& a, const MarkedSpan& b) { return a.start < b.start; });
    std::vector<MarkedSpan> steps, epochs;
    for (const MarkedSpan& span : spans_) (span.unit == MarkUnit::epoch ? epochs : steps).push_back(span);
    found.marked = !steps.empty();
    if (!found.marked) {
      const int64_t most = std::numeric_limits<int64_t>::max();
      found.list.push_back({std::numeric_limits<int64_t>::min(), most, 0});
      return found;
    }
    const std::vector<size_t> epoch = epochs_of(steps, epochs);
    found.warm_up = epoch.back() == epoch.front();
    found.epochs = std::set(epoch.begin(), epoch.end()).size();
    for (size_t i = 0; i < steps.size(); ++i) {
      const double length = static_cast<double>(steps[i].end) - static_cast<double>(steps[i].start);
      found.marked_ns += length;
      if (!found.warm_up && epoch[i] == epoch.front()) continue;
      int64_t end = std::max(steps[i].end, steps[i].start);
      if (epoch[i] > 0 && epoch[i] <= epochs.size()) end = std::max(end, epochs[epoch[i] - 1].end);
      const bool followed = i + 1 < steps.size();
      if (followed && (epoch[i + 1] == epoch[i] || steps[i + 1].start < end)) end = steps[i + 1].start;
      const Phase phase = steps[i].unit == MarkUnit::validation ? Phase::validation : Phase::training;
      found.list.push_back({steps[i].start, end, length, phase});
    }
    return found;
  }

  // The number of each step's epoch: of those that are marked, from 1; or where none is, of the times that the numbers
  // of the training steps began anew.
  static std::vector<size_t> epochs_of(const std::vector<MarkedSpan>& steps, const std::vector<MarkedSpan>& epochs) {
    std::vector<size_t> found;
    size_t epoch = 0;
    int64_t before = std::numeric_limits<int64_t>::min();
    for (const MarkedSpan& step : steps) {
      if (!epochs.empty()) {
        while (epoch < epochs.size() && epochs[epoch].start <= step.start) ++epoch;
      } else if (step.unit == MarkUnit::training && step.number >= 0) {
        if (step.number <= before) ++epoch;
        before = step.number;
      }
      found.push_back(epoch);
    }
    return found;
  }

  Database& database_;
  const Strings& strings_;
  std::map<int64_t, MarkUnit> units_;  // by NVTX category
  std::map<MarkUnit, std::optional<MarkedSpan>> open_;
  std::vector<MarkedSpan> spans_;
  bool testing_ = false;
};

}  // namespace

std::optional<ProfileName> read_profile_name(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  return NameReader(source, diagnostics).read();
}

size_t StepWindows::count(Phase phase) const {
  return static_cast<size_t>(
      std::count_if(list.begin(), list.end(), [&](const StepWindow& window) { return window.phase == phase; }));
}

StepWindows read_windows(Database& database, const Strings& strings) { return StepReader(database, strings).read(); }

}  // namespace planner::scaling
