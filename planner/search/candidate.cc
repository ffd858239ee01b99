#include "planner/search/candidate.h"

#include <algorithm>
#include <cassert>

namespace planner {
namespace {

constexpr const char* kPrecision = "job.precision";

}  // namespace

Candidate::Candidate(const OpenScenario& open) : open_(open), scenario_(open.sample) {
  for (const dsl::OpenItem& item : open.space.items()) {
    if (item.field && item.path == kPrecision) precision_ = setters_.size();
    setters_.push_back(item.field ? field_setter(scenario_, item.path) : dsl::Setter());
    const bool written = !item.field || open.space.record().find(item.path)->given;
    implied_.push_back(!written && follows_precision(item.path));
    assert((!item.field || setters_.back()) && "an open field that the scenario does not have");
  }
  for (LengthShare& share : scenario_.lengths.shares)
    for (size_t i = open.space.together().value_or(setters_.size()); i < setters_.size(); ++i)
      if (setters_[i]) share.sets.emplace_back(open.space.items()[i].path, dsl::Value{});
}

void Candidate::skip(const dsl::Cursor& cursor) { stale_from_ = std::min(stale_from_, cursor.changed()); }

// The members keep their places, which the setters know.
void Candidate::rebind(const dsl::Cursor& cursor) {
  const std::string& word = std::get<std::string>(cursor.value(*precision_).v);
  auto it = bound_.find(word);
  if (it == bound_.end()) {
    dsl::Record record = open_.space.record();
    record.slots[record.index.find(kPrecision)->second].second.value = cursor.value(*precision_);
    apply_implied(record, open_.ruled);
    it = bound_.emplace(word, bind_scenario(record)).first;
  }
  scenario_.job.precision = it->second.job.precision;
  scenario_.software.memory = it->second.software.memory;
  scenario_.software.reduce_bytes = it->second.software.reduce_bytes;
  scenario_.software.gather_bytes = it->second.software.gather_bytes;
}

const Scenario& Candidate::at(const dsl::Cursor& cursor) {
  size_t from = std::min(stale_from_, cursor.changed());
  if (precision_ && cursor.level(*precision_) >= from) {
    rebind(cursor);
    from = 0;  // fields of the software may be open themselves
  }
  const bool wide = has_no_narrow_copies(scenario_.job.precision);
  for (size_t level = from; level < setters_.size(); ++level)
    if (const size_t i = cursor.order()[level]; setters_[i] && !(wide && implied_[i])) setters_[i](cursor.value(i));
  stale_from_ = setters_.size();
  return scenario_;
}

const Scenario& Candidate::arrive(dsl::Cursor& cursor) {
  for (;; cursor.next()) {
    at(cursor);
    note_length(cursor);
    if (cursor.ends_candidate()) return scenario_;
  }
}

bool Candidate::stands_by_itself(const dsl::OpenItem& item) { return item.path != kPrecision; }

// Items set at levels behind the length are those that differ between lengths.
void Candidate::note_length(const dsl::Cursor& cursor) {
  const std::optional<size_t> together = open_.space.together();
  if (!together) return;
  auto set = scenario_.lengths.shares[cursor.at(*together)].sets.begin();
  for (size_t i = *together; i < setters_.size(); ++i)
    if (setters_[i]) set++->second = cursor.value(i);
}

}  // namespace planner
