#include <algorithm>

#include "dsl/merge.h"
#include "dsl/raw_text.h"

namespace dsl {

Node* item_named(Node& list, std::string_view name) {
  for (Node& item : list.items) {
    const Node* its = item.find("name");
    if (its && its->kind == Node::Kind::scalar && its->text == name) return &item;
  }
  return nullptr;
}

namespace {

bool is_told(const Span& at, const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.list.begin(), diagnostics.list.end(), [&](const Diagnostic& d) {
    return d.span.source == at.source && d.span.line == at.line && d.span.column == at.column;
  });
}

// Once for a place: an override is applied twice.
void refuse_name(const Node& list, const std::string& name, const Span& at, Diagnostics& diagnostics) {
  if (is_told(at, diagnostics)) return;
  std::vector<std::string> names;
  for (const Node& item : list.items)
    if (const Node* its = item.find("name")) names.push_back(its->text);
  std::string hint = did_you_mean(name, names);
  if (hint.empty() && !names.empty()) hint = did_you_mean(names);
  diagnostics.error(at, "no item of this list is named '" + shortened(name) + "'", hint);
}

// A map over a list of maps that have names: its keys are such names.
bool merge_items(Node& list, const Node& over, Diagnostics& diagnostics) {
  if (over.kind != Node::Kind::map || over.entries.empty()) return false;
  const bool named = std::ranges::any_of(list.items, [](const Node& item) { return item.find("name") != nullptr; });
  const auto is_field = [&](const Entry& e) { return list.items[0].find(e.key) != nullptr; };
  if (named && std::ranges::any_of(over.entries, is_field)) return false;  // one item, no list
  for (const Entry& e : over.entries)
    if (Node* item = item_named(list, e.key)) merge(*item, e.value, diagnostics);
    else if (named) refuse_name(list, e.key, e.key_span, diagnostics);
  return named;
}

}  // namespace

void merge(Node& base, const Node& over, Diagnostics& diagnostics) {
  if (over.kind == Node::Kind::null && base.kind == Node::Kind::map) return;
  const bool broken = base.broken || over.broken;  // reported mistakes stay reported
  if (base.kind == Node::Kind::list && merge_items(base, over, diagnostics)) return;
  if (base.kind != Node::Kind::map || over.kind != Node::Kind::map) {
    base = over;
    base.broken = broken;
    return;
  }
  base.span = over.span;
  base.broken = broken;
  for (const Entry& entry : over.entries) {
    auto it = base.entries.begin();
    while (it != base.entries.end() && it->key != entry.key) ++it;
    if (it == base.entries.end()) {
      base.entries.push_back(entry);
    } else {
      it->key_span = entry.key_span;
      merge(it->value, entry.value, diagnostics);
    }
  }
}

