#include "tests/cli/harness.h"

Ran ran(const std::vector<std::string>& args, const std::string& in, int width) {
  std::istringstream input(in);
  std::ostringstream out, err;
  cli::Streams streams{.in = input, .out = out, .err = err, .color = false, .width = width};
  int status = cli::run(args, streams);
  return {status, out.str(), err.str()};
}

bool has_nan(const std::string& text) {
  static const std::regex word(R"(\b-?(nan|inf)\b)", std::regex::icase);
  return std::regex_search(text, word);
}
