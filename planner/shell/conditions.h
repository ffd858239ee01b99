// "[ ... ]", "test" and "[[ ... ]]" (Bash Reference Manual, 6.4 "Bash Conditional Expressions").
#pragma once

#include <string>
#include <vector>

#include "planner/shell/state.h"

namespace planner::shell {

/// The answer of a condition, or of a command. open: the script does not decide it.
enum class TestVerdict { no, yes, open };

inline TestVerdict opposite(TestVerdict v) {
  return v == TestVerdict::open ? v : v == TestVerdict::yes ? TestVerdict::no : TestVerdict::yes;
}

/// A word of a condition.
struct TestOperand {
  PlacedText text;
  std::string pattern;       // of "[[": as the right side of "=="
  bool can_be_sign = false;  // "=", "-f", "(": it is not quoted
};

/// `what`: what an open answer depends on. `is_double`: of "[[".
TestVerdict test_verdict(const std::vector<TestOperand>& operands, bool is_double, ScriptState& state,
                         std::string& what);

}  // namespace planner::shell
