#include "planner/studies/runs/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/lower_case.h"
#include "dsl/quoting.h"

namespace planner {
namespace {

struct VendorField {
  const char *column, *field;
};
constexpr VendorField kJob[] = {{"sequence", "sequence"}, {"global_batch", "global_batch"}, {"precision", "precision"}};
constexpr VendorField kLayout[] = {{"tp", "tp"}, {"pp", "pp"},         {"cp", "cp"},
                                   {"ep", "ep"}, {"vp", "interleave"}, {"microbatch", "microbatch"}};

std::string entry(const std::string& said) {
  std::string name = dsl::lower_case(said);
  std::ranges::replace(name, '_', '-');
  return dsl::double_quoted(name);
}

template <size_t n> std::string section(const char* name, const VendorField (&fields)[n],
                                        const std::function<std::string(const char*)>& cell) {
  std::string out;
  for (const VendorField& row : fields)
    if (const std::string text = cell(row.column); !text.empty())
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", row.field, dsl::double_quoted(dsl::lower_case(text)));
  return fmt::format("{}: {{{}}}\n", name, out);
}

constexpr const char *kSeconds = "measured_iteration_s", *kTrace = "measured_trace";  // one of both is needed
constexpr const char *kFile = "file", *kQuantity = "quantity", *kMeasured = "measured",
                     *kPeak = "memory_measured";  // of a table of scenarios; GiB
constexpr const char* kVendorRate = "tokens_per_s_per_gpu";
constexpr double kGiB = 1024.0 * 1024 * 1024, kGB = 1e9;

constexpr std::array kConfigColumns{
    ConfigColumn{"task", &RunConfig::task},
    ConfigColumn{"family", &RunConfig::family, false, true},
    ConfigColumn{"model_name", &RunConfig::model_name},
    ConfigColumn{"layers", &RunConfig::layers, false, true},
    ConfigColumn{"hidden", &RunConfig::hidden, false, true},
    ConfigColumn{"ffn_hidden", &RunConfig::ffn_hidden},
    ConfigColumn{"heads", &RunConfig::heads, false, true},
    ConfigColumn{"kv_heads", &RunConfig::kv_heads},
    ConfigColumn{"head_dim", &RunConfig::head_dim},
    ConfigColumn{"vocab", &RunConfig::vocab, false, true},
    ConfigColumn{"seq_len", &RunConfig::seq_len, false, true},
    ConfigColumn{"gated_mlp", &RunConfig::gated_mlp},
    ConfigColumn{"tied_embeddings", &RunConfig::tied_embeddings},
    ConfigColumn{"attention", &RunConfig::attention},
    ConfigColumn{"experts", &RunConfig::experts},
    ConfigColumn{"top_k", &RunConfig::top_k},
    ConfigColumn{"moe_ffn_hidden", &RunConfig::moe_ffn_hidden},
    ConfigColumn{"shared_experts", &RunConfig::shared_experts},
    ConfigColumn{"dense_first_layers", &RunConfig::dense_first_layers},
    ConfigColumn{"gpu", &RunConfig::gpu, false, true},
    ConfigColumn{"gpus_per_node", &RunConfig::gpus_per_node},
    ConfigColumn{"n_gpus", &RunConfig::n_gpus, false, true},
    ConfigColumn{"intra_node_link", &RunConfig::intra_node_link},
    ConfigColumn{"inter_node_link", &RunConfig::inter_node_link},
    ConfigColumn{"precision", &RunConfig::precision, false, true},
    ConfigColumn{"optimizer", &RunConfig::optimizer},
    ConfigColumn{"software", &RunConfig::software, false, true},
    ConfigColumn{"overlap_flags", &RunConfig::overlap_flags},
    ConfigColumn{"attention_kernel", &RunConfig::attention_kernel},
    ConfigColumn{"framework", &RunConfig::framework},
    ConfigColumn{"flash_attention", &RunConfig::flash_attention},
    ConfigColumn{"grad_bytes", &RunConfig::grad_bytes},
    ConfigColumn{"global_batch", &RunConfig::global_batch, false, true},
    ConfigColumn{"tp", &RunConfig::tp, true, true},
    ConfigColumn{"pp", &RunConfig::pp, true, true},
    ConfigColumn{"dp", &RunConfig::dp, true},
    ConfigColumn{"ep", &RunConfig::ep, true},
    ConfigColumn{"cp", &RunConfig::cp, true},
    ConfigColumn{"vpp", &RunConfig::vpp, true},
    ConfigColumn{"sequence_parallel", &RunConfig::sequence_parallel, true},
    ConfigColumn{"zero_group", &RunConfig::zero_group, true},
    ConfigColumn{"microbatch", &RunConfig::microbatch, true},
    ConfigColumn{"zero_stage", &RunConfig::zero_stage, true},
    ConfigColumn{"recompute", &RunConfig::recompute, true},
    ConfigColumn{"year", &RunConfig::year, true},
};

/// The unit of measured_memory_gb depends on the kind of memory: allocators print GiB, device snapshots whole GB.
struct MemoryWord {
  const char* name;
  MemoryKind kind;
  double unit;
};
constexpr std::array kMemoryWords{
    MemoryWord{"", MemoryKind::none, kGB}, MemoryWord{"allocated", MemoryKind::allocated, kGiB},
    MemoryWord{"reserved", MemoryKind::reserved, kGiB}, MemoryWord{"device", MemoryKind::device, kGB}};

/// Quantities that a table of scenarios may have measured: a step's time, or a rate of its plan in a unit.
struct QuantityWord {
  const char* name;
  double Throughput::*rate;  // null: seconds
  double unit = 1;
};
constexpr std::array kQuantities{
    QuantityWord{"s/step", nullptr},
    QuantityWord{"tok/s total", &Throughput::tokens_per_second},
    QuantityWord{"tok/s/GPU", &Throughput::tokens_per_second_per_gpu},
    QuantityWord{"seq/s", &Throughput::samples_per_second},
    QuantityWord{"TFLOP/s/GPU", &Throughput::model_tflops_per_gpu},
    QuantityWord{"MFU %", &Throughput::mfu, 0.01},
    QuantityWord{"MFU full attention %", &Throughput::mfu_full_attention, 0.01},
};

bool is_vendors(const dsl::CsvTable& table) {
  return std::ranges::all_of(kVendorColumns, [&](const char* name) { return table.column(name).has_value(); });
}

class RunRowReader {
 public:
  RunRowReader(const dsl::CsvTable& table, const std::vector<dsl::CsvCell>& row, dsl::Diagnostics& diagnostics)
      : table_(table), row_(row), diagnostics_(diagnostics) {}

