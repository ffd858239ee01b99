#include "dsl/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dsl/expression_tree.h"

namespace dsl {
namespace {

bool is_comparison(Op op) { return op >= Op::less; }
bool orders(Op op) { return op >= Op::less && op <= Op::greater_equal; }

/// An operand of a comparison.
struct CellOperand {
  Value value;
  bool empty_cell = false;  // the cell itself is empty; its value is ""
};

bool listed(const CellOperand& a, const Value& list) {
  const auto* items = std::get_if<List>(&list.v);
  return items && std::any_of(items->begin(), items->end(), [&](const Value& item) { return a.value == item; });
}

bool ordered(Op op, const Value& a, const Value& b) {
  const auto *x = std::get_if<Number>(&a.v), *y = std::get_if<Number>(&b.v);
  return x && y && compares(op, x->value, y->value);
}

bool compare(Op op, const CellOperand& a, const CellOperand& b) {
  if ((a.empty_cell || b.empty_cell) && op != Op::equal && op != Op::in) return false;
  switch (op) {
    case Op::equal:
      return a.value == b.value;
    case Op::not_equal:
      return !(a.value == b.value);
    case Op::in:
      return listed(a, b.value);
    case Op::not_in:
      return !listed(a, b.value);
    default:
      return ordered(op, a.value, b.value);
  }
}

class Selector {
 public:
  Selector(const CsvTable& table, Diagnostics& diagnostics)
      : table_(table), names_(table.names()), diagnostics_(diagnostics) {}

  // ---- mistakes that no row is needed for

  void check(const Expr& e) {
    if (e.kind == Expr::Kind::name) check_name(e);
    for (const ExprPtr& arg : e.args) check(*arg);
    if (e.kind != Expr::Kind::chain || !is_comparison(e.ops.back())) return;
    const Expr &left = *e.args[e.args.size() - 2], &right = *e.args.back();
    Op op = e.ops.back();
    if (e.args.size() == 2) check_types(op, left, right);
    check_types(op, right, left);
  }

  // ---- one row

  /// nullopt: a mistake (diagnosed).
  std::optional<bool> holds(const Expr& e, size_t row) {
    switch (e.kind) {
      case Expr::Kind::all:
        return holds_each(e, row, false);
      case Expr::Kind::any:
        return holds_each(e, row, true);
      case Expr::Kind::invert: {
        auto inner = holds(*e.args[0], row);
        return inner ? std::optional(!*inner) : std::nullopt;
      }
      case Expr::Kind::chain:
        if (is_comparison(e.ops.back())) return holds_comparison(e, row);
        [[fallthrough]];
      default:
        return truth(e, row);
    }
  }

 private:
  struct Holds {
    bool numbers = false, text = false;
  };
  Holds kinds(const Expr& name) const {
    Holds out;
    auto column = table_.column(name.name);
    for (size_t i = 0; column && i < table_.rows.size(); ++i) {
      const std::string& text = table_.rows[i][*column].text;
      if (!text.empty()) (cell_number(text) ? out.numbers : out.text) = true;
    }
    return out;
  }
  void check_name(const Expr& e) {
    if (table_.column(e.name)) return;
    diagnostics_.error(e.span, fmt::format("no column '{}'", e.name), did_you_mean(e.name, names_));
  }
  /// A column against a literal (or a list of them) that none of its cells can equal.
  void check_types(Op op, const Expr& name, const Expr& literal) {
    if (name.kind != Expr::Kind::name || !table_.column(name.name)) return;
    if (literal.kind == Expr::Kind::list)
      for (const ExprPtr& item : literal.args) check_types(op, name, *item);
    if (literal.kind != Expr::Kind::literal) return;
    Holds holds = kinds(name);
    const auto* number = std::get_if<Number>(&literal.literal.v);
    const auto* text = std::get_if<std::string>(&literal.literal.v);
    std::string message;
    if (number && !(number->dim == kNone)) message = "cells hold plain numbers, not quantities";
    else if (text && orders(op)) message = "text has no order";
    else if (number && holds.text && !holds.numbers)
      message = fmt::format("column '{}' holds text, not numbers", name.name);
    else if (text && !text->empty() && holds.numbers && !holds.text)
      message = fmt::format("column '{}' holds numbers, not text", name.name);
    else if (!number && !text) message = "a cell is a number or text, never true or false";
    if (!message.empty()) diagnostics_.error(literal.span, message);
  }

  std::optional<bool> holds_each(const Expr& e, size_t row, bool deciding) {
    for (const ExprPtr& arg : e.args) {
      auto value = holds(*arg, row);
      if (!value || *value == deciding) return value;
    }
    return !deciding;
  }
  std::optional<bool> truth(const Expr& e, size_t row) {
    auto value = evaluate(e, row);
    if (!value) return std::nullopt;
    if (const bool* b = std::get_if<bool>(&value->v)) return *b;
    return diagnostics_.refuse(e.span, fmt::format("expected true or false, got {}", describe(*value)));
  }
  std::optional<bool> holds_comparison(const Expr& e, size_t row) {
    // "a + b < c" is one chain: all but the last operand are the left side.
    Expr left = *e.args[0];
    if (e.args.size() > 2) {
      left = e;
      left.args.pop_back();
      left.ops.pop_back();
    }
    if (lacks_cell(left, row) || lacks_cell(*e.args.back(), row)) return false;
    auto a = operand(left, row), b = operand(*e.args.back(), row);
    if (!a || !b) return std::nullopt;
    return compare(e.ops.back(), *a, *b);
  }

  const std::string& cell(const Expr& name, size_t row) const {
    return table_.rows[row][*table_.column(name.name)].text;
  }

  /// Whether a calculation (anything but the cell itself) needs an empty cell.
  bool lacks_cell(const Expr& e, size_t row, bool calculated = false) const {
    if (e.kind == Expr::Kind::name) return calculated && cell(e, row).empty();
    return std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& arg) {
      return lacks_cell(*arg, row, e.kind != Expr::Kind::list || calculated);
    });
  }
  std::optional<CellOperand> operand(const Expr& e, size_t row) {
    auto value = evaluate(e, row);
    if (!value) return std::nullopt;
    return CellOperand{std::move(*value), e.kind == Expr::Kind::name && cell(e, row).empty()};
  }
  std::optional<Value> evaluate(const Expr& e, size_t row) {
    auto resolve = [&](const std::string& name, Span) -> std::optional<Value> {
      auto column = table_.column(name);
      if (!column) return std::nullopt;
      const std::string& text = table_.rows[row][*column].text;
      if (auto x = cell_number(text)) return Value{Number{*x, kNone}};
      return Value{text};
    };
    return dsl::evaluate(e, resolve, diagnostics_, names_);
  }

  const CsvTable& table_;
  std::vector<std::string> names_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<size_t> select_rows(const CsvTable& table, const Source& source, Diagnostics& diagnostics) {
  std::vector<size_t> rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  if (source.text.empty()) return rows;
  ExprPtr tree = parse_expression(source.text, {&source, 1, 1, static_cast<int>(source.text.size())}, diagnostics);
  if (!tree) return {};
  Selector selector(table, diagnostics);
  selector.check(*tree);
  if (diagnostics.has_errors()) return {};
  std::vector<size_t> selected;
  for (size_t row : rows) {
    auto holds = selector.holds(*tree, row);
    if (!holds) return {};
    if (*holds) selected.push_back(row);
  }
  return selected;
}

}  // namespace dsl
