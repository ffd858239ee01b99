#include "planner/scenario/scenario.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "operator_models/standard_error.h"
#include "planner/scenario/fitted_name.h"

namespace planner {
namespace {

constexpr std::pair<const char*, double> kWide[] = {
    {"software.memory.weight", 4},      {"software.memory.frozen", 4},    {"software.memory.gradient", 4},
    {"software.memory.accumulator", 4}, {"software.memory.optimizer", 8}, {"software.reduce_bytes", 4},
    {"software.gather_bytes", 4}};

// A job in fp32 or tf32 has no 16-bit copies: weights, gradients and two states of 4 bytes, 4 bytes on the wire.
// What the scenario itself or a rule of its profile writes stays as written; what the profile says about 16-bit jobs
// gives way.
void store_in_fp32(dsl::Record& record, std::span<const std::string> ruled) {
  const std::string precision = std::get<std::string>(record.find("job.precision")->value.v);
  if (precision != "fp32" && precision != "tf32") return;
  for (const auto& [path, bytes] : kWide) {
    dsl::Slot& slot = record.slots[record.index.find(path)->second].second;
    if (std::ranges::find(ruled, path) != ruled.end()) continue;
    if (!slot.given || is_of_catalogue(slot)) slot.value = {dsl::Number{bytes, dsl::kNone}};
  }
}

// Whoever says what a machine costs to buy does not rent it at the catalogue's price.
void own(dsl::Record& record) {
  const auto is_written = [&](const char* path) { return !record.find(path)->value.is_null(); };
  if (!is_written(kPurchase[0]) && !is_written(kPurchase[1])) return;
  dsl::Slot& rent = record.slots[record.index.find(kRent)->second].second;
  if (is_of_catalogue(rent)) rent.value = {};
}

bool is_rate(std::string_view path) {
  return path.starts_with("cluster.gpu.flops.") || path == "cluster.gpu.vector_flops" ||
         path == "cluster.gpu.memory_bandwidth" || path == "cluster.gpu.speedup";
}

/// "gemm.bf16", of a path in a calibration that is of kernels; "" for others.
std::string_view row_of_kernels(std::string_view path) {
  constexpr std::string_view kCalibration = "cluster.gpu.calibration.";
  if (!path.starts_with(kCalibration)) return "";
  path.remove_prefix(kCalibration.size());
  for (const std::string_view kind : {"gemm.", "attention.", "vector."})
    if (path.starts_with(kind)) return path.substr(0, path.find('.', kind.size()));
  return "";
}

bool is_own(const dsl::Slot& slot) { return slot.given && !is_of_catalogue(slot); }

/// The least standard error of parameters that were fitted to another accelerator.
constexpr double kLeastOfOthers = operator_models::standard_error(operator_models::Provenance::extrapolated);

// Parameters fitted to kernels of the accelerator as sold are assumed for a faster variant. Rows in the scenario's own
// files are for the hardware that they were written for.
void leave_fits(dsl::Record& record) {
  std::set<std::string_view> own;
  for (const auto& [path, slot] : record.slots)
    if (is_own(slot)) own.insert(row_of_kernels(path));
  for (auto& [path, slot] : record.slots) {
    const std::string_view row = row_of_kernels(path);
    if (row.empty() || own.contains(row)) continue;
    if (const auto* word = std::get_if<std::string>(&slot.value.v); word && path.ends_with(".provenance"))
      if (*word == "measured" || *word == "interpolated") slot.value = {std::string("assumed")};
    if (auto* error = std::get_if<dsl::Number>(&slot.value.v); error && path.ends_with(".relative_error"))
      if (error->value > 0) error->value = std::max(error->value, kLeastOfOthers);
  }
}

// An accelerator whose rates the scenario writes itself is of no generation that anybody has measured.
void leave_generation(dsl::Record& record) {
  const bool own =
      std::ranges::any_of(record.slots, [](const auto& entry) { return is_rate(entry.first) && is_own(entry.second); });
  if (!own) return;
  dsl::Slot& generation = record.slots[record.index.find("cluster.gpu.generation")->second].second;
  if (is_of_catalogue(generation)) generation.value = {std::string()};
  leave_fits(record);
}

// A profile names the attention kernel that it prefers. Where the accelerator lacks it, its own default is taken, or
// the kernels of unfused attention, which every accelerator runs.
void take_known_kernel(dsl::Record& record) {
  dsl::Slot& kernel = record.slots[record.index.find("software.attention")->second].second;
  const auto* wanted = std::get_if<std::string>(&kernel.value.v);
  if (!wanted || *wanted == "unfused" || is_own(kernel)) return;
  const std::vector<std::string> known = record.keys("cluster.gpu.calibration.attention");
  const auto has = [&](std::string_view name) { return std::ranges::find(known, name) != known.end(); };
  if (!has(*wanted)) kernel.value = {std::string(has("default") ? "default" : "unfused")};
}

}  // namespace

Scenario::Scenario(const Scenario&) = default;
Scenario::Scenario(Scenario&&) noexcept = default;
Scenario& Scenario::operator=(const Scenario&) = default;
Scenario& Scenario::operator=(Scenario&&) noexcept = default;
Scenario::~Scenario() = default;

const dsl::Schema& scenario_schema() {
  static const dsl::Schema schema = [] {
    dsl::SchemaVisitor visitor;
    visitor.rows.reserve(1024);  // every command has it made: rows that move cost it 1 % of a plan
    Scenario scenario;
    fields(visitor, scenario);
    return std::move(visitor.rows);
  }();
  return schema;
}

dsl::Schema model_schema() {
  dsl::Schema schema = dsl::schema_of<Model>("model.");
  for (dsl::Field& f : dsl::schema_of<Job>("job.")) {
    if (f.path != "job.sequence") continue;
    f.required = false;
    f.otherwise = "1";
    schema.push_back(std::move(f));
  }
  return schema;
}

bool is_of_catalogue(const dsl::Slot& slot) {
  return slot.span.source && slot.span.source->name.starts_with("catalog:");
}

void apply_implied(dsl::Record& record, std::span<const std::string> ruled) {
  store_in_fp32(record, ruled);
  own(record);
  take_known_kernel(record);
  leave_generation(record);
}

std::optional<double> fp32_bytes(std::string_view path) {
  const auto* row = std::ranges::find(kWide, path, [](const auto& r) { return std::string_view(r.first); });
  return row == std::end(kWide) ? std::nullopt : std::optional(row->second);
}

bool follows_precision(std::string_view path) { return fp32_bytes(path).has_value(); }

Scenario bind_scenario(const dsl::Record& record) {
  Scenario scenario = dsl::bind<Scenario>(record);
  scenario.software.errors.settle();
  return scenario;
}

void set_data_degree(Parallelism& p, int64_t dp) {
  const bool whole_group = p.zero_group == data_ranks(p);
  p.dp = dp;
  if (whole_group) p.zero_group = data_ranks(p);
}

const operator_models::FittedModel* fitted_of(const Scenario& s, std::string_view kind) {
  if (s.fitted.empty()) return nullptr;
  const auto chosen = s.operator_models.find(std::string(kind));
  if (chosen == s.operator_models.end() || !names_fitted(chosen->second)) return nullptr;
  const auto found = s.fitted.find(fitted_key(kind, chosen->second));
  return found == s.fitted.end() ? nullptr : &found->second;
}

decltype(operator_models::Device::fitted) fitted_slots(const Scenario& s) {
  decltype(operator_models::Device::fitted) slots{};
  if (s.fitted.empty()) return slots;
  for (size_t i = 0; i < operator_models::kKindNames.size(); ++i)
    slots[i] = fitted_of(s, operator_models::kKindNames[i]);
  for (size_t i = 0; i < operator_models::kCollectiveKinds.size(); ++i) {
    const auto single = s.operator_models.find(operator_models::kCollectiveKinds[i]);
    const bool own = single != s.operator_models.end() && !single->second.empty();
    slots[operator_models::kKindNames.size() + i] =
        fitted_of(s, own ? operator_models::kCollectiveKinds[i] : "collective");
  }
  return slots;
}

}  // namespace planner
