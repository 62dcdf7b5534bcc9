"""The published schema of graph files and weft's reader agree.

The samples, and agents, are valid and are graphs. Each is then broken in every way that changes one value: whatever the schema
refuses, weft refuses; whatever weft's reader refuses for its shape, the schema refuses. Places of one shape, e.g. the prompts of two
nodes of one kind, are broken once.
"""

import copy
import json
import pathlib
import subprocess
import sys

import jsonschema
import jsonschema_rs

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "graphs"
ASKED_TWICE = 100  # each such file is also shown to a second validator, which takes a hundred times as long
HUGE_NUMBERS = [10**30, 1.5e300]  # in the place of a number: the schema and weft refuse both or neither
OTHER_VALUES = [None, True, 3, -1, 2.5, "", "x", [], [""], {}, {"x": 1}]
MORE = {  # members that samples do not have, each with a right and a wrong value
    "defaults": ["hive", "hvie"], "routing": ["first_match", "first"], "conflict": ["error", 1],
    "reducer": ["min", "sum"], "kind": ["always", "on_budget", "join", "nope"], "policy": ["wait_all", "quorum", "race"],
    "quorum": [0, 1, -1], "priority": [-5, 2147483648], "timeout": ["5s", "5", "1.5s"], "clears": [[], [3]],
    "visits_max": [0, 4294967295, 4294967296], "pauses": ["before", "both", "sometimes"], "goes_to": [[], "x"], "deferred": [True, "yes"], "streams": [True, "yes"],
    "outputs": [{"check": "True"}, {"chek": "True"}, {"schemas": {}}, {"schemas": {"text": 3}},
                {"schemas": []}],
    "cache": [{}, {"keep_for": "5m"}, {"keep_for": 5}, {"keys": []}, {"keys": "text"}, {"ttl": "5m"}],
    "memory": [{}, {"scope": ["a"]}, {"scope": [""]}, {"scope": "a"}, {"items_max": -1}, {"keep_for": "1h"}, []],
    "retry": [{"factor": 1}, {"factor": 0.9}, {"tries": 3}],
    "limits": [{"at_limit": "raise"}, {"at_limit": "stop"}, {"budget": {"tokens": 5, "usd": 0.5}},
               {"budget": {"tokens": -1}}, {"budget": {"usd": -1}}, {"budget": {"tokens": 1.5}}, {"budget": 3}], "label": ["x", 3], "when": ["True", 1],
    "mcp": [{}, {"files": {"command": ["x"]}}, {"files": {}}, {"files": {"command": []}}, {"a__b": {"url": "x"}},
            {"files": {"command": ["x"], "url": "x"}}, {"files": {"url": "x", "environment": {"A": "x"}}},
            {"files": {"url": "x", "headers": {"A": 1}}}, {"files": 3}, [],
            {"files": {"url": "x", "oauth": {}}}, {"files": {"command": ["x"], "oauth": {}}},
            {"files": {"url": "x", "oauth": {"grant": "client_credentials"}}},
            {"files": {"url": "x", "oauth": {"grant": "password"}}},
            {"files": {"url": "x", "oauth": {"client_id": "a", "scopes": ["b"], "issuer": "x", "client_secret": "${S}"}}},
            {"files": {"url": "x", "oauth": {"client_id": "a", "client_secret": "${S}"}}},
            {"files": {"url": "x", "oauth": {"client_id": "a", "issuer": "x", "client_secret": "plain"}}},
            {"files": {"url": "x", "oauth": {"scopes": "b"}}}],
    "map": [{}, {"a": 1}, []], "targets": [[], ["x"]], "fallback": ["", "x"], "settings": [{}, []],
}

