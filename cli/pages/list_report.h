// trainplan.list/1 and trainplan.show/1: entries of the catalogue.
#pragma once

#include <span>
#include <string>

#include "cli/input/catalogue.h"
#include "cli/report/report.h"

namespace cli {

/// What `list` can list: the kinds of catalogue entries, and the tables in the code.
struct Listing {
  const char* name;
  const char* summary;
  Report (*function)(const std::string& name, Session& session);
};
std::span<const Listing> listings();
/// The listings themselves, with how many entries each has.
Report list_overview(Session& session);

/// An entry: every figure with its source (the comment on its line; "default" if it is not written). A model also has
/// its parameters.
Report show_report(const std::string& name, const Entry& entry);

}  // namespace cli
