#pragma once

#include <boost/json/value.hpp>

namespace weft::model_detail {

/** A JSON Schema in the part of OpenAPI 3.0 that Gemini's older fields know: names of types in capitals, `nullable` in
 *  place of a type `null`, `enum` in place of `const`, `anyOf` in place of `oneOf`; other words are left out.
 *
 *  @par Errors   `errc::invalid_configuration` for a `$ref`, which has no counterpart. */
[[nodiscard]] boost::json::value openapi_schema(const boost::json::value& schema,
                                                const boost::json::storage_ptr& storage);

}  // namespace weft::model_detail
