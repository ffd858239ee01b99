// A command as a row: the data for the parser, the help and shells, and its function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args/flag.h"
#include "cli/args/streams.h"

namespace cli {

/// The arguments behind a command's name.
struct Arguments {
  std::vector<std::string> inputs;  // SCENARIO, FILE..., NAME
  std::vector<FlagValue> values;    // of the command's flags, in order
};

/// A command line that the help shows; a test runs it from the root of the sources.
struct Example {
  const char* does;
  const char* line;  // "trainplan plan scenarios/gpt3-175b.yaml"
};

struct Command {
  const char* name;
  const char* summary;
  const char* argument;              // "SCENARIO", "FILE...", "[KIND]": how many inputs it takes
  std::span<const Flag> flags = {};  // its own, and behind them those that every command has
  std::span<const Example> examples = {};
  int (*function)(const Arguments&, Streams&) = nullptr;
  bool pictures = false;  // its report can be drawn
  bool graphs = false;    // its report can be a graph
  bool places = false;    // its report is mistakes at their places
  bool texts = false;     // an input may be a text that begins like a flag: "--num-layers 2 --hidden-size 64"
};

}  // namespace cli
