// Running the program in-process.
#pragma once

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.h"

struct Ran {
  int status = 0;
  std::string out, err;
};

/// `trainplan ARGS` with `in` as standard input, on a page of `width` columns.
Ran ran(const std::vector<std::string>& args, const std::string& in = "", int width = 80);

/// Whether "nan" or "inf" occurs as a word ("provenance" does not count).
bool has_nan(const std::string& text);

/// The "scenario" member of a plan's JSON, as text (plan_report_test.cc).
std::string resolved_scenario(const std::string& plan_json);
/// A plan's JSON but for "unwritten": a resolved scenario writes everything.
std::string all_but_unwritten(const std::string& plan_json);
