#pragma once

#include <weft/model/wire/tool_id_style.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** How far a server follows `response_format`. */
enum class response_formats { none, json_object, json_schema };

/** How an OpenAI-compatible server differs from OpenAI. The defaults are OpenAI's own; `openai_profiles` has others.
 *
 *  @par Source   The servers' documentation and the adapters of several client libraries, late 2026.
 */
struct openai_profile {
    std::string provider = "openai";  ///< Marks what only this provider understands in the history.

    // What the request looks like.
    std::string max_tokens_field = "max_completion_tokens";
    std::string system_role = "system";
    std::string required_tools_word = "required";  ///< For `tool_choice::mode::required`; empty: not sent.
    bool takes_sampling = true;           ///< Else no `temperature` and no `top_p` is sent. A refusal is learnt anyway.
    bool takes_tool_choice = true;
    bool takes_parallel_flag = true;
    bool takes_strict_tools = true;
    bool takes_null_content = true;       ///< Else "" stands where a message has only tool calls.
    bool takes_broken_arguments = true;   ///< Else arguments that are no JSON go back as `{}`.
    bool takes_stream_options = true;     ///< Else usage comes by itself, or not at all.
    bool echoes_reasoning = false;        ///< Reasoning goes back with the history, in the first of `reasoning_fields`.
    response_formats response_format = response_formats::json_schema;
    tool_id_style tool_ids = tool_id_style::any;
    boost::json::object extra_body{};  ///< Joins every request; the request's own wins.

    // What the answer looks like.
    std::vector<std::string> reasoning_fields{"reasoning_content", "reasoning"};  ///< The first that is there counts.
    bool done_implies_stop = false;  ///< `[DONE]` completes a reply that names no finish reason.
    bool joins_names = false;        ///< Names of tools come in pieces.

    // HTTP.
    std::string auth_header = "Authorization";
    std::string auth_prefix = "Bearer ";
    std::vector<std::pair<std::string, std::string>> headers{};  ///< Added to every request.
};

/** Profiles of servers that weft has met. */
namespace openai_profiles {

[[nodiscard]] openai_profile openai();
/** For servers that nothing is known about: asks for nothing that only some understand. */
[[nodiscard]] openai_profile compatible();
[[nodiscard]] openai_profile azure();
[[nodiscard]] openai_profile vllm();
[[nodiscard]] openai_profile llama_cpp();
[[nodiscard]] openai_profile ollama();
[[nodiscard]] openai_profile openrouter();
[[nodiscard]] openai_profile deepseek();
[[nodiscard]] openai_profile groq();
[[nodiscard]] openai_profile mistral();
[[nodiscard]] openai_profile gemini();

/** The profile for a host by its name, e.g. `api.mistral.ai`; `compatible` for others. */
[[nodiscard]] openai_profile for_host(std::string_view host);

}  // namespace openai_profiles

}  // namespace weft
