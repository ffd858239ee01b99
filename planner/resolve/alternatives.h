// `use: [A, B]`: a choice between entries of the catalogue. Other fields follow the entry, so each is a scenario of its
// own:
//
//     cluster: {use: [dgx-h100, dgx-b200], gpus: 256}    ->    cluster.use=dgx-h100 | cluster.use=dgx-b200
#pragma once

#include <string>
#include <vector>

#include "planner/resolve/read.h"

namespace planner {

/// One entry of each list, in the order of the scenario's sections.
struct UsedEntries {
  std::vector<dsl::Override> uses;  // each at the place of its name; the text is `PATH.use=NAME`
  std::string name;                 // the entries, joined by ", "
};

/// Returns the alternatives of the lists of `use`, the last list changing fastest; a single one without uses if no
/// `use` is a list. A list that is empty or holds anything but names is diagnosed, and the result is empty.
std::vector<UsedEntries> alternatives_of(const ScenarioText& text, dsl::Diagnostics& diagnostics);

/// Returns the overrides of a text and behind them those of an alternative.
std::vector<dsl::Override> overrides_of(const ScenarioText& text, const UsedEntries& alternative);

/// Adds the messages of reading each alternative; a message common to several is added once. A price list without an
/// entry for some of them is not a mistake: it is reported if it has none for any.
void tell_once(const std::vector<dsl::Diagnostics>& of_each, dsl::Diagnostics& diagnostics);

}  // namespace planner
