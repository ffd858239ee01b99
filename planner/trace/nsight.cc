#include "planner/trace/nsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "planner/trace/json_stream.h"
#include "planner/trace/kernel_names.h"
#include "planner/trace/nsight_tables.h"

namespace planner::trace {
namespace {

constexpr int64_t kMostNsightNs = std::numeric_limits<int64_t>::max() / 4;

/// The kind of a table's events, and their name if the table has no names.
struct NsightRow {
  const NsightTable& table;
  EventKind kind;
  const char* prefix = "";
};
constexpr std::array kNsightRows{
    NsightRow{kNsightKernels, EventKind::kernel},
    NsightRow{kNsightCopies, EventKind::copy, "Memcpy "},
    NsightRow{kNsightFills, EventKind::fill, "Memset"},
    NsightRow{kNsightCalls, EventKind::runtime},
    NsightRow{kNsightRanges, EventKind::annotation},
    NsightRow{kNsightCublas, EventKind::op},
    NsightRow{kNsightCudnn, EventKind::op},
    NsightRow{kNsightMpi[0], EventKind::op},
    NsightRow{kNsightMpi[1], EventKind::op},
    NsightRow{kNsightMpi[2], EventKind::op},
    NsightRow{kNsightMpi[3], EventKind::op},
};

// Columns in addition to start, end, name and bytes.
constexpr std::array<const char*, 4> kOfDevices{"correlationId", "globalPid", "deviceId", "streamId"};
constexpr std::array<const char*, 2> kOfThreads{"correlationId", "globalTid"};

// Identifiers of the whole machine hold a process in 24 bits, and of a thread its number below them.
constexpr int64_t kThreadBits = 24, kThreadMask = (1 << kThreadBits) - 1;
int64_t process_of(int64_t global) { return (global >> kThreadBits) & kThreadMask; }
int64_t thread_of(int64_t global) { return global & kThreadMask; }

// "cudaLaunchKernel_v7000" and "cudaLaunchKernel_ptsz_v7000" are cudaLaunchKernel.
std::string_view without_version(std::string_view call) {
  const size_t at = call.rfind("_v");
  const bool versioned = at != std::string_view::npos && at + 2 < call.size() &&
                         call.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  if (versioned) call = call.substr(0, at);
  for (const std::string_view threads : {"_ptsz", "_ptds"})
    if (call.ends_with(threads)) call.remove_suffix(threads.size());
  return call;
}

/// Takes events of one process from the trace of all.
class ProcessEvents {
 public:
  explicit ProcessEvents(const RankTrace& all) : all_(all) {}

  void add(Event event) {
    event.name = part_.names.number(all_.name(event));
    const auto [lane, is_new] = lanes_.try_emplace(event.lane, static_cast<uint32_t>(part_.lanes.size()));
    if (is_new) part_.lanes.push_back(all_.lanes[event.lane]);
    event.lane = lane->second;
    if (event.detail != kNone) event.detail = part_.add(all_.details[event.detail]);
    part_.events.push_back(event);
    ++part_.read;
  }
  RankTrace take() { return std::move(part_); }

 private:
  const RankTrace& all_;
  std::unordered_map<uint32_t, uint32_t> lanes_;
  RankTrace part_;
};

/// Returns the events of each of `processes`, as files "NAME (process 7)"; events of other processes are dropped.
/// `process_of`: by event. Mistakes of the file stay with the first.
std::vector<RankTrace> split_processes(RankTrace trace, const std::vector<int64_t>& process_of,
                                       const std::set<int64_t>& processes) {
  std::vector<RankTrace> parts;
  for (const int64_t process : processes) {
    ProcessEvents events(trace);
    for (size_t i = 0; i < trace.events.size(); ++i)
      if (process_of[i] == process) events.add(trace.events[i]);
    parts.push_back(events.take());
    parts.back().file = fmt::format("{} (process {})", trace.file, process);
  }
  if (parts.empty()) return parts;
  parts.front().left_out = trace.left_out, parts.front().untold = trace.untold;
  parts.front().mistakes = std::move(trace.mistakes);
  return parts;
}

class NsightReader {
 public:
  NsightReader(Database& database, const std::string& file, dsl::Diagnostics& diagnostics)
      : database_(database), diagnostics_(diagnostics), strings_(database) {
    trace_.file = file;
  }

  std::vector<RankTrace> read() {
    read_begin();
    for (const NsightRow& row : kNsightRows)
      if (database_.good() && database_.has(row.table.name)) read_table(row);
    const std::map<int64_t, int64_t> ranks = ranks_of_processes();
    std::vector<RankTrace> parts = split();
    for (RankTrace& part : parts) {
      name_device(part);
      const auto rank = ranks.find(host_process_of(part));
      if (rank != ranks.end()) part.rank = rank->second;
      sort_events(part);
    }
    return parts;
  }

 private:
  void read_table(const NsightRow& row) {
    const bool device = is_on_device(row.kind), nvtx = row.table.naming == NsightNaming::text;
    std::span<const char* const> more = kOfThreads;
    if (device) more = kOfDevices;
    NsightRows rows(database_, row.table, more, nvtx ? kNsightIsRange : "");
    for (int64_t number = 1; rows.next(); ++number, ++trace_.read) {
      if (trace_.events.size() == kMostEvents) return database_.fail(too_many("events"));
      if (!rows.has_ended()) ++running_;
      else if (const std::string wrong = wrong_of(rows); wrong.empty()) add(row, rows);
      else ++trace_.left_out, trace_.note({-1, -1, fmt::format("{}, event {}: {}", row.table.name, number, wrong)});
    }
  }

