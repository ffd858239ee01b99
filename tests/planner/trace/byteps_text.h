// What BytePS writes of a run, for tests: its servers' profiles and its workers' traces, in their very layout.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "planner/trace/byteps.h"
#include "planner/trace/readers.h"
#include "tests/planner/trace/kineto_text.h"

namespace sample {

/// A server's profile. Times in microseconds.
class ServerText {
 public:
  ServerText& event(const std::string& name, char phase, int64_t key, int64_t at) {
    return raw(
        fmt::format(R"({{"name": "{0}", "ph": "{1}", "pid": {2}, "tid": {2}, "ts": {3}}})", name, phase, key, at));
  }
  ServerText& push(int sender, int64_t key, int64_t begin, int64_t end) {
    return both("push", sender, key, begin, end);
  }
  ServerText& pull(int sender, int64_t key, int64_t begin, int64_t end) {
    return both("pull", sender, key, begin, end);
  }
  ServerText& raw(const std::string& event) {
    text_ += (text_.back() == '\n' ? "\t\t" : ",\n\t\t") + event;
    return *this;
  }
  /// As the server leaves it: without an end.
  std::string text() const { return text_; }

 private:
  ServerText& both(const char* what, int sender, int64_t key, int64_t begin, int64_t end) {
    const std::string name = fmt::format("{}-{}", what, sender);
    return event(name, 'B', key, begin).event(name, 'E', key, end);
  }
  std::string text_ = "{\n\t\"traceEvents\": [\n";
};

/// A worker's `comm.json`. Times in microseconds.
class WorkerText {
 public:
  WorkerText& stage(const std::string& tensor, const std::string& stage, const std::string& key, int64_t begin,
                    int64_t duration) {
    const std::string name = "Comm." + tensor;
    return raw(
        fmt::format("        {{\n            \"ph\": \"X\",\n            \"args\": {{\n"
                    "                \"name\": \"{0}\"\n            }},\n            \"pid\": \"{0}\",\n"
                    "            \"name\": \"{0}{1}\",\n            \"ts\": {2},\n            \"dur\": {3},\n"
                    "            \"tid\": \"{4}\",\n            \"cat\": \"Comm\"\n        }}",
                    name, stage.empty() ? "" : "." + stage, begin, duration, key));
  }
  /// A round of a key: PUSH and PULL, each as begin and end.
  WorkerText& round(const std::string& tensor, int64_t key, int64_t push, int64_t pushed, int64_t pull,
                    int64_t pulled) {
    stage(tensor, "PUSH", std::to_string(key), push, pushed - push);
    return stage(tensor, "PULL", std::to_string(key), pull, pulled - pull);
  }
  WorkerText& raw(const std::string& event) {
    text_ += (text_.back() == '\n' ? "" : ",\n") + event;
    return *this;
  }
  std::string text() const { return text_ + "\n\n    ],\n    \"displayTimeUnit\": \"ms\"\n}\n"; }

 private:
  std::string text_ = "{\n    \"traceEvents\": [\n";
};

/// What reading files gives, in the order of their ranks; messages, one per line, in `messages`.
inline planner::trace::Trace ranks_of(const std::vector<std::string>& texts, std::string* messages = nullptr,
                                      bool skip_broken = false) {
  dsl::Diagnostics diagnostics;
  std::vector<planner::trace::RankTrace> ranks;
  for (size_t i = 0; i < texts.size(); ++i) {
    auto read = planner::trace::read_any({fmt::format("{}.json", i), pieces(texts[i])}, skip_broken, diagnostics);
    for (planner::trace::RankTrace& rank : read.ranks) ranks.push_back(std::move(rank));
  }
  auto ordered = planner::trace::order_ranks(planner::trace::join_servers(std::move(ranks)), diagnostics);
  if (messages) messages->clear();
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (messages) *messages += d.message + "\n";
  return ordered && !diagnostics.has_errors() ? *std::move(ordered) : planner::trace::Trace{};
}

}  // namespace sample
