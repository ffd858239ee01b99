// Deviations of measured steps from their plans, as random effects. A software, a family of its runs, a group of one
// source and model, and a run each shift log(measured / planned) by a normal deviate of their own.
//
//     ln(measured / planned) = mean + S_software + F_family + G_group + E_run
//     S ~ N(0, software^2)   F ~ N(0, (family k)^2)   G ~ N(0, (group k)^2)   E ~ N(0, (run k)^2)
//
// A family is one software on accelerators of one generation, in jobs of one kind and width. k is the product of the
// scatter of all three. The distribution for a new run follows from the formulas of normal means with known variances
// (Gelman et al., Bayesian Data Analysis, 3rd edition, section 5.4): groups inform their family, families their
// software.
// `trainplan calibrate errors` estimates all numbers from measured runs that were left out of every fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/fields.h"
#include "hw_profiles/types.h"

namespace planner {

/// The trained weights of a job: all of a dense model, all of one with routed experts, or adapters on frozen weights.
enum class JobKind { dense, experts, adapters };
inline constexpr auto& kJobKinds = dsl::kEnumWords<JobKind>;

/// The distribution of a run's ln(measured / planned) before it is measured.
struct ErrorOutlook {
  double mean = 0;
  double sd = 0;     // of one run
  int64_t runs = 0;  // of its family, that were compared
};

/// A mean that is known up to a variance.
struct KnownMean {
  double mean = 0, variance = 0;
};

/// The range that runs of a family have shown: the least and the most. Empty: no runs.
struct ShownRange {
  double least = 0, most = 0;
};

/// The sizes of a run that decide whether its family has shown anything like it.
struct RunSize {
  double gpus = 0, microbatch = 0, tp = 0, step_seconds = 0;
};

/// Measured runs of one software on accelerators of one generation, in jobs of one kind and width.
struct ErrorFamily {
  std::string generation;
  JobKind kind = JobKind::dense;
  int64_t width = 16;         // bits of the operands of its GEMMs: 16 (and more), 8 or 4
  std::vector<int64_t> runs;  // of each group
  std::vector<double> means;  // of each group, of ln(measured / planned)
  double operators = 0;       // mean relative standard error of these runs' operators
  ShownRange gpus, microbatch, tp, step_seconds;
  // Not fields; settle() fills them: k, and the distributions of the family's mean and of its runs.
  double scatter = 1;
  KnownMean known;
  ErrorOutlook outlook;

  int64_t all_runs() const;
};

/// The user's own measured runs: a family of the user's software and machine, centred on the published family that it
/// belongs to. `runs` 0: there are none.
struct OwnRuns {
  std::string generation;
  JobKind kind = JobKind::dense;
  int64_t width = 16;
  int64_t runs = 0;
  double mean = 0;  // of ln(measured / planned)
  ShownRange gpus, microbatch, tp, step_seconds;
};

/// Runs of one class scatter `factor` times as much as others.
struct GenerationScatter {
  std::string generation;
  double factor = 1;
};
struct KindScatter {
  JobKind kind = JobKind::dense;
  double factor = 1;
};
struct WidthScatter {
  int64_t width = 16;
  double factor = 1;
};

/// Measured peaks of memory of one software on accelerators of one platform.
struct PeakFamily {
  hw_profiles::Platform platform = hw_profiles::Platform::cuda;
  std::vector<int64_t> runs;   // of each group: a source and a model
  std::vector<double> means;   // of each group, of ln(measured / planned)
  double run = 0.05;           // standard deviation between runs of a group, of these and of all
  bool cached = false;         // includes memory that an allocator had cached, and releases before it fails
  double mean = 0, sd = 0.15;  // no fields; settle() fills them: of the next run's
};

/// How far measured peaks of memory were from their plans. A group's peaks inform its family as a step's do.
struct PeakErrors {
  double family = 0.1, group = 0.05, run = 0.05;  // standard deviations
  bool stands_in = false;  // substitute for programs without a profile: groups vary like families
  std::vector<PeakFamily> families;

