#include "planner/studies/whatif/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dsl/write.h"
#include "planner/plan/fits.h"
#include "planner/plan/goals.h"
#include "planner/search/coster.h"
#include "planner/search/goal.h"
#include "planner/search/refusals.h"
#include "planner/search/shared.h"

namespace planner {
namespace {

constexpr std::array<size_t, kChangeKinds.size()> kMostOf{3, 1, 1};
constexpr std::array kMeans{"", "another job: ", "other GPUs: "};

/// A neighbour that fits.
struct NearbyFit {
  Sets sets;
  std::vector<size_t> rows;  // that it changes
  ChangeKind kind = ChangeKind::layout;
  double price = 0;
  bool keeps_limits = false;
};

bool fits(const MemoryPeaks& memory) { return is_finite(memory) && !overflow(memory); }

/// Looks at the combinations of a neighbourhood.
class NearbyWalk {
 public:
  NearbyWalk(const NearbySpace& nearby, const LoadedScenario& base)
      : nearby_(nearby),
        base_(base),
        cursor_(nearby.open.space),
        coster_(nearby.open, shared_, cursor_.order()),
        goal_(nearby.open, false),
        at_(cursor_.order().size()) {}

  std::vector<NearbyFit> singles() {
    for (size_t row = 0; row < nearby_.rows.size(); ++row) change({row}, 0, 0);
    return std::exchange(found_, {});
  }
  /// Pairs of which one is of this kind, and none is less mild.
  std::vector<NearbyFit> pairs(ChangeKind kind) {
    for (size_t second = 0; second < nearby_.rows.size(); ++second)
      for (size_t first = 0; first < second && nearby_.rows[second].kind == kind; ++first)
        if (!share_a_field(first, second)) change({first, second}, 0, 0);
    return std::exchange(found_, {});
  }

 private:
  using Rows = std::vector<size_t>;

  bool share_a_field(size_t a, size_t b) const {
    return std::ranges::any_of(nearby_.rows[a].fields, [&](const NearbyField& field) {
      return std::ranges::count(nearby_.rows[b].fields, field.path, &NearbyField::path) > 0;
    });
  }

  /// Looks at all values of the rows' fields from one field on.
  void change(const Rows& rows, size_t row, size_t field) {
    if (row == rows.size()) return look(rows);
    const std::vector<NearbyField>& fields = nearby_.rows[rows[row]].fields;
    if (field == fields.size()) return change(rows, row + 1, 0);
    uint32_t& at = at_[cursor_.level(fields[field].item)];
    for (const uint32_t value : fields[field].values) {
      at = value;
      change(rows, row, field + 1);
    }
    at = 0;
  }

  void look(const Rows& rows) {
    cursor_.seek(at_);
    if (cursor_.is_valueless() || !is_change(rows)) return;
    const Early early{.by_memory = [](const MemoryPeaks& memory) { return !fits(memory); }};
    const Costed costed = coster_.cost(cursor_, early);
    if (!costed.figures || !costed.figures->priced || !fits(costed.figures->memory)) return;
    if (is_finite(costed.figures->step)) note(rows, *costed.scenario, results_of(*costed.figures));
  }

  bool is_new(const NearbyField& field) const {
    return !(cursor_.value(field.item) == base_.record.find(field.path)->value);
  }
  bool is_allowed(const NearbyField& field) {
    return std::ranges::all_of(field.allowed, [&](const dsl::Expression& condition) {
      const std::optional<dsl::Value> value = cursor_.evaluate(condition, {});
      const bool* truth = value ? std::get_if<bool>(&value->v) : nullptr;
      return truth && *truth;
    });
  }
  /// Whether each row changes a field, to what the software can do.
  bool is_change(const Rows& rows) {
    return std::ranges::all_of(rows, [&](size_t row) {
      const std::vector<NearbyField>& fields = nearby_.rows[row].fields;
      return std::ranges::any_of(fields, [&](const NearbyField& field) { return is_new(field); }) &&
             std::ranges::all_of(fields, [&](const NearbyField& field) { return is_allowed(field); });
    });
  }

