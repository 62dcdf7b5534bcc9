#pragma once

#include "serve/http/route_description.hpp"

namespace weft::serve_detail {

// What clients of A2A get by the binding HTTP+JSON, for `/openapi.json`.

extern const named_schema a2a_card_schema;
extern const named_schema a2a_task_schema;
extern const named_schema a2a_sent_schema;
extern const named_schema a2a_task_list_schema;
extern const named_schema a2a_push_schema;
extern const named_schema a2a_push_list_schema;
extern const named_schema a2a_nothing_schema;

}  // namespace weft::serve_detail