  void settle();
  /// Returns the distribution for a family without peaks, or with these.
  PeakFamily known(PeakFamily family) const;
};

/// Families far from their plans: their programs differ from every profile. A mean more than two standard errors from 0
/// shifts the plans; each source counts as one observation. Other means only widen the interval.
struct StrayErrors {
  double family = 0, group = 0.1;  // standard deviations of the means of families (0: none strays), of groups in one
  double scatter = 1;              // standard deviation of a stray family's runs around its mean, in addition
};

struct ErrorModel {
  double mean = 0;                                                // of ln(measured / planned), of all software
  double software = 0.1, family = 0.1, group = 0.05, run = 0.05;  // standard deviations
  double operators = 0;        // weight of the excess of operators' standard errors over those of the family's runs
  double known_operators = 0;  // the mean over all runs: used for an unmeasured family
  double distance = 0;         // standard deviation for a run twice as large as the family's largest
  double machine = 0.1;        // standard deviation of the user's machine and software around the published family
  double doubt = 0;            // a scatter that few runs have shown may be larger: by doubt / (1 + runs)
  std::vector<GenerationScatter> generations;  // whose runs scatter more, or less; likewise the next two
  std::vector<KindScatter> kinds;
  std::vector<WidthScatter> widths;
  std::vector<ErrorFamily> families;  // of the scenario's software
  StrayErrors strays;
  std::vector<double> changes;  // standard deviations by change of layout (planner/plan/layout_traits.h)
  PeakErrors memory;
  OwnRuns own;  // of the user
  // Not fields; settle() fills them: the distribution for the software, and whether any of its families shifts its
  // plans.
  KnownMean unseen;
  bool moves = false;

