// Traces with something wrong in them: events removed, cut off, doubled, clocks shifted, ranks missing.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace sample {

/// An event around its time, and a trace as its events.
struct EventText {
  double start_us = 0;
  std::string before, behind;  // of the time
  bool marks_step = false;
};
struct TraceText {
  std::string head;  // members before the list
  std::vector<EventText> events;
};

/// Returns a trace by its events, in the order of their times. Throws if the text is not JSON.
TraceText trace_text(const std::string& json);

/// Mutates texts of a run's ranks in one to three ways. A longer trace is first cut to a stretch of events; marks of
/// steps stay.
class Mutator {
 public:
  Mutator(uint32_t seed, size_t most_events) : random_(seed), most_events_(most_events) {}
  std::vector<std::string> operator()(std::vector<TraceText> ranks);

 private:
  size_t below(size_t n) { return n > 0 ? random_() % n : 0; }
  void cut_out(TraceText& rank);
  void change(std::vector<TraceText>& ranks);
  static std::string text(const TraceText& rank);

  std::mt19937 random_;
  size_t most_events_;
  bool ends_early_ = false;
};

}  // namespace sample
