#include "planner/trace/said.h"

#include <algorithm>
#include <array>

#include "planner/trace/data_types.h"
#include "planner/trace/inputs.h"

namespace planner::trace {
namespace {

/// Names around a launch that say what it is: of torch/csrc/distributed/c10d (ProcessGroupNCCL.cpp,
/// ParamCommsUtils.hpp, Ops.cpp).
struct SpeakerRow {
  std::string_view begin;  // of its name
  bool kind, bytes;        // its name says the kind; its inputs are what the rank hands over, and nothing else
};
constexpr std::array kSpeakers{SpeakerRow{"nccl:", true, true}, SpeakerRow{"record_param_comms", false, true},
                               SpeakerRow{"c10d::", true, false}};

bool says(const Detail* detail) { return detail && detail->collective != kNone; }

std::string text_of(const RankTrace& rank, uint32_t number) { return number == kNone ? "" : rank.names[number]; }

int64_t bytes_of_elements(int64_t elements, int64_t size) { return elements >= 0 && size > 0 ? elements * size : -1; }

}  // namespace

Sayings::Sayings(const RankTrace& rank) : rank_(rank) {
  for (const Event& event : rank.events)
    if (event.kind == EventKind::op && event.external >= 0 && says(rank.detail(event)))
      by_external_.try_emplace(event.external, rank.detail(event));
}

const Detail* Sayings::arguments_of(size_t kernel) const {
  const Event& event = rank_.events[kernel];
  if (says(rank_.detail(event))) return rank_.detail(event);
  const uint32_t call = rank_.launched_by[kernel];
  const int64_t external = call == kNone ? event.external : rank_.events[call].external;
  if (external < 0) return nullptr;  // that of all which have no number
  const auto op = by_external_.find(external);
  return op == by_external_.end() ? nullptr : op->second;
}

CollectiveFacts Sayings::of(size_t kernel) const {
  CollectiveFacts said;
  if (is_with_server(rank_.events[kernel].kind)) {
    said.group = std::to_string(rank_.lane(rank_.events[kernel]).thread);
    said.kind = CollectiveKind::push_pull;
    return said;
  }
  if (const Detail* detail = arguments_of(kernel)) {
    said.name = text_of(rank_, detail->collective);
    said.group = text_of(rank_, detail->group);
    said.members = text_of(rank_, detail->members);
    said.kind = kind_of_collective(said.name);
    said.group_size = detail->group_size;
    const int64_t size = bytes_of_type(text_of(rank_, detail->data_type));
    said.bytes_in = bytes_of_elements(detail->elements_in, size);
    said.bytes_out = bytes_of_elements(detail->elements_out, size);
  }
  listen_around(kernel, said);
  if (said.kind == CollectiveKind::unknown) said.kind = kind_of_collective(rank_.name(rank_.events[kernel]));
  return said;
}

void Sayings::listen_around(size_t kernel, CollectiveFacts& said) const {
  const uint32_t call = rank_.launched_by[kernel];
  if (call == kNone || (said.kind != CollectiveKind::unknown && said.bytes_in >= 0)) return;
  if (!operators_) operators_.emplace(rank_);
  for (const Event* around : operators_->around(rank_.events[call].lane, rank_.events[call].start_ns)) {
    const std::string& name = rank_.name(*around);
    const auto* const row =
        std::ranges::find_if(kSpeakers, [&](const SpeakerRow& r) { return name.starts_with(r.begin); });
    if (row == kSpeakers.end()) continue;
    if (row->kind && said.kind == CollectiveKind::unknown) said.kind = kind_of_collective(name);
    const Detail* detail = rank_.detail(*around);
    if (row->bytes && said.bytes_in < 0 && detail && detail->shapes != kNone)
      said.bytes_in = bytes_of(inputs_of(rank_, *around));
  }
}

void mark_collectives(RankTrace& rank) {
  const Sayings sayings(rank);
  for (size_t i = 0; i < rank.events.size(); ++i)
    if (rank.events[i].kind == EventKind::kernel && rank.events[i].role == Role::compute && sayings.arguments_of(i))
      rank.events[i].role = Role::communication;
}

}  // namespace planner::trace
