// Which ranks hold what: torchtitan/distributed/parallel_dims.py.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/import/launch_size.h"
#include "planner/import/torchtitan_config.h"
#include "planner/import/torchtitan_table.h"

namespace planner::torchtitan {
namespace {

constexpr const char *kShard = "parallelism.data_parallel_shard_degree",
                     *kReplicate = "parallelism.data_parallel_replicate_degree",
                     *kReshard = "parallelism.fsdp_reshard_after_forward";

int64_t degree(Settings& c, const char* key) {
  if (!c.has(key) && !*default_of(key)) return 1;
  return std::min(said_count(c, key), kMostRanks);
}

TitanDegrees degrees(Settings& c) {
  TitanDegrees d;
  d.replicate = degree(c, kReplicate);
  d.tp = degree(c, "parallelism.tensor_parallel_degree");
  d.pp = degree(c, "parallelism.pipeline_parallel_degree");
  d.cp = degree(c, "parallelism.context_parallel_degree");
  if (said(c, kShard) != "-1") d.shard = degree(c, kShard);
  return d;
}

/// Finds the shard degree from the GPUs, or the GPUs from the degrees; false (diagnosed) where they contradict.
bool machine(Settings& c, TitanDegrees& d) {
  const int64_t gpus = processes(c.flags);
  const double others = static_cast<double>(d.replicate) * static_cast<double>(d.tp * d.pp) * static_cast<double>(d.cp);
  const double all = others * static_cast<double>(std::max<int64_t>(d.shard, 1));
  if (gpus == 0) {
    if (d.shard == 0) c.flags.leave_open("cluster.gpus", "GPUs of the job");
    else c.put("cluster.gpus", fmt::format("{:.0f}", all), kShard, "times the other degrees");
    return true;
  }
  const char* flag = flag_of_processes(c.flags);
  const auto whole = static_cast<double>(gpus);
  if (d.shard > 0 ? all != whole : static_cast<double>(static_cast<int64_t>(whole / others)) * others != whole) {
    c.flags.error(flag, fmt::format("{} GPUs are {} {:.0f}, which the degrees multiply to", gpus,
                                    d.shard > 0 ? "not" : "no multiple of", all));
    return false;
  }
  if (d.shard == 0) d.shard = static_cast<int64_t>(whole / others);
  c.flags.put("cluster.gpus", gpus, flag);
  return true;
}

/// Parameters, gradients and states are sharded over the shard and the context ranks, whole in each replica.
void sharding(Settings& c, const TitanDegrees& d) {
  if (d.shard == 1 && d.cp == 1) return put_said(c, "parallelism.zero", "0", kShard);
  const std::string policy = said(c, kReshard);
  if (policy != "default" && policy != "always" && policy != "never")
    return c.error(kReshard, "unknown policy '" + dsl::shortened(policy) + "'", "known: default, always, never");
  put_said(c, "parallelism.zero", policy == "never" ? "2" : "3", kReshard);
  if (d.pp > 1 && policy != "never")
    put_said(c, "software.reshards_in_pipeline", policy == "always" ? "true" : "false", kReshard);
  if (d.replicate == 1) return;
  const std::string group = d.shard > 0 ? std::to_string(d.shard * d.cp) : fmt::format("dp * cp / {}", d.replicate);
  c.put("parallelism.zero_group", group, kReplicate);
}

/// Ranks pass keys and values on, or gather them once.
void context(Settings& c, const TitanDegrees& d) {
  const char *rotate = "parallelism.context_parallel_rotate_method",
             *balance = "parallelism.context_parallel_load_balancer";
  if (d.cp == 1) return;
  const std::string way = said(c, rotate);
  if (way != "alltoall" && way != "allgather")
    return c.error(rotate, "unknown method '" + dsl::shortened(way) + "'", "known: allgather, alltoall");
  put_said(c, "software.context", "ring", rotate);
  if (way == "allgather") c.warn(rotate, "keys and values that are gathered once are planned as a ring", "alltoall");
  const std::string balancer = said(c, balance);
  if (balancer.empty() || balancer == "None") c.put("software.balanced_context", "false", balance);
}

}  // namespace

std::string said(const Settings& c, std::string_view key) { return c.has(key) ? c.text(key) : default_of(key); }

int64_t said_count(Settings& c, std::string_view key) {
  const std::string otherwise = default_of(key);
  const int64_t number = c.count(key, otherwise.empty() ? 1 : std::stoll(otherwise));
  if (number >= 1) return number;
  c.error(key, "'" + c.written(key) + "' is 1 or more, got '" + dsl::shortened(c.text(key)) + "'");
  return 1;
}

void put_said(Settings& c, const char* field, const std::string& value, std::string_view key) {
  c.put(field, value, key, c.has(key) ? "" : "default of torchtitan");
}

std::vector<std::string> words_of(const dsl::Node* list) {
  std::vector<std::string> words;
  if (!list) return words;
  for (const dsl::Node& item : list->items) words.push_back(item.text);
  for (size_t from = 0; from < list->text.size();) {
    const size_t end = std::min(list->text.find(',', from), list->text.size());
    if (const auto word = dsl::trimmed(std::string_view(list->text).substr(from, end - from)); !word.empty())
      words.emplace_back(word);
    from = end + 1;
  }
  return words;
}

TitanDegrees layout_rules(Settings& c) {
  TitanDegrees d = degrees(c);
  if (!machine(c, d)) return d;
  sharding(c, d);
  context(c, d);
  if (d.tp > 1) c.put("parallelism.sequence_parallel", "true", "parallelism.tensor_parallel_degree");
  return d;
}

}  // namespace planner::torchtitan
