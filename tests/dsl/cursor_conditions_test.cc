// What conditions refuse behind each level of a walk, against an enumeration that knows nothing of cursors.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "tests/dsl/opened.h"
#include "tests/dsl/sample.h"

using sample::Opened;

namespace {

/// Choices in the order of the text.
constexpr std::array kChoices{"job.sequence", "job.batch", "parallelism.tp", "parallelism.pp", "parallelism.dp"};

using Values = std::vector<int64_t>;  // of all choices
struct Asked {
  std::string text;
  std::function<bool(const Values&)> holds;
};

struct Made {
  std::vector<Values> values;  // of each choice
  std::vector<Asked> conditions;
  std::string text() const {
    std::vector<std::string> asked;
    for (const Asked& c : conditions) asked.push_back(c.text);
    const auto list = [&](size_t i) {
      return fmt::format("{}: [{}]", std::string(kChoices[i]).substr(kChoices[i][0] == 'j' ? 4 : 12),
                         fmt::join(values[i], ", "));
    };
    return fmt::format(
        "model: {{use: gpt}}\ncluster: {{use: dgx, gpus: 64}}\njob: {{{}, {}}}\nparallelism: {{{}, {}, {}}}\nwhere: "
        "[{}]\n",
        list(0), list(1), list(2), list(3), list(4), fmt::join(asked, ", "));
  }
};

/// A condition on one, two or three of the choices.
Asked random_condition(std::mt19937_64& random) {
  const auto up_to = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t a = up_to(5), b = (a + 1 + up_to(4)) % 5, c = up_to(5);
  const auto limit = static_cast<int64_t>(1 + up_to(9));
  const std::string x = kChoices[a], y = kChoices[b], z = kChoices[c];
  switch (up_to(5)) {
    case 0:
      return {fmt::format("{} != {}", x, limit), [=](const Values& v) { return v[a] != limit; }};
    case 1:
      return {fmt::format("{} * {} <= {}", x, y, 2 * limit), [=](const Values& v) { return v[a] * v[b] <= 2 * limit; }};
    case 2:
      return {fmt::format("{} < {} or {} > {}", x, y, y, limit),
              [=](const Values& v) { return v[a] < v[b] || v[b] > limit; }};
    case 3:
      return {fmt::format("{} + {} != {} + {}", x, y, z, limit),
              [=](const Values& v) { return v[a] + v[b] != v[c] + limit; }};
    default:
      return {fmt::format("{} * {} >= {}", x, y, z), [=](const Values& v) { return v[a] * v[b] >= v[c]; }};
  }
}

Made random_space(std::mt19937_64& random) {
  Made made;
  for (size_t i = 0; i < kChoices.size(); ++i) {
    Values all{1, 2, 3, 4, 6, 8};
    std::shuffle(all.begin(), all.end(), random);
    all.resize(2 + random() % 2);
    made.values.push_back(all);
  }
  for (size_t i = 0, n = 1 + random() % 4; i < n; ++i) {
    Asked more = random_condition(random);
    if (std::ranges::count(made.conditions, more.text, &Asked::text) == 0) made.conditions.push_back(std::move(more));
  }
  return made;
}

std::vector<Values> combinations_of(const Made& made) {
  std::vector<Values> all{{}};
  for (const Values& choice : made.values) {
    std::vector<Values> longer;
    for (const Values& before : all)
      for (const int64_t value : choice) longer.push_back(before), longer.back().push_back(value);
    all = std::move(longer);
  }
  return all;
}

/// A space that was made, with its conditions in the order in which a walk asks them: by the level of the deepest value
/// that they read, then as they are written.
struct Enumerated {
  const Made& made;
  const dsl::Space& space;
  std::vector<size_t> levels;    // of choices
  std::vector<size_t> position;  // of the space's conditions in `made`
  std::vector<size_t> order;     // of the space's conditions
  std::vector<Values> all;

  Enumerated(const Made& m, const dsl::Space& s, const dsl::Cursor& cursor)
      : made(m), space(s), all(combinations_of(m)) {
    for (size_t i = 0; i < kChoices.size(); ++i) levels.push_back(cursor.level(item(i)));
    for (const dsl::Condition& c : s.conditions())
      position.push_back(
          static_cast<size_t>(std::ranges::find(m.conditions, c.expression.text, &Asked::text) - m.conditions.begin()));
    order.resize(position.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t c) { return known_at(c); });
  }

