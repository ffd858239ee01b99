#include "planner/import/stage_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "dsl/raw_text.h"
#include "planner/import/megatron_flags.h"
#include "planner/scenario/layer_row.h"

namespace planner {
namespace {

constexpr size_t kLongest = kMostLayers;
constexpr const char* kFlag = "--pipeline-model-parallel-layout";

/// Takes the count behind a '*' out of the text: 1 if there is none; 0 if it is too large or not a number.
size_t take_times(std::string_view& text) {
  if (!text.starts_with('*')) return 1;
  text.remove_prefix(1);
  size_t n = 0;
  if (text.empty() || !dsl::is_digit(text.front())) return 0;
  for (; !text.empty() && dsl::is_digit(text.front()); text.remove_prefix(1))
    n = std::min(n * 10 + static_cast<size_t>(text.front() - '0'), kLongest + 1);
  return n > kLongest ? 0 : n;
}

/// Writes every repetition out; "" if the text is not a list. Groups do not nest.
std::string unrolled(std::string_view text, bool in_group) {
  std::string out;
  while (!text.empty()) {
    std::string unit(1, text.front());
    const bool is_group = unit == "(";
    if (is_group) {
      const size_t end = text.find(')');
      if (in_group || end == text.npos) return "";
      unit = unrolled(text.substr(1, end - 1), true);
      text.remove_prefix(end);
    } else if (unit.find_first_of("EtmL|") != 0) {
      return "";
    }
    text.remove_prefix(1);
    const size_t n = take_times(text);
    if (unit.empty() || n == 0 || out.size() + unit.size() * n > kLongest) return "";
    for (size_t i = 0; i < n; ++i) out += unit;
  }
  return out;
}

}  // namespace

std::optional<StageList> read_stage_list(std::string_view text) {
  std::string plain(text);
  std::erase(plain, ',');
  const std::string list = unrolled(plain, false);
  if (std::ranges::count(list, 'E') != 1 || std::ranges::count(list, 'L') != 1) return std::nullopt;
  if (!list.starts_with('E') || !list.ends_with('L')) return std::nullopt;
  StageList out{.layers = {0}};
  for (const char c : list) {
    if (c == '|') out.layers.push_back(0);
    out.layers.back() += c == 't';
  }
  const size_t predicted = list.find('m'), last = list.rfind('|');
  out.predicts_last = predicted == list.npos || last == list.npos || predicted > last;
  return out;
}

namespace megatron {

void listed_stages(Flags& f) {
  const std::optional<StageList> list = read_stage_list(f.text(kFlag));
  if (!list) return f.error(kFlag, "expected parts of layers between E and L, such as 'Et*3|(tt|)*6ttL'");
  const int64_t pp = f.count_of("parallelism.pp", 1), parts = static_cast<int64_t>(list->layers.size());
  const int64_t layers = std::accumulate(list->layers.begin(), list->layers.end(), int64_t{0});
  if (pp < 1 || parts % pp != 0)
    return f.error(kFlag, std::to_string(parts) + " parts are not a multiple of pp " + std::to_string(pp));
  const int64_t all = f.layers();
  if (layers != all && (all > 0 || !f.is_named()))
    return f.error(kFlag, "it lists " + std::to_string(layers) + " layers of the model's " + std::to_string(all));
  if (!list->predicts_last) f.warn(kFlag, "prediction layers are planned in the last stage");
  if (parts == 1) return;
  if (parts > pp) f.put("parallelism.interleave", parts / pp, kFlag);
  f.put("parallelism.stages", fmt::format("[{}]", fmt::join(list->layers, ", ")), kFlag);
}

}  // namespace megatron
}  // namespace planner
