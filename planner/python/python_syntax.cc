#include "planner/python/python_syntax.h"

#include <algorithm>
#include <array>

namespace planner {
namespace {

using Kind = PythonStatement::Kind;
using TokenKind = PythonToken::Kind;

class PythonStatements {
 public:
  PythonStatements(const PythonFile& file, dsl::Diagnostics& diagnostics) : file_(file), words_(file, diagnostics) {}

  bool read(std::vector<PythonStatement>& into) {
    while (!words_.failed() && !words_.is_at(TokenKind::end)) read_line(into);
    return !words_.failed();
  }

 private:
  using Reader = void (PythonStatements::*)(std::vector<PythonStatement>&);
  struct PythonLine {
    std::string_view word;
    Reader reader;
  };

  PythonStatement begin(Kind kind) const {
    PythonStatement s;
    s.kind = kind;
    s.token = words_.at();
    return s;
  }

  void read_line(std::vector<PythonStatement>& into) {
    static constexpr std::array kCompound = {
        PythonLine{"if", &PythonStatements::read_branch},    PythonLine{"for", &PythonStatements::read_loop},
        PythonLine{"while", &PythonStatements::read_branch}, PythonLine{"with", &PythonStatements::read_with},
        PythonLine{"try", &PythonStatements::read_try},      PythonLine{"def", &PythonStatements::read_function},
        PythonLine{"class", &PythonStatements::skip_class},  PythonLine{"@", &PythonStatements::skip_decorator},
    };
    if (words_.is_at(TokenKind::indent)) return words_.fail("this is no Python: the line is indented without a cause");
    words_.accept("async");
    for (const PythonLine& w : kCompound)
      if (words_.is(w.word)) return (this->*w.reader)(into);
    read_simple_line(into);
  }

  void read_simple_line(std::vector<PythonStatement>& into) {
    while (!words_.failed()) {
      read_simple(into);
      if (!words_.accept(";") || words_.is_at(TokenKind::newline)) break;
    }
    end_line();
  }

  void end_line() {
    if (words_.is_at(TokenKind::newline)) words_.next();
    else if (!words_.failed() && !words_.is_at(TokenKind::end)) words_.expect("the line's end");
  }

  void read_simple(std::vector<PythonStatement>& into) {
    static constexpr std::array kSimple = {
        PythonLine{"return", &PythonStatements::read_return}, PythonLine{"import", &PythonStatements::read_import},
        PythonLine{"from", &PythonStatements::read_from},     PythonLine{"raise", &PythonStatements::read_raise},
        PythonLine{"break", &PythonStatements::read_leave},   PythonLine{"continue", &PythonStatements::read_leave},
        PythonLine{"pass", &PythonStatements::skip_rest},     PythonLine{"assert", &PythonStatements::skip_rest},
        PythonLine{"del", &PythonStatements::read_remove},    PythonLine{"nonlocal", &PythonStatements::read_global},
        PythonLine{"global", &PythonStatements::read_global},
    };
    for (const PythonLine& w : kSimple)
      if (words_.is(w.word)) return (this->*w.reader)(into);
    read_assignment(into);
  }

  void read_assignment(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(Kind::expression);
    s.expressions.push_back(words_.read_tuple());
    if (words_.accept(":")) {
      words_.skip_to({"=", ";"});
      if (!words_.is("=")) return;  // only an annotation
    }
    const size_t sign = words_.at();
    const std::string_view word = file_.word(sign);
    if (word.size() > 1 && word.back() == '=' && std::string_view("+-*/%@&|^<>").find(word[0]) != std::string::npos &&
        word != "<=" && word != ">=") {
      s.kind = Kind::augment;
      s.text = word.substr(0, word.size() - 1);
      words_.next();
      s.expressions.push_back(words_.read_tuple());
    }
    while (words_.accept("=")) {
      s.kind = Kind::assign;
      s.expressions.push_back(words_.read_tuple());
    }
    into.push_back(std::move(s));
  }

  void read_return(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(Kind::give);
    words_.next();
    if (!words_.is_at(TokenKind::newline) && !words_.is(";")) s.expressions.push_back(words_.read_tuple());
    into.push_back(std::move(s));
  }

  void read_remove(std::vector<PythonStatement>& into) {
    into.push_back(begin(Kind::remove));
    words_.next();
    into.back().expressions.push_back(words_.read_tuple());
  }
  void read_raise(std::vector<PythonStatement>& into) {
    into.push_back(begin(Kind::raise));
    words_.skip_to({";"});
  }
  void read_leave(std::vector<PythonStatement>& into) {
    into.push_back(begin(Kind::leave));
    into.back().text = words_.take_name();
  }
  void skip_rest(std::vector<PythonStatement>&) { words_.skip_to({";"}); }

  void read_global(std::vector<PythonStatement>& into) {
    const std::string_view word = words_.is("global") ? "global" : "nonlocal";
    words_.next();
    do {
      into.push_back(begin(Kind::make_global));
      into.back().module = word;
      into.back().text = words_.take_name();
    } while (words_.accept(","));
  }

  std::string dotted_name() {
    std::string name;
    while (words_.is(".") || words_.is("...")) {
      name += words_.is(".") ? "." : "...";
      words_.next();
    }
    if (words_.is("import")) return name;
    name += words_.take_name();
    while (words_.accept(".")) name += "." + words_.take_name();
    return name;
  }

