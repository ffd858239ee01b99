// When the parts of a pipeline run, and which layers they hold: torchtitan/distributed/pipeline_parallel.py.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "dsl/raw_text.h"
#include "planner/import/torchtitan_config.h"
#include "planner/import/torchtitan_table.h"

namespace planner::torchtitan {
namespace {

constexpr const char *kSchedule = "parallelism.pipeline_parallel_schedule",
                     *kPoints = "parallelism.pipeline_parallel_split_points",
                     *kModules = "parallelism.module_fqns_per_model_part",
                     *kEach = "parallelism.pipeline_parallel_layers_per_stage",
                     *kFirst = "parallelism.pipeline_parallel_first_stage_less_layers",
                     *kLast = "parallelism.pipeline_parallel_last_stage_less_layers";

/// Names of before, and schedules that are planned as interleaved.
constexpr megatron::ProgramWord kOlderSchedules[] = {{"interleaved", "interleaved_1f1b"},
                                                     {"interleaved", "flexible_interleaved_1f1b"}};
constexpr megatron::ProgramWord kLooped[] = {{"interleaved", "loopedbfs"}, {"interleaved", "interleavedzerobubble"}};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), dsl::small);
  return text;
}

/// "": unknown, which is diagnosed.
std::string schedule(Settings& c) {
  const std::string name = lower(said(c, kSchedule));
  if (const std::string looped = megatron::ours_of(kLooped, name); !looped.empty()) {
    c.warn(kSchedule, "'" + c.text(kSchedule) + "' is planned as interleaved 1F1B");
    return looped;
  }
  for (const megatron::ProgramWord& word : kTitanSchedules)
    if (lower(word.theirs) == name) return word.ours;
  const std::string older = megatron::ours_of(kOlderSchedules, name);
  if (older.empty())
    c.error(kSchedule, "unknown schedule '" + dsl::shortened(c.text(kSchedule)) + "'",
            "known: 1F1B, Interleaved1F1B, GPipe, ZBVZeroBubble, DualPipeV");
  return older;
}

/// The layer of "layers.8".
std::optional<int64_t> layer_of(std::string_view name) {
  constexpr std::string_view kBegin = "layers.";
  int64_t layer = 0;
  if (!name.starts_with(kBegin)) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + kBegin.size(), name.data() + name.size(), layer);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(layer) : std::nullopt;
}

using Parts = std::vector<std::string>;  // the layers of each, as the language writes them

/// Each point is the first layer of a part.
Parts parts_of_points(Settings& c) {
  Parts parts;
  int64_t begin = 0;
  for (const std::string& point : words_of(c.find(kPoints))) {
    const std::optional<int64_t> layer = layer_of(point);
    if (!layer || *layer <= begin) {
      c.error(kPoints,
              "expected the first layer of each part but the first, in order, got '" + dsl::shortened(point) + "'",
              "[\"layers.8\", \"layers.16\"]");
      return {};
    }
    parts.push_back(std::to_string(*layer - begin));
    begin = *layer;
  }
  if (!parts.empty()) parts.push_back(fmt::format("model.layers - {}", begin));
  return parts;
}

/// The names of the modules of each part.
Parts parts_of_modules(Settings& c) {
  Parts parts;
  for (const dsl::Node& part : c.find(kModules)->items) {
    const std::vector<std::string> names = words_of(&part);
    parts.push_back(
        std::to_string(std::ranges::count_if(names, [](const auto& n) { return layer_of(n).has_value(); })));
  }
  return parts;
}

/// The number of layers that the modules at an end of the pipeline count as.
int64_t fewer_layers(Settings& c, const char* key) {
  constexpr int64_t kMost = 1000;
  return std::min(c.count(key, std::stoll(default_of(key))), kMost);
}

/// Embedding and head count as layers, of the first part and the last; the remainder goes to the first parts.
Parts even_parts(Settings& c, int64_t count) {
  const int64_t first = fewer_layers(c, kFirst), last = fewer_layers(c, kLast);
  Parts parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(fmt::format("floor((model.layers + {}) / {})", first + last + count - 1 - i, count));
    const int64_t fewer = (i == 0 ? first : 0) + (i + 1 == count ? last : 0);
    if (fewer > 0) parts.back() += fmt::format(" - {}", fewer);
  }
  return parts;
}

void put_parts(Settings& c, const TitanDegrees& d, const Parts& parts, const char* key) {
  constexpr size_t kMost = 4096;
  const auto count = static_cast<int64_t>(parts.size());
  if (parts.size() > kMost || count % d.pp != 0)
    return c.error(key, fmt::format("{} parts are no multiple of pipeline_parallel_degree {}", count, d.pp));
  if (count > d.pp) put_said(c, "parallelism.interleave", std::to_string(count / d.pp), key);
  put_said(c, "parallelism.stages", fmt::format("[{}]", fmt::join(parts, ", ")), key);
}

/// The number of parts follows from the model, whose layers are unknown here.
void layers_of_each(Settings& c, const TitanDegrees& d) {
  const int64_t each = said_count(c, kEach);
  const int64_t ends = fewer_layers(c, kFirst) + fewer_layers(c, kLast);
  c.put("parallelism.interleave", fmt::format("ceil((model.layers + {}) / {}) / {}", ends, each, d.pp), kEach);
  if (ends > 0) c.warn(kEach, "the ends of the pipeline are planned with as many layers as its middle");
}

}  // namespace

void pipeline_rules(Settings& c, const TitanDegrees& d) {
  if (d.pp == 1) return;
  const std::string name = schedule(c);
  if (name.empty()) return;
  const bool is_looped = name != "1f1b" && name != "gpipe";  // several parts a rank
  put_said(c, "parallelism.schedule", name, kSchedule);
  if (c.has(kModules)) return put_parts(c, d, parts_of_modules(c), kModules);
  if (!words_of(c.find(kPoints)).empty()) {
    const Parts parts = parts_of_points(c);
    return parts.empty() ? void() : put_parts(c, d, parts, kPoints);
  }
  if (c.has(kEach)) return layers_of_each(c, d);
  put_parts(c, d, even_parts(c, std::min<int64_t>(d.pp * (is_looped ? 2 : 1), 4000)), kSchedule);
}

}  // namespace planner::torchtitan