AGENT = {  # what needs the tools of a program, which the samples do without
    "name": "agent",
    "entry_points": [
        {"id": "early", "timer": {"cron": "30 7 * * mon-fri", "time_zone": "Europe/Berlin"}},
        {"id": "often", "timer": {"every": "5m"}, "input": {"answer": "x"}},
        {"id": "orders", "webhook": {"path": "/hooks/orders", "secret_env": "SECRET"}}],
    "state": [{"name": "answer", "type": "string"},
              {"name": "messages", "type": "messages", "reducer": "append"}],
    "nodes": [
        {"name": "think", "kind": "llm", "writes": ["messages", "answer"],
         "settings": {"messages": "messages", "tools": [], "scripted": ["x"]}},
        {"name": "act", "kind": "tool",
         "settings": {"messages": "messages", "tools": [], "remote": "act", "calls_warned": 3, "calls_max": 4,
                      "concurrency_max": 2, "result_chars_max": 100,
                      "guards": {"tool_call": [{"name": "g", "chars_max": 5}],
                                 "tool_result": [{"name": "g", "injections": True}]}}},
        {"name": "work", "kind": "turn_agent", "writes": ["answer"],
         "settings": {"system": "x", "prompt": "{answer}", "tools": [], "models": ["x"], "hands_over": {"act": "x"},
                      "budget": {"turns": 3, "tokens": 9, "usd": 0.5, "time": "5m", "tool_calls": 2}, "nudges_max": 1,
                      "retries_max": 2, "result_chars_max": 50, "temperature": 0.5, "output_max": 9,
                      "guards": {"input": [{"name": "g", "words": ["x"]}], "output": [{"name": "g", "chars_max": 5}],
                                 "release": "whole", "tool_call": [{"name": "g", "words": ["x"], "action": "refuse"}]},
                      "scripted": ["x"]}},
        {"name": "keep", "kind": "remember", "settings": {"name": "x", "text": "{answer}", "keep_for": "2h"}},
        {"name": "find", "kind": "recall", "writes": ["answer"],
         "settings": {"query": "{answer}", "prefix": "x", "items_max": 3, "scanned_max": 9}},
        {"name": "drop", "kind": "forget", "settings": {"name": "x"}},
        {"name": "read", "kind": "retrieve", "writes": ["answer"],
         "settings": {"query": "{answer}", "space": ["x"], "contains": {"a": 1}, "score_min": 0.5, "items_max": 3}},
        {"name": "score", "kind": "http", "writes": ["answer"],
         "settings": {"url": "http://localhost:8001/{answer}", "method": "PUT", "headers": {"X-Key": "${KEY}"},
                      "timeout": "5s", "reply_bytes_max": 100, "into": "answer"}},
        {"name": "tell", "kind": "http", "writes": ["answer"],
         "settings": {"url": "http://localhost:8001", "body": {"stream": "answer"}}},
        {"name": "rest", "kind": "wait", "settings": {"span": "5s"}},
        {"name": "moment", "kind": "wait", "settings": {"until": "2026-12-24T18:00:00+01:00"}},
        {"name": "event", "kind": "wait", "writes": ["answer"],
         "settings": {"event": "paid", "timeout": "5s", "otherwise": "x", "into": "answer"}},
        {"name": "talk", "kind": "react", "writes": ["messages", "answer"],
         "settings": {"system": "x", "prompt": "{answer}", "messages": "messages", "tools": [],
                      "hands_over": [{"to": "act", "when": "x"}], "model": "x", "temperature": 0.5, "output_max": 9,
                      "turns_max": 4, "at_limit": "stop", "attempts_max": 2, "hand_overs_max": 2, "calls_max": 3, "concurrency_max": 2,
                      "result_chars_max": 50, "scripted": ["x"],
                      "guards": {"input": [{"name": "g", "injections": True}], "release": "pieces",
                                 "tool_result": [{"name": "g", "rule": "x"}]}}},
    ],
    "edges": [{"from": "__start__", "to": "think"}, {"from": "act", "to": "think"},
              {"from": "think", "to": "act", "when": "'tool_calls' in messages[-1]"},
              {"from": "think", "to": "work"}, {"from": "work", "to": "talk"},
              {"from": "talk", "to": "keep"}, {"from": "keep", "to": "find"}, {"from": "find", "to": "drop"}, {"from": "drop", "to": "read"},
              {"from": "read", "to": "score"}, {"from": "score", "to": "tell"}, {"from": "tell", "to": "rest"}, {"from": "rest", "to": "moment"},
              {"from": "moment", "to": "event"}],
}

