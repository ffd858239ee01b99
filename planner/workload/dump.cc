#include "planner/workload/dump.h"

#include <fmt/format.h>

#include <span>
#include <variant>

#include "planner/schedule/schedule.h"

namespace planner {
namespace {

using namespace operator_models;

/// Words of a line, each behind a blank.
class DumpLine {
 public:
  explicit DumpLine(std::string text) : text_(std::move(text)) {}

  DumpLine& word(std::string_view word) {
    if (!word.empty()) text_ += fmt::format(" {}", word);
    return *this;
  }
  /// "key=value", if the value says something.
  template <class T> DumpLine& item(const char* key, const T& value, const T& nothing = {}) {
    return value == nothing ? *this : always(key, value);
  }
  template <class T> DumpLine& always(const char* key, const T& value) {
    text_ += fmt::format(" {}={}", key, value);
    return *this;
  }
  DumpLine& mark(const char* name, bool on) { return word(on ? name : ""); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string list(std::span<const int64_t> numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

void shape(DumpLine& line, const Gemm& g) {
  line.word("gemm").word(fmt::format("{}x{}x{}x{}", g.batch, g.m, g.n, g.k)).word(name(g.precision));
  line.always("bytes", fmt::format("{}/{}/{}", g.a_bytes, g.b_bytes, g.c_bytes));
  if (g.pass != GemmPass::forward) line.word(name(g.pass));
  line.mark("accumulate", g.accumulate).mark("grouped", g.grouped);
}
void shape(DumpLine& line, const Attention& a) {
  line.word("attention").word(a.kernel).word(name(a.precision));
  line.always("batch", a.batch).always("heads", a.heads).always("kv-heads", a.kv_heads);
  line.always("queries", a.queries).always("keys", a.keys).always("head", a.head_dim);
  line.item("value", a.value_dim).item("window", a.window).item("selected", a.selected);
  line.mark("causal", a.causal).mark("gradient", a.backward).mark("cached", a.cached);
}
void shape(DumpLine& line, const Scan& s) {
  line.word("scan").word(name(s.rule)).word(name(s.precision));
  line.always("batch", s.batch).always("heads", s.heads).always("key-heads", s.key_heads);
  line.always("length", s.length).always("key", s.key_dim).always("value", s.value_dim).always("chunk", s.chunk);
  line.mark("gradient", s.backward);
}
void shape(DumpLine& line, const Selection& s) {
  line.word("selection").word(name(s.precision)).always("batch", s.batch).always("heads", s.heads);
  line.always("queries", s.queries).always("keys", s.keys).always("head", s.head_dim).always("top-k", s.top_k);
  line.mark("causal", s.causal).mark("gradient", s.backward);
}
void shape(DumpLine& line, const Vector& v) {
  line.word(name(v.kind)).always("elements", v.elements);
  line.always("read", v.read.value).always("written", v.written.value);
  line.item("flops", v.flops_per_element, 1.0).item("width", v.width);
  line.mark("gradient", v.backward).mark("called", v.called).mark("joined", v.joined);
}
void shape(DumpLine& line, const Lookup& l) {
  line.word("lookup").always("rows", l.rows).always("width", l.width).always("bytes", l.bytes_per_element);
  line.item("distinct", l.distinct).item("bags", l.bags).mark("gradient", l.backward);
}
void shape(DumpLine& line, const Update& u) {
  line.word("update").word(u.algorithm).always("parameters", u.parameters);
  line.always("read", u.read_bytes).always("written", u.written_bytes).item("flops", u.flops_per_parameter);
  line.item<int64_t>("kernels", u.kernels, 1).item("register-commands", u.register_commands, 0.0);
  line.item<int64_t>("sums", u.sums, 0).mark("over-all", u.over_all);
}
void shape(DumpLine& line, const Collective& c) {
  line.word(name(c.kind)).always("bytes", c.bytes.value).always("ranks", c.group.ranks);
  line.always("inside", list(c.group.inside)).item("crossing", c.crossing, 1.0).mark("not-in-switch", !c.in_switch);
}
void shape(DumpLine& line, const SendRecv& m) {
  line.word("send-recv").always("bytes", m.bytes.value).always("tier", m.tier).item<int64_t>("peers", m.peers, 1);
}
void shape(DumpLine& line, const HostCopy& h) { line.word(name(h.direction)).always("bytes", h.bytes.value); }
void shape(DumpLine& line, const HostUpdate& h) {
  line.word("host");
  shape(line, h.update);
}
void shape(DumpLine& line, const ConcurrentGemms& c) {
  line.word("at-once").always("at-once", c.at_once);
  shape(line, c.gemm);
}
void shape(DumpLine& line, const NearUpdate& n) {
  line.word("near-memory");
  shape(line, n.update);
}

std::string read_by(const Numbers& inputs) {
  std::string text;
  for (int input : inputs) {
    const std::string word = input == kInput ? "input" : input == kKept ? "kept" : fmt::format("{}", input);
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

void edges(DumpLine& line, const WorkOp& w) {
  line.item("reads", read_by(w.inputs)).item("of", w.forward, -1).mark("result", w.result);
  line.item("side-by-side", w.independent).item("wavefront", w.wavefront).item<int64_t>("beside", w.beside, 1);
  line.word(name(w.purpose));
  if (w.hide == Hide::fused) line.always("fused", w.cover);
  else if (w.hide == Hide::cover) line.always("under", w.cover);
  else if (w.hide != Hide::nothing) line.always("under", name(w.hide));
}

DumpLine line_of(const WorkOp& w, const std::string& start) {
  DumpLine line(start + w.name.str());
  if (w.role != Role::none) line.word(name(w.role));
  line.word(name(w.sublayer));
  std::visit([&](const auto& op) { shape(line, op); }, w.op);
  line.item("count", w.count, 1.0);
  if (w.split != Split::none) line.always("split", name(w.split));
  line.mark("routed", w.routed).item("product", w.product).item("listed", w.listed, -1);
  line.mark("data-gradient", w.data_gradient).mark("weight-gradient", w.weight_gradient);
  line.mark("adapter", w.adapter).mark("of-weights", w.of_weights);
  line.mark("enters", w.enters_tensor).mark("leaves", w.leaves_tensor);
  edges(line, w);
  return line;
}

void cost(DumpLine& line, const CostedOp& op) {
  const Cost& c = op.cost;
  line.word("|").always("seconds", c.seconds.value).item("launch", c.launch.value).item("exposed", op.exposed);
  line.item("flops", c.flops).item("read", c.bytes_read).item("written", c.bytes_written);
  line.word(name(c.bound)).word(c.model).word(name(c.provenance)).item("error", c.relative_error);
  line.mark("not-priced", !c.priced);
}

/// `costs`: empty, or of each operator.
std::string operators(std::span<const WorkOp> ops, std::span<const CostedOp> costs) {
  std::string text;
  for (StepPhase phase : {StepPhase::forward, StepPhase::recompute, StepPhase::backward, StepPhase::optimizer}) {
    bool first = true;
    for (size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].phase != phase) continue;
      if (first) text += fmt::format("  {}\n", name(phase));
      first = false;
      DumpLine line = line_of(ops[i], fmt::format("    {} ", i));
      if (!costs.empty()) cost(line, costs[i]);
      text += line.text() + "\n";
    }
  }
  return text;
}

std::string line_of(const Weight& w) {
  DumpLine line("    " + w.name.str());
  line.always("parameters", w.parameters);
  if (w.split != Split::none) line.always("split", name(w.split));
  if (w.in > 0) line.always("matrix", fmt::format("{}x{}", w.in, w.out));
  line.item("listed", w.listed, -1).mark("tied", w.tied).mark("routed", w.routed).mark("frozen", w.frozen);
  return line.text() + "\n";
}

std::string line_of(const Saved& s, const char* indent) {
  DumpLine line(indent + s.name.str());
  if (s.role != SavedRole::none) line.word(name(s.role));
  line.always("bytes", s.bytes);
  if (s.split != Split::none) line.always("split", name(s.split));
  line.mark("routed", s.routed).mark("gathered", s.gathered);
  if (s.of_layers > 1) line.always("of-layers", s.of_layers);
  return line.text() + "\n";
}

std::string holdings(const Block& b) {
  std::string text;
  if (!b.weights.empty()) text += "  weights\n";
  for (const Weight& w : b.weights) text += line_of(w);
  if (!b.saved.empty()) text += "  kept\n";
  for (const Saved& s : b.saved) text += line_of(s, "    ");
  if (b.kept.bytes > 0) text += "  kept\n" + line_of(b.kept, "    ");
  for (const Moment& m : b.moments) {
    text += fmt::format("  moment {} {}\n", m.name.str(), name(m.phase));
    for (const Saved& s : m.alive) text += line_of(s, "    ");
  }
  return text;
}

std::string heading(const Block& b) {
  DumpLine line("block " + b.name.str());
  line.word(name(b.kind)).mark("experts", b.layer.experts).mark("windowed", b.layer.windowed);
  line.always("layers", b.layers).item("input", b.input_bytes);
  if (b.input_bytes > 0) line.always("input-split", name(b.input_split));
  line.item("working-set", b.recompute_working_set);
  return line.text() + "\n";
}

void time(std::string& text, const char* phase, const PhaseTime& t) {
  DumpLine line(std::string("  seconds ") + phase);
  line.always("compute", t.compute).item("serialized", t.serialized).item("exposed", t.exposed).item("host", t.host);
  if (t.total() > 0) text += line.text() + "\n";
}

template <class Times> std::string times(const Times& t) {
  std::string text;
  time(text, "forward", t.forward);
  time(text, "recompute", t.recompute);
  time(text, "backward", t.backward);
  return text;
}

std::string parameters(const Parameters& p) { return fmt::format("{}/{}", p.common, p.routed); }

std::string heading(const StageClass& c, size_t number) {
  DumpLine line(fmt::format("stage-class {}", number));
  line.always("held", parameters(c.held)).always("trained", parameters(c.trained)).always("layers", c.layers);
  line.always("tensors", c.tensors).always("kept", c.saved_bytes).always("working", c.working_bytes);
  line.always("matrices", c.matrices);
  for (const Chunk& chunk : c.chunks) line.always("chunk", list(chunk));
  return line.text() + "\n";
}

std::string heading(const Workload& w) {
  DumpLine line("workload");
  line.always("microbatches", w.microbatches).always("width", w.width_bytes);
  if (w.deal.schedule) line.word(w.deal.schedule->name);
  line.mark("ends-together", w.deal.ends_together);
  for (const StageDeal::ChunkRun& run : w.deal.parts) line.always("parts", fmt::format("{}x{}", run.count, run.chunk));
  line.item("stages", fmt::format("{}", fmt::join(w.class_of_stage, ",")));
  std::string text = line.text() + "\n";
  auto crosses = [&](const char* what, const auto& op) {
    DumpLine crossing(fmt::format("boundary {}", what));
    shape(crossing, op);
    if (op.bytes.value > 0) text += crossing.text() + "\n";
  };
  crosses("message", w.boundary);
  crosses("rejoin", w.rejoin);
  return text;
}

}  // namespace

std::string dump(const WorkOp& op) { return line_of(op, "").text(); }

std::string dump(const Block& block) { return heading(block) + operators(block.ops, {}) + holdings(block); }

std::string dump_blocks(const Workload& w) {
  std::string text;
  for (const Block& block : w.blocks) text += dump(block);
  return text;
}

std::string dump(const Workload& w) {
  std::string text = heading(w) + dump_blocks(w);
  for (size_t i = 0; i < w.classes.size(); ++i) text += heading(w.classes[i], i) + operators(w.classes[i].step_ops, {});
  return text;
}

std::string dump(const CostedWorkload& c) {
  const Workload& w = c.workload;
  std::string text = heading(w);
  if (c.boundary.seconds.value > 0) text += fmt::format("boundary seconds={}\n", c.boundary.seconds.value);
  for (size_t i = 0; i < w.blocks.size(); ++i) {
    text += heading(w.blocks[i]) + operators(w.blocks[i].ops, c.blocks[i].ops) + times(c.blocks[i]);
    text += holdings(w.blocks[i]);
  }
  for (size_t i = 0; i < w.classes.size(); ++i) {
    text += heading(w.classes[i], i) + times(c.classes[i].sums.time);
    text += operators(w.classes[i].step_ops, c.classes[i].step_ops);
  }
  return text;
}

}  // namespace planner
