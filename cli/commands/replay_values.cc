#include "cli/commands/replay_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

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

/// Says what is wrong with the value of a flag.
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

}  // namespace

std::optional<replay::Scaling> scaling_of(const std::string& text, const trace::Trace& measured,
                                          dsl::Diagnostics& diagnostics) {
  const Refuse refuse("--scale-op", text,
                      "--scale-op 'aten::mm=0.5' halves an operator, '*gemm*@3=2' doubles kernels of rank 3",
                      diagnostics);
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return refuse("expected NAME=FACTOR");
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), factor);
  const bool good = error == std::errc() && end == text.data() + text.size() && factor >= 0 && factor <= 1e6;
  if (!good) return refuse("expected a factor of 0 to 1e6 behind '='");
  auto scaling = named(std::string_view(text).substr(0, equals), measured, refuse);
  if (scaling) scaling->factor = factor;
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
  const Refuse refuse("--fuse", text, "--fuse '*elementwise*' makes one of kernels that follow one another",
                      diagnostics);
  const auto kernels = named(text, measured, refuse);
  if (!kernels) return std::nullopt;
  if (!kernels->before.empty()) return refuse("expected NAME[@RANK]");
  return replay::Rearrangement{.pattern = kernels->pattern, .rank = kernels->rank};
}

std::optional<replay::Rearrangement> move_of(const std::string& text, const trace::Trace& measured,
                                             dsl::Diagnostics& diagnostics) {
  const Refuse refuse("--move", text, "--move 'Memcpy HtoD*=24' runs copies in stream 24", diagnostics);
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return refuse("expected NAME[@RANK]=STREAM");
  int64_t stream = 0;
  const auto [end, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), stream);
  if (error != std::errc() || end != text.data() + text.size()) return refuse("expected a stream's number behind '='");
  const auto kernels = named(std::string_view(text).substr(0, equals), measured, refuse);
  if (!kernels) return std::nullopt;
  if (!kernels->before.empty()) return refuse("expected NAME[@RANK]=STREAM");
  return replay::Rearrangement{.pattern = kernels->pattern, .rank = kernels->rank, .stream = stream};
}

}  // namespace cli
