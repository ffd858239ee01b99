// A file whose choices are open, and the walk over every combination of them.
//
//     tree + schema -> Space -> Cursor: one candidate after the other
//
// Order: choices as they are written (those of --set behind those of the file), each behind the ones that it reads;
// the last one changes fastest. A value that is computed from choices follows the last of them. The values of one
// choice may be parts of one candidate (`EvaluateOptions::together`): it changes fastest of all, and no choice reads
// it.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/quick_count.h"
#include "dsl/record.h"
#include "dsl/value_memo.h"

namespace dsl {

class RecordEvaluator;

/// A value that differs between candidates: a choice, or a value computed from one.
struct OpenItem {
  std::string path;              // of a field, or the name of an entry of `let`
  const Field* field = nullptr;  // null: an entry of `let`
  bool is_choice = false;
  bool together = false;  // each candidate has all of its values, one after the other; it is not a choice then
  Span span;
  List values;      // all of them where they depend on nothing open; else empty
  size_t item = 0;  // the evaluator's number of it
};

/// A condition over fields that may fail, and after which open item it is known (-1: it reads none).
struct Condition {
  Expression expression;         // its tree is folded (fold.h), its text as it is written
  const Field* field = nullptr;  // that holds it
  std::ptrdiff_t known = -1;
  std::vector<size_t> reads;  // items, in order
  /// Number of combinations of the values that it reads, for each of which it is evaluated once; 0: many, or unknown.
  size_t combinations = 0;
};

class Space {
 public:
  /// Diagnoses like `evaluate`; a choice that is empty, or not a choice of the field's type, is an error here. Mistakes
  /// that depend on the candidate (a count that is not whole) are found on the walk. `schema` must outlive the space.
  Space(Node tree, const Schema& schema, EvaluateOptions options, Diagnostics& diagnostics);
  ~Space();
  Space(Space&&) noexcept;

  /// The record holds one value for each open field; these values have no meaning.
  const Record& record() const { return record_; }
  /// The items, in the order of the walk.
  const std::vector<OpenItem>& items() const { return items_; }
  /// Conditions (of fields that hold several) that read no result, and those that do.
  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::vector<const Expression*>& result_conditions() const { return result_conditions_; }
  /// The item whose values are parts of one candidate; nullopt: each combination is one candidate.
  std::optional<size_t> together() const { return together_; }
  /// Returns whether a choice is independent: its values are known, nothing is computed from it and no condition reads
  /// it. A walk may change it at any level before the item of `together`, and reaches the same combinations.
  bool stands_alone(size_t item) const;
  /// The same where conditions may read it.
  bool leads_nowhere(size_t item) const;
  /// Returns the item that determines this one: the one open item from which it is computed, transitively. That is the
  /// item itself if it is a choice or computed from several.
  size_t decided_by(size_t item) const;
  /// Returns the items in an order for a walk: independent ones, and those that `last` names, behind all others before
  /// the item of `together`, the smallest `rank` first. REQUIRES: nothing depends on the items that `last` names.
  std::vector<size_t> walk_order(
      const std::function<int(size_t item)>& rank,
      const std::function<bool(size_t item)>& last = [](size_t) { return false; }) const;

 private:
  friend class Cursor;
  friend struct SpaceSize size_of(const Space& space, int descents);  // space_size.h
  void order_items(const std::string& together, Diagnostics& diagnostics);
  bool follows(size_t item, size_t other) const;
  void place(size_t item, std::vector<bool>& placed);
  void sort_conditions();
  size_t combinations_read(const Condition& condition) const;

  std::unique_ptr<Node> tree_;
  std::unique_ptr<RecordEvaluator> evaluator_;
  Record record_;
  std::vector<OpenItem> items_;
  std::vector<Condition> conditions_;
  std::vector<const Expression*> result_conditions_;
  std::optional<size_t> together_;
};

/// Why a combination is not a candidate worth costing.
enum class Refusal {
  none,
  divisibility,  // a count that is not whole, or not one that its field can hold
  value,         // any other value that its field cannot hold
  where,         // a condition over fields does not hold
};

/// One walk; several may go over one space side by side. An item is at a level, the items of deeper levels change
/// faster.
class Cursor {
 public:
  /// Walks in the order of the items.
  explicit Cursor(const Space& space);
  /// Walks in an order of `Space::walk_order`.
  Cursor(const Space& space, std::vector<size_t> order);
  ~Cursor();

  /// The walk as numbered parts, in order: a part begins where the first `depth` levels change. `enter` selects the
  /// parts to walk; the others are skipped. Without this call there is one part, number 0.
  void split(size_t depth, std::function<bool(int64_t part)> enter);

