#include "cli/commands/table_site.h"

#include <fmt/format.h>

#include <numeric>

#include "cli/commands/machine.h"
#include "planner/replay/site.h"

namespace cli {
namespace {

namespace tables = planner::tables;

/// Tables and messages of elements so wide.
double element_bytes(const std::string& precision) { return precision == "fp16" || precision == "bf16" ? 2 : 4; }

void site_of_machine(const TableSiteFlags& flags, Session& session, TableSite& out) {
  out.machine = machine_named(flags.on, session);
  if (out.machine && out.machine->network.empty())
    session.diagnostics.error({}, fmt::format("the catalogue has no network of '{}'", flags.on), "name a cluster");
  if (session.diagnostics.has_errors()) return;
  out.name = out.machine->gpu.name;
  std::vector<int64_t> ranks(static_cast<size_t>(*flags.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  tables::Site& site = out.of.site;
  site.device = planner::replay::device_of(*out.machine);
  site.group = planner::replay::group_of(*flags.ranks, ranks, {&*out.machine, {}, {}});
  site.batch = static_cast<double>(*flags.batch);
  site.table_bytes = site.exchange_bytes = element_bytes(flags.precision);
  site.memory_bytes = flags.memory * out.machine->gpu.memory.value;
}

void site_of_scenario(const TableSiteFlags& flags, const CommonFlags& common, const ScenarioFlags& scenario,
                      Streams& streams, Session& session, TableSite& out) {
  CommonFlags of_scenario = common;
  of_scenario.inputs = {flags.scenario};
  out.scenario = load_one_length(of_scenario, scenario, "shard", streams, session);
  if (!out.scenario || session.diagnostics.has_errors()) return;
  out.name = out.scenario->scenario.cluster.gpu.name;
  if (const auto found = tables::dlrm_site(out.scenario->scenario, flags.memory, session.diagnostics)) out.of = *found;
}

}  // namespace

std::string wrong_site_flags(const TableSiteFlags& flags, const ScenarioFlags& scenario) {
  if (!(flags.memory > 0 && flags.memory <= 1)) return "--memory takes a share of a GPU's memory, above 0 to 1 (0.8)";
  const bool named = !flags.on.empty() || flags.ranks || flags.batch || !flags.precision.empty();
  if (!flags.scenario.empty())
    return named ? "--on, --ranks, --batch and --precision stand for a scenario: --scenario has its own" : "";
  if (!scenario.set.empty()) return "--set changes a scenario: --scenario FILE names it";
  if (flags.on.empty() || !flags.ranks || !flags.batch)
    return "which machine? --on MACHINE, --ranks N and --batch N, or --scenario FILE";
  return "";
}

void find_table_site(const TableSiteFlags& flags, const CommonFlags& common, const ScenarioFlags& scenario,
                     Streams& streams, Session& session, TableSite& out) {
  if (flags.scenario.empty()) site_of_machine(flags, session, out);
  else site_of_scenario(flags, common, scenario, streams, session, out);
}

}  // namespace cli
