#include "planner/trace/dpro.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace planner::trace {
namespace {

using dpro::DproWork;
using dpro::EventName;
using dpro::EventOwner;
using dpro::EventSpan;
using dpro::EventStage;
using dpro::RankPiece;
using dpro::ServerExchange;

// "host10" is "host" and 10.
std::pair<std::string_view, int64_t> split_number(std::string_view text) {
  const size_t last = text.find_last_not_of("0123456789");
  const size_t digits = last == std::string_view::npos ? 0 : last + 1;
  int64_t number = -1;
  std::from_chars(text.data() + digits, text.data() + text.size(), number);
  return {text.substr(0, digits), number};
}

EventSpan span_of(const RawEvent& raw) { return {raw.start_ns, raw.start_ns + raw.duration_ns}; }

std::string chunk_of(const RawEvent& raw, EventStage stage) {
  return fmt::format("{} {}_{}_{}_{}", stage == EventStage::send ? "SEND" : "RECV", raw.loop, raw.channel, raw.chunk,
                     raw.slice);
}

/// The work of a GPU, in the order of `EventStage`; later stages are a server's.
constexpr std::array kPieces{&DproWork::operators, &DproWork::loads,  &DproWork::chunks,
                             &DproWork::chunks,    &DproWork::copies, &DproWork::reductions};
static_assert(kPieces.size() == static_cast<size_t>(EventStage::push_request));

// Pairs each request with its answer. Returns how many have none; answers that were never written do not count as
// missing.
int64_t join(std::vector<EventSpan> requests, std::vector<EventSpan> answers, ServerExchange made, DproWork& work) {
  std::ranges::sort(requests, {}, &EventSpan::start_ns);
  std::ranges::sort(answers, {}, &EventSpan::start_ns);
  const bool told = !answers.empty();
  const size_t count = told ? std::min(requests.size(), answers.size()) : requests.size();
  for (size_t k = 0; k < count; ++k) {
    made.span = {requests[k].start_ns, std::max(requests[k].end_ns, told ? answers[k].end_ns : 0)};
    work.exchanges.push_back(made);
  }
  return static_cast<int64_t>(requests.size() + answers.size() - count - (told ? count : 0));
}

}  // namespace

bool DproReader::Natural::operator()(const Worker& a, const Worker& b) const {
  return std::tuple(split_number(a.first), a.second, a.first) < std::tuple(split_number(b.first), b.second, b.first);
}

bool DproReader::writes(const RawEvent& raw) {
  return raw.phase == "X" && !raw.process.text.empty() && dpro::owner_of(json_text(raw.process.text)).has_value();
}

std::string DproReader::keep(const RawEvent& raw) {
  if (std::string wrong = wrong_of_event(raw); !wrong.empty()) return wrong;
  const EventOwner owner = *dpro::owner_of(json_text(raw.process.text));
  std::string name = json_text(raw.name);
  const std::optional<EventName> what = dpro::named(name, json_text(raw.category));
  if (!what)
    return fmt::format("'{:.60}' of '{}' is nothing that dPRO writes: FW., BW., UPDATE_, I/O or Comm.TENSOR.STAGE",
                       name, json_text(raw.process.text));
  ++events_;
  if (owner.is_server || what->stage == EventStage::left) return "";
  if (owner.gpu >= 0) return keep_own(raw, owner, *what, std::move(name));
  if (what->stage < EventStage::push_request)
    return fmt::format("'{:.60}' is no PUSH or PULL, and stands among messages of a server", name);
  keep_message(raw, owner, *what);
  return "";
}

std::string DproReader::keep_own(const RawEvent& raw, const EventOwner& owner, const EventName& what,
                                 std::string name) {
  DproWork& work = work_[{owner.machine, owner.gpu}];
  if (what.stage >= EventStage::push_request)
    return fmt::format("'{:.60}' is a message of a server, and stands among the work of a GPU", name);
  const bool is_chunk = what.stage == EventStage::send || what.stage == EventStage::receive;
  if (!what.tensor.empty()) name = what.tensor;
  (work.*kPieces[static_cast<size_t>(what.stage)])
      .push_back({.span = span_of(raw),
                  .name = std::move(name),
                  .step = raw.step,
                  .thread = split_number(raw.thread.text).second,
                  .chunk = is_chunk ? chunk_of(raw, what.stage) : ""});
  return "";
}

void DproReader::keep_message(const RawEvent& raw, const EventOwner& owner, const EventName& what) {
  ServerMessages& messages =
      messages_[{owner.machine, fmt::format("{}\n{}\n{}", what.tensor, what.part, owner.server)}];
  messages[static_cast<size_t>(what.stage) - static_cast<size_t>(EventStage::push_request)].push_back(span_of(raw));
}

// The machine of "worker_1" is that whose name ends in 1.
DproWork& DproReader::first_of(const std::string& worker) {
  const int64_t number = split_number(worker).second;
  const auto found =
      std::ranges::find_if(work_, [&](const auto& each) { return split_number(each.first.first).second == number; });
  return found == work_.end() ? work_[{worker, 0}] : found->second;
}

void DproReader::join_messages() {
  std::map<std::string, int64_t> keys;
  for (const auto& [request, messages] : messages_) keys.emplace(request.second, 0);
  int64_t next = dpro::kFirstKey, alone = 0;
  for (auto& [name, key] : keys) key = next++;
  for (auto& [request, messages] : messages_) {
    DproWork& work = first_of(request.first);
    ServerExchange made{.tensor = request.second.substr(0, request.second.find('\n')), .key = keys.at(request.second)};
    alone += join(std::move(messages[0]), std::move(messages[1]), made, work);
    made.kind = EventKind::pull;
    alone += join(std::move(messages[2]), std::move(messages[3]), made, work);
  }
  if (alone > 0)
    file_.notes.push_back(fmt::format("has {} requests or answers of servers without the other: left out", alone));
}

void DproReader::finish() {
  join_messages();
  int64_t number = 0;
  for (const auto& [worker, work] : work_) {
    RankTrace rank = dpro::rank_of(work);
    rank.rank = number++;
    rank.world_size = std::ssize(work_);
    rank.clock = worker.first;
    ranks_.push_back(std::move(rank));
  }
}

}  // namespace planner::trace
