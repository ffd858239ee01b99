#include "planner/replay/spans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace planner::replay {
namespace {

constexpr std::string_view kAround = " < ", kShapes = " @ ", kNext = " ; ", kLaunches = " ~> ", kWaits = " waits";

struct SpanKindRow {
  std::string_view name;
  trace::EventKind kind;
  trace::Role role;
};
constexpr std::array kKinds{
    SpanKindRow{"kernel", trace::EventKind::kernel, trace::Role::compute},
    SpanKindRow{"communication", trace::EventKind::kernel, trace::Role::communication},
    SpanKindRow{"copy", trace::EventKind::copy, trace::Role::memory},
    SpanKindRow{"fill", trace::EventKind::fill, trace::Role::memory},
};

/// Removes the text before a word and returns it; the whole text if the word is absent.
std::string_view take(std::string_view& text, std::string_view word) {
  const size_t at = text.find(word);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + word.size());
  return taken;
}

SpanKernel kernel_of(std::string_view text) {
  SpanKernel kernel;
  const std::string_view stream = take(text, " "), kind = take(text, " ");
  std::from_chars(stream.data(), stream.data() + stream.size(), kernel.stream);
  const auto* const row = std::ranges::find(kKinds, kind, &SpanKindRow::name);
  if (row != kKinds.end()) kernel.kind = row->kind, kernel.role = row->role;
  kernel.name = text;
  return kernel;
}

SpanCall call_of(std::string_view text) {
  SpanCall call;
  std::string_view name = take(text, kLaunches);
  call.waits = name.ends_with(kWaits);
  if (call.waits) name.remove_suffix(kWaits.size());
  call.name = name;
  while (!text.empty()) call.launched.push_back(kernel_of(take(text, kLaunches)));
  return call;
}

/// The path of a place as much as a level knows: all, without shapes, two operators, one, none.
std::string known_path(std::string_view begin, size_t level) {
  if (level == 0) return std::string(begin);
  std::string_view rest = begin.substr(0, begin.rfind(kShapes));
  if (level == 1) return std::string(rest);
  std::string known;
  for (size_t i = level; i < 4 && !rest.empty(); ++i) known += fmt::format("{}{}", kAround, take(rest, kAround));
  return known;
}

std::string key_of(std::string_view begin, std::string_view before, std::string_view after, size_t level) {
  return fmt::format("{}\n{}\n{}", known_path(begin, level), before, after);
}

}  // namespace

std::string text_of(const std::vector<SpanCall>& calls) {
  std::vector<std::string> texts;
  for (const SpanCall& call : calls) {
    std::string& text = texts.emplace_back(call.name);
    if (call.waits) text += kWaits;
    for (const SpanKernel& kernel : call.launched) {
      const auto* const row = std::ranges::find_if(
          kKinds, [&](const SpanKindRow& each) { return each.kind == kernel.kind && each.role == kernel.role; });
      text +=
          fmt::format("{}{} {} {}", kLaunches, kernel.stream, row == kKinds.end() ? "kernel" : row->name, kernel.name);
    }
  }
  return fmt::format("{}", fmt::join(texts, kNext));
}

std::vector<SpanCall> calls_of(std::string_view text) {
  std::vector<SpanCall> calls;
  while (!text.empty()) calls.push_back(call_of(take(text, kNext)));
  return calls;
}

Spans::Spans(const Statistics& statistics) {
  for (const auto& [moment, sum] : statistics.sums()) {
    const auto& [kind, texts] = moment;
    if (kind != TimeKind::span) continue;
    const auto& [begin, calls, before, after] = texts;
    for (size_t level = 0; level < kLevels; ++level) {
      const auto [at, is_new] = levels_[level][key_of(begin, before, after, level)].try_emplace(calls);
      SpanCount& seen = at->second;
      if (is_new) seen.span.calls = calls_of(calls);
      for (const SpanCall& call : seen.span.calls)
        for (const SpanKernel& kernel : call.launched) {
          seen.launches = true;
          seen.crosses |=
              kernel.name.find("HtoD") != std::string::npos || kernel.name.find("DtoH") != std::string::npos;
        }
      const auto count = static_cast<double>(seen.count), more = static_cast<double>(sum.count);
      seen.span.host_ns = (seen.span.host_ns * count + sum.ns) / (count + more);
      seen.count += sum.count;
    }
  }
}

// What works on the host alone launches nothing, and what stays on the device crosses nothing.
const Spans::SpanCount* Spans::most_of(const std::map<std::string, SpanCount>& all, Reach reach) {
  const SpanCount* most = nullptr;
  const bool crossing =
      reach == Reach::both && std::ranges::any_of(all, [](const auto& each) { return each.second.crosses; });
  for (const auto& [calls, seen] : all) {
    if (reach == Reach::host && seen.launches) continue;
    if (reach == Reach::device && seen.crosses) continue;
    if (crossing && !seen.crosses) continue;
    if (!most || seen.count > most->count) most = &seen;
  }
  return most;
}

const HostSpan& Spans::find(const SpanPlace& place, size_t& level) const {
  std::string begin = fmt::format("{}", fmt::join(place.path, kAround));
  if (!place.shapes.empty()) begin += fmt::format("{}{}", kShapes, place.shapes);
  for (level = 0; level < kLevels; ++level) {
    const auto all = levels_[level].find(key_of(begin, place.before, place.after, level));
    if (all == levels_[level].end()) continue;
    if (const SpanCount* most = most_of(all->second, place.reach)) return most->span;
  }
  return nothing_;
}

}  // namespace planner::replay