  void note(const Rows& rows, const Scenario& scenario, const Results& results) {
    NearbyFit found{.sets = sets(rows, scenario.parallelism.zero > 0), .rows = rows};
    for (const size_t row : rows) found.kind = std::max(found.kind, nearby_.rows[row].kind);
    found.price = results.usd ? *results.usd : static_cast<double>(results.gpus) * results.step.seconds;
    found.keeps_limits = cursor_.refusal() == dsl::Refusal::none && goal_.all_broken(cursor_, results).empty();
    found_.push_back(std::move(found));
  }
  /// Followers are set too: whoever wrote them has to write them again. `shards`: a shard group matters.
  Sets sets(const Rows& rows, bool shards) const {
    Sets sets;
    const auto add = [&](const NearbyField& field) {
      sets.emplace_back(field.path, dsl::write_value(cursor_.value(field.item)));
    };
    for (const size_t row : rows)
      for (const NearbyField& field : nearby_.rows[row].fields) add(field);
    for (const NearbyField& field : nearby_.followers)
      if (is_new(field) && (shards || field.path != "parallelism.zero_group")) add(field);
    return sets;
  }

  const NearbySpace& nearby_;
  const LoadedScenario& base_;
  SharedParts shared_;
  dsl::Cursor cursor_;
  Coster coster_;
  GoalCheck goal_;
  std::vector<uint32_t> at_;  // by level: the number of a value; 0: as it is
  std::vector<NearbyFit> found_;
};

/// The cheapest neighbours of each kind that hold when they are read and planned.
class RemedyChooser {
 public:
  RemedyChooser(const Sets& chosen, const Reread& reread) : chosen_(chosen), reread_(reread) {}

  std::vector<FitRemedy> choose(std::vector<NearbyFit> all, bool keeps_limits) const {
    if (keeps_limits) std::erase_if(all, [](const NearbyFit& n) { return !n.keeps_limits; });
    std::ranges::stable_sort(all, [](const NearbyFit& a, const NearbyFit& b) {
      return std::tie(a.kind, a.price) < std::tie(b.kind, b.price);
    });
    std::vector<FitRemedy> remedies;
    std::vector<std::vector<size_t>> taken;  // the cheapest values of a setting are enough
    std::array<size_t, kChangeKinds.size()> many{};
    for (NearbyFit& each : all) {
      size_t& of_kind = many[static_cast<size_t>(each.kind)];
      if (of_kind == kMostOf[static_cast<size_t>(each.kind)] || std::ranges::count(taken, each.rows) > 0) continue;
      std::optional<Plan> plan = planned(each.sets);
      if (!plan || !holds(*plan, keeps_limits)) continue;
      ++of_kind;
      taken.push_back(each.rows);
      remedies.push_back({std::move(each.sets), each.kind, *std::move(plan)});
    }
    std::ranges::stable_sort(remedies, [](const FitRemedy& a, const FitRemedy& b) { return key(a) < key(b); });
    return remedies;
  }

 private:
  static std::pair<ChangeKind, double> key(const FitRemedy& remedy) {
    return {remedy.kind, price_of(*remedy.plan.cost, remedy.plan.step->seconds)};
  }
  static bool holds(const Plan& plan, bool keeps_limits) {
    return plan.step && plan.memory && !plan.memory->overflows() && (plan.feasible || !keeps_limits);
  }
  std::optional<Plan> planned(const Sets& more) const {
    Sets sets = chosen_;
    sets.insert(sets.end(), more.begin(), more.end());
    const std::optional<LoadedScenario> loaded = reread_(sets);
    return loaded ? std::optional(plan_with_goals(*loaded)) : std::nullopt;
  }

