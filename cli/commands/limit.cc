#include "cli/commands/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/report/figure.h"
#include "dsl/space_size.h"
#include "dsl/units.h"

namespace cli {
namespace {

constexpr int kDescents = 256;  // some milliseconds
constexpr size_t kNamed = 4;    // choices that a message lists

/// "parallelism.tp (1024 values), model.layers (about 31.5)": the choices with most values.
std::string largest(const std::vector<dsl::OpenItem>& items, const std::vector<size_t>& by_size,
                    const dsl::SpaceSize& size) {
  std::string text;
  for (size_t i : by_size) {
    const bool fixed = !items[i].values.empty();
    text += fmt::format("{}{} ({}{}{})", text.empty() ? "" : ", ", items[i].path, fixed ? "" : "about ",
                        four_digits(size.values[i]), text.empty() ? " values" : "");
  }
  return text;
}

}  // namespace

std::string read_limit(const std::string& text, double& limit) {
  if (text.empty()) return "";
  const dsl::Scanned scanned = dsl::scan_number(text);
  const bool number = scanned.length == text.size() && scanned.problem.empty();
  if (!number || scanned.number.dim != dsl::kNone || !(scanned.number.value >= 1))
    return fmt::format("--limit: expected a number of combinations from 1 (1000000, 1e9), got '{}'", text);
  limit = scanned.number.value;
  return "";
}

std::optional<double> exact_candidates(const planner::OpenScenario& open) {
  const dsl::SpaceSize size = dsl::size_of(open.space, kDescents);
  return size.exact ? std::optional(size.candidates) : std::nullopt;
}

double check_limit(const planner::OpenScenario& open, double limit, int64_t shards, dsl::Diagnostics& diagnostics) {
  const std::vector<dsl::OpenItem>& items = open.space.items();
  const dsl::SpaceSize size = dsl::size_of(open.space, kDescents);
  const double of_part = size.candidates / static_cast<double>(shards);
  if (of_part <= limit) return of_part;
  std::vector<size_t> by_size(items.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::erase_if(by_size, [&](size_t i) { return !items[i].is_choice; });
  std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) { return size.values[a] > size.values[b]; });
  if (by_size.size() > kNamed) by_size.resize(kNamed);
  const std::string part = shards > 1 ? fmt::format(" in each of {} shards", shards) : "";
  diagnostics.error(items[by_size.at(0)].span,
                    fmt::format("the choices have {}{} combinations{}, and the limit is {}", size.exact ? "" : "about ",
                                four_digits(of_part), part, four_digits(limit)),
                    "most have " + largest(items, by_size, size) +
                        "; fewer values (pow2, divisors), --shard I/N, or a higher --limit");
  return of_part;
}

}  // namespace cli
