// The functions of the language, one row each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace dsl {

/// Requirements on the arguments' dimensions, and the dimension of the result.
enum class ArgumentRule {
  same,   // all arguments have one dimension, and so has the result; one list may replace all arguments
  plain,  // plain numbers, and the result too
  root,   // one number whose dimension halves
  items,  // one list of anything; the function sees as many numbers as it has items
  lazy,   // `if`: evaluated by the walk itself
};

struct Function {
  std::string_view name;
  int least, most;  // number of arguments
  ArgumentRule rule;
  bool yields_list;
  bool trial_division;  // its cost grows with the square root of its argument
  /// Appends the result (several for a list). Returns the mistake, or nullptr.
  const char* (*apply)(std::span<const double> in, std::vector<double>& out);
  std::string_view doc;
};

inline constexpr int kAnyNumber = 1000;

std::span<const Function> functions();
const Function* find_function(std::string_view name);

}  // namespace dsl