  /// Computes the distribution of each family. Call it when the numbers are set.
  void settle();
  double scatter_of(const std::string& generation, JobKind kind, int64_t width) const;
  /// Returns the distribution of the mean of an unmeasured family.
  KnownMean mean_of_unseen(double scatter) const;
};

template <class V> void fields(V& v, ShownRange& r) {
  v("least", r.least, {.least = 0, .doc = "of the runs that were compared"});
  v("most", r.most, {.least = 0, .doc = "of the runs that were compared"});
}
/// The range shown by runs, for a family and for own runs alike.
template <class V, class Shown> void shown_fields(V& v, Shown& shown) {
  v.section("gpus", shown.gpus);
  v.section("microbatch", shown.microbatch);
  v.section("tp", shown.tp);
  v.section("step_seconds", shown.step_seconds);
}
template <class V> void fields(V& v, ErrorFamily& f) {
  v("generation", f.generation, {.required = true, .doc = "of the accelerators"});
  v("kind", f.kind, {.required = true, .doc = "of the jobs"});
  v("width", f.width, {.least = 1, .most = 64, .doc = "bits of the operands of GEMMs: 16, 8 or 4"});
  v("runs", f.runs, {.least = 1, .doc = "measured runs of each group: a source and a model"});
  v("means", f.means, {.least = -5, .most = 5, .doc = "of each group: mean of ln(measured / planned)"});
  v("operators", f.operators, {.least = 0, .most = 10, .doc = "what the operators' standard errors say of these runs"});
  shown_fields(v, f);
}
template <class V> void fields(V& v, OwnRuns& o) {
  v("generation", o.generation, {.doc = "of the accelerators"});
  v("kind", o.kind, {.doc = "of the jobs"});
  v("width", o.width, {.least = 1, .most = 64, .doc = "bits of the operands of GEMMs: 16, 8 or 4"});
  v("runs", o.runs, {.least = 0, .doc = "measured runs of your own; 0: none"});
  v("mean", o.mean, {.least = -20, .most = 20, .doc = "of ln(measured / planned)"});
  shown_fields(v, o);
}
template <class V> void fields(V& v, GenerationScatter& s) {
  v("generation", s.generation, {.required = true, .doc = "of the accelerators"});
  v("factor", s.factor,
    {.required = true, .least = 0, .most = 10, .doc = "standard deviation of a run, over that of others"});
}
template <class V> void fields(V& v, KindScatter& s) {
  v("kind", s.kind, {.required = true, .doc = "of the jobs"});
  v("factor", s.factor,
    {.required = true, .least = 0, .most = 10, .doc = "standard deviation of a run, over that of others"});
}
template <class V> void fields(V& v, WidthScatter& s) {
  v("width", s.width, {.required = true, .least = 1, .most = 64, .doc = "bits of the operands of GEMMs: 16, 8 or 4"});
  v("factor", s.factor,
    {.required = true, .least = 0, .most = 10, .doc = "standard deviation of a run, over that of others"});
}
template <class V> void fields(V& v, PeakFamily& f) {
  v("platform", f.platform, {.required = true, .doc = "of the accelerators"});
  v("runs", f.runs, {.least = 1, .doc = "measured peaks of each group: a source and a model"});
  v("means", f.means, {.least = -5, .most = 5, .doc = "of each group: mean of ln(measured / planned)"});
  v("run", f.run, {.least = 0, .most = 5, .doc = "standard deviation between peaks of a group"});
  v("cached", f.cached, {.doc = "the peaks hold what an allocator cached and would give back"});
}
template <class V> void fields(V& v, PeakErrors& p) {
  v("family", p.family, {.least = 0, .most = 5, .doc = "standard deviation between software"});
  v("group", p.group, {.least = 0, .most = 5, .doc = "standard deviation between its groups"});
  v("run", p.run, {.least = 0, .most = 5, .doc = "standard deviation between peaks of a group"});
  v("stands_in", p.stands_in, {.doc = "for programs without a profile: groups differ as software does"});
  v.list("families", p.families);
}
template <class V> void fields(V& v, StrayErrors& s) {
  v("family", s.family, {.least = 0, .most = 5, .doc = "standard deviation of families' means"});
  v("group", s.group, {.least = 0, .most = 5, .doc = "standard deviation of groups in a family"});
  v("scatter", s.scatter, {.least = 0, .most = 5, .doc = "standard deviation of such a family's runs, over its mean"});
}
template <class V> void fields(V& v, ErrorModel& e) {
  v("mean", e.mean, {.least = -5, .most = 5, .doc = "ln(measured / planned) of all software"});
  v("software", e.software, {.least = 0, .most = 5, .doc = "standard deviation between software"});
  v("family", e.family, {.least = 0, .most = 5, .doc = "standard deviation between its families"});
  v("group", e.group, {.least = 0, .most = 5, .doc = "standard deviation between their groups"});
  v("run", e.run, {.least = 0, .most = 5, .doc = "standard deviation between runs of a group"});
  v("operators", e.operators,
    {.least = 0, .most = 10, .doc = "weight of operators' standard errors beyond those of runs that were compared"});
  v("known_operators", e.known_operators,
    {.least = 0, .most = 10, .doc = "operators' standard errors of all runs that were compared"});
  v("distance", e.distance,
    {.least = 0, .most = 5, .doc = "standard deviation at twice what a family's runs have shown"});
  v("machine", e.machine,
    {.least = 0, .most = 5, .doc = "standard deviation of own runs around those that are published"});
  v("doubt", e.doubt, {.least = 0, .most = 10, .doc = "how much larger a scatter that no run shows may be"});
  v.list("generations", e.generations);
  v.list("kinds", e.kinds);
  v.list("widths", e.widths);
  v.list("families", e.families);
  v.section("strays", e.strays);
  v("changes", e.changes,
    {.otherwise = "[]",
     .least = 0,
     .most = 5,
     .doc = "standard deviations by which a change of layout changes the error, in the order of the table of traits"});
  v.section("memory", e.memory);
  v.section("own", e.own);
}

/// Returns the number of doublings by which a run lies outside its family's range.
template <class Shown> double distance(const RunSize& run, const Shown& shown);
/// Widens the range shown by a run.
template <class Shown> void widen(Shown& shown, const RunSize& run);
/// Combines two independent estimates. Infinite variances have no weight.
KnownMean together(const KnownMean& a, const KnownMean& b);
/// Returns the estimate of a family's mean from its groups; `skip`: a group that does not count.
KnownMean mean_of_groups(const ErrorModel& model, const ErrorFamily& family, size_t skip = SIZE_MAX);
/// Returns the estimate of a software's mean from its families; `skip`: a family that does not count.
KnownMean mean_of_software(const ErrorModel& model, size_t skip = SIZE_MAX);
/// Returns the distribution of a run of a family of `scatter` with a known mean. The uncertainty of the mean of
/// published runs widens the interval accordingly.
ErrorOutlook outlook_of(const ErrorModel& model, const KnownMean& family, double scatter, int64_t runs);
/// Returns the distribution of a run given some own runs: they form a family centred on the published one. REQUIRES:
/// own.runs > 0.
ErrorOutlook outlook_beside(const ErrorModel& model, const KnownMean& family, double scatter, const OwnRuns& own);

}  // namespace planner
