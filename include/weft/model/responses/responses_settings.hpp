#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** What all requests to one endpoint of the Responses API have in common. */
struct responses_settings {
    /** Marks what only this provider understands in the history. Not that of `openai_profile`: the wire format differs.
     */
    std::string provider = "openai-responses";

    /** Whether the endpoint keeps what is said, for itself and for `previous_response_id`. weft sends the whole
     *  history each time and needs none of it. */
    bool store = false;
    /** What the endpoint adds to its answers. Reasoning that is stored nowhere comes back encrypted, and goes with the
     *  history to the same model. Empty for servers that do not know the word. */
    std::vector<std::string> include{"reasoning.encrypted_content"};
    std::string reasoning_summary{};                ///< `auto`, `concise` or `detailed`; empty: no summary.
    std::map<std::string, std::string> metadata{};  ///< For the provider's own records.
    bool takes_sampling = true;                     ///< Else neither `temperature` nor `top_p` is sent.
    bool takes_strict_tools = true;                 ///< Else tools are sent without `strict`.
    boost::json::object extra_body{};               ///< Joins every request; the request's own wins.

    // HTTP.
    std::string auth_header = "Authorization";
    std::string auth_prefix = "Bearer ";
    std::vector<std::pair<std::string, std::string>> headers{};  ///< Added to every request.
};

}  // namespace weft
