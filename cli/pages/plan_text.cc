// The page of a plan:
//
//     gpt3-175b on 512 x a100-sxm-80gb: 12.34 s per step, MFU 52.3 %
//
//     step time    12.34 s (10th to 90th percentile 11.20 s to 13.50 s)
//     ...
//     Where the step goes
//     part               seconds    share
//     forward            3.456 s   28.0 %  ##############
//     ...
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/plan_basis.h"
#include "cli/pages/plan_report.h"
#include "planner/plan/goals.h"
#include "planner/plan/missing_price.h"
#include "planner/plan/uncertainty.h"
#include "planner/workload/partition.h"

namespace cli {
namespace {

using planner::LoadedScenario;
using planner::Plan;
using planner::Scenario;
using planner::StageMemory;

constexpr size_t kMostAlternatives = 4;  // of a field, all shown

std::string or_unnamed(const std::string& name, const char* otherwise) { return name.empty() ? otherwise : name; }

std::string headline(const Scenario& s, const Plan& plan) {
  std::string line = scenario_title(s);
  if (!planner::works(plan)) return line + ": not feasible";
  if (plan.step) line += ": " + figure(plan.step->seconds, Unit::seconds) + " per step";
  if (plan.throughput) line += ", MFU " + figure(plan.throughput->mfu, Unit::fraction);
  if (plan.feasible) return line;
  const std::string missed = miss_text(planner::goal_miss(s.goal, *plan.cost));
  return line + (missed.empty() ? ", misses its goal" : missed);
}

/// "" or what must be read before any figure.
std::string caution(const Plan& plan) {
  const double assumed = provenance_shares(plan)[operator_models::name(operator_models::Provenance::assumed)];
  if (assumed <= kMostAssumed) return "";
  return fmt::format(
      "More than half is assumed: {} of the operators' time rests on figures that nobody measured or published.",
      figure(assumed, Unit::fraction));
}

/// "tp 8 x pp 8 x dp 8, interleave 2, 24 microbatches of 1, sequence parallel, recompute selective".
std::string layout(const Scenario& s) {
  const planner::Parallelism& p = s.parallelism;
  std::string line = planner::degrees_text(p);
  if (p.interleave > 1) line += fmt::format(", interleave {}", p.interleave);
  if (p.pp > 1) line += ", " + planner::schedule_name(s);
  const double count = static_cast<double>(s.job.global_batch) / static_cast<double>(p.dp * p.microbatch);
  line += fmt::format(", {} microbatch{} of {}", four_digits(count), count == 1 ? "" : "es", p.microbatch);
  if (p.sequence_parallel) line += ", sequence parallel";
  if (p.recompute != planner::Recompute::none)
    line += fmt::format(", recompute {}", planner::kRecomputeNames[static_cast<size_t>(p.recompute)]);
  if (p.zero > 0) line += fmt::format(", ZeRO-{} over {}", p.zero, p.zero_group);
  return line;
}
std::string sequence(const Scenario& s) {
  const planner::Lengths& l = s.lengths;
  if (l.shares.empty()) return fmt::format("{}", s.job.sequence);
  return fmt::format("{} to {}", l.shares.front().length, l.shares.back().length);
}

/// "671.0 G parameters, 36.64 G active per token": of a mixture not every parameter meets every token.
std::string model_line(const planner::Model& m) {
  const std::string all = figure(planner::parameters(m), Unit::count) + " parameters";
  if (m.experts.count == 0) return all;
  return fmt::format("{}, {} active per token", all, figure(planner::active_parameters(m), Unit::count));
}

std::string job(const Scenario& s) {
  return fmt::format("batch {} x {} tokens, {}, {}, {}", s.job.global_batch, sequence(s),
                     hw_profiles::name(s.job.precision), planner::row_of(s.job.optimizer).name,
                     or_unnamed(s.software.name, "own software profile"));
}

/// "32.84 GiB of 95.00 GiB per node, fits with a probability of 100 %".
std::string memory_text(const planner::MemoryUse& use, const std::string& of) {
  return fmt::format("{} of {}{}, fits with a probability of {:.0f} %", figure(use.peak_bytes, Unit::memory),
                     figure(use.capacity_bytes, Unit::memory), of, use.probability() * 100);
}

std::string memory_line(const planner::Memory& m) {
  auto peak =
      std::max_element(m.stages.begin(), m.stages.end(), [](auto& a, auto& b) { return a.total() < b.total(); });
  std::string where = peak == m.stages.end() || m.stages.size() == 1 ? "" : fmt::format(" on stage {}", peak->stage);
  return memory_text(m.device, fmt::format(" per GPU{} ({})", where,
                                           figure(m.device.peak_bytes / m.device.capacity_bytes, Unit::fraction)));
}

std::string mfu_line(const planner::Throughput& t) {
  return fmt::format("{} of {} {} ({} counting full attention, HFU {})", figure(t.mfu, Unit::fraction),
                     figure(t.peak_flops_per_gpu, Unit::flops_per_second), t.peak_precision,
                     figure(t.mfu_full_attention, Unit::fraction), figure(t.hfu, Unit::fraction));
}

/// "megatron-bridge 25.09: parallelism.recompute = selective (recompute_modules)".
std::string recipe_line(const planner::Software& software, const planner::RecipeField& f) {
  return fmt::format("{} {}: {} = {} ({})", software.name, software.release, f.field, f.value, f.source);
}

std::string family_text(const Scenario& s) {
  return fmt::format("of {} on {} ({}, {}-bit)", or_unnamed(s.software.name, "this software profile"),
                     or_unnamed(s.cluster.gpu.generation, s.cluster.gpu.name.c_str()),
                     planner::kJobKinds[static_cast<size_t>(planner::job_kind(s))], planner::job_width(s));
}

std::string runs_text(int64_t runs) { return fmt::format("{} measured {}", runs, runs == 1 ? "run" : "runs"); }

/// " they took 2.1 % longer than planned;", where that is worth a word.
std::string mean_text(const planner::ErrorFamily* family) {
  if (!family) return {};
  const double moved = family->outlook.mean, longer = std::exp(moved != 0 ? moved : family->known.mean) - 1;
  if (std::fabs(longer) < 0.005) return {};
  return fmt::format(" they took {} {} than {};", figure(std::fabs(longer), Unit::fraction),
                     longer > 0 ? "longer" : "less",
                     moved != 0 ? "their operators say, and so does this plan" : "planned");
}

/// "25 measured runs of nemo on hopper (dense, 16-bit): they took ...; one standard error 4.2 %".
std::string accuracy_line(const Scenario& s) {
  const planner::ErrorOutlook outlook = planner::published_outlook(s);
  const planner::ErrorFamily* family = planner::compared_with(s);
  const std::string runs = family ? runs_text(outlook.runs) : "no measured run";
  return fmt::format("{} {}:{} one standard error {}", runs, family_text(s), mean_text(family),
                     figure(outlook.sd, Unit::fraction));
}

/// "1 measured run of your own took 1.25 times what the operators say: the plan is 17.0 % longer, one standard error
/// 5.6 % in place of 9.7 %".
std::string own_line(const Scenario& s, const planner::OwnRuns& own) {
  const planner::ErrorOutlook with = planner::error_outlook(s), without = planner::published_outlook(s);
  const double moved = std::exp(with.mean - without.mean) - 1;
  return fmt::format(
      "{} of your own took {} times what the operators say: the plan is {} {}, one standard error {} in "
      "place of {}",
      runs_text(own.runs), four_digits(std::exp(own.mean)), figure(std::fabs(moved), Unit::fraction),
      moved < 0 ? "shorter" : "longer", figure(with.sd, Unit::fraction), figure(without.sd, Unit::fraction));
}

Table summary(const LoadedScenario& loaded, const Plan& plan) {
  const Scenario& s = loaded.scenario;
  Table table = fact_table();
  auto add = [&](const char* name, std::string value) { table.rows.push_back({name, std::move(value)}); };
  add("model", model_line(s.model));
  add("layout", layout(s));
  add("job", job(s));
  for (const planner::RecipeField& f : loaded.recipe) add("recipe", recipe_line(s.software, f));
  if (!s.lengths.shares.empty()) add("lengths", lengths_line(s.lengths));
  if (plan.step)
    add("step time",
        fmt::format("{} (10th to 90th percentile: {} to {})", figure(plan.step->seconds, Unit::seconds),
                    figure(plan.step->low_seconds, Unit::seconds), figure(plan.step->high_seconds, Unit::seconds)));
  if (plan.step && plan.fitted.empty()) add("compared with", accuracy_line(s));
  if (const planner::OwnRuns* own = planner::own_runs(s); own && plan.step) add("measured", own_line(s, *own));
  for (const planner::FittedUse& use : plan.fitted)
    if (use.analytical_seconds)
      add("step model", fmt::format("{}; the analytical step takes {}", use.model->name,
                                    figure(use.analytical_seconds, Unit::seconds)));
  if (!plan.sources.empty()) add("provenance", to_text(provenance_shares(plan)));
  if (plan.throughput) {
    add("MFU", mfu_line(*plan.throughput));
    add("throughput", fmt::format("{}; per GPU {} and {} model TFLOP/s",
                                  figure(plan.throughput->tokens_per_second, Unit::tokens_per_second),
                                  figure(plan.throughput->tokens_per_second_per_gpu, Unit::tokens_per_second),
                                  four_digits(plan.throughput->model_tflops_per_gpu)));
  }
  if (plan.memory) add("memory", memory_line(*plan.memory));
  if (plan.memory && plan.memory->host.peak_bytes > 0) add("host memory", memory_text(plan.memory->host, " per node"));
  if (plan.cost && plan.cost->days)
    add("run", fmt::format("{} for {} tokens: {} GPU hours, {}", figure(plan.cost->days, Unit::days),
                           figure(plan.cost->tokens, Unit::count), figure(*plan.cost->gpu_hours, Unit::count),
                           plan.cost->usd ? figure(plan.cost->usd, Unit::usd) : "no price given"));
  return table;
}

Table violations(const Plan& plan) {
  Table table = fact_table(planner::works(plan) ? "Misses its goal" : "Not feasible");
  for (const planner::Violation& v : plan.violations) {
    table.rows.push_back({v.rule, v.message});
    set_tone(table, table.rows.size() - 1, RowTone::bad);
  }
  return table;
}

Table breakdown(const planner::Breakdown& b) {
  Table table{.title = "Where the step goes",
              .columns = {{.name = "part"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                          {.name = "share", .unit = Unit::fraction},
                          {.name = "bar", .rank = 1, .heading = " ", .bar = true}}};
  double total = b.sum();
  auto add = [&](const char* name, double seconds) {
    double share = total > 0 ? seconds / total : 0;
    table.rows.push_back({name, seconds, share, std::isfinite(share) ? share : 0});
  };
  for (const planner::BreakdownPart& part : planner::kBreakdownParts) add(part.heading, b.*part.seconds);
  table.rows.push_back({"step", total, 1.0, {}});
  return table;
}

Table communication(const Plan& plan) {
  Table table = transfer_fields().page("Communication, per step", plan.communication);
  table.note = false;
  double seconds = 0, hidden = 0, exposed = 0;
  for (const planner::CommunicationRow& r : plan.communication)
    seconds += r.seconds, hidden += r.hidden_seconds, exposed += r.exposed_seconds;
  table.rows.push_back({"total", "", "", "", "", "", seconds, hidden, exposed});
  return table;
}

bool same_parts(const StageMemory& a, const StageMemory& b) {
  return a.weights == b.weights && a.gradients == b.gradients && a.optimizer == b.optimizer &&
         a.activations == b.activations && a.temporary == b.temporary && a.fragmentation == b.fragmentation &&
         a.device_overhead == b.device_overhead;
}

Table memory(const planner::Memory& m) {
  return memory_fields().page(
      fmt::format("Memory of one GPU by stage, in GiB ({} there)", figure(m.device.capacity_bytes, Unit::gib)),
      stage_runs(m.stages, same_parts));
}

/// " (on-demand, us-east-1, 2025)": of the catalogue's price, where it is the one that counts.
std::string terms(const LoadedScenario& loaded) {
  const hw_profiles::PriceTerms t = planner::price_terms(loaded);
  if (t.contract.empty()) return "";
  std::string line = t.contract;
  for (const std::string& more : {t.region, t.date})
    if (!more.empty()) line += ", " + more;
  return " (" + line + ")";
}

/// "1.234 MUSD, 4.1 MUSD per 1e12 tokens; 2.99 USD per GPU hour (on-demand, 2025)"
std::string price(const planner::RunCost& c, const LoadedScenario& loaded) {
  return fmt::format(
      "{}, {} per 1e12 tokens; {}{} per GPU hour{}", figure(c.usd, Unit::usd), figure(c.usd_per_1e12_tokens, Unit::usd),
      loaded.scenario.cluster.price ? "" : "owned: ", figure(c.usd_per_gpu_hour, Unit::usd), terms(loaded));
}

Table run_cost(const planner::RunCost& c, const LoadedScenario& loaded) {
  Table table = fact_table("The whole run");
  auto add = [&](const char* name, std::string value) { table.rows.push_back({name, std::move(value)}); };
  if (c.tokens)
    add("tokens", fmt::format("{} in {} steps", figure(c.tokens, Unit::count), figure(c.steps, Unit::count)));
  if (c.days)
    add("time", fmt::format("{} ({} without failures and checkpoints)", figure(c.days, Unit::days),
                            figure(c.days_ideal, Unit::days)));
  add("goodput", fmt::format("{}, a checkpoint every {}", figure(c.goodput, Unit::fraction),
                             figure(c.checkpoint_interval_seconds, Unit::seconds)));
  if (c.expected_failures) add("failures", figure(c.expected_failures, Unit::number) + " expected");
  if (c.spare_gpus > 0)
    add("spares", fmt::format("{} GPUs stand by; {} from a failure until the job runs again", c.spare_gpus,
                              figure(c.recovery_seconds, Unit::seconds)));
  if (c.gpu_hours) add("GPU hours", figure(c.gpu_hours, Unit::count));
  if (c.usd) add("price", price(c, loaded));
  if (c.kwh) add("energy", figure(c.kwh, Unit::kwh));
  if (c.co2_kg) add("CO2", fmt::format("{} kg", figure(c.co2_kg, Unit::count)));
  return table;
}

/// "recompute", "software" of software.use.
std::string short_name(const std::string& field) {
  const size_t dot = field.find('.');
  return field.ends_with(".use") ? field.substr(0, dot) : field.substr(dot + 1);
}

/// Of many alternatives the fastest and the slowest are shown.
Table alternatives(const Plan& plan, const std::vector<planner::Unwritten>& unwritten) {
  Table table{.title = "Defaults that change this plan most",
              .columns = {{.name = "field"},
                          {.name = "taken"},
                          {.name = "with"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "step"},
                          {.name = "slower", .heading = " "},
                          {.name = "peak_bytes", .unit = Unit::memory, .heading = "memory"},
                          {.name = "feasible", .heading = " "}},
              .note = false};
  for (const planner::Unwritten& f : unwritten)
    for (size_t i = 0; i < f.alternatives.size(); ++i) {
      if (f.alternatives.size() > kMostAlternatives && i > 0 && i + 1 < f.alternatives.size()) continue;
      const planner::Alternative& a = f.alternatives[i];
      table.rows.push_back({short_name(f.field), f.value, a.value, a.seconds,
                            fmt::format("{:+.1f} %", (a.seconds / plan.step->seconds - 1) * 100), a.peak_bytes,
                            a.feasible ? "" : "not feasible"});
    }
  return table;
}

}  // namespace

std::string miss_text(const planner::GoalMiss& miss) {
  std::string line;
  if (miss.days > 0) line += fmt::format(", {} over the deadline", figure(miss.days, Unit::days));
  if (miss.usd > 0) line += fmt::format(", {} over the budget", figure(miss.usd, Unit::usd));
  return line;
}

std::string scenario_title(const Scenario& s) {
  return fmt::format("{} on {} x {}", or_unnamed(s.model.name, "a model"), s.cluster.gpus,
                     or_unnamed(s.cluster.gpu.name, "GPU"));
}

std::vector<Block> plan_text(const LoadedScenario& loaded, const Plan& plan,
                             const std::vector<planner::StageUse>& stages) {
  std::vector<Block> blocks{headline(loaded.scenario, plan)};
  if (std::string line = caution(plan); !line.empty()) blocks.emplace_back(std::move(line));
  blocks.emplace_back(summary(loaded, plan));
  if (!plan.violations.empty()) blocks.push_back(violations(plan));
  if (plan.breakdown) blocks.push_back(breakdown(*plan.breakdown));
  if (!plan.communication.empty()) blocks.push_back(communication(plan));
  if (stages.size() > 1)
    blocks.push_back(stage_fields().page("Stages of the pipeline, all microbatches of a step",
                                         stage_runs(stages, [](auto& a, auto& b) { return alike(a, b); })));
  if (plan.memory) blocks.push_back(memory(*plan.memory));
  if (plan.cost) blocks.push_back(run_cost(*plan.cost, loaded));
  return blocks;
}

std::vector<Block> plan_basis(const LoadedScenario& loaded, const Plan& plan,
                              const std::vector<planner::Unwritten>& unwritten) {
  std::vector<Block> blocks;
  if (!plan.fitted.empty()) blocks.emplace_back(fitted_table(plan));
  if (std::string line = assumptions(loaded); !line.empty()) blocks.emplace_back(std::move(line));
  if (!unwritten.empty()) blocks.emplace_back(alternatives(plan, unwritten));
  return blocks;
}

}  // namespace cli
