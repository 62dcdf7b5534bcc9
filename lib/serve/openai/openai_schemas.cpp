#include "openai_schemas.hpp"

namespace weft::serve_detail {

namespace {

constexpr char model_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "object": {"const": "model"},
    "created": {"type": "integer"},
    "owned_by": {"type": "string"},
    "supported_parameters": {"type": "array", "items": {"type": "string"}}
  },
  "required": ["id", "object", "created", "owned_by", "supported_parameters"]
})";

constexpr char model_list_json[] = R"({
  "type": "object",
  "properties": {
    "object": {"const": "list"},
    "data": {"type": "array", "items": {"$ref": "#/components/schemas/Model"}}
  },
  "required": ["object", "data"]
})";

constexpr char completion_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "object": {"const": "chat.completion"},
    "created": {"type": "integer"},
    "model": {"type": "string"},
    "choices": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
      "type": "object",
      "properties": {
        "index": {"type": "integer"},
        "message": {
          "type": "object",
          "properties": {
            "role": {"const": "assistant"},
            "content": {"type": ["string", "null"]},
            "tool_calls": {"type": "array", "items": {"type": "object", "required": ["id", "type", "function"]}}
          },
          "required": ["role", "content"]
        },
        "finish_reason": {"type": "string", "enum": ["stop", "length", "tool_calls"]}
      },
      "required": ["index", "message", "finish_reason"]
    }},
    "usage": {"type": "object", "required": ["prompt_tokens", "completion_tokens", "total_tokens"]}
  },
  "required": ["id", "object", "created", "model", "choices", "usage"]
})";

constexpr char response_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "object": {"const": "response"},
    "created_at": {"type": "integer"},
    "completed_at": {"type": ["integer", "null"]},
    "status": {"type": "string", "enum": ["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]},
    "model": {"type": "string"},
    "error": {"type": ["object", "null"]},
    "incomplete_details": {"type": ["object", "null"]},
    "output": {"type": "array", "items": {"$ref": "#/components/schemas/ConversationItem"}},
    "usage": {"type": ["object", "null"]},
    "metadata": {"type": "object"},
    "previous_response_id": {"type": ["string", "null"]}
  },
  "required": ["id", "object", "created_at", "completed_at", "status", "model", "error", "incomplete_details", "output",
               "usage", "metadata", "previous_response_id"]
})";

constexpr char compaction_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "object": {"const": "response.compaction"},
    "created_at": {"type": "integer"},
    "output": {"type": "array", "items": {"type": "object", "required": ["type", "id", "encrypted_content"]}},
    "usage": {"type": "object"}
  },
  "required": ["id", "object", "created_at", "output", "usage"]
})";

constexpr char token_count_json[] = R"({
  "type": "object",
  "properties": {
    "object": {"const": "response.input_tokens"},
    "input_tokens": {"type": "integer", "minimum": 0}
  },
  "required": ["object", "input_tokens"]
})";

constexpr char conversation_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "object": {"const": "conversation"},
    "created_at": {"type": "integer"},
    "metadata": {"type": "object"}
  },
  "required": ["id", "object", "created_at", "metadata"]
})";

constexpr char conversation_item_json[] = R"({
  "type": "object",
  "properties": {
    "type": {"type": "string", "enum": ["message", "function_call", "function_call_output"]},
    "id": {"type": "string"},
    "status": {"type": "string"},
    "role": {"type": "string"},
    "content": {"type": "array", "items": {"type": "object", "required": ["type"]}}
  },
  "required": ["type", "id", "status"]
})";

constexpr char item_list_json[] = R"({
  "type": "object",
  "properties": {
    "object": {"const": "list"},
    "data": {"type": "array", "items": {"$ref": "#/components/schemas/ConversationItem"}},
    "first_id": {"type": ["string", "null"]},
    "last_id": {"type": ["string", "null"]},
    "has_more": {"type": "boolean"}
  },
  "required": ["object", "data", "first_id", "last_id", "has_more"]
})";

constexpr char deleted_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "object": {"type": "string"},
    "deleted": {"const": true}
  },
  "required": ["id", "object", "deleted"]
})";

}  // namespace

const named_schema model_schema{"Model", schema_in<model_json>};
const named_schema model_list_schema{"ModelList", schema_in<model_list_json>};
const named_schema completion_schema{"ChatCompletion", schema_in<completion_json>};
const named_schema response_schema{"Response", schema_in<response_json>};
const named_schema compaction_schema{"Compaction", schema_in<compaction_json>};
const named_schema token_count_schema{"TokenCount", schema_in<token_count_json>};
const named_schema conversation_schema{"Conversation", schema_in<conversation_json>};
const named_schema conversation_item_schema{"ConversationItem", schema_in<conversation_item_json>};
const named_schema item_list_schema{"ItemList", schema_in<item_list_json>};
const named_schema deleted_schema{"Deleted", schema_in<deleted_json>};

}  // namespace weft::serve_detail
