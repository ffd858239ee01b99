// Scenarios with open choices for tests of the search, and a struct's fields as text.
#pragma once

#include <map>

#include "planner/plan/results.h"
#include "planner/resolve/read.h"
#include "planner/search/candidate.h"
#include "tests/planner/sample.h"

namespace sample {

std::optional<planner::OpenScenario> try_open(const std::string& text, const Sets& sets, dsl::Diagnostics& diagnostics,
                                              const std::string& directory = "/nonexistent");

planner::OpenScenario opened(const std::string& text, const Sets& sets);

/// A space of some hundred layouts of `kGpt`, and the axes of its front.
inline const Sets kSpace{"parallelism.tp=[1, 2, 4]",
                         "parallelism.pp=divisors(model.layers)",
                         "parallelism.interleave=divisors(model.layers / pp)",
                         "parallelism.microbatch=pow2(1, 4)",
                         "parallelism.recompute=[none, full]",
                         "cluster.gpus=[8, 16]",
                         "job.tokens=1e9"};
inline const std::vector<const planner::ResultRow*> kAxes{planner::find_result("step"),
                                                          planner::find_result("memory.peak")};

/// Every member of a struct by its path, as text: two that print the same are the same.
class MemberVisitor {
 public:
  template <class T> void operator()(const char* name, const T& member, const dsl::About&) {
    members[prefix_ + name] = text(member);
  }
  template <class T> void section(const char* name, T& t) { inside(std::string(name) + ".", t); }
  template <class T> void list(const char* name, std::vector<T>& items) {
    for (size_t i = 0; i < items.size(); ++i) inside(std::string(name) + "[" + std::to_string(i) + "].", items[i]);
  }
  template <class T> void table(const char* name, std::map<std::string, T>& entries) {
    for (auto& [key, entry] : entries) inside(std::string(name) + "." + key + ".", entry);
  }

  std::map<std::string, std::string> members;

 private:
  template <class T> void inside(const std::string& step, T& t) {
    const std::string outer = prefix_;
    prefix_ += step;
    fields(*this, t);
    prefix_ = outer;
  }
  static std::string text(const dsl::Expression& e) { return e.text; }
  static std::string text(const std::string& s) { return "'" + s + "'"; }
  template <class T> static std::string text(const std::optional<T>& t) { return t ? text(*t) : "none"; }
  template <class T> static std::string text(const std::vector<T>& items) {
    std::string out;
    for (size_t i = 0; i < items.size(); ++i) out += text(static_cast<T>(items[i])) + " ";
    return out;
  }
  template <dsl::Dim D> static std::string text(dsl::Quantity<D> q) { return text(q.value); }
  static std::string text(double x) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%a", x);  // exact
    return buffer;
  }
  static std::string text(bool b) { return b ? "true" : "false"; }
  static std::string text(int64_t n) { return std::to_string(n); }
  template <class T>
  requires std::is_enum_v<T>
  static std::string text(T word) { return dsl::word_of(word); }
  std::string prefix_;
};

std::map<std::string, std::string> members(planner::Scenario s);

}  // namespace sample
