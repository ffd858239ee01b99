#include "cli/pages/errors_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "planner/plan/layout_traits.h"
#include "planner/studies/errors/fit_changes.h"
#include "planner/studies/errors/layout_slopes.h"

namespace cli {
namespace {

using planner::ErrorFamily;
using planner::ErrorModel;
using planner::ErrorRow;
using planner::ErrorScore;
using planner::LeftOut;

struct Asked {
  const char *key, *title;
  LeftOut left_out;
};
constexpr Asked kAsked[] = {
    {"family_left_out", "Whole families left out, of the fits and of the error model", LeftOut::family},
    {"group_left_out", "Groups left out of the error model", LeftOut::group},
    {"in_sample", "In sample", LeftOut::nothing}};

Data score_data(const ErrorScore& s) {
  return Data::Object{{"name", s.name},           {"rows", s.rows},           {"mean", s.mean},
                      {"median", s.median},       {"bias", s.bias},           {"inside_50", s.inside_50},
                      {"inside_80", s.inside_80}, {"inside_95", s.inside_95}, {"half_width", s.half_width},
                      {"log_score", s.log_score}};
}

Data scores_data(const std::vector<ErrorScore>& scores) {
  Data::List out;
  for (const ErrorScore& s : scores) out.push_back(score_data(s));
  return out;
}

Table score_table(const char* title, const std::vector<ErrorScore>& scores) {
  Table t{.title = title,
          .columns = {{.name = "class"},
                      {.name = "rows", .unit = Unit::count},
                      {.name = "mean", .unit = Unit::fraction},
                      {.name = "median", .unit = Unit::fraction},
                      {.name = "bias", .unit = Unit::fraction},
                      {.name = "50 %", .unit = Unit::fraction, .rank = 2},
                      {.name = "80 %", .unit = Unit::fraction},
                      {.name = "95 %", .unit = Unit::fraction, .rank = 3},
                      {.name = "half-width", .unit = Unit::fraction},
                      {.name = "log score", .unit = Unit::number, .rank = 1}}};
  for (const ErrorScore& s : scores)
    t.rows.push_back(
        {s.name, s.rows, s.mean, s.median, s.bias, s.inside_50, s.inside_80, s.inside_95, s.half_width, s.log_score});
  return t;
}

Table rows_table(const FittedErrors& errors) {
  const auto unseen = outlooks(errors.model, errors.rows, LeftOut::family);
  Table t{.columns = {{.name = "id"},
                      {.name = "group"},
                      {.name = "software"},
                      {.name = "generation"},
                      {.name = "kind"},
                      {.name = "width", .unit = Unit::count},
                      {.name = "shipped", .unit = Unit::number},
                      {.name = "left_out", .unit = Unit::number},
                      {.name = "operators", .unit = Unit::number},
                      {.name = "gpus", .unit = Unit::number},
                      {.name = "microbatch", .unit = Unit::number},
                      {.name = "tp", .unit = Unit::number},
                      {.name = "step_seconds", .unit = Unit::seconds},
                      {.name = "sd", .unit = Unit::number}}};
  for (size_t i = 0; i < errors.rows.size(); ++i) {
    const ErrorRow& r = errors.rows[i];
    t.rows.push_back({r.id, r.group, r.family.software, r.family.generation,
                      planner::kJobKinds[static_cast<size_t>(r.family.kind)], r.family.width, r.shipped, r.left_out,
                      r.operators, r.size.gpus, r.size.microbatch, r.size.tp, r.size.step_seconds, unseen[i].sd});
  }
  return t;
}

struct Number {
  const char* name;
  double ErrorModel::*value;
};
constexpr Number kNumbers[] = {{"mean", &ErrorModel::mean},         {"software", &ErrorModel::software},
                               {"family", &ErrorModel::family},     {"group", &ErrorModel::group},
                               {"run", &ErrorModel::run},           {"operators", &ErrorModel::operators},
                               {"distance", &ErrorModel::distance}, {"known_operators", &ErrorModel::known_operators},
                               {"doubt", &ErrorModel::doubt},       {"machine", &ErrorModel::machine}};

std::string number_lines(const ErrorModel& model) {
  std::string out;
  for (const Number& n : kNumbers) out += fmt::format("{}: {:.4g}\n", n.name, model.*n.value);
  out += "generations:\n";
  for (const planner::GenerationScatter& s : model.generations)
    out += fmt::format("  - {{generation: {}, factor: {:.3g}}}\n", s.generation, s.factor);
  out += "kinds:\n";
  for (const planner::KindScatter& s : model.kinds)
    out += fmt::format("  - {{kind: {}, factor: {:.3g}}}\n", planner::kJobKinds[static_cast<size_t>(s.kind)], s.factor);
  out += "widths:\n";
  for (const planner::WidthScatter& s : model.widths)
    out += fmt::format("  - {{width: {}, factor: {:.3g}}}\n", s.width, s.factor);
  return out;
}

std::string strays_line(const planner::StrayErrors& s) {
  return fmt::format("strays: {{family: {:.4g}, group: {:.4g}, scatter: {:.4g}}}\n", s.family, s.group, s.scatter);
}

std::string changes_line(const std::vector<double>& changes) {
  std::vector<std::string> values, names;
  for (const double sd : changes) values.push_back(fmt::format("{:.3g}", sd));
  for (const planner::LayoutTrait& t : planner::layout_traits()) names.emplace_back(t.name);
  return fmt::format("changes: [{}]  # {}\n", fmt::join(values, ", "), fmt::join(names, ", "));
}

std::string spread_line(const planner::PeakSpreads& m) {
  return fmt::format("memory: {{family: {:.4g}, group: {:.4g}, run: {:.4g}}}\n", m.family, m.group, m.run);
}

std::string range_text(const char* name, const planner::ShownRange& r) {
  return fmt::format(", {}: {{least: {:.4g}, most: {:.4g}}}", name, r.least, r.most);
}

/// A family is a row.
std::string family_line(const ErrorFamily& f) {
  std::vector<std::string> means;
  for (const double m : f.means) means.push_back(fmt::format("{:.4f}", m));
  return fmt::format(
      "  - {{generation: {}, kind: {}, width: {}, runs: [{}], means: [{}], operators: {:.3g}{}{}{}{}}}\n", f.generation,
      planner::kJobKinds[static_cast<size_t>(f.kind)], f.width, fmt::join(f.runs, ", "), fmt::join(means, ", "),
      f.operators, range_text("gpus", f.gpus), range_text("microbatch", f.microbatch), range_text("tp", f.tp),
      range_text("step_seconds", f.step_seconds));
}

/// What changes of layout do to the error, and how often the measured order of two layouts is the planned one.
void add_changes(const FittedErrors& errors, Report& report) {
  const planner::ChangeScore s = planner::change_score(errors.rows, errors.model.changes);
  Data::Object deviations;
  Table t{.title = "Standard deviation of the error by change of layout",
          .columns = {{.name = "change"}, {.name = "deviation", .unit = Unit::fraction}}};
  for (size_t i = 0; i < errors.model.changes.size(); ++i) {
    const char* name = planner::layout_traits()[i].name;
    t.rows.push_back({name, errors.model.changes[i]});
    deviations.push_back({name, errors.model.changes[i]});
  }
  report.document.push_back({"changes", Data::Object{{"jobs", s.jobs},
                                                     {"pairs", s.pairs},
                                                     {"told_apart", s.apart},
                                                     {"wrong", s.wrong},
                                                     {"deviations", std::move(deviations)}}});
  report.text.emplace_back(std::move(t));
  report.text.emplace_back(
      fmt::format("{} pairs of layouts of {} jobs: {} told apart, {} of them measured the other way round", s.pairs,
                  s.jobs, s.apart, s.wrong));
}

/// What plans of larger degrees are off by more than those of smaller ones, by kind of job.
void add_slopes(const FittedErrors& errors, Report& report) {
  Data::List list;
  Table t{.title = "ln(planned / measured) per doubling of a degree, or from word to word, inside one job",
          .columns = {{.name = "jobs"},
                      {.name = "trait"},
                      {.name = "vary", .heading = "jobs with several"},
                      {.name = "slope", .unit = Unit::fraction},
                      {.name = "error", .unit = Unit::fraction, .heading = "one standard error"}}};
  for (size_t kind = 0; kind < planner::kJobKinds.size(); ++kind) {
    std::vector<planner::ErrorRow> rows;
    std::ranges::copy_if(errors.rows, std::back_inserter(rows),
                         [&](const planner::ErrorRow& r) { return static_cast<size_t>(r.family.kind) == kind; });
    for (const planner::LayoutSlope& s : planner::layout_slopes(rows)) {
      t.rows.push_back({planner::kJobKinds[kind], s.trait, s.jobs, s.slope, s.error});
      list.push_back(Data::Object{{"kind", planner::kJobKinds[kind]},
                                  {"trait", s.trait},
                                  {"jobs", s.jobs},
                                  {"slope", s.slope},
                                  {"error", s.error}});
    }
  }
  report.document.push_back({"slopes", std::move(list)});
  report.text.emplace_back(std::move(t));
}

/// How far peaks of memory were from plans of software that nobody had measured.
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

/// What a few runs of one's own say.
void add_own(const std::vector<planner::OwnScore>& own, Report& report) {
  Table t{.title = "Runs on 64 GPUs and more beside own runs at the smallest scale, families left out",
          .columns = {{.name = "own runs"},
                      {.name = "groups", .unit = Unit::count},
                      {.name = "rows", .unit = Unit::count},
                      {.name = "mean", .unit = Unit::fraction},
                      {.name = "median", .unit = Unit::fraction},
                      {.name = "80 %", .unit = Unit::fraction},
                      {.name = "half-width", .unit = Unit::fraction}}};
  Data::List list;
  for (const planner::OwnScore& o : own) {
    const ErrorScore& s = o.score;
    t.rows.push_back({s.name, o.groups, s.rows, s.mean, s.median, s.inside_80, s.half_width});
    list.push_back(score_data(s));
  }
  report.document.push_back({"own", std::move(list)});
  report.text.emplace_back(std::move(t));
}

std::string peak_line(const planner::PeakFamily& f) {
  std::vector<std::string> means;
  for (const double m : f.means) means.push_back(fmt::format("{:.4f}", m));
  return fmt::format("    - {{platform: {}, runs: [{}], means: [{}], run: {:.4g}{}}}\n",
                     hw_profiles::kPlatformNames[static_cast<size_t>(f.platform)], fmt::join(f.runs, ", "),
                     fmt::join(means, ", "), f.run, f.cached ? ", cached: true" : "");
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
  Data::Object numbers;
  for (const Number& n : kNumbers) numbers.push_back({n.name, errors.model.*n.value});
  report.document = {{"kind", "errors"}, {"numbers", std::move(numbers)}};
  report.text.emplace_back(
      fmt::format("{} of {} runs of {} are compared in time", errors.rows.size(), errors.runs, errors.files));
  for (const Asked& asked : kAsked) {
    const auto classes = error_scores(errors.model, errors.rows, asked.left_out);
    report.document.push_back({asked.key, scores_data(classes)});
    report.text.emplace_back(score_table(asked.title, classes));
  }
  const auto families = family_scores(errors.model, errors.rows, LeftOut::family);
  report.document.push_back({"families", scores_data(families)});
  report.text.emplace_back(score_table("Families, each left out", families));
  add_own(own_scores(errors.model, errors.rows), report);
  add_changes(errors, report);
  add_slopes(errors, report);
  add_peaks(errors, report);
  report.table = rows_table(errors);
  report.document.push_back({"rows", rows_of(report.table)});
  Table fitted{.title = "Numbers", .columns = {{.name = "number"}, {.name = "value", .unit = Unit::number}}};
  for (const Number& n : kNumbers) fitted.rows.push_back({n.name, errors.model.*n.value});
  report.text.emplace_back(std::move(fitted));
  return report;
}

std::vector<std::pair<std::string, std::string>> errors_files(const FittedErrors& errors) {
  const std::string command = "# Written by trainplan calibrate errors " + errors.files + ".\n";
  std::vector<std::pair<std::string, std::string>> files{
      {"errors/published.yaml", "# How far measured runs were from their plans (docs/models.md, section 5).\n" +
                                    command + number_lines(errors.model) + strays_line(errors.model.strays) +
                                    changes_line(errors.model.changes) + spread_line(errors.spreads)}};
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
