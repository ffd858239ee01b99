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

/// Returns a trace by its events, in the order of their times. Throws where it is no JSON.
TraceText trace_text(const std::string& json);

/// Makes texts of a run's ranks that are wrong in one to three ways. Of a longer trace a stretch of so many events is
/// taken first; marks of steps stay.
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
