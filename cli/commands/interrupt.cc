#include "cli/commands/interrupt.h"

#include <csignal>

namespace cli {
namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may write it
void note_signal(int) { signalled = true; }

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

constexpr const char* kColumn = "interrupted";
constexpr const char* kLine = "interrupted: this is what was found so far";

svg::Picture marked(svg::Picture picture) {
  std::visit([](auto& chart) { chart.subtitle = "Interrupted: this is what was found so far. " + chart.subtitle; },
             picture);
  return picture;
}

}  // namespace

std::atomic<bool>& interrupted() { return signalled; }

Interruptible::Interruptible() {
  signalled = false;  // before a signal may set it
  for (size_t i = 0; i < kSignals.size(); ++i) before_[i] = std::signal(kSignals[i], note_signal);
  if (before_.back() == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

Interruptible::~Interruptible() {
  for (size_t i = kSignals.size(); i-- > 0;) std::signal(kSignals[i], before_[i]);
}

void mark_interrupted(Report& report, std::vector<std::string>& columns) {
  report.document.push_back({kColumn, true});
  report.table.columns.push_back({.name = kColumn});
  for (std::vector<Data>& row : report.table.rows) row.emplace_back(true);
  if (!report.text.empty()) report.text.insert(report.text.begin(), std::string(kLine));
  else report.table.title = kLine;
  if (!columns.empty()) columns.emplace_back(kColumn);
  if (report.picture) report.picture = [whole = std::move(report.picture)] { return marked(whole()); };
}

int tell_interrupted(const CommonFlags& common, Streams& streams, const char* command) {
  if (!common.quiet) streams.err << "trainplan " << command << ": " << kLine << "\n";
  return kInterrupted;
}

int print_found(Report report, const CommonFlags& common, bool stopped, Streams& streams, const char* command) {
  CommonFlags shown = common;
  if (stopped) mark_interrupted(report, shown.columns);
  const int status = print(std::move(report), shown, streams, command);
  return status == kDone && stopped ? tell_interrupted(common, streams, command) : status;
}

}  // namespace cli
