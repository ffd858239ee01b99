#include "cli/commands/replay_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace cli {

namespace trace = planner::trace;
namespace replay = planner::replay;

std::optional<std::map<int64_t, size_t>> named_hosts(const std::string& text, dsl::Diagnostics& diagnostics) {
  std::map<int64_t, size_t> host_of;
  size_t count = 0;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    int64_t first = 0, last = 0;
    std::from_chars_result read = std::from_chars(at, end, first);
    last = first;
    if (read.ec == std::errc() && read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    const char* next = read.ptr;
    const bool good = read.ec == std::errc() && (next == end || (*next == ',' && next + 1 < end)) && first >= 0 &&
                      first <= last && last - first < 1'000'000;
    if (!good) break;
    for (int64_t rank = first; rank <= last; ++rank)
      if (!host_of.try_emplace(rank, count).second) {
        diagnostics.error({}, fmt::format("--hosts '{}': rank {} stands twice", text, rank));
        return std::nullopt;
      }
    ++count;
    at = next == end ? end : next + 1;
  }
  if (at < end) {
    diagnostics.error({}, fmt::format("--hosts '{}': expected ranks of each host, joined by commas", text),
                      "--hosts 0-7,8-15");
    return std::nullopt;
  }
  return host_of;
}

std::optional<std::vector<size_t>> hosts_of(const std::string& text, const trace::Trace& measured,
                                            dsl::Diagnostics& diagnostics) {
  const auto named = named_hosts(text, diagnostics);
  if (!named) return std::nullopt;
  size_t count = 0;
  for (const auto& [rank, host] : *named) count = std::max(count, host + 1);
  std::vector<size_t> hosts;
  for (const trace::RankTrace& rank : measured) {
    const auto host = named->find(*rank.rank);
    hosts.push_back(host == named->end() ? count++ : host->second);
  }
  return hosts;
}

std::optional<replay::Scaling> scaling_of(const std::string& text, const trace::Trace& measured,
                                          dsl::Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    diagnostics.error({}, fmt::format("--scale-op '{}': {}", text, message), hint);
    return std::nullopt;
  };
  constexpr const char* kExample =
      "--scale-op 'aten::mm=0.5' halves an operator, '*gemm*@3=2' doubles kernels of rank 3";
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return refuse("expected NAME=FACTOR", kExample);
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), factor);
  const bool good = error == std::errc() && end == text.data() + text.size() && factor >= 0 && factor <= 1e6;
  if (!good) return refuse("expected a factor of 0 to 1e6 behind '='", kExample);
  replay::Scaling scaling{.pattern = text.substr(0, equals), .factor = factor};
  const size_t at = scaling.pattern.rfind('@');
  const std::string rank = at == std::string::npos ? "" : scaling.pattern.substr(at + 1);
  const bool names_rank = !rank.empty() && std::ranges::all_of(rank, [](char c) { return c >= '0' && c <= '9'; });
  if (!names_rank) return scaling;
  for (size_t r = 0; r < measured.size(); ++r)
    if (std::to_string(*measured[r].rank) == rank) scaling.rank = r;
  if (!scaling.rank) return refuse(fmt::format("no trace is of rank '{}'", rank), kExample);
  scaling.pattern.resize(at);
  return scaling;
}

}  // namespace cli
