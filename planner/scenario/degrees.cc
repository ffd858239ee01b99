#include "planner/scenario/degrees.h"

#include <algorithm>
#include <string_view>

namespace planner {
namespace {

constexpr std::array kDegrees{
    Degree{.name = "tp", .value = &Degrees::tp, .doc = "tensor parallel degree", .always_shown = true},
    Degree{.name = "pp",
           .value = &Degrees::pp,
           .doc = "pipeline stages",
           .cut = Cut::both,
           .meets = Meets::beside_blocks,
           .always_shown = true},
    Degree{.name = "cp", .value = &Degrees::cp, .doc = "context parallel degree", .same_weights = true},
    Degree{.name = "ep", .value = &Degrees::ep, .doc = "expert parallel degree", .cut = Cut::experts},
    Degree{.name = "etp",
           .value = &Degrees::etp,
           .doc = "tensor parallel degree of experts",
           .cut = Cut::experts,
           .place = &Degrees::tp,
           // Tensor ranks that all see all tokens share the experts: there is nothing else that they could do.
           .otherwise = "if(model.experts.count > 0 and not parallelism.sequence_parallel, parallelism.tp, 1)"},
    Degree{.name = "dp",
           .value = &Degrees::dp,
           .doc = "data parallel degree",
           .meets = Meets::beside_blocks,
           .rest = true,
           .same_weights = true,
           .always_shown = true},
};
static_assert(sizeof(Degrees) == kDegrees.size() * sizeof(int64_t), "each member of Degrees has a row");
static_assert(kDegrees.size() <= kMostDegrees);
static_assert(std::ranges::count_if(kDegrees, [](const Degree& d) { return d.rest; }) == 1, "one degree is the rest");

// Whether the text has each degree with its own word once, and nothing else.
constexpr bool names_each_once(std::string_view order) {
  size_t words = static_cast<size_t>(std::ranges::count(order, '-')) + 1;
  for (const Degree& d : kDegrees) {
    if (d.place) continue;
    size_t found = 0;
    for (size_t begin = 0; begin <= order.size();) {
      const size_t end = std::min(order.find('-', begin), order.size());
      found += order.substr(begin, end - begin) == d.name ? 1 : 0;
      begin = end + 1;
    }
    if (found != 1) return false;
    --words;
  }
  return words == 0;
}
static_assert(names_each_once(kDefaultOrder), "each degree without a `place` has a word in kDefaultOrder");

std::string factors(bool (*counts)(const Degree&), const char* times = " * ") {
  std::string out;
  for (const Degree& row : kDegrees)
    if (counts(row)) out += (out.empty() ? "" : times) + std::string(row.name);
  return out;
}

}  // namespace

std::span<const Degree> degrees() { return kDegrees; }
std::string degree_path(const Degree& degree) { return std::string("parallelism.") + degree.name; }
const Degree& degree_of(DegreeOf value) { return *std::ranges::find(kDegrees, value, &Degree::value); }

const char* default_of(const Degree& degree) {
  static const std::string rest =
      "cluster.gpus / (" + factors([](const Degree& row) { return row.has_ranks() && !row.rest; }) + ")";
  return degree.rest ? rest.c_str() : degree.otherwise;
}

std::string default_shard_group(const char* times) {
  return factors([](const Degree& row) { return row.rest; }) + times +
         factors([](const Degree& row) { return row.same_weights && !row.rest; }, times);
}

int64_t data_ranks(const Degrees& d) {
  return product(d, [](const Degree& row) { return row.same_weights; });
}

std::string main_degrees_text(const Degrees& d) {
  return joined(d, [](const Degree& row) { return row.always_shown; });
}

std::string degrees_text(const Degrees& d) {
  std::string out = main_degrees_text(d);
  for (const bool has_ranks : {true, false})
    for (const Degree& row : kDegrees)
      if (!row.always_shown && d.*row.value > 1 && row.has_ranks() == has_ranks)
        out += (has_ranks ? " x " : ", ") + std::string(row.name) + " " + std::to_string(d.*row.value);
  return out;
}

}  // namespace planner
