// Conditions of a space are folded before a walk: parts that do not depend on open items are decided once.
#include "dsl/fold.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "tests/dsl/opened.h"
#include "tests/dsl/sample.h"

using sample::complete;
using sample::Opened;

namespace {

constexpr const char* kOpen = "parallelism: {tp: [1, 2, 4], pp: [1, 2], dp: 1}\n";

/// Of the space's conditions, which choices they still read: "tp pp; tp".
std::string read_by(const dsl::Space& space) {
  std::string out;
  for (const dsl::Condition& condition : space.conditions()) {
    out += out.empty() ? "" : "; ";
    for (const dsl::OpenItem& item : space.items())
      if (item.is_choice && condition.known >= &item - space.items().data())
        out = (out.empty() || out.back() == ' ' ? out : out + " ") + item.path.substr(item.path.rfind('.') + 1);
  }
  return out;
}

/// "1,1 2,1!": the values of the choices, and whether a condition refused them.
std::string walked(const dsl::Space& space) {
  std::string out;
  for (dsl::Cursor cursor(space); cursor.next();) {
    for (size_t i = 0; i < space.items().size(); ++i) out += (i ? "," : " ") + dsl::to_text(cursor.value(i));
    if (cursor.refusal() == dsl::Refusal::where) out += "!";
  }
  return out;
}

/// The same by the condition as it is written, one combination after the other.
std::string by_hand(const std::string& where, const dsl::Record& record) {
  dsl::Diagnostics diagnostics;
  const dsl::ExprPtr tree = dsl::parse_expression(where, {}, diagnostics);
  std::string out;
  for (const double tp : {1, 2, 4})
    for (const double pp : {1, 2}) {
      const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
        if (name == "tp") return dsl::Value{dsl::Number{tp, dsl::kNone}};
        if (name == "pp") return dsl::Value{dsl::Number{pp, dsl::kNone}};
        const dsl::Slot* slot = record.find(name);
        return slot ? std::optional(slot->value) : std::nullopt;
      };
      dsl::Budget budget;
      const auto holds = dsl::walk(*tree, resolve, diagnostics, {}, false, budget);
      out += fmt::format(" {},{}{}", tp, pp, holds && std::get<bool>(holds->v) ? "" : "!");
    }
  return out;
}

size_t conditions(const std::string& where) {
  const Opened opened(complete(std::string(kOpen) + "where: [\"" + where + "\"]\n"));
  REQUIRE_MESSAGE(opened.space, where);
  return opened.space->conditions().size();
}

}  // namespace

TEST_CASE("a condition that nothing open decides is asked once, or never") {
  const struct {
    const char* where;
    size_t left;
  } rows[] = {
      {"true", 0},
      {"model.layers > 0", 0},
      {"model.layers > 0 and tp > 1", 1},
      {"model.layers > 0 or tp > 1", 0},
      {"model.layers < 0 or tp > 1", 1},
      {"if(model.layers > 0, true, tp > 1)", 0},
      {"if(model.layers > 0, tp > 1, true)", 1},
      {"if(model.layers < 0 and pp > 1, tp > 1, true)", 0},
      {"not (model.layers < 0 and tp > 1)", 1},  // `and` is false, and what inverts it waits for no walk
      {"tp > 1", 1},
      {"1 / 0 > 1", 1},  // it has no value, and so it does not hold
      {"false", 1},
      {"model.layers < 0", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.where));
    const size_t left = conditions(row.where);
    CHECK(left <= row.left);
    if (row.left == 0) CHECK(left == 0);
  }
}

TEST_CASE("a folded condition waits for the choices alone that it still reads") {
  const struct {
    const char *where, *reads;
  } rows[] = {
      {"if(model.layers > 0, tp > 1, pp > 1)", "tp"},
      {"tp > 1 and (model.layers > 0 or pp > 1)", "tp"},
      {"tp > 1 and pp > 1", "tp pp"},
      {"if(tp > 1, pp > 1, model.layers > 0)", "tp pp"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.where));
    const Opened opened(complete(std::string(kOpen) + "where: [\"" + row.where + "\"]\n"));
    REQUIRE(opened.space);
    CHECK(read_by(*opened.space) == row.reads);
  }
}

TEST_CASE("a folded condition refuses what the condition refuses, whatever it is made of") {
  std::mt19937 random(20261128);
  const auto any = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const std::function<std::string(int)> made = [&](int depth) -> std::string {
    const char* const leaves[] = {"tp > 1",           "pp == 2", "tp * pp <= 4", "model.layers > 1", "model.layers < 1",
                                  "model.heads > tp", "true",    "false",        "tp in [1, 4]",     "pp != tp"};
    if (depth == 0) return leaves[any(std::size(leaves))];
    switch (any(5)) {
      case 0:
        return fmt::format("({} and {})", made(depth - 1), made(depth - 1));
      case 1:
        return fmt::format("({} or {})", made(depth - 1), made(depth - 1));
      case 2:
        return fmt::format("not ({})", made(depth - 1));
      case 3:
        return fmt::format("if({}, {}, {})", made(depth - 1), made(depth - 1), made(depth - 1));
      default:
        return leaves[any(std::size(leaves))];
    }
  };
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string where = made(3);
    CAPTURE(where);
    const Opened opened(complete(std::string(kOpen) + "where: [\"" + where + "\"]\n"));
    REQUIRE(opened.space);
    const std::string each = walked(*opened.space);
    CHECK(each == by_hand(where, opened.space->record()));
    refused += each.find('!') != std::string::npos;
  }
  CHECK(refused > 100);
  CHECK(refused < 400);
}
