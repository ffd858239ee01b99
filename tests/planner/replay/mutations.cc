#include "tests/planner/replay/mutations.h"

#include <fmt/format.h>

#include <algorithm>

namespace sample {

using Json = nlohmann::ordered_json;

TraceText trace_text(const std::string& json) {
  const Json whole = Json::parse(json);
  TraceText made;
  if (whole.is_object())
    for (const char* key : {"deviceProperties", "distributedInfo"})
      if (whole.contains(key)) made.head += fmt::format("\"{}\": {}, ", key, whole[key].dump());
  for (Json event : whole.is_object() ? whole["traceEvents"] : whole) {
    if (!event.is_object() || event.value("ph", "") != "X" || !event.contains("ts")) continue;
    const double start = event["ts"].get<double>();
    event.erase("ts");
    const std::string rest = event.dump();
    made.events.push_back({start, "{\"ts\": ", ", " + rest.substr(1), rest.find("ProfilerStep#") != std::string::npos});
  }
  std::ranges::stable_sort(made.events, {}, &EventText::start_us);
  return made;
}

void Mutator::cut_out(TraceText& rank) {
  if (rank.events.size() <= most_events_) return;
  const size_t begin = below(rank.events.size() - most_events_ + 1);
  std::vector<EventText> kept;
  for (size_t i = 0; i < rank.events.size(); ++i)
    if (rank.events[i].marks_step || (i >= begin && i < begin + most_events_)) kept.push_back(rank.events[i]);
  rank.events = std::move(kept);
}

void Mutator::change(std::vector<TraceText>& ranks) {
  TraceText& rank = ranks[below(ranks.size())];
  std::vector<EventText>& events = rank.events;
  const size_t kind = below(6), many = 1 + below(1 + events.size() / 4);
  if (kind == 0)
    for (size_t i = 0; i < many && !events.empty(); ++i)
      events.erase(events.begin() + static_cast<std::ptrdiff_t>(below(events.size())));
  if (kind == 1) events.resize(below(events.size() + 1));
  if (kind == 2)
    for (size_t i = 0; i < 1 + many / 8 && !events.empty(); ++i) events.push_back(events[below(events.size())]);
  if (kind == 3 || kind == 4) {  // of a rank's clock, or of its device's alone
    const double by = static_cast<double>(below(2'000'000)) / 100 - 10'000;
    for (EventText& event : events)
      if (kind == 3 || event.behind.find("\"stream\"") != std::string::npos) event.start_us += by;
  }
  if (kind == 5 && ranks.size() > 1) ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(below(ranks.size())));
  else if (kind == 5) ends_early_ = true;
}

std::string Mutator::text(const TraceText& rank) {
  std::string text = "{" + rank.head + "\"traceEvents\": [";
  for (const EventText& event : rank.events)
    text += fmt::format("{}{}{:.3f}{}", text.back() == '[' ? "" : ",\n", event.before, event.start_us, event.behind);
  return text + "]}";
}

std::vector<std::string> Mutator::operator()(std::vector<TraceText> ranks) {
  ends_early_ = false;
  for (TraceText& rank : ranks) cut_out(rank);
  for (size_t left = 1 + below(3); left > 0; --left) change(ranks);
  std::vector<std::string> texts;
  for (const TraceText& rank : ranks) texts.push_back(text(rank));
  std::string& last = texts.back();
  if (ends_early_) last.resize(below(last.size()));
  return texts;
}

}  // namespace sample
