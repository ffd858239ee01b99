#include "planner/trace/dpro_event.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace planner::trace::dpro {
namespace {

constexpr std::string_view kBetween = "::";  // the ends of a message, and its part behind them
constexpr std::string_view kSuffix = "~>";   // what tells events of one name apart
constexpr std::string_view kPrefix = "->";   // whose an operator is, where its name says it

struct StageNameRow {
  std::string_view name;
  EventStage stage;
};
// The last part of a name of communication: of Horovod over NCCL, of BytePS, of its servers.
constexpr std::array kStages{
    StageNameRow{"SEND", EventStage::send},
    StageNameRow{"RECV", EventStage::receive},
    StageNameRow{"MEMCPY_IN_FUSION_BUFFER", EventStage::copy},
    StageNameRow{"MEMCPY_OUT_FUSION_BUFFER", EventStage::copy},
    StageNameRow{"NCCL_ALLREDUCE", EventStage::reduce},
    StageNameRow{"PUSH_REQ", EventStage::push_request},
    StageNameRow{"PUSH_RES", EventStage::push_answer},
    StageNameRow{"PULL_REQ", EventStage::pull_request},
    StageNameRow{"PULL_RES", EventStage::pull_answer},
    StageNameRow{"Sync", EventStage::left},
    StageNameRow{"QUEUE", EventStage::left},
    StageNameRow{"NEGOTIATE_ALLREDUCE", EventStage::left},
    StageNameRow{"ALLREDUCE", EventStage::left},  // holds the queue and the copies
    StageNameRow{"COPY_FIRST", EventStage::left},
    StageNameRow{"SUM", EventStage::left},
    StageNameRow{"COPY_MERGED", EventStage::left},
};
// How names of what a framework runs begin.
constexpr std::array kOperators{
    StageNameRow{"FW", EventStage::compute},      StageNameRow{"BW", EventStage::compute},
    StageNameRow{"UPDATE_", EventStage::compute}, StageNameRow{"OUTPUT", EventStage::compute},
    StageNameRow{"I/O", EventStage::load},
};
constexpr std::array<std::string_view, 2> kLeftCategories{"debug", "virtual"};

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

// "server_3_t2".
bool is_server_thread(std::string_view text) {
  const size_t thread = text.rfind("_t");
  return text.starts_with("server_") && thread != std::string_view::npos && number_of(text.substr(thread + 2));
}

std::optional<EventOwner> ends_of(std::string_view from, std::string_view to) {
  const bool answers = from.starts_with("server");
  const std::string_view worker = answers ? to : from, server = answers ? from : to;
  if (!worker.starts_with("worker") || !server.starts_with("server")) return std::nullopt;
  return EventOwner{.machine = std::string(worker), .server = std::string(server)};
}

std::optional<EventName> communication(std::string_view name) {
  const std::string_view suffix = name.find(kSuffix) == std::string_view::npos ? "" : name.substr(name.find(kSuffix));
  name.remove_suffix(suffix.size());
  const size_t dot = name.rfind('.');
  const auto* const row = std::ranges::find(kStages, name.substr(dot + 1), &StageNameRow::name);
  if (row == kStages.end()) return std::nullopt;
  const size_t begin = std::min(name.find('.') + 1, dot);
  const size_t part = suffix.rfind(kBetween);
  return EventName{.stage = row->stage,
                   .tensor = std::string(name.substr(begin, dot - begin)),
                   .part = part == std::string_view::npos ? "" : std::string(suffix.substr(part + kBetween.size()))};
}

}  // namespace

std::optional<EventOwner> owner_of(std::string_view process) {
  if (process.starts_with("Comm.")) return std::nullopt;  // BytePS writes this itself
  if (process == "default") return EventOwner{.machine = "default", .gpu = 0};
  if (is_server_thread(process)) return EventOwner{.is_server = true};
  if (const size_t at = process.find(kBetween); at != std::string_view::npos)
    return ends_of(process.substr(0, at), process.substr(at + kBetween.size()));
  constexpr std::string_view kRank = ".rank";
  const size_t at = process.rfind(kRank);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::optional<int64_t> gpu = number_of(process.substr(at + kRank.size()));
  return gpu ? std::optional(EventOwner{.machine = std::string(process.substr(0, at)), .gpu = *gpu}) : std::nullopt;
}

std::optional<EventName> named(std::string_view name, std::string_view category) {
  if (std::ranges::find(kLeftCategories, category) != kLeftCategories.end()) return EventName{};
  if (const size_t at = name.find(kPrefix); at != std::string_view::npos) name.remove_prefix(at + kPrefix.size());
  if (name.starts_with("Comm.")) return communication(name);
  const auto* const row =
      std::ranges::find_if(kOperators, [&](const StageNameRow& each) { return name.starts_with(each.name); });
  if (row != kOperators.end()) return EventName{.stage = row->stage};
  return category == "operator" ? std::optional(EventName{.stage = EventStage::compute}) : std::nullopt;
}

}  // namespace planner::trace::dpro