  Run read() {
    Run run;
    run.id = cell("id");
    run.group = cell("group");
    run.quality = cell("quality");
    if (const dsl::CsvCell* file = find(kFile)) read_file(*file, run);
    else if (is_vendors(table_)) read_vendors(run);
    else read_configuration(run);
    return run;
  }

 private:
  void read_configuration(Run& run) {
    for (const ConfigColumn& c : kConfigColumns) {
      if (auto text = std::get_if<std::string RunConfig::*>(&c.member)) run.config.*(*text) = cell(c.name);
      else run.config.*std::get<Count RunConfig::*>(c.member) = count(c.name);
    }
    run.measured.seconds = positive(kSeconds);
    read_trace(run);
    read_memory(run.measured);
  }

  void read_file(const dsl::CsvCell& file, Run& run) {
    run.config.file = file.text;
    run.file_place = file.span;
    if (run.id.empty()) run.id = file.text;
    if (run.group.empty()) run.group = cell("source");
    const std::string quantity = cell(kQuantity);
    const std::optional<double> value = positive(kMeasured);
    if (const auto peak = positive(kPeak)) {  // allocators print GiB
      run.measured.memory_bytes = *peak * kGiB;
      run.measured.memory_kind = MemoryKind::reserved;
    }
    for (const QuantityWord& row : kQuantities)
      if (quantity == row.name) return take(row, value, run.measured);
    std::string known;
    for (const QuantityWord& row : kQuantities) known += (known.empty() ? "" : ", ") + std::string(row.name);
    diagnostics_.error(find(kQuantity)->span, fmt::format("unknown quantity '{}'", quantity), "known: " + known);
  }

  void read_vendors(Run& run) {
    run.config.file = fmt::format("{} on {} {} {}", cell("model"), cell("gpus"), cell("system"), cell("release"));
    run.config.scenario = vendor_scenario([&](const char* name) { return cell(name); });
    run.file_place = row_.front().span;
    if (run.id.empty()) run.id = run.config.file;
    if (run.group.empty()) run.group = cell("model");
    if (const auto rate = positive(kVendorRate)) run.measured.rate = {&Throughput::tokens_per_second_per_gpu, *rate};
  }

