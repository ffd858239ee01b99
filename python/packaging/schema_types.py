"""Prints Python's types of a scenario and of a plan, from the schemas that the planner prints.

usage: schema_types.py BINARY
"""

import json
import subprocess
import sys

HEAD = '''"""Types of a scenario and of a plan's JSON. Made from `trainplan schema`: every key may be absent."""

from __future__ import annotations

from typing import Any, List, Literal, TypedDict, Union

'''


class TypeWriter:
    """Writes a TypedDict for each object, inner ones first."""

    def __init__(self):
        self.classes = []
        self.names = set()

    def of(self, schema, name):
        """The type of a schema; objects with fixed keys become a class of this name."""
        if "anyOf" in schema:
            return self.union([self.of(each, name) for each in schema["anyOf"]])
        if "enum" in schema:
            return f"Literal[{', '.join(repr(word) for word in schema['enum'])}]"
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        kinds = schema.get("type", [])
        return self.union([self.plain(kind, schema, name) for kind in ([kinds] if isinstance(kinds, str) else kinds)])

    def plain(self, kind, schema, name):
        if kind == "array":
            return f"List[{self.of(schema.get('items', {}), name)}]"
        if kind == "object":
            return self.object(schema, name) if schema.get("properties") else "dict"
        return {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}[kind]

    def object(self, schema, name):
        while name in self.names:
            name += "_"
        self.names.add(name)
        lines = [f'{name} = TypedDict("{name}", {{']
        for key, value in schema["properties"].items():
            lines.append(f"    {key!r}: {self.of(value, name + camel(key))!r},")
        self.classes.append("\n".join(lines + ["}, total=False)"]))
        return name

    @staticmethod
    def union(types):
        unique = list(dict.fromkeys(types))
        if not unique:
            return "Any"
        return unique[0] if len(unique) == 1 else f"Union[{', '.join(unique)}]"


def camel(key):
    return "".join(part.capitalize() for part in key.replace("/", "_").split("_"))


def types_text(binary):
    writer = TypeWriter()
    for kind, name in (("scenario", "Scenario"), ("output/plan", "Plan")):
        printed = subprocess.run([binary, "schema", kind], stdout=subprocess.PIPE, check=True)
        writer.object(json.loads(printed.stdout), name)
    return HEAD + "\n\n".join(writer.classes) + "\n"


if __name__ == "__main__":
    sys.stdout.write(types_text(sys.argv[1]))
