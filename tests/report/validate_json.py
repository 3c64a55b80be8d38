#!/usr/bin/python3
"""validate_json.py SCHEMA FILE: exits with 1 and prints where FILE violates the schema, if it does, and with 77 if
Python has no module jsonschema."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def innermost(error):
    """The violation at the bottom of alternatives, of the alternative that fits best."""
    while error.context:
        error = max(error.context, key=lambda it: (len(it.absolute_path), it.validator != "type"))
    return error


schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
jsonschema.Draft7Validator.check_schema(schema)
errors = [innermost(error) for error in jsonschema.Draft7Validator(schema).iter_errors(document)]
for error in errors:
    print("/".join(str(part) for part in error.absolute_path), error.message[:1000], sep=": ")
sys.exit(1 if errors else 0)
