// `search --why tp=8,pp=4`: which rule refuses a layout, or by how much it loses to the best plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/best_plans.h"

namespace cli {

/// The part of a space that a layout names, searched by itself.
struct LayoutReason {
  std::string layout;  // "tp=8,pp=4", as it was asked for
  ScenarioFlags flags;
  std::optional<planner::OpenScenario> open;  // absent: with these values the scenario is none
  std::string reason;                         // why not
  planner::SearchResult result = {};
};

/// Searches the candidates that have the values of `layout` ("tp=8", by full or by last names), which may be none that
/// the choices have. `written`: how the scenario was read. What is no field and its value is told in the session
/// (absent).
std::optional<LayoutReason> ask_why(const std::vector<std::string>& layout, const ScenarioFlags& written,
                                    Session& session);

/// Adds the member `why` and its part of the page. `whole`: the search whose best plan the layout is held against.
void add_why(const LayoutReason& why, const EndedSearch& whole, Session& session, Report& report);

}  // namespace cli
