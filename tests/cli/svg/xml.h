// A small check that a picture is well-formed XML, and what it holds.
#pragma once

#include <string>
#include <vector>

struct Element {
  std::string name, attributes, text;  // text: of a leaf, entities not decoded
};

/// The elements in the order in which they begin; `wrong`: what is not well-formed, empty if nothing.
struct Xml {
  std::vector<Element> elements;
  std::string wrong;
};

Xml read_xml(const std::string& text);

/// The figure of an attribute; 0 if there is none.
double attribute(const Element& e, const std::string& name);

size_t count(const Xml& xml, const std::string& name);

std::vector<std::string> texts(const Xml& xml);

/// Whether some <text> is `wanted`.
bool says(const Xml& xml, const std::string& wanted);

/// The first text that is not inside the page; "" if all are (turned ones are not looked at).
std::string outside(const Xml& xml);
