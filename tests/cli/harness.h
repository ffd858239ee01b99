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
inline Ran ran(const std::vector<std::string>& args, const std::string& in = "", int width = 80) {
  std::istringstream input(in);
  std::ostringstream out, err;
  cli::Streams streams{.in = input, .out = out, .err = err, .color = false, .width = width};
  int status = cli::run(args, streams);
  return {status, out.str(), err.str()};
}

/// "nan" or "inf" as a word ("provenance" is none).
inline bool has_nan(const std::string& text) {
  static const std::regex word(R"(\b-?(nan|inf)\b)", std::regex::icase);
  return std::regex_search(text, word);
}

/// The "scenario" member of a plan's JSON, as text (plan_report_test.cc).
std::string resolved_scenario(const std::string& plan_json);