  const Sets& chosen_;
  const Reread& reread_;
};

std::string change(double before, double after) { return fmt::format("{:+.1f} %", (after / before - 1) * 100); }

}  // namespace

double price_of(const RunCost& cost, double step_seconds) {
  return cost.usd ? *cost.usd : static_cast<double>(cost.gpus) * step_seconds;
}

FitAdvice advise(const LoadedScenario& base, const Sets& chosen, const Neighbours& neighbours, const Reread& reread) {
  const std::optional<NearbySpace> nearby = neighbours(chosen, base);
  if (!nearby) return {};
  const RemedyChooser chooser(chosen, reread);
  NearbyWalk walk(*nearby, base);
  const std::vector<NearbyFit> singles = walk.singles();
  FitAdvice advice{chooser.choose(singles, true)};
  std::vector<NearbyFit> pairs;
  if (advice.remedies.empty()) {
    for (size_t kind = 0; kind < kChangeKinds.size(); ++kind)
      std::ranges::move(walk.pairs(static_cast<ChangeKind>(kind)), std::back_inserter(pairs));
    advice.remedies = chooser.choose(pairs, true);
  }
  if (!advice.remedies.empty() || !make_unchecked_plan(base.scenario).memory->overflows()) return advice;
  advice = {chooser.choose(singles, false), false};
  if (advice.remedies.empty()) advice.remedies = chooser.choose(pairs, false);
  return advice;
}

std::string doubt_text(const Plan& plan) {
  const double probability = plan.memory->probability();
  const FitVerdict verdict = verdict_of(probability);
  if (verdict == FitVerdict::fits) return "";
  return fmt::format(", {}: fits with a probability of {:.0f} %", kFitVerdicts[static_cast<size_t>(verdict)],
                     probability * 100);
}

std::string remedy_text(const FitRemedy& remedy, const Plan& before) {
  std::string line;
  for (const auto& [path, value] : remedy.sets)
    line += fmt::format("{}{}={}", line.empty() ? "" : " and ", path, value);
  const Plan& after = remedy.plan;
  line += fmt::format(" (step {}", change(before.step->seconds, after.step->seconds));
  const bool priced = before.cost->usd && after.cost->usd;
  if (priced || remedy.kind == ChangeKind::cluster)
    line +=
        fmt::format(", {} {}", priced ? "cost" : "GPU time",
                    change(price_of(*before.cost, before.step->seconds), price_of(*after.cost, after.step->seconds)));
  return line + doubt_text(after) + ")";
}

std::string advice_text(const FitAdvice& advice, const Plan& before) {
  if (advice.remedies.empty()) return "no change of one setting makes it fit, and none of two, with more GPUs either";
  std::string line = "it would fit with ";
  for (size_t i = 0; i < advice.remedies.size(); ++i) {
    const FitRemedy& remedy = advice.remedies[i];
    const bool begins = i == 0 || remedy.kind != advice.remedies[i - 1].kind;
    const bool last = i + 1 == advice.remedies.size() || advice.remedies[i + 1].kind != remedy.kind;
    if (i > 0) line += begins ? "; with " : last ? " or " : ", ";
    if (begins) line += kMeans[static_cast<size_t>(remedy.kind)];
    line += remedy_text(remedy, before);
  }
  return advice.keeps_limits ? line : line + "; no change of one setting keeps the other limits too, and none of two";
}

Plan make_advised_plan(const LoadedScenario& loaded, const Neighbours& neighbours, const Reread& reread) {
  Plan plan = make_plan(loaded.scenario);
  const auto is_memory = [](const Violation& v) { return v.rule == kMemoryRule || v.rule == kHostMemoryRule; };
  const auto first = std::ranges::find_if(plan.violations, is_memory);
  if (first != plan.violations.end())
    first->message += "; " + advice_text(advise(loaded, {}, neighbours, reread), plan);
  return plan;
}

}  // namespace planner
