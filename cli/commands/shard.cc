#include "cli/commands/shard.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "cli/args/words.h"
#include "cli/files/partial_check.h"

namespace cli {
namespace {

/// What a scheduler sets for each task of an array; null: it says no such thing.
struct Array {
  const char *scheduler, *index, *first, *last, *step, *count;
  bool from_zero;  // the first task of any array has 0
};
constexpr std::array kArrays{
    Array{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
          "SLURM_ARRAY_TASK_COUNT", false},
    Array{"Kubernetes", "JOB_COMPLETION_INDEX", nullptr, nullptr, nullptr, nullptr, true},
    Array{"SGE", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", nullptr, false},
};

std::optional<int64_t> variable(const Environment& environment, const char* name) {
  const char* text = name ? environment(name) : nullptr;  // SGE says "undefined" outside of arrays
  return text ? number_in<int64_t>(text) : std::nullopt;
}

/// The array that this process is a task of; null with the reason in `wrong`.
const Array* array_of(const Environment& environment, std::string& wrong) {
  const Array* found = nullptr;
  std::string names;
  for (const Array& array : kArrays) {
    names += (names.empty() ? "" : ", ") + fmt::format("{} ({})", array.index, array.scheduler);
    if (!variable(environment, array.index)) continue;
    if (found) wrong = fmt::format("--shard auto: both {} and {} are set: give --shard I/N", found->index, array.index);
    found = &array;
  }
  if (!found) wrong = fmt::format("--shard auto: this is no task of an array: none of {} is set", names);
  return wrong.empty() ? found : nullptr;
}

/// `auto`: the array's own size, of one that counts from 0 or 1 without gaps.
std::string whole_array(const Array& array, const Environment& environment, int64_t index,
                        planner::SearchOptions& search) {
  const std::optional<int64_t> first = variable(environment, array.first), last = variable(environment, array.last);
  if (!first || !last)
    return fmt::format("--shard auto: {} does not say how many tasks there are: --shard auto/N does", array.scheduler);
  const int64_t tasks = *last - *first + 1, step = variable(environment, array.step).value_or(1),
                count = variable(environment, array.count).value_or(tasks);
  if (*first < 0 || *first > 1 || step != 1 || count != tasks || index < *first || index > *last || tasks > kMostShards)
    return fmt::format("--shard auto: this {} array is not all of 1 to N: --shard auto/N says of how many it is a part",
                       array.scheduler);
  search.shard = index - *first;
  search.shards = tasks;
  return "";
}

std::string read_auto(std::string_view of, const Environment& environment, planner::SearchOptions& search) {
  std::string wrong;
  const Array* array = array_of(environment, wrong);
  if (!array) return wrong;
  const int64_t index = *variable(environment, array->index);
  if (of.empty()) return whole_array(*array, environment, index, search);
  const std::optional<int64_t> shards = number_in<int64_t>(of.substr(1));
  if (of.front() != '/' || !shards || *shards < 1 || *shards > kMostShards)
    return fmt::format("expected --shard auto or auto/N with N from 1 to {}, got 'auto{}'", kMostShards, of);
  const int64_t first = array->from_zero ? 0 : 1, last = first + *shards - 1;
  if (index < first || index > last)
    return fmt::format("--shard auto/{}: {} is {}, and its tasks count from {} to {}", *shards, array->index, index,
                       first, last);
  search.shard = index - first;
  search.shards = *shards;
  return "";
}

}  // namespace

std::string read_shard(const std::string& text, const Environment& environment, planner::SearchOptions& search) {
  if (text.starts_with("auto")) return read_auto(std::string_view(text).substr(4), environment, search);
  const size_t slash = text.find('/');
  const bool two = slash != std::string::npos;
  const std::optional<int64_t> i = two ? number_in<int64_t>(std::string_view(text).substr(0, slash)) : std::nullopt,
                               n = two ? number_in<int64_t>(std::string_view(text).substr(slash + 1)) : std::nullopt;
  if (i && n && *n > kMostShards) return fmt::format("--shard: {} parts at most, got '{}'", kMostShards, text);
  if (!i || !n || *i < 1 || *i > *n)
    return fmt::format("expected --shard I/N with 1 <= I <= N, auto/N or auto, got '{}'", text);
  search.shard = *i - 1;
  search.shards = *n;
  return "";
}

std::string number_list(const std::vector<int64_t>& numbers) {
  std::string list;
  for (size_t i = 0, next = 0; i < numbers.size(); i = next) {
    for (next = i + 1; next < numbers.size() && numbers[next] == numbers[next - 1] + 1;) ++next;
    list += fmt::format("{}{}", list.empty() ? "" : ",", numbers[i]);
    if (next > i + 1) list += fmt::format("-{}", numbers[next - 1]);
  }
  return list;
}

}  // namespace cli
