#include "cli/commands/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/report/figure.h"
#include "dsl/unit_sizes.h"

namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kClear = "\r\x1b[K";  // back to the first column; ECMA-48 EL: erase to the end of the line
constexpr size_t kWidth = 79;

std::string in_unit(dsl::Dim dim, double value) {
  if (dim == dsl::kTime)
    return value >= dsl::kDay ? figure(value / dsl::kDay, Unit::days) : figure(value, Unit::seconds);
  if (dim == dsl::kMoney) return figure(value, Unit::usd);
  if (dim == dsl::kEnergy) return figure(value / dsl::kKilowattHour, Unit::kwh);
  if (dim == dsl::kData) return figure(value, Unit::memory);
  return four_digits(value);
}

std::string duration(double seconds) {
  if (seconds >= dsl::kDay) return figure(seconds / dsl::kDay, Unit::days);
  const auto s = static_cast<int64_t>(std::ceil(seconds));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02} h", s / 3600, s / 60 % 60, s % 60);
  return s >= 60 ? fmt::format("{}:{:02} min", s / 60, s % 60) : fmt::format("{} s", s);
}

}  // namespace

std::string goal_figure(const planner::Goal& goal, double objective) {
  if (!goal.minimize && !goal.maximize) return "step " + in_unit(dsl::kTime, objective);
  const double value = goal.maximize ? -objective : objective;
  const planner::ResultRow* row = planner::find_result((goal.maximize ? goal.maximize : goal.minimize)->text);
  return row ? row->name + (" " + in_unit(row->scale.dim, value)) : four_digits(value);
}

std::string progress_line(double walked, double here, double total, double seconds, const std::string& best) {
  const double share = std::min(walked / std::max(total, 1.0), 0.999), rate = seconds > 0 ? here / seconds : 0;
  std::string line = fmt::format("{}  {} of {} candidates  {}/s", figure(share, Unit::fraction),
                                 figure(std::round(walked), Unit::count), figure(std::round(total), Unit::count),
                                 figure(std::round(rate), Unit::count));
  if (rate > 0) line += "  " + duration(std::max(total - walked, 0.0) / rate) + " left";
  if (!best.empty()) line += "  best: " + best;
  return line.substr(0, kWidth);
}

std::string rows_line(int64_t done, int64_t total, double seconds) {
  if (total == 0) return "";
  const double share = std::min(static_cast<double>(done) / static_cast<double>(total), 0.999);
  std::string line = fmt::format("{}  {} of {} rows", figure(share, Unit::fraction), done, total);
  if (done > 0)
    line += "  " + duration(seconds * static_cast<double>(total - done) / static_cast<double>(done)) + " left";
  return line.substr(0, kWidth);
}

std::string work_line(const char* what, double seconds) {
  return seconds < 1 ? "" : fmt::format("{}  {:.0f} s", what, seconds);
}

ProgressBar::ProgressBar(std::ostream& err, Line line, std::chrono::milliseconds period)
    : err_(err), thread_([this, line = std::move(line), period] { draw(line, period); }) {}

ProgressBar::ProgressBar(std::ostream& err, const planner::WalkProgress& progress, double total,
                         const planner::Goal& goal, std::chrono::milliseconds period)
    : ProgressBar(
          err,
          [&progress, total, &goal, before = static_cast<double>(progress.candidates.load())](double seconds) {
            const auto walked = static_cast<double>(progress.candidates.load());
            const double best = progress.best.load();
            return progress_line(walked, walked - before, total, seconds,
                                 std::isfinite(best) ? goal_figure(goal, best) : "");
          },
          period) {}

ProgressBar::ProgressBar(std::ostream& err, const planner::WalkProgress& progress)
    : ProgressBar(err, [&progress](double seconds) { return rows_line(progress.rows, progress.of_rows, seconds); }) {}

ProgressBar::~ProgressBar() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void ProgressBar::draw(const Line& line, std::chrono::milliseconds period) {
  const Clock::time_point start = Clock::now();
  bool drawn = false;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, period, [this] { return over_; })) {
    const std::string text = line(std::chrono::duration<double>(Clock::now() - start).count());
    if (text.empty()) continue;
    err_ << kClear << text << std::flush;
    drawn = true;
  }
  if (drawn) err_ << kClear << std::flush;
}

}  // namespace cli
