#include "tests/properties/draw_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "dsl/merge.h"
#include "dsl/space_size.h"
#include "dsl/write.h"
#include "planner/search/sweep.h"
#include "tests/properties/draw.h"
#include "tests/properties/field_values.h"

namespace properties {
namespace {

constexpr double kMost = 6000;      // combinations of a space
constexpr size_t kFieldsEach = 12;  // of a space, those of the layout not counted
constexpr int64_t kTries = 16;      // bases for the field that waits longest, before it is put off
constexpr int kTimes = 3;           // that it is put off, before it is given up

/// A choice of nearly every search. The values begin with those that any model works with.
struct Axis {
  const char* path;
  std::vector<std::string> values;
  double chance;
  bool of_any = false;  // also of a fixed list of operators
};
const std::vector<Axis> kAxes{
    {"cluster.gpus", {"8", "16", "24", "32", "64"}, 1, true},
    {"parallelism.tp", {"1", "2", "4", "8"}, 0.8},
    {"parallelism.pp", {"1", "2", "3", "4"}, 0.8},
    {"parallelism.microbatch", {"1", "2", "4", "8"}, 0.9, true},
    {"parallelism.recompute", {"none", "selective", "full"}, 0.6},
    {"parallelism.zero", {"0", "1", "2", "3"}, 0.5, true},
    {"parallelism.interleave", {"1", "2", "3"}, 0.4},
    {"parallelism.sequence_parallel", {"false", "true"}, 0.4},
    {"parallelism.ep", {"1", "2", "4"}, 0.3},
    {"parallelism.cp", {"1", "2"}, 0.2},
    {"parallelism.schedule", {"1f1b", "gpipe", "interleaved", "zb-h1", "zb-v"}, 0.2},
    {"parallelism.offload.optimizer", {"0", "0.5", "1"}, 0.3},
    {"parallelism.offload.activations", {"0", "0.5", "1"}, 0.3},
    {"parallelism.offload.weights", {"0", "0.5", "1"}, 0.1},
    {"parallelism.order", {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"}, 0.1},
    {"software.attention", {"flash2", "unfused", "flash1"}, 0.1},
    {"software.overlap.gradients", {"false", "true"}, 0.1, true},
    {"software.overlap.tensor", {"false", "true"}, 0.1},
};

std::string choice(const std::string& path, const std::vector<std::string>& values) {
  return fmt::format("{}=[{}]", path, fmt::join(values, ", "));
}

/// One to three neighbours among the values.
template <class T> std::vector<T> some_of(const std::vector<T>& values, int64_t most, Random& random) {
  const int64_t count = static_cast<int64_t>(values.size()), keep = random.between(1, std::min(most, count));
  const int64_t first = random.below(count - keep + 1);
  return {values.begin() + first, values.begin() + first + keep};
}

/// The name of the item "cluster.network[0]"; "" where it has none.
std::string item_name(const std::string& item, const dsl::Record& record) {
  const dsl::Slot* name = record.find(item + ".name");
  const std::string* text = name ? std::get_if<std::string>(&name->value.v) : nullptr;
  return text ? *text : "";
}

/// Puts items of lists by their names, as a file says them.
void put_names(dsl::ParsedOverride& set, const dsl::Record& record) {
  std::vector<dsl::ParsedOverride::PathStep> path;
  std::string so_far;
  for (dsl::ParsedOverride::PathStep& step : set.path) {
    so_far += (so_far.empty() ? "" : ".") + step.key;
    const int index = std::exchange(step.index, -1);
    path.push_back(step);
    if (index < 0) continue;
    so_far += fmt::format("[{}]", index);
    path.push_back({.key = item_name(so_far, record), .span = step.span});
  }
  set.path = std::move(path);
}

/// The scenario as one file, with the values set in it.
std::string text_of(const std::string& text, const Sets& sets, const dsl::Record& record) {
  const dsl::Source source{"drawn.yaml", text, "/nonexistent"};
  dsl::Diagnostics diagnostics;
  dsl::Node tree = dsl::parse_yaml(source, diagnostics);
  dsl::Sources sources;
  for (const std::string& set : sets) {
    dsl::ParsedOverride parsed;
    const dsl::Source& written = sources.emplace_back(dsl::Source{"--set", set, ""});
    if (!dsl::parse_override(written, parsed, diagnostics, "")) continue;
    put_names(parsed, record);
    dsl::apply_override(tree, parsed, false, diagnostics);
  }
  return dsl::write_yaml(tree);
}

Sets layout_choices(Random& random, bool of_any) {
  // A layout that is left to the search opens millions.
  Sets sets{fmt::format("job.global_batch={}", random.of({48, 96, 192})), "parallelism.auto=false"};
  const double most = static_cast<double>(random.of({2, 8, 30, 100}));
  double combinations = 1;
  for (const Axis& axis : kAxes) {
    if (!random.chance(axis.chance) || (of_any && !axis.of_any)) continue;
    const std::vector<std::string> values = some_of(axis.values, combinations < most ? 3 : 1, random);
    combinations *= static_cast<double>(values.size());
    sets.push_back(choice(axis.path, values));
  }
  return sets;
}

/// What of a space is known of its candidates where all fit.
struct Spread {
  std::vector<double> peaks, days, usd;
};

Spread spread_of(const planner::OpenScenario& open) {
  Spread spread;
  planner::sweep(open, [&](const planner::Swept& row) {
    if (!row.found) return true;
    const planner::Results& r = row.found->results;
    spread.peaks.push_back(r.peak_bytes);
    if (r.days) spread.days.push_back(*r.days);
    if (r.usd) spread.usd.push_back(*r.usd);
    return true;
  });
  for (std::vector<double>* values : {&spread.peaks, &spread.days, &spread.usd}) std::ranges::sort(*values);
  return spread;
}

double between(const std::vector<double>& sorted, Random& random) {
  const double at = (0.1 + 0.8 * random.unit()) * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(at)] * (1 + 0.05 * random.unit());
}

/// A goal, and limits that some candidates meet.
void draw_goal(const Spread& spread, Sets& sets, Random& random) {
  static const std::vector<std::string> goals{"goal.minimize=usd",
                                              "goal.minimize=days",
                                              "goal.minimize=gpus",
                                              "goal.minimize=memory.peak",
                                              "goal.maximize=mfu",
                                              "goal.minimize=step * memory.peak",
                                              "goal.minimize=bubble + exposed_comm"};
  if (random.chance(0.6)) sets.push_back(random.of(goals));
  if (!spread.days.empty() && random.chance(0.3))
    sets.push_back(fmt::format("goal.deadline={} d", between(spread.days, random)));
  if (!spread.usd.empty() && random.chance(0.2))
    sets.push_back(fmt::format("goal.budget={} USD", between(spread.usd, random)));
  if (random.chance(0.1)) sets.emplace_back("where=[tp * pp >= 2]");
  if (random.chance(0.1)) sets.push_back(fmt::format("where=[memory.peak < {} B]", between(spread.peaks, random)));
}

bool opens(const planner::OpenScenario& open, std::string_view path) {
  return std::ranges::any_of(open.space.items(), [&](const dsl::OpenItem& item) { return item.path == path; });
}

}  // namespace

/// A scenario whose layout is open, and what else is.
struct SpaceDrawer::Base {
  Written written;
  Sets sets;
  std::unique_ptr<Opened> opened;
  std::vector<std::string> fields;  // of the schema, that it has opened
  const planner::OpenScenario& open() const { return *opened->scenario; }
  bool take(const std::vector<Choice>& choices);
  bool limit(Random& random);
};

/// A field that may be opened.
struct SpaceDrawer::Choice {
  std::string field, set;
};

SpaceDrawer::SpaceDrawer(uint64_t seed) : seed_(seed) { deal(); }

// In another order each time.
void SpaceDrawer::deal() {
  ++rounds_;
  put_off_.clear();
  Random random(seed_ + 1, drawn_);
  for (const dsl::Field& field : planner::scenario_schema())
    if (can_be_open(field)) waiting_.push_back(field.path);
  for (size_t i = waiting_.size(); i > 1; --i)
    std::swap(waiting_[i - 1], waiting_[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
}

// Choices that no base opened are tried again after all others.
void SpaceDrawer::put_off() {
  const std::string field = waiting_.front();
  waiting_.erase(waiting_.begin());
  if (++put_off_[field] < kTimes) waiting_.push_back(field);
  else refused_.push_back(field);
  if (waiting_.empty()) deal();
}

// The field that waits longest is one of its own.
SpaceDrawer::Base SpaceDrawer::draw_base(Random& random) {
  for (int64_t tries = 0;; ++tries) {
    const bool of_any = random.chance(0.3);
    const Uses& uses = random.of(entries_with(waiting_.front()));
    Base base{
        .written = draw_written(random, uses), .sets = layout_choices(random, of_any), .opened = nullptr, .fields = {}};
    // A fixed list of operators may know no sequences.
    if (of_any) base.sets.push_back("job.sequence=1"), base.sets.push_back("job.document=1");
    base.opened = properties::open(base.written, base.sets);
    if (base.opened) return base;
    if (tries % kTries == kTries - 1) put_off();
  }
}

/// Two values for a field that the record has; nullopt: it cannot have them.
std::optional<SpaceDrawer::Choice> SpaceDrawer::choice_of(const Base& base, const std::string& field, Random& random) {
  const dsl::Record& record = base.open().space.record();
  std::vector<const std::pair<std::string, dsl::Slot>*> slots;
  for (const auto& slot : record.slots)
    if (slot.second.field->path == field) slots.push_back(&slot);
  if (slots.empty()) return std::nullopt;
  // One that is written says that it may be.
  if (std::ranges::any_of(slots, [](const auto* slot) { return slot->second.given; }))
    std::erase_if(slots, [](const auto* slot) { return !slot->second.given; });
  const auto& [path, slot] = *random.of(slots);
  if (opens(base.open(), path)) return Choice{field, ""};
  const size_t end = path.rfind(']');
  const bool is_named = end == path.npos || !item_name(path.substr(0, end + 1), record).empty();
  const std::vector<std::string> values = two_values(*slot.field, slot.value, random);
  if (!is_named || values.size() < 2) return std::nullopt;
  return Choice{field, choice(path, values)};
}

// All of them together; if those cannot be read, each half separately.
bool SpaceDrawer::Base::take(const std::vector<Choice>& choices) {
  Sets more = sets;
  for (const Choice& each : choices)
    if (!each.set.empty()) more.push_back(each.set);
  std::unique_ptr<Opened> all = properties::open(written, more);
  if (all && dsl::size_of(all->scenario->space, 30).candidates <= kMost) {
    sets = more;
    opened = std::move(all);
    for (const Choice& each : choices) fields.push_back(each.field);
    return true;
  }
  if (choices.size() < 2) return false;
  const auto middle = choices.begin() + static_cast<std::ptrdiff_t>(choices.size() / 2);
  take({choices.begin(), middle});
  take({middle, choices.end()});
  return true;
}

// A memory that some candidates fit into, a goal and its limits. False: nothing is costed.
bool SpaceDrawer::Base::limit(Random& random) {
  const std::unique_ptr<Opened> roomy = properties::open(written, sets + Sets{"cluster.gpu.memory=1e15 B"});
  const Spread spread = roomy ? spread_of(*roomy->scenario) : Spread{};
  if (spread.peaks.empty()) return false;
  draw_goal(spread, sets, random);
  const double memory = between(spread.peaks, random);
  sets.push_back(opens(open(), "cluster.gpu.memory")
                     ? fmt::format("cluster.gpu.memory=[{:.0f} B, {:.0f} B]", memory, 1.3 * memory)
                     : fmt::format("cluster.gpu.memory={:.0f} B", memory));
  return properties::open(written, sets) != nullptr;
}

// Opens what waits, as far as the base has it. False: not the field that waits longest.
bool SpaceDrawer::open_waiting(Base& base, Random& random) {
  std::vector<Choice> choices;
  for (const std::string& field : waiting_)
    if (choices.size() < kFieldsEach)
      if (std::optional<Choice> choice = choice_of(base, field, random)) choices.push_back(*std::move(choice));
  base.take(choices);
  return !base.fields.empty() && base.fields.front() == waiting_.front();
}

std::string SpaceDrawer::next() {
  for (int64_t tries = 0;; ++tries) {
    if (waiting_.empty()) deal();
    if (tries % kTries == kTries - 1) put_off();
    Random random(seed_, 1000 * drawn_ + static_cast<uint64_t>(tries));
    Base base = draw_base(random);
    if (!open_waiting(base, random) || !base.limit(random)) continue;
    for (const std::string& field : base.fields) std::erase(waiting_, field), std::erase(refused_, field);
    ++drawn_;
    return text_of(base.written.text, base.written.sets + base.sets, base.open().space.record());
  }
}

// A choice whose values follow others stays as it is.
std::string cut_space(const std::filesystem::path& file, double most, Random& random) {
  std::ifstream in(file);
  const Written written{{std::istreambuf_iterator<char>(in), {}}, {}};
  const std::unique_ptr<Opened> whole = open(written, {});
  if (!whole) return written.text;  // it names several entries of the catalogue
  std::vector<const dsl::OpenItem*> items;
  for (const dsl::OpenItem& item : whole->scenario->space.items())
    if (item.is_choice && !item.together && !item.values.empty()) items.push_back(&item);
  for (double share = most;; share /= 2) {
    Sets sets;
    double combinations = 1;
    for (size_t i = items.size(); i > 0; --i) {
      std::swap(items[i - 1], items[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
      std::vector<std::string> values;
      for (const dsl::Value& value : items[i - 1]->values) values.push_back(dsl::write_value(value));
      const int64_t room = std::max<int64_t>(1, static_cast<int64_t>(share / combinations));
      values = some_of(values, std::min<int64_t>(3, room), random);
      combinations *= static_cast<double>(values.size());
      if (open(written, sets + Sets{choice(items[i - 1]->path, values)}))
        sets.push_back(choice(items[i - 1]->path, values));
    }
    const std::unique_ptr<Opened> cut = open(written, sets);
    if (dsl::size_of(cut->scenario->space, 30).candidates <= most || share < 1)
      return text_of(written.text, sets, whole->scenario->space.record());
  }
}

}  // namespace properties