  static void take(const QuantityWord& row, const std::optional<double>& value, Measurement& measured) {
    if (value && row.rate) measured.rate = {row.rate, *value * row.unit};
    else measured.seconds = value;
  }

  const dsl::CsvCell* find(const char* name) const {
    auto at = table_.column(name);
    return at ? &row_[*at] : nullptr;
  }
  std::string cell(const char* name) const {
    const dsl::CsvCell* c = find(name);
    return c ? c->text : "";
  }
  Count count(const char* name) {
    const dsl::CsvCell* c = find(name);
    if (!c || c->text.empty()) return std::nullopt;
    auto x = dsl::cell_number(c->text);
    if (x && *x >= 0 && *x <= 1e15 && *x == std::floor(*x)) return static_cast<int64_t>(*x);
    diagnostics_.error(c->span, fmt::format("expected a whole number in column '{}', got '{}'", name, c->text));
    return std::nullopt;
  }
  std::optional<double> positive(const char* name) {
    const dsl::CsvCell* c = find(name);
    if (!c || c->text.empty()) return std::nullopt;
    auto x = dsl::cell_number(c->text);
    if (x && *x > 0) return x;
    diagnostics_.error(c->span, fmt::format("expected a number above 0 in column '{}', got '{}'", name, c->text));
    return std::nullopt;
  }
  void read_trace(Run& run) {
    const dsl::CsvCell* c = find(kTrace);
    if (!c || c->text.empty()) return;
    run.trace = c->text;
    run.trace_place = c->span;
    if (run.measured.seconds)
      diagnostics_.error(c->span, fmt::format("the time stands in '{}' and in '{}'", kSeconds, kTrace),
                         "leave one of them empty");
  }
  void read_memory(Measurement& measured) {
    auto amount = positive("measured_memory_gb");
    std::string kind = cell("memory_kind");
    for (const MemoryWord& row : kMemoryWords) {
      if (kind != row.name) continue;
      measured.memory_kind = row.kind;
      if (amount) measured.memory_bytes = *amount * row.unit;
      return;
    }
    diagnostics_.error(find("memory_kind")->span,
                       fmt::format("unknown memory kind '{}'; known: allocated, reserved, device", kind));
  }

  const dsl::CsvTable& table_;
  const std::vector<dsl::CsvCell>& row_;
  dsl::Diagnostics& diagnostics_;
};

void need(const dsl::CsvTable& table, const char* name, dsl::Diagnostics& diagnostics) {
  if (table.column(name)) return;
  diagnostics.error(table.header.at(0).span, fmt::format("no column '{}'", name),
                    dsl::did_you_mean(name, table.names()));
}

}  // namespace

std::string vendor_scenario(const std::function<std::string(const char*)>& cell) {
  const std::string software = cell("software"), release = cell("release");
  return fmt::format("model: {{use: {}}}\ncluster: {{use: {}, gpus: {}}}\n", entry(cell("model")),
                     entry(cell("system")), dsl::double_quoted(cell("gpus"))) +
         section("job", kJob, cell) + section("parallelism", kLayout, cell) +
         fmt::format("software: {{use: {}{}}}\n", entry(software.empty() ? "megatron-bridge" : software),
                     release.empty() ? "" : ", release: " + dsl::double_quoted(release));
}

std::span<const ConfigColumn> config_columns() { return kConfigColumns; }

std::string config_text(const RunConfig& config, const ConfigColumn& column) {
  if (auto text = std::get_if<std::string RunConfig::*>(&column.member)) return config.*(*text);
  const Count& count = config.*std::get<Count RunConfig::*>(column.member);
  return count ? std::to_string(*count) : "";
}

std::vector<Run> read_runs(const dsl::CsvTable& table, dsl::Diagnostics& diagnostics) {
  if (table.header.empty()) return {};
  const bool vendors = !table.column(kFile) && is_vendors(table), names_files = table.column(kFile).has_value();
  for (const ConfigColumn& c : kConfigColumns)
    if (c.needed && !names_files && !vendors) need(table, c.name, diagnostics);
  for (const char* name : {kQuantity, kMeasured})
    if (names_files) need(table, name, diagnostics);
  if (!names_files && !vendors && !table.column(kTrace)) need(table, kSeconds, diagnostics);
  if (diagnostics.has_errors()) return {};
  std::vector<Run> runs;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    runs.push_back(RunRowReader(table, table.rows[i], diagnostics).read());
    runs.back().row = i;
  }
  return runs;
}

}  // namespace planner
