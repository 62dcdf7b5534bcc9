#include "view_schemas.hpp"

namespace weft::serve_detail {

namespace {

constexpr char assistant_text[] = R"({
  "type": "object",
  "properties": {
    "assistant_id": {"type": "string"},
    "graph_id": {"type": "string"},
    "name": {"type": "string"},
    "description": {"type": ["string", "null"]},
    "config": {"type": "object"},
    "context": {"type": "object"},
    "metadata": {"type": "object"},
    "version": {"type": "integer", "minimum": 1},
    "created_at": {"type": "string", "format": "date-time"},
    "updated_at": {"type": "string", "format": "date-time"}
  },
  "required": ["assistant_id", "graph_id", "name", "config", "metadata", "version", "created_at", "updated_at"]
})";

constexpr char thread_text[] = R"({
  "type": "object",
  "properties": {
    "thread_id": {"type": "string"},
    "created_at": {"type": "string", "format": "date-time"},
    "updated_at": {"type": "string", "format": "date-time"},
    "state_updated_at": {"type": "string", "format": "date-time"},
    "metadata": {"type": "object"},
    "status": {"type": "string", "enum": ["idle", "busy", "interrupted", "error"]},
    "config": {"type": "object"},
    "error": {},
    "values": {"type": ["object", "null"]},
    "interrupts": {"type": "object", "additionalProperties": {"type": "array"},
                   "description": "Questions that are open, by their ids"},
    "ttl": {"type": "object",
            "properties": {"strategy": {"type": "string", "enum": ["delete", "keep_latest"]},
                           "ttl_minutes": {"type": "number"},
                           "expires_at": {"type": "string", "format": "date-time"}},
            "required": ["strategy", "ttl_minutes", "expires_at"]}
  }
})";

constexpr char run_text[] = R"({
  "type": "object",
  "properties": {
    "run_id": {"type": "string"},
    "thread_id": {"type": "string"},
    "assistant_id": {"type": ["string", "null"]},
    "created_at": {"type": "string", "format": "date-time"},
    "updated_at": {"type": "string", "format": "date-time"},
    "status": {"type": "string", "enum": ["pending", "running", "success", "error", "interrupted"]},
    "metadata": {"type": "object"},
    "multitask_strategy": {"type": ["string", "null"]}
  },
  "required": ["run_id", "thread_id", "status", "metadata"]
})";

constexpr char state_text_[] = R"({
  "type": "object",
  "properties": {
    "values": {"type": "object"},
    "next": {"type": "array", "items": {"type": "string"}},
    "tasks": {"type": "array", "items": {"type": "object", "required": ["id", "name", "interrupts"]}},
    "interrupts": {"type": "array", "items": {"type": "object"}},
    "metadata": {"type": "object"},
    "created_at": {"type": ["string", "null"]},
    "checkpoint_id": {"type": ["string", "null"]},
    "checkpoint": {"type": "object", "required": ["thread_id", "checkpoint_ns", "checkpoint_id"]},
    "parent_checkpoint": {"type": ["object", "null"]}
  },
  "required": ["values", "next", "tasks", "interrupts", "metadata", "checkpoint"]
})";

constexpr char checkpoint_text_[] = R"({
  "type": "object",
  "properties": {
    "checkpoint": {"type": "object", "required": ["thread_id", "checkpoint_ns", "checkpoint_id"]},
    "configurable": {"type": "object"},
    "checkpoint_id": {"type": "string"}
  },
  "required": ["checkpoint"]
})";

constexpr char count_text[] = R"({"type": "integer", "minimum": 0})";
constexpr char rpc_answer_json[] = R"({
  "type": "object",
  "properties": {
    "jsonrpc": {"const": "2.0"},
    "id": {"type": ["string", "integer", "null"]},
    "result": {},
    "error": {"type": "object", "required": ["code", "message"]}
  },
  "required": ["jsonrpc"]
})";

constexpr char object_text_[] = R"({"type": "object"})";

}  // namespace

const named_schema assistant_schema{"Assistant", schema_in<assistant_text>};
const named_schema thread_schema{"Thread", schema_in<thread_text>};
const named_schema run_schema{"Run", schema_in<run_text>};
const named_schema state_schema{"ThreadState", schema_in<state_text_>};
const named_schema checkpoint_schema{"Checkpoint", schema_in<checkpoint_text_>};
const named_schema count_schema{"Count", schema_in<count_text>};
const named_schema rpc_answer_schema{"JsonRpcAnswer", schema_in<rpc_answer_json>};
const named_schema object_schema{"Object", schema_in<object_text_>};

}  // namespace weft::serve_detail