  void read_import(std::vector<PythonStatement>& into) {
    words_.next();
    do {
      PythonStatement s = begin(Kind::take_in);
      s.module = dotted_name();
      s.text = words_.accept("as") ? words_.take_name() : s.module.substr(0, s.module.find('.'));
      into.push_back(std::move(s));
    } while (words_.accept(","));
  }

  void read_from(std::vector<PythonStatement>& into) {
    words_.next();
    const std::string module = dotted_name();
    words_.expect("import");
    const bool has_bracket = words_.accept("(");
    do {
      if (has_bracket && words_.is(")")) break;
      PythonStatement s = begin(Kind::take_in);
      s.module = module;
      s.origin = words_.accept("*") ? "*" : words_.take_name();
      s.text = words_.accept("as") ? words_.take_name() : s.origin;
      into.push_back(std::move(s));
    } while (words_.accept(","));
    if (has_bracket) words_.expect(")");
  }

  void read_suite(std::vector<PythonStatement>& into) {
    words_.expect(":");
    if (!words_.is_at(TokenKind::newline)) return read_simple_line(into);
    words_.next();
    if (!words_.is_at(TokenKind::indent)) return words_.fail("this is no Python: expected an indented block");
    words_.next();
    if (++depth_ > kDeepest) return words_.fail("blocks nest more than " + std::to_string(kDeepest) + " deep");
    while (!words_.failed() && !words_.is_at(TokenKind::dedent)) read_line(into);
    --depth_;
    words_.next();
  }

  /// `if` and `while`; what `elif` says is an `if` in what `else` says.
  void read_branch(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(words_.is("while") ? Kind::repeat : Kind::branch);
    words_.next();
    s.expressions.push_back(words_.read_tuple());
    read_suite(s.body);
    if (words_.is("elif")) {
      if (++depth_ > kDeepest) return words_.fail("more than " + std::to_string(kDeepest) + " branches");
      read_branch(s.otherwise);
      --depth_;
    } else if (words_.accept("else")) {
      read_suite(s.otherwise);
    }
    into.push_back(std::move(s));
  }

  void read_loop(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(Kind::loop);
    words_.next();
    s.expressions.push_back(words_.read_target());
    words_.expect("in");
    s.expressions.push_back(words_.read_tuple());
    read_suite(s.body);
    if (words_.accept("else")) read_suite(s.otherwise);
    into.push_back(std::move(s));
  }

  void read_with(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(Kind::block);
    words_.next();
    while (!words_.failed() && !words_.is_at(TokenKind::newline) && !words_.is(":")) {
      if (words_.accept("as")) forget(s.body);
      else if (words_.accept("(")) words_.skip_to({}), words_.accept(")");
      else words_.next();
    }
    read_suite(s.body);
    into.push_back(std::move(s));
  }

  /// What a name held before `with ... as name`.
  void forget(std::vector<PythonStatement>& into) {
    if (!words_.is_at(TokenKind::name)) return;
    PythonStatement s = begin(Kind::take_in);
    s.text = s.module = words_.take_name();
    if (!words_.is(".") && !words_.is("[")) into.push_back(std::move(s));
  }

  /// As if nothing failed.
  void read_try(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(Kind::block);
    words_.next();
    read_suite(s.body);
    while (words_.accept("except")) {
      words_.skip_to({":"});
      std::vector<PythonStatement> unused;
      read_suite(unused);
    }
    if (words_.accept("else")) read_suite(s.body);
    if (words_.accept("finally")) read_suite(s.body);
    into.push_back(std::move(s));
  }

  void read_function(std::vector<PythonStatement>& into) {
    PythonStatement s = begin(Kind::function);
    words_.next();
    s.text = words_.take_name();
    words_.expect("(");
    while (!words_.failed() && !words_.is(")")) {
      read_parameter(s.parameters);
      if (!words_.is(")")) words_.expect(",");
    }
    words_.expect(")");
    if (words_.is("->")) words_.skip_to({":"});
    read_suite(s.body);
    into.push_back(std::move(s));
  }

  void read_parameter(std::vector<PythonParameter>& into) {
    PythonParameter p;
    if (words_.accept("/")) return;
    p.takes_rest = words_.accept("*");
    p.takes_keywords = !p.takes_rest && words_.accept("**");
    if (!p.takes_rest || !words_.is(",")) p.name = words_.take_name();
    if (words_.accept(":")) words_.skip_to({"=", ","});
    if (words_.accept("=")) p.absent = words_.read();
    into.push_back(std::move(p));
  }

  void skip_class(std::vector<PythonStatement>&) {
    words_.skip_to({":"});
    std::vector<PythonStatement> unused;
    read_suite(unused);
  }
  void skip_decorator(std::vector<PythonStatement>&) {
    words_.skip_to({});
    end_line();
  }

  static constexpr int kDeepest = 64;
  const PythonFile& file_;
  PythonExpressions words_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<PythonFile> read_python(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  if (!dsl::is_readable(source, diagnostics, {})) return nullptr;
  auto file = std::make_unique<PythonFile>();
  file->source = &source;
  file->tokens = python_tokens(source, diagnostics);
  if (file->tokens.empty() || !PythonStatements(*file, diagnostics).read(file->statements)) return nullptr;
  return file;
}

}  // namespace planner
