#!/usr/bin/env python3
"""schemas.py PORT_FILE: says whether records are as their JSON Schemas say, to whoever asks at a port of loopback, whose
number it writes to PORT_FILE. A question is a line SCHEMA<tab>RECORD of two files, whose answer is `ok`, or what is wrong.

To load the validator takes ten times as long as to use it. Ends with the process that started it."""
import json
import os
import socketserver
import sys

from jsonschema.validators import validator_for

VALIDATORS = {}


def validator(path):
    if path not in VALIDATORS:
        with open(path) as file:
            schema = json.load(file)
        kind = validator_for(schema)
        kind.check_schema(schema)
        VALIDATORS[path] = kind(schema)
    return VALIDATORS[path]


def answer(schema, record):
    try:
        with open(record) as file:
            value = json.load(file)
        wrong = [f"{record}: {error.json_path}: {error.message}" for error in validator(schema).iter_errors(value)]
    except Exception as error:
        wrong = [f"{record}: {error}"]
    return "\n".join(wrong) or "ok"


class Question(socketserver.StreamRequestHandler):
    timeout = 10

    def handle(self):
        schema, record = self.rfile.readline().decode().rstrip("\n").split("\t")
        self.wfile.write((answer(schema, record) + "\n").encode())


def main():
    parent = os.getppid()
    with socketserver.TCPServer(("127.0.0.1", 0), Question) as server:
        server.timeout = 2
        with open(sys.argv[1] + ".new", "w") as file:
            print(server.server_address[1], file=file)
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        while os.getppid() == parent:
            server.handle_request()


main()
