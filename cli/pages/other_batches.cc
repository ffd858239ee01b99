#include <fmt/format.h>

#include "cli/pages/search_report.h"

namespace cli {
namespace {

/// "20.12 d, 811.9 kUSD", of a run without tokens its step.
std::string figures_of(const planner::Results& results) {
  std::string text = results.days ? figure(Data(*results.days), Unit::days)
                                  : figure(Data(results.step.seconds), Unit::seconds) + " per step";
  if (results.usd) text += ", " + figure(Data(*results.usd), Unit::usd);
  return text;
}

std::string untried_line(const planner::NamedBatches& batches) {
  if (batches.tries == planner::TryBatches::on_all)
    return fmt::format("{} more numbers of GPUs without a plan were not tried", batches.untried);
  return fmt::format("{} of the numbers of GPUs {} no plan: --other-batches tries other batches there", batches.untried,
                     batches.untried == 1 ? "has" : "have");
}

}  // namespace

std::string sets_text(const std::vector<dsl::Override>& uses) {
  return text_list(
      uses, [](const dsl::Override& use) { return "--set " + use.text; }, " ");
}

void add_other_batches(const planner::NamedBatches& batches, Report& report) {
  if (batches.found.empty() && batches.untried == 0) return;
  Data::List list;
  for (const planner::NamedBatch& named : batches.found) {
    const planner::OtherBatch& other = named.other;
    const std::string& name = named.entries.name;
    const std::string who = name.empty() ? "" : name + ", ";
    const std::string uses = sets_text(named.entries.uses);
    report.text.emplace_back(
        fmt::format("{}{} GPUs: no layout divides the batch; with batch {}: {} ({}{}--set cluster.gpus={} --set "
                    "job.global_batch={})",
                    who, other.gpus, other.batch, figures_of(other.results), uses, uses.empty() ? "" : " ", other.gpus,
                    other.batch));
    Data::Object object;
    if (!name.empty()) object.push_back({"entries", name});
    object.push_back({"gpus", other.gpus});
    object.push_back({"global_batch", other.batch});
    object.push_back({"step_seconds", other.results.step.seconds});
    object.push_back({"mfu", other.results.mfu});
    object.push_back({"days", Data(other.results.days)});
    object.push_back({"usd", Data(other.results.usd)});
    list.emplace_back(std::move(object));
  }
  if (batches.untried > 0) report.text.emplace_back(untried_line(batches));
  report.document.push_back({"other_batches", std::move(list)});
  report.document.push_back({"other_batches_untried", batches.untried});
}

}  // namespace cli
