// The parts of an export.
#pragma once

#include <string>

namespace planner {

/// A setting for a launcher. `name` is a flag ("--bf16") or the dotted path of a value in a file ("training.seq_len");
/// a switch has no value.
struct Setting {
  std::string name, value;
  bool quoted = false;  // the value is a text, not a number, a truth value or a list
  std::string field;    // of the scenario, from which it follows
};

}  // namespace planner
