// Random scenarios against the laws of laws.h: `./dev properties [COUNT [SEED]]`.
//
// usage: trainplan_properties COUNT SEED [THREADS]    COUNT: scenarios with a plan
//
// Prints a table of the laws: how often each was checked, and where it did not hold; a violation with the scenario that
// shows it. Exit status 1: there was one.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "tests/properties/checks.h"
#include "tests/properties/draw.h"
#include "tests/properties/laws.h"

namespace properties {
namespace {

constexpr int64_t kLayouts = 16;  // of one text: reading takes longer than planning
constexpr int64_t kShown = 30;    // violations of one law, of a text each

struct Count {
  std::atomic<int64_t> asked{0}, broken{0};
  int64_t shown = 0;
  std::string shown_of;  // of one text one violation is shown
};

class Run {
 public:
  Run(int64_t count, uint64_t seed)
      : count_(count), seed_(seed), laws_(laws().size()), checks_(checks().size()), excepted_(exceptions().size()) {}

  /// Draws texts until enough scenarios have a plan.
  void work() {
    while (planned_ < count_) one_text(Random(seed_, next_++));
  }

  int report() const;

 private:
  void one_text(Random random) {
    const Written written = draw_written(random);
    std::optional<Scenario> scenario = read(written);
    if (!scenario) return void(++unread_);
    for (int64_t i = 0; i < kLayouts && planned_ < count_; ++i) {
      Scenario laid_out = *scenario;
      if (!draw_layout(laid_out, random)) return void(++no_layout_);
      const Plan plan = planner::make_plan(laid_out);
      if (!plan.step) return void(++no_layout_);
      ++planned_;
      for (size_t law = 0; law < laws().size(); ++law) ask(law, laid_out, plan, written, random);
      if (i == 0) check(written, laid_out, random);
    }
  }

  void ask(size_t law, const Scenario& scenario, const Plan& plan, const Written& written, Random& random) {
    const Law& row = laws()[law];
    if (!row.change) return judge(law, scenario, row.compare(plan, plan), written, {});
    Scenario changed = scenario;
    const Sets change = row.change(changed, random);
    if (change.empty()) return;
    const Plan after = planner::make_plan(changed);
    if (after.step) judge(law, scenario, row.compare(plan, after), written, change);
  }

  void check(const Written& written, const Scenario& scenario, Random& random) {
    for (size_t i = 0; i < checks().size(); ++i) {
      if (!random.chance(checks()[i].share)) continue;
      ++checks_[i].asked;
      const Verdict verdict = checks()[i].run(written, scenario, random);
      if (!verdict.wrong.empty()) show(checks()[i].says, checks_[i], verdict, written, scenario, {});
    }
  }

  void judge(size_t law, const Scenario& scenario, const Verdict& verdict, const Written& written, const Sets& change) {
    ++laws_[law].asked;
    if (verdict.wrong.empty()) return;
    for (size_t i = 0; i < exceptions().size(); ++i) {
      const Exception& each = exceptions()[i];
      if (each.laws.holds(laws()[law]) && verdict.excess <= each.most && each.applies(scenario))
        return void(++excepted_[i]);
    }
    show(laws()[law].says, laws_[law], verdict, written, scenario, change);
  }

  void show(const char* says, Count& count, const Verdict& verdict, const Written& written, const Scenario& scenario,
            const Sets& change) {
    ++count.broken;
    const std::lock_guard lock(print_);
    if (written.text == count.shown_of || ++count.shown > kShown) return;
    count.shown_of = written.text;
    const auto print = [](const Sets& sets) {
      for (const std::string& set : sets) fmt::print(" --set '{}'", set);
    };
    fmt::print("violation: {}: {}\n{}", says, verdict.wrong, written.text);
    print(written.sets + layout_sets(scenario));
    fmt::print("\nchanged by:");
    print(change);
    fmt::print("\n\n");
  }

  const int64_t count_;
  const uint64_t seed_;
  std::atomic<uint64_t> next_{0};
  std::atomic<int64_t> planned_{0}, unread_{0}, no_layout_{0};
  std::vector<Count> laws_, checks_;
  std::vector<std::atomic<int64_t>> excepted_;
  std::mutex print_;
};

int Run::report() const {
  int64_t broken = 0;
  const auto row = [&](const char* says, const Count& count) {
    fmt::print("| {} | {} | {} |\n", says, count.asked.load(), count.broken.load());
    broken += count.broken;
  };
  fmt::print("| law | asked | broken |\n| --- | ---: | ---: |\n");
  for (size_t i = 0; i < laws().size(); ++i) row(laws()[i].says, laws_[i]);
  for (size_t i = 0; i < checks().size(); ++i) row(checks()[i].says, checks_[i]);
  fmt::print("\n| exception from | cause | by at most | met |\n| --- | --- | ---: | ---: |\n");
  for (size_t i = 0; i < exceptions().size(); ++i) {
    const Exception& each = exceptions()[i];
    const std::string most = std::isinf(each.most) ? "" : fmt::format("{:.3g} %", 100 * each.most);
    fmt::print("| {} | {} | {} | {} |\n", each.laws.text(), each.cause, most, excepted_[i].load());
  }
  fmt::print(
      "\nSeed {}: {} scenarios of {} texts; {} texts name what a machine or its calibration lacks, {} found no "
      "layout.\n",
      seed_, planned_.load(), next_.load(), unread_.load(), no_layout_.load());
  return broken > 0 ? 1 : 0;
}

}  // namespace
}  // namespace properties

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: trainplan_properties COUNT SEED [THREADS]\n");
    return 2;
  }
  properties::Run run(std::atoll(argv[1]), std::strtoull(argv[2], nullptr, 10));
  std::vector<std::thread> threads;
  for (int i = 0; i < (argc > 3 ? std::atoi(argv[3]) : 1); ++i) threads.emplace_back([&] { run.work(); });
  for (std::thread& thread : threads) thread.join();
  return run.report();
}
