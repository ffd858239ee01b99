#include "planner/studies/runs/vendor_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/lower_case.h"
#include "dsl/quoting.h"

namespace planner {
namespace {

struct VendorField {
  const char *column, *field;
};
constexpr VendorField kJob[] = {{"sequence", "sequence"}, {"global_batch", "global_batch"}, {"precision", "precision"}};
constexpr VendorField kLayout[] = {{"tp", "tp"}, {"pp", "pp"},         {"cp", "cp"},
                                   {"ep", "ep"}, {"vp", "interleave"}, {"microbatch", "microbatch"}};

std::string entry(const std::string& said) {
  std::string name = dsl::lower_case(said);
  std::ranges::replace(name, '_', '-');
  return dsl::double_quoted(name);
}

template <size_t n> std::string section(const char* name, const VendorField (&fields)[n],
                                        const std::function<std::string(const char*)>& cell) {
  std::string out;
  for (const VendorField& row : fields)
    if (const std::string text = cell(row.column); !text.empty())
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", row.field, dsl::double_quoted(dsl::lower_case(text)));
  return fmt::format("{}: {{{}}}\n", name, out);
}

}  // namespace

std::string vendor_scenario(const std::function<std::string(const char*)>& cell) {
  const std::string software = cell("software"), release = cell("release");
  return fmt::format("model: {{use: {}}}\ncluster: {{use: {}, gpus: {}}}\n", entry(cell("model")),
                     entry(cell("system")), dsl::double_quoted(cell("gpus"))) +
         section("job", kJob, cell) + section("parallelism", kLayout, cell) +
         fmt::format("software: {{use: {}{}}}\n", entry(software.empty() ? "megatron-bridge" : software),
                     release.empty() ? "" : ", release: " + dsl::double_quoted(release));
}

}  // namespace planner