  size_t item(size_t choice) const {
    const auto at = std::ranges::find(space.items(), kChoices[choice], &dsl::OpenItem::path);
    REQUIRE(at != space.items().end());
    return static_cast<size_t>(at - space.items().begin());
  }
  size_t known_at(size_t condition) const {
    size_t level = 0;
    for (const size_t read : space.conditions()[condition].reads)
      for (size_t i = 0; i < kChoices.size(); ++i)
        if (item(i) == read) level = std::max(level, levels[i]);
    return level;
  }
  std::optional<size_t> first_failing(const Values& v) const {
    for (const size_t c : order)
      if (!made.conditions[position[c]].holds(v)) return c;
    return std::nullopt;
  }
  /// By condition, of the combinations that agree with `here` up to a level.
  std::vector<int64_t> refused_behind(const Values& here, size_t level) const {
    std::vector<int64_t> refused(position.size());
    for (const Values& v : all) {
      bool inside = true;
      for (size_t i = 0; i < v.size(); ++i) inside = inside && (levels[i] > level || v[i] == here[i]);
      if (const auto fails = inside ? first_failing(v) : std::nullopt) ++refused[*fails];
    }
    return refused;
  }
};

Values here(const dsl::Cursor& cursor, const Enumerated& all) {
  Values values;
  for (size_t i = 0; i < kChoices.size(); ++i) values.push_back(all.made.values[i][cursor.at(all.item(i))]);
  return values;
}

/// Compares counts behind all levels of one combination; the number of levels that were compared.
int compare_behind(dsl::Cursor& cursor, const Enumerated& all) {
  int compared = 0;
  const Values before = here(cursor, all);
  for (size_t level = cursor.settled_from(); level < cursor.order().size(); ++level) {
    if (cursor.refusal() == dsl::Refusal::where && cursor.refused_from() <= level) continue;
    std::vector<int64_t> counted(all.position.size());
    for (const dsl::Cursor::Unmet& unmet : cursor.unmet_behind(level)) counted[unmet.condition] += unmet.combinations;
    CHECK(counted == all.refused_behind(before, level));
    CHECK(std::accumulate(counted.begin(), counted.end(), int64_t{0}) <= cursor.combinations_behind(level));
    const size_t whole = cursor.whole_behind(level);
    CHECK(whole >= level);
    for (size_t i = whole + 1; i < cursor.order().size() && whole > level; ++i)
      CHECK(cursor.at(cursor.order()[i]) == 0);
    ++compared;
  }
  CHECK(here(cursor, all) == before);
  return compared;
}

}  // namespace

TEST_CASE("random spaces: what conditions refuse behind each level is what an enumeration finds") {
  std::mt19937_64 random(11);
  int compared = 0, refusing = 0;
  for (int round = 0; round < 60; ++round) {
    const Made made = random_space(random);
    CAPTURE(made.text());
    const Opened opened(made.text());
    REQUIRE(opened.errors() == "");
    const size_t last = random() % kChoices.size();
    const dsl::Space& space = *opened.space;
    dsl::Cursor cursor(space,
                       space.walk_order([](size_t) { return 0; },
                                        [&](size_t item) { return space.items()[item].path == kChoices[last]; }));
    const Enumerated all(made, space, cursor);
    size_t walked = 0;
    for (; cursor.next(); ++walked) {
      const std::optional<size_t> fails = all.first_failing(here(cursor, all));
      CHECK((cursor.refusal() == dsl::Refusal::where) == fails.has_value());
      if (fails) CHECK(cursor.refused_at() == *fails);
      refusing += fails.has_value();
      if (walked % 7 == 0) compared += compare_behind(cursor, all);
    }
    CHECK(walked == all.all.size());
  }
  CHECK(compared > 500);
  CHECK(refusing > 500);
}

TEST_CASE("conditions are counted behind a level where they are asked of at most 64 combinations of values there") {
  struct Row {
    int64_t sequences, batches, tensors;  // numbers of values
    const char* condition;
    size_t settled;
  };
  for (const Row& row : {Row{2, 8, 8, "job.batch * parallelism.tp <= 9", 0},
                         {2, 8, 9, "job.batch * parallelism.tp <= 9", 1},
                         {2, 65, 2, "job.sequence * parallelism.tp <= 3", 0},  // batches are not asked
                         {2, 2, 64, "job.sequence * parallelism.tp <= 9", 0},
                         {2, 2, 65, "job.sequence * parallelism.tp <= 9", 2},
                         {65, 2, 2, "job.sequence <= 9", 0}}) {
    CAPTURE(row.condition);
    Made made;
    for (const int64_t count : {row.sequences, row.batches, row.tensors, int64_t{1}, int64_t{1}}) {
      made.values.emplace_back(static_cast<size_t>(count));
      std::iota(made.values.back().begin(), made.values.back().end(), 1);
    }
    made.conditions.push_back({row.condition, {}});
    const Opened opened(made.text());
    REQUIRE(opened.errors() == "");
    CHECK(dsl::Cursor(*opened.space).settled_from() == row.settled);
  }
}
