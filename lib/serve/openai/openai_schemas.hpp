#pragma once

#include "serve/http/route_description.hpp"

namespace weft::serve_detail {

// What clients of OpenAI's protocols get, for `/openapi.json`. A test holds answers against them.

extern const named_schema model_schema;
extern const named_schema model_list_schema;
extern const named_schema completion_schema;
extern const named_schema response_schema;
extern const named_schema compaction_schema;
extern const named_schema token_count_schema;
extern const named_schema conversation_schema;
extern const named_schema conversation_item_schema;
extern const named_schema item_list_schema;
extern const named_schema deleted_schema;

}  // namespace weft::serve_detail
