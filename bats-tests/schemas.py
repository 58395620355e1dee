#!/usr/bin/env python3
"""schemas.py PORT_FILE: says whether a record is as a JSON Schema says (serve.py): SCHEMA RECORD."""
import json
import sys

from jsonschema.validators import validator_for

from serve import serve

VALIDATORS = {}


def validator(path):
    if path not in VALIDATORS:
        with open(path) as file:
            schema = json.load(file)
        kind = validator_for(schema)
        kind.check_schema(schema)
        VALIDATORS[path] = kind(schema)
    return VALIDATORS[path]


def answer(words):
    schema, record = words
    try:
        with open(record) as file:
            value = json.load(file)
        wrong = [f"{record}: {error.json_path}: {error.message}\n" for error in validator(schema).iter_errors(value)]
    except Exception as error:
        wrong = [f"{record}: {error}\n"]
    return (1 if wrong else 0), "".join(wrong)


serve(sys.argv[1], answer)
