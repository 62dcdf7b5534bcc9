#include "a2a_schemas.hpp"

namespace weft::serve_detail {

namespace {

constexpr char a2a_card_json[] = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "description": {"type": "string"},
    "version": {"type": "string"},
    "supportedInterfaces": {"type": "array", "items": {"type": "object", "required": ["url", "protocolBinding"]}},
    "capabilities": {"type": "object"},
    "skills": {"type": "array", "items": {"type": "object", "required": ["id", "name"]}}
  },
  "required": ["name", "description", "version", "supportedInterfaces", "capabilities", "skills"]
})";

constexpr char a2a_task_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "contextId": {"type": "string"},
    "status": {
      "type": "object",
      "properties": {"state": {"type": "string", "pattern": "^TASK_STATE_"}},
      "required": ["state"]
    },
    "artifacts": {"type": "array", "items": {"type": "object", "required": ["artifactId", "parts"]}},
    "history": {"type": "array", "items": {"type": "object", "required": ["messageId", "role", "parts"]}},
    "metadata": {"type": "object"}
  },
  "required": ["id", "contextId", "status"]
})";

constexpr char a2a_sent_json[] = R"({
  "type": "object",
  "properties": {"task": {"$ref": "#/components/schemas/Task"}},
  "required": ["task"]
})";

constexpr char a2a_task_list_json[] = R"({
  "type": "object",
  "properties": {
    "tasks": {"type": "array", "items": {"$ref": "#/components/schemas/Task"}},
    "nextPageToken": {"type": "string"},
    "pageSize": {"type": "integer"},
    "totalSize": {"type": "integer"}
  },
  "required": ["tasks", "nextPageToken", "pageSize", "totalSize"]
})";

constexpr char a2a_push_json[] = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "taskId": {"type": "string"},
    "url": {"type": "string"},
    "token": {"type": "string"},
    "authentication": {"type": "object", "required": ["scheme"]}
  },
  "required": ["id", "taskId", "url"]
})";

constexpr char a2a_push_list_json[] = R"({
  "type": "object",
  "properties": {
    "configs": {"type": "array", "items": {"$ref": "#/components/schemas/TaskPushNotificationConfig"}},
    "nextPageToken": {"type": "string"}
  },
  "required": ["configs"]
})";

constexpr char a2a_nothing_json[] = R"({"type": "object", "maxProperties": 0})";

}  // namespace

const named_schema a2a_card_schema{"AgentCard", schema_in<a2a_card_json>};
const named_schema a2a_task_schema{"Task", schema_in<a2a_task_json>};
const named_schema a2a_sent_schema{"SendMessageResponse", schema_in<a2a_sent_json>};
const named_schema a2a_task_list_schema{"ListTasksResponse", schema_in<a2a_task_list_json>};
const named_schema a2a_push_schema{"TaskPushNotificationConfig", schema_in<a2a_push_json>};
const named_schema a2a_push_list_schema{"ListTaskPushNotificationConfigsResponse", schema_in<a2a_push_list_json>};
const named_schema a2a_nothing_schema{"Nothing", schema_in<a2a_nothing_json>};

}  // namespace weft::serve_detail
