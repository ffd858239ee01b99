// A small report and a hand-made plan, so that reports and formats are tested without the models.
#pragma once

#include <limits>

#include "cli/report/report.h"
#include "planner/plan/plan.h"

/// Two rows with every kind of cell: text with separators, nested objects, lists, null, NaN.
inline cli::Report sample_report() {
  using cli::Data;
  using cli::Unit;
  cli::Report report{.format = "trainplan.sample/1",
                     .document = {{"version", 2}, {"rows", {}}, {"total", 3.5}},
                     .key = "rows",
                     .table = {},
                     .text = {}};
  report.table.columns = {{.name = "name"},
                          {.name = "count", .unit = Unit::count},
                          {.name = "seconds", .unit = Unit::seconds},
                          {.name = "shape", .rank = 1},
                          {.name = "tiers", .rank = 2},
                          {.name = "fits"}};
  report.table.rows = {
      {"a, \"b\"", 3, 0.0125, Data::Object{{"m", 4}, {"n", 5}}, Data::List{"nvlink", "infiniband"}, true},
      {"c|d\te", 10, std::numeric_limits<double>::quiet_NaN(), Data::Object{{"m", 6}, {"k", 7}}, Data::List{}, false}};
  report.picture = [] {
    return cli::svg::StackedBars{
        .title = "a sample", .axis = "seconds", .series = {"a"}, .bars = {{.label = "b", .parts = {1}}}};
  };
  report.graph = [] { return std::string("digraph { a [label=\"3 seconds\"]; }\n"); };
  return report;
}

/// A feasible plan of three stages, the first two alike.
inline planner::Plan sample_plan() {
  planner::Plan plan;
  plan.breakdown = planner::Breakdown{1, 2, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125};
  plan.step = planner::StepTime{4, 3.5, 4.5};
  plan.communication = {{"tensor parallel", "all-reduce", 8, {"nvlink"}, 5e7, 96, 0.125, 0, 0.125},
                        {"gradients", "reduce-scatter", 16, {"nvlink", "infiniband"}, 1e9, 1, 0.5, 0.4375, 0.0625}};
  plan.throughput = planner::Throughput{1e5, 1e3, 50, 1e18, 150, 0.48, 0.5, 0.6, 312e12, "bf16"};
  planner::StageMemory stage{0, 10e9, 5e9, 20e9, 8e9, 1e9, 2e9, 3e9};
  plan.memory = planner::Memory{{80e9, 49e9, 44e9, 46e9, 49e9}, {stage, stage, stage}};
  plan.memory->stages[1].stage = 1;
  plan.memory->stages[2].stage = 2;
  plan.memory->stages[2].weights = 9e9;
  plan.cost = planner::RunCost{};
  plan.cost->gpus = 64;
  plan.cost->tokens = 3e11;
  plan.cost->steps = 1500;
  plan.cost->days = 34.25;
  plan.cost->days_ideal = 33.5;
  plan.cost->gpu_hours = 52608;
  plan.cost->goodput = 0.978;
  plan.cost->checkpoint_interval_seconds = 3600;
  return plan;
}

inline planner::LoadedScenario sample_scenario() {
  planner::LoadedScenario loaded;
  loaded.scenario.model.name = "gpt-sample";
  loaded.scenario.cluster.gpus = 64;
  loaded.scenario.cluster.gpu.name = "a100";
  loaded.scenario.software.name = "megatron-core";
  loaded.scenario.job.sequence = 2048;
  loaded.scenario.job.global_batch = 192;
  loaded.scenario.parallelism.tp = 8;
  loaded.scenario.parallelism.pp = 3;
  loaded.scenario.parallelism.dp = 2;
  return loaded;
}
