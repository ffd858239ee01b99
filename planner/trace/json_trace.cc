#include "planner/trace/json_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "planner/trace/json_nodes.h"
#include "planner/trace/json_stream.h"
#include "planner/trace/kineto.h"

namespace planner::trace {
namespace {

class JsonTraceReader {
 public:
  JsonTraceReader(unpack::ByteReader& bytes, bool skip_broken, JsonTrace& out)
      : json_(bytes),
        kineto_(json_, skip_broken, out.rank, out.workers),
        nodes_(json_, skip_broken, out.execution),
        out_(out) {}

  void read() {
    const bool whole = document();
    FileReading& reading = out_.reading();
    const bool is_cut = kineto_.has_server() && json_.ends_early();
    if (!whole && !is_cut) reading.note({reading.read, json_.wrong_at(), json_.wrong()});
    else if (out_.kind == JsonKind::none)
      reading.note({-1, -1, "it has no list 'traceEvents', 'nodes' or 'workload_graph': it is no trace that is known"});
    kineto_.finish();
  }

 private:
  /// A known key, the kind of text that it indicates, and the reader of its value.
  struct TraceKey {
    std::string_view name;
    JsonKind kind;
    bool (*read)(JsonTraceReader& reader);
  };
  static constexpr size_t kKeys = 7;
  static const std::array<TraceKey, kKeys>& keys() {
    using Reader = JsonTraceReader;
    static constexpr std::array<TraceKey, kKeys> kAll{{
        {"traceEvents", JsonKind::events, [](Reader& r) { return r.kineto_.events(); }},
        {"nodes", JsonKind::pytorch, [](Reader& r) { return r.nodes_.pytorch_nodes(); }},
        {"workload_graph", JsonKind::chakra, [](Reader& r) { return r.nodes_.chakra_nodes(); }},
        {"distributedInfo", JsonKind::none, [](Reader& r) { return r.kineto_.group(); }},
        {"deviceProperties", JsonKind::none, [](Reader& r) { return r.kineto_.devices(); }},
        {"schema", JsonKind::none, [](Reader& r) { return r.nodes_.schema(); }},
        {"pid", JsonKind::none, [](Reader& r) { return r.nodes_.process(); }},
    }};
    return kAll;
  }

  // A map, or the list of events alone.
  bool document() {
    bool is_map = false;
    if (!json_.take([&] { return is_map = json_.is('{'), is_map || json_.is('[') || json_.expect('['); })) return false;
    if (!is_map) return out_.kind = JsonKind::events, kineto_.events() && end();
    json_.take([&] { return json_.expect('{'); });
    std::string name;
    const auto key = [&] {
      std::string_view raw;
      if (!json_.string(raw) || !json_.expect(':')) return false;
      name = raw;
      return true;
    };
    return take_elements(json_, '}', key, [&] { return member(name); }) && end();
  }

  bool end() { return json_.ends() || (json_.wrong().empty() && json_.fail("more text stands behind the trace")); }

  bool member(const std::string& name) {
    const auto& key = std::ranges::find(keys(), name, &TraceKey::name);
    if (key == keys().end()) return json_.pass();
    if (key->kind != JsonKind::none) {
      if (out_.kind == key->kind) return json_.fail(fmt::format("'{}' stands twice", name));
      if (out_.kind != JsonKind::none)
        return json_.fail(fmt::format("'{}' stands beside '{}': which of them is the trace?", name, list_));
      out_.kind = key->kind;
      list_ = name;
    }
    return key->read(*this);
  }

  JsonStream json_;
  KinetoReader kineto_;
  NodeReader nodes_;
  JsonTrace& out_;
  std::string list_;  // the key of the list that the text has
};

}  // namespace

JsonTrace read_json(unpack::ByteReader& bytes, bool skip_broken) {
  JsonTrace trace;
  JsonTraceReader(bytes, skip_broken, trace).read();
  return trace;
}

}  // namespace planner::trace