WORK = {"system": "x", "tools": [], "model": "x", "temperature": 0.5, "output_max": 9, "turns_max": 4, "at_limit": "stop",
        "attempts_max": 2, "calls_max": 3, "concurrency_max": 2, "result_chars_max": 50, "scripted": ["x"]}

TALKS = {  # agents that share a conversation or give tasks to each other
    "name": "talks",
    "state": [{"name": "answer", "type": "string"}, {"name": "who", "type": "string"},
              {"name": "messages", "type": "messages", "reducer": "append"}],
    "nodes": [
        {"name": "support", "kind": "team", "writes": ["messages", "answer", "who"],
         "settings": {"prompt": "{answer}", "messages": "messages", "active": "who", "first": "b", "hand_overs_max": 2,
                      "members": [{"name": "a", "hands_over": [{"to": "b", "when": "x"}], "system": "x", "calls_max": 3},
                                  {"name": "b", "guards": {"tool_call": [{"name": "g", "injections": True}]}}]}},
        {"name": "office", "kind": "supervisor", "writes": ["messages", "answer"],
         "settings": {"prompt": "{answer}", "messages": "messages", "delegations_max": 3, "busy_workers_max": 2,
                      "worker_timeout": "5s", **WORK,
                      "workers": [{"name": "a", "when": "x", "tools": [], "turns_max": 3}]}},
    ],
    "edges": [{"from": "__start__", "to": "support"}, {"from": "support", "to": "office"}],
}

