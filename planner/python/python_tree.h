// The settings that a Python file makes, as a tree.
//
// A call of what no file has is a map: "()" is the name of what is called, "[0]" and "[1]" its first arguments, then
// those with names; "." is the object whose method it is. `run.Config(nl.MegatronStrategy, tp=4)` is
// {"()": run.Config, "[0]": nl.MegatronStrategy, "tp": 4}. Values that are set later are in it, too. "=": what held
// something unknown before a name was put below it. The entry with an empty key, the last, lists the calls that stand
// alone: `llm.pretrain(...)`. What is not worked out (a lambda, `torch.bfloat16`, `[0] * 3`) is a bare scalar, as
// written. `None` is null. Functions, classes and imports have no entry.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dsl/node.h"

namespace planner {

/// Returns the names that a file holds at its end. `more`: files whose functions it may call. Diagnosed: text that is
/// not such Python, a setting that depends on something unknown. The root is `broken` then.
dsl::Node parse_python(const dsl::Source& text, std::span<const dsl::Source* const> more,
                       dsl::Diagnostics& diagnostics);

/// Likewise, what the function of that name returns, called with its defaults.
dsl::Node call_python(const dsl::Source& text, const std::string& function, std::span<const dsl::Source* const> more,
                      dsl::Diagnostics& diagnostics);

/// The functions of a file that can be called without arguments, and whose names do not begin with '_', in written
/// order. Diagnosed (then none): text that is not Python.
std::vector<std::string> python_functions(const dsl::Source& text, dsl::Diagnostics& diagnostics);

}  // namespace planner
