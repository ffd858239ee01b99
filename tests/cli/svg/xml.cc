#include "tests/cli/svg/xml.h"

Xml read_xml(const std::string& text) {
  Xml xml;
  std::vector<size_t> open;
  for (size_t i = 0; i < text.size() && xml.wrong.empty();) {
    if (text[i] != '<') {
      const size_t end = std::min(text.find('<', i), text.size());
      const std::string run = text.substr(i, end - i);
      for (size_t at = run.find('&'); at != std::string::npos; at = run.find('&', at + 1)) {
        const std::string entity = run.substr(at, run.find(';', at) - at + 1);
        if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") xml.wrong = entity;
      }
      if (!open.empty()) xml.elements[open.back()].text += run;
      else if (run.find_first_not_of('\n') != std::string::npos) xml.wrong = "text outside: " + run;
      i = end;
      continue;
    }
    const size_t end = text.find('>', i);
    if (end == std::string::npos) return xml.wrong = "a tag without an end", xml;
    std::string tag = text.substr(i + 1, end - i - 1);
    i = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || xml.elements[open.back()].name != tag.substr(1)) xml.wrong = "unexpected </" + tag.substr(1);
      else open.pop_back();
      continue;
    }
    const bool leaf = tag.ends_with('/');
    if (leaf) tag.pop_back();
    const size_t blank = std::min(tag.find(' '), tag.size());
    xml.elements.push_back({tag.substr(0, blank), tag.substr(blank), ""});
    size_t quotes = 0;
    for (char c : tag) quotes += c == '"';
    if (quotes % 2 || tag.find_first_of("<&") != tag.find("&")) xml.wrong = "attributes of " + tag;
    if (!leaf) open.push_back(xml.elements.size() - 1);
  }
  if (xml.wrong.empty() && !open.empty()) xml.wrong = "<" + xml.elements[open.back()].name + "> is not closed";
  return xml;
}

double attribute(const Element& e, const std::string& name) {
  const size_t at = e.attributes.find(" " + name + "=\"");
  return at == std::string::npos ? 0 : std::stod(e.attributes.substr(at + name.size() + 3));
}

size_t count(const Xml& xml, const std::string& name) {
  size_t n = 0;
  for (const Element& e : xml.elements) n += e.name == name;
  return n;
}

std::vector<std::string> texts(const Xml& xml) {
  std::vector<std::string> out;
  for (const Element& e : xml.elements)
    if (e.name == "text") out.push_back(e.text);
  return out;
}

bool says(const Xml& xml, const std::string& wanted) {
  for (const std::string& text : texts(xml))
    if (text == wanted) return true;
  return false;
}

std::string outside(const Xml& xml) {
  const double width = attribute(xml.elements.at(0), "width"), height = attribute(xml.elements.at(0), "height");
  for (const Element& e : xml.elements) {
    if (e.name != "text" || e.attributes.find("transform") != std::string::npos) continue;
    const double wide = attribute(e, "textLength"), x = attribute(e, "x"), y = attribute(e, "y");
    const bool middle = e.attributes.find("\"middle\"") != std::string::npos;
    const double left = middle ? x - wide / 2 : e.attributes.find("\"end\"") != std::string::npos ? x - wide : x;
    if (left < 0 || left + wide > width || y < 8 || y > height) return e.text;
  }
  return "";
}