  /// The next combination; false at the end. A refused one counts as one candidate, also where more items are open
  /// behind the one that has no value.
  bool next();
  /// Returns whether the combination is the last of its candidate: one that has no value before the item of `together`
  /// is known is all of it.
  bool ends_candidate() const;
  /// Goes back to the first combination of the candidate. REQUIRES: the walk is at one of them, and the item of
  /// `together` has a value there.
  void restart_candidate();
  /// Goes to any combination, by level the value of such a number, counted from the first one again where there are
  /// fewer; `next` goes on from there. REQUIRES: the walk is not split.
  void seek(std::span<const uint32_t> at);
  /// Returns how many candidates of the walk in item order this combination represents. It is more than one if an item
  /// has no value whatever the values of the items that precede it there and are at a deeper level here.
  int64_t weight() const;
  /// Returns the first level behind which no part begins, each condition is one that `unmet_behind` counts, and the
  /// values of each level are known, whatever those of the other levels behind it are.
  size_t settled_from() const { return depth_ > 0 ? std::max(settled_from_, depth_ - 1) : settled_from_; }
  /// Combinations in which a condition is the first that does not hold.
  struct Unmet {
    size_t condition = 0;
    int64_t combinations = 0;
  };
  /// Counts those that have the values of this one up to `level`, where the conditions that are known there hold.
  /// REQUIRES: as of `skip_behind`. It holds until the next call.
  std::span<const Unmet> unmet_behind(size_t level);
  /// Returns the first level, from `level` on, behind which the combination is the first of all that `unmet_behind`
  /// counts; `level` where it counts none.
  size_t whole_behind(size_t level) const;
  /// Returns whether a condition reads the level.
  bool is_asked(size_t level) const;
  /// Returns the level at which the condition is known that does not hold. REQUIRES: one does not.
  size_t refused_from() const { return known_at(space_.conditions()[refused_at_]); }
  /// Returns how many combinations have the values of this one up to `level`. REQUIRES: as of `skip_behind`.
  int64_t combinations_behind(size_t level) const;
  /// Goes to the last combination that has the values of this one up to `level`; returns how many it passed over, that
  /// one too. Those of `together` are one. REQUIRES: the combination has all its values, settled_from() <= level, and
  /// the item of `together` is deeper.
  int64_t skip_behind(size_t level);
  /// Advances by `values` values of a level, to the last combination there. Returns how many combinations it skipped,
  /// including that one. REQUIRES: `skip_behind` moved here with this level; settled_from() < level.
  int64_t skip_values(size_t level, size_t values);
  /// Goes to the last of the combinations that follow this one and differ from it in the last value before the item
  /// that has none, as long as that item has none either by arithmetic (quick_count.h); returns how many they are. Each
  /// has the weight of this one.
  int64_t skip_valueless();
  /// Returns the items by level.
  const std::vector<size_t>& order() const { return order_; }
  size_t level(size_t item) const { return level_of_[item]; }

  Refusal refusal() const { return refusal_; }
  /// Returns whether an item has no value.
  bool is_valueless() const { return refusal_ == Refusal::divisibility || refusal_ == Refusal::value; }
  /// Item that has no value (divisibility, value), or position in `space.conditions()` of the condition that does not
  /// hold.
  size_t refused_at() const { return refused_at_; }
  int64_t part() const { return part_; }
  /// The first level that changed with the last `next`; 0 with the first.
  size_t changed() const { return changed_; }
  /// REQUIRES: an item that has a value in this combination.
  const Value& value(size_t item) const { return value_at(levels_[level_of_[item]]); }
  /// Its position among the item's values.
  size_t at(size_t item) const { return levels_[level_of_[item]].at; }
  /// An expression here, with results in the order of the options'; nullopt: it has no value (a null result ...).
  std::optional<Value> evaluate(const Expression& expression, std::span<const Value> results);

 private:
  struct Level {
    size_t item = 0;               // of the space
    const List* values = nullptr;  // of the item, of `own` or `held`
    List own;
    std::vector<std::optional<List>> table;  // by value of the one item that it reads; filled on demand
    ValueMemo::Values held;
    size_t at = 0;
    std::optional<size_t> fails;      // first condition that does not hold here or above
    std::optional<QuickCount> quick;  // how its one value is computed, where that is simple
    std::vector<size_t> reads;        // levels; of an item that `memo` knows
    ValueMemo memo;
  };
  static const Value& value_at(const Level& level) { return (*level.values)[level.at]; }
  bool settles_behind(size_t level) const;
  bool open(size_t level);
  const List* values_of(size_t level);
  const List* computed(size_t level);
  const List* looked_up(size_t level);
  const List* remembered(size_t level);
  size_t known_at(const Condition& condition) const;
  size_t values_in(size_t level) const { return space_.items()[order_[level]].values.size(); }
  bool holds(size_t condition);
  std::optional<size_t> first_failing(size_t level);
  std::vector<size_t> read_behind(size_t level) const;
  bool counts_behind(size_t level) const;
  void settle(size_t level);
  void write_before(size_t level);
  bool descend(size_t level, bool fresh);
  bool step_back(size_t& level);
  bool entered();

  const Space& space_;
  std::unique_ptr<RecordEvaluator> evaluator_;
  std::vector<size_t> order_, level_of_;  // items by level, levels by item
  std::vector<Level> levels_;
  size_t settled_from_ = 0;
  std::vector<std::vector<size_t>> conditions_at_;  // by level; those that read nothing are at the first
  size_t unasked_from_ = 0;                         // the first level from which on no condition is known
  enum class KnownTruth : uint8_t { nothing, holds, fails };
  std::vector<std::vector<KnownTruth>> said_;  // by condition, by the values that it reads; empty: evaluated each time
  std::vector<std::vector<size_t>> read_behind_;  // by level
  std::vector<Unmet> unmet_;
  size_t depth_ = 0;  // of a part
  std::function<bool(int64_t)> enter_;
  size_t set_ = 0;      // levels that have a value
  size_t written_ = 0;  // levels whose values the evaluator has: it gets them when something is computed
  bool started_ = false, over_ = false;
  int64_t part_ = 0, next_part_ = 0;
  size_t changed_ = 0, refused_at_ = 0;
  ValueMemo::Key key_;
  Refusal refusal_ = Refusal::none;
};

}  // namespace dsl
