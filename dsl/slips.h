// Notations of other languages and of everyday writing that are not valid here, and what each was meant to be. Used
// only for text that could not be read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dsl/quantity.h"

namespace dsl {

/// A slip in the value `text`: the problem, and how to fix it.
struct Slip {
  std::string message, hint;
  std::string fixed = {};  // what to write; may be empty
};
/// Returns the intended meaning of a whole value that is not an expression ("2,048", "$2/h", "1..8"); nullopt: unknown.
/// `dim`: of the field, whose units the hint then has ("2M" of money: "write '2e6 USD'").
std::optional<Slip> find_slip(std::string_view text, Dim dim = kNone);

/// "64" of "64 spoons", where a field takes a plain number; "" of other texts.
std::string counted_number(std::string_view text);

/// "sugar = 4" and "sugar=4": a key and its value as other formats write them.
struct Assignment {
  std::string key, value;
};
std::optional<Assignment> find_assignment(std::string_view line);
/// The mistake of such a line.
Slip assignment_slip(const Assignment& assignment);

/// A day such as 2024-01-31, which is a difference of three numbers here.
bool is_date(std::string_view text);
/// How the difference of three numbers that looks like a day is written.
std::string difference_hint(std::string_view date);
/// "1-8": a difference that may be meant as a range; its hint, or "".
std::string range_hint(std::string_view text);
/// "300B", "300 B": billions that read as bytes; "300e9", or "".
std::string billions(std::string_view text);

}  // namespace dsl