AGENTS = {  # agents that are graphs
    "name": "agents",
    "state": [{"name": "answer", "type": "string"}, {"name": "end", "type": "string"},
              {"name": "talk", "type": "conversation"}],
    "nodes": [
        {"name": "chat", "kind": "agent", "writes": ["answer", "end", "talk"],
         "settings": {"prompt": "{answer}", "directive": "d", "talk": "talk", "base": "b", "channel": "c",
                      "surroundings": "s", "tells_time": True, "model": "m", "temperature": 0.5, "budget": 1000,
                      "calls_max": 3, "timeout": "5s", "tools": [], "scripted": ["x"], "outcome": "end",
                      "playbooks": [{"name": "p", "nodes": [
                          {"id": "t", "subtype": "trigger"},
                          {"id": "c", "subtype": "condition", "condition": "It rains", "condition_mode": "llm"}],
                          "edges": [{"source": "t", "target": "c"}]}],
                      "guards": {"tool_result": [{"name": "g", "chars_max": 9}]}}},
        {"name": "beat", "kind": "heartbeat", "writes": ["answer"],
         "settings": {"directive": "d", "rules": ["r"], "projects": [{"name": "n", "text": "t"}], "skills": [],
                      "agents": [], "cycles_max": 2, "on_blocked": "next_cycle",
                      "guards": {"output": [{"name": "g", "chars_max": 9}]}}},
        {"name": "flow", "kind": "playbook", "writes": ["answer"],
         "settings": {"prompt": "go", "guards": {"input": [{"name": "g", "chars_max": 9}]}, "playbooks": [
             {"name": "p", "description": "", "nodes": [
                 {"id": "t", "subtype": "trigger", "label": "start"},
                 {"id": "a", "subtype": "agent", "prompt": "{{trigger}}", "before": "b", "after": "a"},
                 {"id": "w", "subtype": "wait", "amount": 1, "unit": "seconds"},
                 {"id": "l", "subtype": "loop", "condition": "yes", "max_iterations": 3}],
              "edges": [{"source": "t", "target": "a"}, {"source": "a", "target": "w"},
                        {"source": "w", "target": "l"}]}]}},
        {"name": "loop", "kind": "event_loop", "writes": ["answer"],
         "settings": {"guards": {"output": [{"name": "g", "chars_max": 9}], "tool_call": [{"name": "g", "rule": "x"}]}}},
        {"name": "team", "kind": "pattern", "writes": ["answer"],
         "settings": {"pattern": "sequence", "task": "{answer}", "members": [{"name": "m"}],
                      "guards": {"input": [{"name": "g", "words": ["x"]}], "release": "at_once"}}},
    ],
    "edges": [{"from": "__start__", "to": "chat"}, {"from": "chat", "to": "beat"}, {"from": "beat", "to": "flow"},
              {"from": "flow", "to": "loop"}, {"from": "loop", "to": "team"}],
}


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for name, member in value.items():
            yield from places(member, path + (name,))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, path + (index,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def shape(whole, path):
    """A place by what decides there: the names and the kinds of nodes and edges on the way."""
    steps = []
    here = whole
    for step in path:
        if isinstance(here, dict):
            steps.append(tuple(str(here.get(name)) for name in ("kind", "subtype", "pattern", "type") if name in here))
        steps.append("*" if isinstance(step, int) else step)
        here = here[step]
    return tuple(steps), type(here).__name__


def broken(whole, seen):
    """Copies of a graph file that differ from it in one place, and whether the schema must refuse them if weft does; of
    places with one shape the first is tried."""
    for path in places(whole):
        here = at(whole, path)
        if path and (key := shape(whole, path)) in seen:
            continue
        if path:
            seen.add(key)
        changes = [("=", other) for other in OTHER_VALUES] if path else []
        if path:
            changes.append(("remove", None))
            is_number = isinstance(here, (int, float)) and not isinstance(here, bool)
            if is_number and not {"initial", "values"} & set(path):  # values of keys are no matter of the schema
                changes += [("=", huge) for huge in HUGE_NUMBERS]
        if isinstance(here, dict):
            # Only a graph has servers: elsewhere they are as unknown as any other member.
            changes += [(name, other) for name, others in MORE.items() for other in others
                        if name != "mcp" or "nodes" in here]
            changes.append(("unknown", 1))
        for what, other in changes:
            result = copy.deepcopy(whole)
            if what == "=":
                at(result, path[:-1])[path[-1]] = other
            elif what == "remove":
                del at(result, path[:-1])[path[-1]]
            else:
                at(result, path)[what] = other
            yield result, what == "=" and other in HUGE_NUMBERS


def verdicts(program, texts):
    done = subprocess.run([program, str(SAMPLES)], input="\n".join(texts) + "\n", text=True, encoding="utf-8",
                          capture_output=True, check=True)
    return done.stdout.split()


def main():
    schema = json.loads((ROOT / "docs" / "graph.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    quick = jsonschema_rs.Draft202012Validator(schema)
    samples = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(SAMPLES.glob("*.json"))]
    samples += [AGENT, TALKS, AGENTS]
    cases = {json.dumps(sample): sample for sample in samples}
    count_of_samples = len(cases)
    seen = set()
    strict = set()
    for sample in samples:
        for case, is_strict in broken(sample, seen):
            text = json.dumps(case)
            cases[text] = case
            if is_strict:
                strict.add(text)
    wrong = 0
    counts = {}
    for index, (text, verdict) in enumerate(zip(cases, verdicts(sys.argv[1], cases), strict=True)):
        is_valid = quick.is_valid(cases[text])
        if index % ASKED_TWICE == 0 and validator.is_valid(cases[text]) != is_valid:
            raise SystemExit(f"two validators do not agree on {text}")
        key = ("valid" if is_valid else "invalid") + ", " + verdict
        counts[key] = counts.get(key, 0) + 1
        agrees = verdict == "fine" or (verdict == "graph" and text not in strict) if is_valid else verdict != "fine"
        if not agrees or (index < count_of_samples and not (is_valid and verdict == "fine")):
            wrong += 1
            if wrong <= 20:
                reason = "" if is_valid else str(next(validator.iter_errors(cases[text])).message)[:200]
                print(f"schema: {is_valid} {reason}\nweft: {verdict}\n  {text[:3000]}\n")
    print(f"{len(cases)} files: {counts}; {wrong} without agreement")
    return 1 if wrong or len(cases) < 1000 else 0


sys.exit(main())
