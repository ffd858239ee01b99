#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/pages/calibrate_report.h"
#include "cli/report/row_fields.h"
#include "planner/plan/layout_traits.h"
#include "planner/studies/errors/fit_errors.h"
#include "planner/studies/errors/layout_slopes.h"

namespace cli {
namespace {

using planner::ErrorFamily;
using planner::ErrorModel;
using planner::ErrorRow;
using planner::ErrorScore;
using planner::LeftOut;

struct LeftOutScores {
  const char *key, *title;
  LeftOut left_out;
};
constexpr LeftOutScores kLeftOut[] = {
    {"family_left_out", "Whole families left out, of the fits and of the error model", LeftOut::family},
    {"group_left_out", "Groups left out of the error model", LeftOut::group},
    {"in_sample", "In sample", LeftOut::nothing}};

RowFields<ErrorScore> score_fields() {
  return {{"name", &ErrorScore::name, Unit::text, "class", 0, "class"},
          {"rows", &ErrorScore::rows, Unit::count, ""},
          {"mean", &ErrorScore::mean, Unit::fraction, ""},
          {"median", &ErrorScore::median, Unit::fraction, ""},
          {"bias", &ErrorScore::bias, Unit::fraction, ""},
          {"inside_50", &ErrorScore::inside_50, Unit::fraction, "50 %", 2, "50 %"},
          {"inside_80", &ErrorScore::inside_80, Unit::fraction, "80 %", 0, "80 %"},
          {"inside_95", &ErrorScore::inside_95, Unit::fraction, "95 %", 3, "95 %"},
          {"half_width", &ErrorScore::half_width, Unit::fraction, "half-width", 0, "half-width"},
          {"log_score", &ErrorScore::log_score, Unit::number, "log score", 1, "log score"}};
}

const char* kind_name(planner::JobKind kind) { return planner::kJobKinds[static_cast<size_t>(kind)]; }

/// A run, and its predicted distribution without its family.
struct OutlookRow : ErrorRow {
  double sd = 0;
};

RowFields<OutlookRow> row_fields() {
  return {{"id", &ErrorRow::id},
          {"group", &ErrorRow::group},
          {"software", [](const ErrorRow& r) { return r.family.software; }},
          {"generation", [](const ErrorRow& r) { return r.family.generation; }},
          {"kind", [](const ErrorRow& r) { return kind_name(r.family.kind); }},
          {"width", [](const ErrorRow& r) { return r.family.width; }, Unit::count},
          {"shipped", &ErrorRow::shipped, Unit::number},
          {"left_out", &ErrorRow::left_out, Unit::number},
          {"operators", &ErrorRow::operators, Unit::number},
          {"gpus", [](const ErrorRow& r) { return r.size.gpus; }, Unit::number},
          {"microbatch", [](const ErrorRow& r) { return r.size.microbatch; }, Unit::number},
          {"tp", [](const ErrorRow& r) { return r.size.tp; }, Unit::number},
          {"step_seconds", [](const ErrorRow& r) { return r.size.step_seconds; }, Unit::seconds},
          {"sd", &OutlookRow::sd, Unit::number}};
}

std::vector<OutlookRow> outlook_rows(const FittedErrors& errors) {
  const auto unseen = outlooks(errors.model, errors.rows, LeftOut::family);
  std::vector<OutlookRow> rows;
  for (size_t i = 0; i < errors.rows.size(); ++i) rows.push_back({errors.rows[i], unseen[i].sd});
  return rows;
}

RowFields<ErrorModel> number_fields() {
  return {{"mean", &ErrorModel::mean},         {"software", &ErrorModel::software},
          {"family", &ErrorModel::family},     {"group", &ErrorModel::group},
          {"run", &ErrorModel::run},           {"operators", &ErrorModel::operators},
          {"distance", &ErrorModel::distance}, {"known_operators", &ErrorModel::known_operators},
          {"doubt", &ErrorModel::doubt},       {"machine", &ErrorModel::machine}};
}

// ---- files

/// The file of all software.
std::string model_lines(const FittedErrors& errors) {
  const ErrorModel& model = errors.model;
  std::string out;
  const Data::Object numbers = number_fields().object(model);
  for (const Member& m : numbers) out += fmt::format("{}: {:.4g}\n", m.name, *m.value.number());
  const auto add = [&](const char* list, const char* name, const auto& scatters, auto of) {
    out += fmt::format("{}:\n", list);
    for (const auto& s : scatters)
      out += fmt::format("  - {{{}: {}, factor: {:.3g}}}\n", name, std::invoke(of, s), s.factor);
  };
  add("generations", "generation", model.generations, &planner::GenerationScatter::generation);
  add("kinds", "kind", model.kinds, [](const planner::KindScatter& s) { return kind_name(s.kind); });
  add("widths", "width", model.widths, &planner::WidthScatter::width);
  const planner::StrayErrors& strays = model.strays;
  out += fmt::format("strays: {{family: {:.4g}, group: {:.4g}, scatter: {:.4g}}}\n", strays.family, strays.group,
                     strays.scatter);
  std::vector<std::string> changes, traits;
  for (const double sd : model.changes) changes.push_back(fmt::format("{:.3g}", sd));
  for (const planner::LayoutTrait& t : planner::layout_traits()) traits.emplace_back(t.name);
  out += fmt::format("changes: [{}]  # {}\n", fmt::join(changes, ", "), fmt::join(traits, ", "));
  const planner::PeakSpreads& peaks = errors.spreads;
  return out +
         fmt::format("memory: {{family: {:.4g}, group: {:.4g}, run: {:.4g}}}\n", peaks.family, peaks.group, peaks.run);
}

std::string range_text(const char* name, const planner::ShownRange& r) {
  return fmt::format(", {}: {{least: {:.4g}, most: {:.4g}}}", name, r.least, r.most);
}

/// Of the groups of a family.
template <class Family> std::string groups_text(const Family& f) {
  std::vector<std::string> means;
  for (const double m : f.means) means.push_back(fmt::format("{:.4f}", m));
  return fmt::format("runs: [{}], means: [{}]", fmt::join(f.runs, ", "), fmt::join(means, ", "));
}

std::string family_line(const ErrorFamily& f) {
  return fmt::format("  - {{generation: {}, kind: {}, width: {}, {}, operators: {:.3g}{}{}{}{}}}\n", f.generation,
                     kind_name(f.kind), f.width, groups_text(f), f.operators, range_text("gpus", f.gpus),
                     range_text("microbatch", f.microbatch), range_text("tp", f.tp),
                     range_text("step_seconds", f.step_seconds));
}

// ---- the page

/// What changes of layout do to the error, and how often the measured order of two layouts is the planned one.
void add_changes(const FittedErrors& errors, Report& report) {
  const planner::ChangeScore s = planner::change_score(errors.rows, errors.model.changes);
  Data::Object deviations;
  for (size_t i = 0; i < errors.model.changes.size(); ++i)
    deviations.push_back({planner::layout_traits()[i].name, errors.model.changes[i]});
  report.text.emplace_back(
      member_table({.title = "Standard deviation of the error by change of layout",
                    .columns = {{.name = "change"}, {.name = "deviation", .unit = Unit::fraction}}},
                   deviations));
  report.document.push_back({"changes", Data::Object{{"jobs", s.jobs},
                                                     {"pairs", s.pairs},
                                                     {"told_apart", s.apart},
                                                     {"wrong", s.wrong},
                                                     {"deviations", std::move(deviations)}}});
  report.text.emplace_back(
      fmt::format("{} pairs of layouts of {} jobs: {} told apart, {} of them measured the other way round", s.pairs,
                  s.jobs, s.apart, s.wrong));
}

/// What plans of larger degrees are off by more than those of smaller ones.
struct KindSlope : planner::LayoutSlope {
  const char* kind = "";  // of jobs
};

RowFields<KindSlope> slope_fields() {
  return {{"kind", &KindSlope::kind, Unit::text, "jobs", 0, "jobs"},
          {"trait", &KindSlope::trait, Unit::text, ""},
          {"jobs", &KindSlope::jobs, Unit::text, "jobs with several", 0, "vary"},
          {"slope", &KindSlope::slope, Unit::fraction, ""},
          {"error", &KindSlope::error, Unit::fraction, "one standard error"}};
}

void add_slopes(const FittedErrors& errors, Report& report) {
  std::vector<KindSlope> slopes;
  for (size_t kind = 0; kind < planner::kJobKinds.size(); ++kind) {
    std::vector<planner::ErrorRow> rows;
    std::ranges::copy_if(errors.rows, std::back_inserter(rows),
                         [&](const planner::ErrorRow& r) { return static_cast<size_t>(r.family.kind) == kind; });
    for (const planner::LayoutSlope& s : planner::layout_slopes(rows)) slopes.push_back({s, planner::kJobKinds[kind]});
  }
  report.document.push_back({"slopes", slope_fields().list(slopes)});
  report.text.emplace_back(slope_fields().page(
      "ln(planned / measured) per doubling of a degree, or from word to word, inside one job", slopes));
}

/// The distance of memory peaks from plans of unmeasured software.
void add_peaks(const FittedErrors& errors, Report& report) {
  if (errors.peaks.empty()) return;
  const planner::PeakSpreads& spreads = errors.spreads;
  const planner::PeakScore s = planner::peak_score(errors.peaks, spreads);
  report.document.push_back({"memory", Data::Object{{"rows", s.rows},
                                                    {"families", s.families},
                                                    {"mean", s.mean},
                                                    {"bias", s.bias},
                                                    {"inside_80", s.inside_80},
                                                    {"family", spreads.family},
                                                    {"heirs", spreads.heirs},
                                                    {"group", spreads.group},
                                                    {"run", spreads.run}}});
  Table t{.title = "Peaks of memory, families left out of the error model",
          .columns = {{.name = "families", .unit = Unit::count},
                      {.name = "rows", .unit = Unit::count},
                      {.name = "mean", .unit = Unit::fraction},
                      {.name = "bias", .unit = Unit::fraction},
                      {.name = "80 %", .unit = Unit::fraction}}};
  t.rows.push_back({s.families, s.rows, s.mean, s.bias, s.inside_80});
  report.text.emplace_back(std::move(t));
}

/// The effect of a few own runs.
void add_own(const std::vector<planner::OwnScore>& own, Report& report) {
  const auto of = [](auto ErrorScore::*figure) {
    return [figure](const planner::OwnScore& o) { return o.score.*figure; };
  };
  const RowFields<planner::OwnScore> fields{
      {"own runs", of(&ErrorScore::name)},
      {"groups", &planner::OwnScore::groups, Unit::count},
      {"rows", of(&ErrorScore::rows), Unit::count},
      {"mean", of(&ErrorScore::mean), Unit::fraction},
      {"median", of(&ErrorScore::median), Unit::fraction},
      {"80 %", of(&ErrorScore::inside_80), Unit::fraction},
      {"half-width", of(&ErrorScore::half_width), Unit::fraction},
  };
  report.document.push_back({"own", list_of(own, [](const auto& o) { return score_fields().object(o.score); })});
  report.text.emplace_back(
      fields.table(own, "Runs on 64 GPUs and more beside own runs at the smallest scale, families left out"));
}

// ---- files of peaks

std::string peak_line(const planner::PeakFamily& f) {
  return fmt::format("    - {{platform: {}, {}, run: {:.4g}{}}}\n",
                     hw_profiles::kPlatformNames[static_cast<size_t>(f.platform)], groups_text(f), f.run,
                     f.cached ? ", cached: true" : "");
}

using Peaks = std::vector<const planner::PeakRow*>;

/// Returns the peaks of the nearest profile that this one extends. Where it has none: those of all profiles with the
/// same root. A profile for programs without one has peaks of other programs, and does not count.
Peaks peaks_of_relatives(const FittedErrors& errors, const std::string& software) {
  const std::vector<std::string> line = lineage(errors, software);
  Peaks found;
  for (const std::string& at : line) {
    for (const planner::PeakRow& row : errors.peaks)
      if (row.software == at) found.push_back(&row);
    if (!found.empty()) return found;
  }
  for (const planner::PeakRow& row : errors.peaks)
    if (!row.stands_in && row.lineage == (line.empty() ? software : line.back())) found.push_back(&row);
  return found;
}

std::string memory_lines(const FittedErrors& errors, const std::string& software) {
  Peaks peaks;
  for (const planner::PeakRow& row : errors.peaks)
    if (row.software == software) peaks.push_back(&row);
  const bool of_relatives = peaks.empty();
  if (of_relatives) peaks = peaks_of_relatives(errors, software);
  if (peaks.empty()) return "";
  std::string text =
      fmt::format("memory:{}\n", of_relatives ? "  # of its relatives: run holds what they differ by" : "");
  if (peaks.front()->stands_in) text += "  stands_in: true  # for programs without a profile\n";
  text += "  families:\n";
  for (const planner::PeakFamily& f : planner::peak_families(peaks, errors.spreads, of_relatives)) text += peak_line(f);
  return text;
}

}  // namespace

std::vector<std::string> lineage(const FittedErrors& errors, const std::string& name) {
  std::vector<std::string> out;
  for (auto at = errors.parents.find(name); at != errors.parents.end(); at = errors.parents.find(at->second))
    out.push_back(at->second);
  return out;
}

Report errors_report(const FittedErrors& errors) {
  Report report{.format = "trainplan.calibrate/1", .document = {}, .key = "rows", .table = {}, .text = {}};
  const Data::Object numbers = number_fields().object(errors.model);
  report.document = {{"kind", "errors"}, {"numbers", numbers}};
  report.text.emplace_back(
      fmt::format("{} of {} runs of {} are compared in time", errors.rows.size(), errors.runs, errors.files));
  for (const LeftOutScores& asked : kLeftOut) {
    const auto classes = error_scores(errors.model, errors.rows, asked.left_out);
    report.document.push_back({asked.key, score_fields().list(classes)});
    report.text.emplace_back(score_fields().page(asked.title, classes));
  }
  const auto families = family_scores(errors.model, errors.rows, LeftOut::family);
  report.document.push_back({"families", score_fields().list(families)});
  report.text.emplace_back(score_fields().page("Families, each left out", families));
  add_own(own_scores(errors.model, errors.rows), report);
  add_changes(errors, report);
  add_slopes(errors, report);
  add_peaks(errors, report);
  report.table = row_fields().table(outlook_rows(errors));
  report.document.push_back({"rows", {}});
  report.text.emplace_back(member_table(
      {.title = "Numbers", .columns = {{.name = "number"}, {.name = "value", .unit = Unit::number}}}, numbers));
  return report;
}

std::vector<std::pair<std::string, std::string>> errors_files(const FittedErrors& errors) {
  const std::string command = "# Written by trainplan calibrate errors " + errors.files + ".\n";
  std::vector<std::pair<std::string, std::string>> files{
      {"errors/published.yaml",
       "# How far measured runs were from their plans (docs/models.md, section 5).\n" + command + model_lines(errors)}};
  std::map<std::string, std::vector<const ErrorRow*>> software;
  for (const ErrorRow& row : errors.rows) software[row.family.software].push_back(&row);
  for (const planner::PeakRow& row : errors.peaks) software[row.software];
  for (const auto& [name, rows] : software) {
    std::string text = fmt::format("# How far measured runs of {} were from their plans.\n{}extends: published\n{}",
                                   name, command, rows.empty() ? "" : "families:\n");
    for (const ErrorFamily& family : planner::families_of(rows, &ErrorRow::shipped)) text += family_line(family);
    files.emplace_back(fmt::format("errors/{}.yaml", name), text + memory_lines(errors, name));
  }
  return files;
}

}  // namespace cli
