#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/machine.h"
#include "cli/pages/study_pages.h"
#include "planner/replay/site.h"
#include "planner/tables/compare.h"
#include "planner/tables/dlrm.h"

namespace cli {
namespace {

namespace tables = planner::tables;

struct TableSiteFlags {
  std::string scenario, on, precision;  // "": not given
  std::optional<int64_t> ranks, batch;
  double memory = 0.8;      // share of a GPU's memory that tables may take
  double rest_seconds = 0;  // of a step, of hosts and layers that no scenario says
};

/// The request, and the parts that its site refers to.
struct TableSite {
  std::string name;  // of the accelerator
  std::optional<operator_models::Machine> machine;
  std::optional<planner::LoadedScenario> scenario;
  tables::DlrmSite of;
};

struct ShardFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  TableSiteFlags site;
  std::optional<int64_t> seed;
  bool whole = false;
};
constexpr int64_t kMostRanks = 4096;
constexpr int64_t kMostBatch = 1'000'000'000;  // as job.global_batch
constexpr std::array kShardRows{
    flag<&ShardFlags::site, &TableSiteFlags::scenario>(
        {"--scenario", "FILE", "a recommender: its machine, batch, precisions and other layers"}),
    flag<&ShardFlags::site, &TableSiteFlags::on>(
        naming("accelerator cluster", {"--on", "MACHINE", "accelerator or cluster, where there is no scenario"})),
    flag<&ShardFlags::site, &TableSiteFlags::ranks>(
        {"--ranks", "N", "GPUs that share the tables", Takes::positive_whole, kMostRanks}),
    flag<&ShardFlags::site, &TableSiteFlags::batch>(
        {"--batch", "N", "samples of a step, of all ranks", Takes::positive_whole, kMostBatch}),
    flag<&ShardFlags::site, &TableSiteFlags::precision>(
        {"--precision", "fp32|fp16|bf16", "of tables and messages (fp32)", Takes::word}),
    flag<&ShardFlags::site, &TableSiteFlags::memory>(
        {"--memory", "X", "share of a GPU's memory that tables may take (0.8)", Takes::number}),
    flag<&ShardFlags::site, &TableSiteFlags::rest_seconds>(
        {"--rest", "SECONDS", "what hosts and other layers take of each step, beside a scenario's"}),
    flag<&ShardFlags::seed>({"--seed", "N", "of the sharder random and of the searches (1)"}),
    flag<&ShardFlags::whole>({"--whole", "", "no table is cut or copied"}),
};
constexpr auto kShardFlags = data_flags(kShardRows);

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

/// Returns "" or the mistake in the combination of flags.
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

/// Fills `out`, whose address must not change. The session reports an unknown machine, a machine without a network, and
/// a scenario without embedding tables. REQUIRES: the flags are right together.
void find_table_site(const TableSiteFlags& flags, const CommonFlags& common, const ScenarioFlags& scenario,
                     Streams& streams, Session& session, TableSite& out) {
  if (flags.scenario.empty()) site_of_machine(flags, session, out);
  else site_of_scenario(flags, common, scenario, streams, session, out);
}

/// A line over itself on a terminal, a few times a second.
class SearchLine {
 public:
  SearchLine(bool on, std::ostream& err) : on_(on), err_(err) {}
  ~SearchLine() {
    if (drawn_) err_ << "\r\x1b[K" << std::flush;
  }
  SearchLine(const SearchLine&) = delete;
  SearchLine& operator=(const SearchLine&) = delete;

  void draw(const tables::SearchProgress& p) {
    const auto now = std::chrono::steady_clock::now();
    if (!on_ || now - last_ < std::chrono::milliseconds(100)) return;
    err_ << fmt::format("\r\x1b[K{:.0f} %  best: step {}", 100 * p.share, figure(p.seconds, Unit::seconds))
         << std::flush;
    last_ = now;
    drawn_ = true;
  }

 private:
  bool on_, drawn_ = false;
  std::ostream& err_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

tables::Comparison compared(const ShardFlags& options, std::vector<tables::Table> list, const tables::Site& site,
                            Streams& streams) {
  tables::CompareOptions how{.effort = {}, .cuts = !options.whole};
  how.effort.seed = static_cast<uint64_t>(options.seed.value_or(1));
  SearchLine line(streams.terminal && !options.common.quiet, streams.screen());
  return compare(std::move(list), site, how, [&](const tables::SearchProgress& p) { line.draw(p); });
}

int run_shard(const ShardFlags& options, Streams& streams) {
  if (const std::string wrong = wrong_site_flags(options.site, options.scenario); !wrong.empty())
    return refuse_usage("shard", wrong + "; usage: trainplan shard TABLES [flags]", streams);
  Session session;
  Stopwatch watch(options.common.timing, streams.err);
  open_catalog(session, options.common.catalog);
  const dsl::Source* source = read_input(options.common.inputs.at(0), streams, session);
  auto list = source ? tables::read_tables(*source, session.diagnostics) : std::nullopt;
  TableSite site;
  find_table_site(options.site, options.common, options.scenario, streams, session, site);
  site.of.site.dense_seconds += options.site.rest_seconds;
  if (list && !session.diagnostics.has_errors()) {
    check_reuse(*list, site.of.site.batch, session.diagnostics);
    check_room(*list, site.of.site, session.diagnostics);
    if (site.scenario) check_width(site.scenario->scenario, *list, session.diagnostics);
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark("read");
  const tables::Comparison comparison = compared(options, *std::move(list), site.of.site, streams);
  watch.mark("place");
  const int status = print(tables_report(site.name, comparison), options.common, streams, "shard");
  watch.mark("print");
  return status == kDone && !comparison.fits() ? int{kNotFeasible} : status;
}

constexpr Example kShardExamples[] = {
    {"drawn tables on four GPUs", "trainplan shard example:drawn-52.csv --on a100-sxm-40gb --ranks 4 --batch 4096"},
    {"in a recommender's plan", "trainplan shard example:criteo-26.csv --scenario example:dlrm-large-a100"},
};

}  // namespace

Command shard_command() {
  return command_of<kShardFlags, run_shard>(
      {.name = "shard",
       .summary = "place embedding tables of a recommender on ranks: sharders, a local search, the predicted step",
       .argument = "TABLES",
       .examples = kShardExamples,
       .pictures = true});
}

}  // namespace cli
