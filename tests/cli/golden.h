// tests/golden/NAME.txt: what `plan`, and `roadmap` if it has one, prints for scenarios/NAME.yaml, numbers at four
// significant digits.
#pragma once

#include <string>
#include <vector>

/// The scenarios that `plan` can read: every scenarios/*.yaml, sorted; names without folder and ending.
std::vector<std::string> scenario_names();
/// The golden text of one scenario: exit status, table and JSON.
std::string golden_text(const std::string& name);
/// `text` with every number rounded to four significant digits.
std::string four_digit_numbers(const std::string& text);
/// Writes every file of tests/golden/ and removes those without a scenario.
void update_goldens();
