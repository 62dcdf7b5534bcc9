#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** In which dialect schemas of tools and replies are sent. */
enum class gemini_schemas {
    json_schema,  ///< As they are.
    openapi,      ///< The part of OpenAPI that older models know; what it has no words for is left out.
};

/** What all requests to one endpoint of Gemini have in common. */
struct gemini_settings {
    std::string provider = "gemini";  ///< Marks what only this provider understands in the history.
    gemini_schemas schemas = gemini_schemas::json_schema;

    bool includes_thoughts = false;                 ///< Ask for a summary of the reasoning.
    std::optional<std::int64_t> thinking_budget{};  ///< In tokens; 0 is none, -1 as many as the model sees fit.
    /** Category and threshold, e.g. `HARM_CATEGORY_HATE_SPEECH` and `BLOCK_ONLY_HIGH`. */
    std::vector<std::pair<std::string, std::string>> safety{};
    std::string cached_content{};  ///< The name of a cache that stands before the conversation; empty: none.
    /** Goes as the signature of tool calls that another model wrote, where newer models demand one; empty: none. */
    std::string foreign_signature{};
    boost::json::array server_tools{};  ///< Tools that the provider runs, e.g. `{"googleSearch":{}}`.
    boost::json::object extra_body{};   ///< Joins every request; the request's own wins.

    // HTTP.
    std::string auth_header = "x-goog-api-key";
    std::string auth_prefix{};  ///< `Bearer ` where the header is `Authorization`, as Vertex has it.
    std::vector<std::pair<std::string, std::string>> headers{};  ///< Added to every request.
};

}  // namespace weft
