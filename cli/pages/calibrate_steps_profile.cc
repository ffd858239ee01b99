#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/pages/calibrate_report.h"
#include "cli/pages/calibrate_steps_report.h"
#include "dsl/write_fields.h"
#include "planner/scenario/vocabulary.h"

namespace cli {
namespace {

using planner::FittedNumber;
using planner::Owner;

constexpr int kDigits = 4;

dsl::Node number_node(double value, dsl::Dim dim) {
  return dsl::value_node(dsl::Value{dsl::Number{dsl::rounded(value, kDigits), dim}});
}

/// The comment behind the number in the file.
std::string provenance(const FittedSteps& steps, const FittedNumber& n) {
  return fmt::format("calibrate steps: {}, {} rows, {}", steps.files, n.rows, error_text(n));
}

void put(dsl::Node& map, const std::string& path, dsl::Node value) {
  map.kind = dsl::Node::Kind::map;
  const size_t dot = path.find('.');
  const std::string key = path.substr(0, dot);
  auto same = [&](const dsl::Entry& e) { return e.key == key; };
  auto at = std::find_if(map.entries.begin(), map.entries.end(), same);
  if (at == map.entries.end()) at = map.entries.insert(at, {key, {}, {}});
  if (dot == std::string::npos) at->value = std::move(value);
  else put(at->value, path.substr(dot + 1), std::move(value));
}

/// What one catalogue file would hold.
struct Fragment {
  Owner owner;
  std::string name;
  dsl::Node node;
};

std::vector<Fragment> fragments(const FittedSteps& steps) {
  std::map<std::pair<Owner, std::string>, dsl::Node> files;
  for (const FittedNumber& n : steps.fit.numbers) {
    dsl::Node value = number_node(n.fitted, n.dim);
    value.comment = provenance(steps, n);
    for (const std::string& path : n.paths) put(files[{n.owner, n.owner_name}], below_owner(path, n.owner), value);
  }
  std::vector<Fragment> out;
  for (auto& [key, node] : files) out.push_back({key.first, key.second, std::move(node)});
  return out;
}

}  // namespace

std::string number_text(double value, dsl::Dim dim) { return number_node(value, dim).text; }

std::string error_text(const FittedNumber& n) {
  if (n.at_bound) return "at its bound";
  if (n.fitted == 0) return "+- " + number_text(n.error, n.dim);
  return "+- " + figure(n.error / std::abs(n.fitted), Unit::fraction);
}

std::string below_owner(const std::string& path, Owner owner) {
  return path.substr(std::string_view(planner::owner_prefix(owner)).size());
}

Data steps_profile(const FittedSteps& steps) {
  Data::Object out;
  for (const Fragment& f : fragments(steps)) {
    const char* owner = planner::name(f.owner);
    if (out.empty() || out.back().name != owner) out.push_back({owner, Data::Object{}});
    std::get<Data::Object>(out.back().value.v).push_back({f.name, node_data(f.node)});
  }
  return out;
}

std::string steps_fragments(const FittedSteps& steps) {
  std::string out;
  for (const Fragment& f : fragments(steps))
    out +=
        fmt::format("{}# {} {}\n{}", out.empty() ? "" : "\n", planner::name(f.owner), f.name, dsl::write_yaml(f.node));
  return out;
}

std::vector<std::pair<std::string, std::string>> steps_files(const FittedSteps& steps) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Fragment& f : fragments(steps)) {
    const std::string folder = planner::vocabulary().folder_of(planner::name(f.owner));
    out.emplace_back(folder + "/" + f.name + ".yaml", fmt::format("extends: {}\n{}", f.name, dsl::write_yaml(f.node)));
  }
  return out;
}

}  // namespace cli
