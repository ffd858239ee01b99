// What rows of communication hide: of one length, and of the mean of several.
#include "planner/search/calls.h"

#include <doctest/doctest.h>

#include "planner/plan/communication.h"

using namespace planner;

namespace {

Scenario of_lengths(const std::vector<double>& weights) {
  Scenario scenario;
  for (const double weight : weights) scenario.lengths.shares.push_back({.weight = weight});
  return scenario;
}

}  // namespace

TEST_CASE("hidden seconds of one length are the sum over its rows") {
  CHECK(hidden_seconds(HiddenRows{}) == 0);
  CHECK(hidden_seconds(HiddenRows{{0, 0.1}, {0, 0.2}, {0, 0.3}}) == 0.1 + 0.2 + 0.3);
}

TEST_CASE("rows that say the same are summed first, from the longest length on") {
  const HiddenRows shorter{{1, 0.1}, {2, 0.7}}, longer{{3, 0.4}, {1, 0.3}};
  const double a = 1.0 / 4, b = 3.0 / 4;
  const double expected = b * 0.4 + (b * 0.3 + a * 0.1) + a * 0.7;
  CHECK(mean_hidden_seconds(of_lengths({1, 3}), {shorter, longer}) == expected);
  CHECK(mean_hidden_seconds(of_lengths({2}), {shorter}) == 0.1 + 0.7);
}

TEST_CASE("rows of communication are one where they say the same but for bytes, calls and times") {
  const CommunicationRow row{.name = "gather", .kind = "all-gather", .ranks = 8, .tiers = {"nvlink", "ib"}};
  CommunicationRow other = row;
  other.bytes = 7, other.count = 3, other.seconds = 1, other.hidden_seconds = other.exposed_seconds = 0.5;
  CHECK(identity_of(other) == identity_of(row));
  CommunicationRow differs[] = {row, row, row, row, row, row};
  differs[0].name = "reduce";
  differs[1].kind = "all-reduce";
  differs[2].ranks = 16;
  differs[3].tiers = {"nvlink"};
  differs[4].purpose = Purpose::pp;
  differs[5].serialized = true;
  for (const CommunicationRow& each : differs) CHECK(identity_of(each) != identity_of(row));
}
