#include "cli/commands/replay_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/args/words.h"
#include "cli/commands/rank_list.h"

namespace cli {

namespace trace = planner::trace;
namespace replay = planner::replay;

std::optional<std::map<int64_t, size_t>> named_hosts(const std::string& text, dsl::Diagnostics& diagnostics) {
  const auto ranges = rank_ranges(text);
  if (!ranges) {
    diagnostics.error({}, fmt::format("--hosts '{}': expected ranks of each host, joined by commas", text),
                      "--hosts 0-7,8-15");
    return std::nullopt;
  }
  std::map<int64_t, size_t> host_of;
  for (size_t host = 0; host < ranges->size(); ++host)
    for (int64_t rank = (*ranges)[host].first; rank <= (*ranges)[host].last; ++rank)
      if (!host_of.try_emplace(rank, host).second) {
        diagnostics.error({}, fmt::format("--hosts '{}': rank {} stands twice", text, rank));
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
  std::map<std::string, size_t> clocks;  // those that ranks share, by the server that has them
  for (const trace::RankTrace& rank : measured) {
    const auto host = named->find(*rank.rank);
    const auto shared = rank.clock.empty() ? clocks.end() : clocks.find(rank.clock);
    if (host != named->end()) hosts.push_back(host->second);
    else if (shared != clocks.end()) hosts.push_back(shared->second);
    else hosts.push_back(clocks[rank.clock] = count++);
  }
  return hosts;
}

namespace {

/// Reports a mistake in the value of a flag.
class Refuse {
 public:
  Refuse(const char* flag, const std::string& text, const char* example, dsl::Diagnostics& diagnostics)
      : flag_(flag), text_(text), example_(example), diagnostics_(diagnostics) {}
  std::nullopt_t operator()(const std::string& message) const {
    diagnostics_.error({}, fmt::format("{} '{}': {}", flag_, text_, message), example_);
    return std::nullopt;
  }

 private:
  const char* flag_;
  const std::string& text_;
  const char* example_;
  dsl::Diagnostics& diagnostics_;
};

// NAME[@RANK][ before NAME]. An '@' that no number follows is of the name.
std::optional<replay::Scaling> named(std::string_view text, const trace::Trace& measured, const Refuse& refuse) {
  constexpr std::string_view kBefore = " before ";
  replay::Scaling scaling;
  if (const size_t before = text.rfind(kBefore); before != std::string_view::npos) {
    scaling.before = text.substr(before + kBefore.size());
    if (scaling.before.empty()) return refuse("expected the name of an event behind 'before'");
    text = text.substr(0, before);
  }
  const size_t at = text.rfind('@');
  const std::string rank(at == std::string_view::npos ? "" : text.substr(at + 1));
  if (!rank.empty() && std::ranges::all_of(rank, [](char c) { return c >= '0' && c <= '9'; })) {
    for (size_t r = 0; r < measured.size(); ++r)
      if (std::to_string(*measured[r].rank) == rank) scaling.rank = r;
    if (!scaling.rank) return refuse(fmt::format("no trace is of rank '{}'", rank));
    text = text.substr(0, at);
  }
  if (text.empty()) return refuse("expected the name of an operator, a kernel or a collective");
  scaling.pattern = text;
  return scaling;
}

/// Kernels by NAME[@RANK], in a change of them; `usage`: how the flag's value is written.
std::optional<replay::Rearrangement> kernels_of(std::string_view text, const trace::Trace& measured, const char* usage,
                                                const Refuse& refuse) {
  const auto kernels = named(text, measured, refuse);
  if (!kernels) return std::nullopt;
  if (!kernels->before.empty()) return refuse(fmt::format("expected {}", usage));
  return replay::Rearrangement{.pattern = kernels->pattern, .rank = kernels->rank};
}

/// The texts before and behind the last '='; nullopt: there is no name, or no '='.
std::optional<std::pair<std::string_view, std::string_view>> name_and_value(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace

std::optional<replay::Scaling> scaling_of(const std::string& text, const trace::Trace& measured,
                                          dsl::Diagnostics& diagnostics) {
  const Refuse refuse("--scale-op", text,
                      "--scale-op 'aten::mm=0.5' halves an operator, '*gemm*@3=2' doubles kernels of rank 3",
                      diagnostics);
  const auto parts = name_and_value(text);
  if (!parts) return refuse("expected NAME=FACTOR");
  const auto factor = number_in<double>(parts->second);
  if (!factor || !(*factor >= 0 && *factor <= 1e6)) return refuse("expected a factor of 0 to 1e6 behind '='");
  auto scaling = named(parts->first, measured, refuse);
  if (scaling) scaling->factor = *factor;
  return scaling;
}

std::optional<replay::Scaling> removal_of(const std::string& text, const trace::Trace& measured,
                                          dsl::Diagnostics& diagnostics) {
  auto scaling =
      named(text, measured,
            Refuse("--remove", text, "--remove 'aten::dropout' leaves out operators and their kernels", diagnostics));
  if (scaling) scaling->factor = 0, scaling->removes = true;
  return scaling;
}

std::optional<replay::Rearrangement> fusion_of(const std::string& text, const trace::Trace& measured,
                                               dsl::Diagnostics& diagnostics) {
  return kernels_of(
      text, measured, "NAME[@RANK]",
      Refuse("--fuse", text, "--fuse '*elementwise*' makes one of kernels that follow one another", diagnostics));
}

std::optional<replay::Rearrangement> move_of(const std::string& text, const trace::Trace& measured,
                                             dsl::Diagnostics& diagnostics) {
  constexpr const char* kUsage = "NAME[@RANK]=STREAM";
  const Refuse refuse("--move", text, "--move 'Memcpy HtoD*=24' runs copies in stream 24", diagnostics);
  const auto parts = name_and_value(text);
  if (!parts) return refuse(fmt::format("expected {}", kUsage));
  const auto stream = number_in<int64_t>(parts->second);
  if (!stream) return refuse("expected a stream's number behind '='");
  auto change = kernels_of(parts->first, measured, kUsage, refuse);
  if (change) change->stream = *stream;
  return change;
}

}  // namespace cli
