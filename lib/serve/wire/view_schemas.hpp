#pragma once

#include "serve/http/route_description.hpp"

namespace weft::serve_detail {

// What clients get, for `/openapi.json`: the forms that `views.hpp` gives things of the store. A test holds answers
// against them.

extern const named_schema assistant_schema;
extern const named_schema thread_schema;
extern const named_schema run_schema;
extern const named_schema state_schema;       ///< Where a thread stood.
extern const named_schema checkpoint_schema;  ///< Where a change of the state is.
extern const named_schema count_schema;
extern const named_schema rpc_answer_schema;  ///< Of JSON-RPC, whichever protocol speaks it.
extern const named_schema object_schema;      ///< Values of a state, or what has no form of its own.

}  // namespace weft::serve_detail