namespace {

// "a.b[0].c" -> steps with their places; `text` stands at `origin`.
bool parse_path(std::string_view text, Span origin, ParsedOverride& out, Diagnostics& diagnostics,
                std::string_view example) {
  const size_t end = text.size();
  size_t at = 0;
  while (at <= end) {
    const size_t stop = std::min(text.find('.', at), end);
    ParsedOverride::PathStep step;
    step.span = {origin.source, origin.line, origin.column + static_cast<int>(at), static_cast<int>(stop - at)};
    step.key = text.substr(at, stop - at);
    const size_t open = step.key.find('[');
    if (open != std::string::npos) {
      const std::string index = step.key.substr(open + 1);
      const size_t digits = index.find_first_not_of("0123456789");
      if (digits == 0 || digits == std::string::npos || digits > 6 || index.substr(digits) != "]") {
        diagnostics.error(step.span, "expected an item such as " + shortened(step.key.substr(0, open)) + "[0], got '" +
                                         shortened(step.key) + "'");
        return false;
      }
      step.index = std::stoi(index);
      step.key.resize(open);
    }
    if (step.key.empty()) {
      diagnostics.error(step.span, "expected PATH=VALUE, such as " + std::string(example));
      return false;
    }
    out.path.push_back(std::move(step));
    at = stop + 1;
  }
  if (out.path.size() <= static_cast<size_t>(ParseLimits{}.depth)) return true;
  diagnostics.error(origin, "the path has too many steps");
  return false;
}

Node& child(Node& map, const std::string& key, const Span& span) {
  if (map.kind != Node::Kind::map) {
    const bool broken = map.broken;
    map = Node(Node::Kind::map, span);
    map.broken = broken;
  }
  for (Entry& e : map.entries)
    if (e.key == key) {
      e.key_span = span;
      return e.value;
    }
  map.entries.push_back({key, span, Node{}});
  map.entries.back().value.span = span;
  return map.entries.back().value;
}

void refuse_index(const Node& map, const ParsedOverride::PathStep& step, Diagnostics& diagnostics) {
  const Node* list = map.find(step.key);
  const size_t size = list ? list->items.size() : 0;
  diagnostics.error(step.span, "there is no item " + std::to_string(step.index) + " in '" + step.key + "'",
                    size > 0 ? "its items are [0] to [" + std::to_string(size - 1) + "]" : "");
}

bool has_item(const Node& map, const ParsedOverride::PathStep& step) {
  const Node* list = map.find(step.key);
  return list && list->kind == Node::Kind::list && static_cast<size_t>(step.index) < list->items.size();
}

/// "(1.80 USD/h) * (0.8)", of each item of a list.
void change(Node& at, const ParsedOverride& o, Diagnostics& diagnostics) {
  for (Node& item : at.items) change(item, o, diagnostics);
  if (at.kind == Node::Kind::list) return;
  const Span& place = o.path.back().span;
  if (at.kind != Node::Kind::scalar || at.text.empty())
    return diagnostics.error(
        place, at.kind == Node::Kind::map ? "a section has no value to change" : "there is no value to change",
        "write '='");
  if (o.value.kind != Node::Kind::scalar)
    return diagnostics.error(o.value.span, std::string("expected one value behind '") + o.change + "='");
  at.text = "(" + at.text + ") " + o.change + " (" + o.value.text + ")";
  at.quoted = false;
  at.span = o.value.span;
}

// "a.b:4" and "a.b 4", as they are written with '='.
std::string override_hint(std::string_view text) {
  const size_t at = text.find_first_of(": ");
  if (at == std::string_view::npos || at == 0) return "";
  const size_t value = text.find_first_not_of(": ", at);
  if (value == std::string_view::npos) return "";
  return "write '" + std::string(text.substr(0, at)) + "=" + std::string(text.substr(value)) + "'";
}

}  // namespace

char change_sign(std::string_view set) {
  const size_t equals = set.find('=');
  if (equals == std::string_view::npos || equals < 2) return 0;
  const char sign = set[equals - 1];
  return std::string_view("*/+-").find(sign) == std::string_view::npos ? '\0' : sign;
}

bool parse_override(const Source& source, ParsedOverride& out, Diagnostics& diagnostics, std::string_view example) {
  if (has_bad_byte(source, diagnostics)) return false;
  const size_t equals = source.text.find('=');
  const Span all{&source, 1, 1, static_cast<int>(source.text.size())};
  if (equals == std::string::npos) {
    diagnostics.error(all, "expected PATH=VALUE, such as " + std::string(example), override_hint(source.text));
    return false;
  }
  if (source.text.find('\n') != std::string::npos) {
    diagnostics.error(all, "an override stands on one line");
    return false;
  }
  out.change = change_sign(source.text);
  const std::string_view path = std::string_view(source.text).substr(0, equals - (out.change ? 1 : 0));
  if (!parse_path(path, {&source, 1, 1, 1}, out, diagnostics, example)) return false;
  if (source.text.substr(equals, 2) == "==") {
    diagnostics.error({&source, 1, static_cast<int>(equals) + 1, 2}, "expected one '=' behind the path", "write '='");
    return false;
  }
  out.value = parse_yaml_from(source, equals + 1, diagnostics);
  return !out.value.broken;
}

bool parse_written(const Override& written, ParsedOverride& out, Diagnostics& diagnostics, std::string_view example) {
  if (!parse_path(written.text, written.place, out, diagnostics, example)) return false;
  out.value = *written.value;
  return !out.value.broken;
}

void apply_override(Node& root, const ParsedOverride& o, bool last, Diagnostics& diagnostics) {
  Node* at = &root;
  for (const ParsedOverride::PathStep& step : o.path) {
    if (at->kind == Node::Kind::list) {
      Node* item = item_named(*at, step.key);
      if (!item || step.index >= 0) {
        if (last) refuse_name(*at, step.key, step.span, diagnostics);
        return;
      }
      at = item;
      continue;
    }
    if (step.index < 0) {
      at = &child(*at, step.key, step.span);
      continue;
    }
    if (!has_item(*at, step)) {
      if (last) refuse_index(*at, step, diagnostics);
      return;
    }
    at = &child(*at, step.key, step.span).items[static_cast<size_t>(step.index)];
  }
  if (o.change) change(*at, o, diagnostics);
  else if (o.value.kind == Node::Kind::null) *at = o.value;  // written: it is meant
  else merge(*at, o.value, diagnostics);
}

}  // namespace dsl
