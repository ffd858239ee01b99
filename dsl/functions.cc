#include "dsl/functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dsl {
namespace {

constexpr double kLongestList = 10000;
constexpr double kLargestDivided = 1e12;
constexpr const char* kTooLong = "a choice has at most 10000 values";

using In = std::span<const double>;
using Out = std::vector<double>;

template <double (*F)(double)> const char* each(In in, Out& out) {
  out.push_back(F(in[0]));
  return nullptr;
}

const char* least(In in, Out& out) {
  if (in.empty()) return "the list is empty";
  out.push_back(*std::min_element(in.begin(), in.end()));
  return nullptr;
}
const char* greatest(In in, Out& out) {
  if (in.empty()) return "the list is empty";
  out.push_back(*std::max_element(in.begin(), in.end()));
  return nullptr;
}
const char* sum(In in, Out& out) {
  double total = 0;
  for (double x : in) total += x;
  out.push_back(total);
  return nullptr;
}
const char* count(In in, Out& out) {
  out.push_back(static_cast<double>(in.size()));
  return nullptr;
}

const char* square_root(In in, Out& out) {
  if (in[0] < 0) return "the square root of a negative number";
  out.push_back(std::sqrt(in[0]));
  return nullptr;
}
const char* binary_logarithm(In in, Out& out) {
  if (in[0] <= 0) return "the logarithm of a number that is not positive";
  out.push_back(std::log2(in[0]));
  return nullptr;
}

const char* divisors(In in, Out& out) {
  const double n = in[0];
  if (n != std::trunc(n) || n < 1 || n > kLargestDivided) return "divisors takes a whole number from 1 to 1e12";
  const double most = in.size() > 1 ? in[1] : n;
  const auto whole = static_cast<int64_t>(n);
  std::vector<double> above;
  for (int64_t d = 1; d * d <= whole; ++d) {
    if (whole % d != 0) continue;
    out.push_back(static_cast<double>(d));
    if (d != whole / d) above.push_back(static_cast<double>(whole / d));
  }
  out.insert(out.end(), above.rbegin(), above.rend());
  std::erase_if(out, [most](double d) { return d > most; });
  return nullptr;
}

const char* powers_of_two(In in, Out& out) {
  if (in[1] > 9007199254740992.0) return "pow2 ends at 2^53";
  for (double p = 1; p <= in[1]; p *= 2)
    if (p >= in[0]) out.push_back(p);
  return nullptr;
}

// Both ends belong to the range. Each value is computed from the start, so that no error adds up.
const char* range(In in, Out& out) {
  const double step = in.size() > 2 ? in[2] : 1;
  if (step == 0) return "the step of a range is zero";
  const double steps = std::floor((in[1] - in[0]) / step + 1e-9);
  if (!(steps < kLongestList)) return kTooLong;
  for (double i = 0; i <= steps; ++i) out.push_back(in[0] + i * step);
  return nullptr;
}

constexpr Function kFunctions[] = {
    {"min", 1, kAnyNumber, ArgumentRule::same, false, false, least, "the least of its arguments, or of a list"},
    {"max", 1, kAnyNumber, ArgumentRule::same, false, false, greatest, "the greatest of its arguments, or of a list"},
    {"abs", 1, 1, ArgumentRule::same, false, false, each<std::fabs>, "without sign"},
    {"ceil", 1, 1, ArgumentRule::plain, false, false, each<std::ceil>, "the next whole number upwards"},
    {"floor", 1, 1, ArgumentRule::plain, false, false, each<std::floor>, "the next whole number downwards"},
    {"round", 1, 1, ArgumentRule::plain, false, false, each<std::round>,
     "the nearest whole number, halves away from zero"},
    {"sqrt", 1, 1, ArgumentRule::root, false, false, square_root, "square root; the dimension halves"},
    {"log2", 1, 1, ArgumentRule::plain, false, false, binary_logarithm, "binary logarithm"},
    {"exp", 1, 1, ArgumentRule::plain, false, false, each<std::exp>, "e to the power of its argument"},
    {"if", 3, 3, ArgumentRule::lazy, false, false, nullptr,
     "if(c, a, b): a where c is true, else b; the other is not evaluated"},
    {"sum", 1, kAnyNumber, ArgumentRule::same, false, false, sum, "the sum of its arguments, or of a list"},
    {"len", 1, 1, ArgumentRule::items, false, false, count, "how many items a list has"},
    {"divisors", 1, 2, ArgumentRule::plain, true, true, divisors,
     "divisors(n[, most]): all divisors of a whole number, ascending; none above the second"},
    {"pow2", 2, 2, ArgumentRule::plain, true, false, powers_of_two,
     "pow2(a, b): the powers of two from a to b, both included"},
    {"range", 2, 3, ArgumentRule::same, true, false, range, "range(a, b[, step]): from a to b, both included; step 1"},
};

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name) {
  auto it =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const Function& f) { return f.name == name; });
  return it == std::end(kFunctions) ? nullptr : it;
}

}  // namespace dsl