  std::string wrong_of(const NsightRows& rows) const {
    const int64_t most = kMostNsightNs - begin_ns_, begin = rows.start(), end = rows.end();
    if (begin < -most || begin > most || end < -most || end > most) return "its time is out of range";
    return end < begin ? fmt::format("it ends {} ns before it begins", begin - end) : "";
  }

  void add(const NsightRow& row, const NsightRows& rows) {
    Event event{.start_ns = begin_ns_ + rows.start(), .duration_ns = rows.end() - rows.start(), .kind = row.kind};
    const std::string text = text_of(row, rows);
    event.name = trace_.names.number(text);
    if (rows.has_more(0)) event.correlation = rows.more(0);
    event.role = is_on_device(row.kind) ? role_of(row.kind, text) : Role::compute;
    event.lane = lane_of(row.kind, rows);
    if (row.kind == EventKind::copy && rows.has_bytes()) event.detail = trace_.add({.bytes = rows.bytes()});
    trace_.events.push_back(event);
    process_of_.push_back(process_of(rows.more(1)));
    if (is_on_device(row.kind)) processes_.insert(process_of_.back());
  }

  std::string text_of(const NsightRow& row, const NsightRows& rows) {
    if (rows.has_text()) return plain_text(rows.text());
    const std::string name = nsight_name(row.table, rows.number(), strings_);
    return row.prefix + plain_text(row.kind == EventKind::runtime ? without_version(name) : std::string_view(name));
  }

  uint32_t lane_of(EventKind kind, const NsightRows& rows) {
    const bool device = is_on_device(kind);
    const Lane lane = device ? Lane{rows.more(2), rows.more(3), true}
                             : Lane{process_of(rows.more(1)), thread_of(rows.more(1)), false};
    const auto [at, is_new] =
        lanes_.try_emplace({lane.on_device, lane.process, lane.thread}, static_cast<uint32_t>(trace_.lanes.size()));
    if (is_new) trace_.lanes.push_back(lane);
    return at->second;
  }

  // The clock of the profile, where it says when it began.
  void read_begin() {
    if (!database_.has("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) return;
    Rows rows(database_, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
    const bool said = rows.next() && rows.integer(0) > 0 && rows.integer(0) < kMostNsightNs;
    if (said) begin_ns_ = rows.integer(0);
  }

  void name_device(RankTrace& part) {
    if (!database_.has("TARGET_INFO_GPU", "id") || !database_.has("TARGET_INFO_GPU", "name")) return;
    Rows rows(database_, "SELECT id, name FROM TARGET_INFO_GPU");
    while (rows.next())
      for (const Lane& lane : part.lanes)
        if (lane.on_device && lane.process == rows.integer(0) && part.device.empty())
          part.device = plain_text(rows.text(1));
  }

  // Nsight Systems names threads of MPI: "MPI Rank 3".
  std::map<int64_t, int64_t> ranks_of_processes() {
    constexpr std::string_view kRank = "MPI Rank ";
    std::map<int64_t, int64_t> ranks;
    if (!database_.has("NVTX_EVENTS", "eventType") || !database_.has("NVTX_EVENTS", "globalTid")) return ranks;
    Rows rows(database_, "SELECT text, globalTid FROM NVTX_EVENTS WHERE eventType = 39 AND text LIKE 'MPI Rank %'");
    while (rows.next()) {
      const std::string_view digits = rows.text(0).substr(std::min(rows.text(0).size(), kRank.size()));
      int64_t rank = -1;
      if (std::from_chars(digits.data(), digits.data() + digits.size(), rank).ec == std::errc())
        ranks.try_emplace(process_of(rows.integer(1)), rank);
    }
    return ranks;
  }

  // The process of a rank's threads.
  static int64_t host_process_of(const RankTrace& part) {
    const auto host = std::ranges::find(part.lanes, false, &Lane::on_device);
    return host == part.lanes.end() ? -1 : host->process;
  }

  std::vector<RankTrace> split() {
    if (running_ > 0)
      diagnostics_.warning(
          {}, fmt::format("'{}': {} events were still running when the profile ended, and are left out", trace_.file,
                          running_));
    std::vector<RankTrace> parts;
    if (processes_.size() < 2) {
      parts.push_back(std::move(trace_));
      return parts;
    }
    const auto others = std::ranges::count_if(process_of_, [&](int64_t p) { return !processes_.contains(p); });
    if (others > 0)
      diagnostics_.warning(
          {}, fmt::format("'{}': {} events are of processes without devices, and are left out", trace_.file, others));
    return split_processes(std::move(trace_), process_of_, processes_);
  }

  Database& database_;
  RankTrace trace_;                  // of all processes
  std::vector<int64_t> process_of_;  // by event
  dsl::Diagnostics& diagnostics_;
  const Strings strings_;
  int64_t begin_ns_ = 0, running_ = 0;
  std::map<std::tuple<bool, int64_t, int64_t>, uint32_t> lanes_;
  std::set<int64_t> processes_;  // with events of devices
};

}  // namespace

std::vector<RankTrace> read_nsight(Database& database, const std::string& file, dsl::Diagnostics& diagnostics) {
  return NsightReader(database, file, diagnostics).read();
}

}  // namespace planner::trace
