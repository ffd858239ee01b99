// The rules of `import torchtitan` beyond its table, a file per subject.
#pragma once

#include "planner/import/settings.h"

namespace planner::torchtitan {

/// Degrees of parallelism; 0 for `shard`: all GPUs that are left, of an unknown number.
struct TitanDegrees {
  int64_t replicate = 1, shard = 0, tp = 1, pp = 1, cp = 1;
  /// The newest puts FSDP's mixed precision around a single rank, too (torchtitan/models/llama3/parallelize.py).
  bool always_mixes = false;
  /// Data-parallel ranks; 0 if unknown.
  int64_t dp() const { return replicate * shard; }
};

/// Returns the value of a key, or its default.
std::string said(const Settings& c, std::string_view key);
/// Like `said`, as a whole number of 1 or more; otherwise diagnosed.
int64_t said_count(Settings& c, std::string_view key);
/// Puts a field that follows from the key. Its comment mentions a default value.
void put_said(Settings& c, const char* field, const std::string& value, std::string_view key);
/// Returns the words of a list, or of one text with commas.
std::vector<std::string> words_of(const dsl::Node* list);

/// Puts the number of GPUs and the sharding degrees.
TitanDegrees layout_rules(Settings& c);
void pipeline_rules(Settings& c, const TitanDegrees& d);
void batch_rules(Settings& c, const TitanDegrees& d);
void job_rules(Settings& c, const TitanDegrees& d);
void software_rules(Settings& c, const TitanDegrees& d);

}  // namespace planner::torchtitan
