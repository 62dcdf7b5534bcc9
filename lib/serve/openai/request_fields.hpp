#pragma once

#include "openai_error.hpp"
#include "serve/http/fields.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

// What clients of OpenAI's protocols send. Places begin at the body itself, as `param` of their errors does.

/** A set whose members are refused as OpenAI does. */
struct openai_fields : field_set {
    openai_fields() : openai_fields{std::string{}} {}
    explicit openai_fields(std::string place) : field_set{std::move(place), openai_misfit} {}
};

namespace openai_schema {
/** What no graph has: only null may stand there. */
inline constexpr std::string_view nothing = R"({"enum": []})";
inline constexpr std::string_view metadata = R"({"type": "object", "maxProperties": 16,
    "propertyNames": {"maxLength": 64}, "additionalProperties": {"type": "string", "maxLength": 512}})";
inline constexpr std::string_view messages = R"({"type": "array", "minItems": 1, "maxItems": 10000, "items": {
    "type": "object", "required": ["role"], "properties": {
        "role": {"type": "string", "enum": ["system", "developer", "user", "assistant", "tool"]},
        "content": {"type": ["string", "array", "null"]}}}})";
inline constexpr std::string_view input = R"({"anyOf": [{"type": "string"},
    {"type": "array", "maxItems": 10000, "items": {"type": "object", "properties": {
        "type": {"type": ["string", "null"]}}}}]})";
inline constexpr std::string_view items = R"({"type": "array", "minItems": 1, "maxItems": 100, "items": {
    "type": "object", "properties": {"type": {"type": ["string", "null"]}}}})";
inline constexpr std::string_view first_items = R"({"type": "array", "maxItems": 100, "items": {
    "type": "object", "properties": {"type": {"type": ["string", "null"]}}}})";
inline constexpr std::string_view nested_tools = R"({"type": "array", "maxItems": 128, "items": {
    "type": "object", "required": ["function"], "properties": {"function": {
        "type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}}}}})";
inline constexpr std::string_view tools = R"({"type": "array", "maxItems": 128, "items": {
    "type": "object", "required": ["type", "name"], "properties": {
        "type": {"const": "function"}, "name": {"type": "string", "minLength": 1},
        "parameters": {"type": ["object", "null"]}}}})";
inline constexpr std::string_view conversation = R"({"anyOf": [{"type": "string", "minLength": 1},
    {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "minLength": 1}}}]})";
inline constexpr std::string_view choice = R"({"anyOf": [{"type": "string"}, {"type": "object"}]})";
}  // namespace openai_schema

struct stream_options_fields : openai_fields {
    using openai_fields::openai_fields;

    flag_field includes_usage{*this, "include_usage", "The stream ends with what was used"};
};

/** `POST /v1/chat/completions` */
struct completion_fields : openai_fields {
    stream_options_fields in_options{"stream_options"};

    text_field model{*this, "model", "The name of a graph, or an assistant", field_need::required};
    value_field messages{*this, "messages", "The conversation", openai_schema::messages, field_need::required};
    flag_field stream{*this, "stream", "Whether the answer comes piece by piece"};
    object_field options{*this, "stream_options", "Only with stream", &in_options};
    value_field tools{*this, "tools", "Functions of the client", openai_schema::nested_tools};
    value_field metadata{*this, "metadata", "thread_id names the thread that keeps the run", openai_schema::metadata};
    value_field count{*this, "n", "A graph gives one answer", R"({"enum": [1]})"};
    value_field logprobs{*this, "logprobs", "Graphs have no probabilities of tokens", R"({"enum": [false]})"};
    value_field top_logprobs{*this, "top_logprobs", "As logprobs", R"({"enum": [0]})"};
    value_field functions{*this, "functions", "Use tools in its place", openai_schema::nothing};
    value_field function_call{*this, "function_call", "Use tools in its place", openai_schema::nothing};
    value_field audio{*this, "audio", "Graphs answer with text", openai_schema::nothing};
};

struct text_format_fields : openai_fields {
    using openai_fields::openai_fields;

    text_field type{*this, "type", "text, json_object or json_schema", field_need::required};
};

struct text_options_fields : openai_fields {
    using openai_fields::openai_fields;

    text_format_fields in_format{"text.format"};
    object_field format{*this, "format", "The form of the answer, for graphs that look at it", &in_format};
};

/** `POST /v1/responses`, and what counts or shortens its input. */
struct response_request_fields : openai_fields {
    static constexpr number_range count{.min = 0, .max = std::numeric_limits<std::int64_t>::max()};
    text_options_fields in_text{"text"};

    text_field model{*this, "model", "The name of a graph, or an assistant", field_need::required};
    value_field input{*this, "input", "A text, or items", openai_schema::input};
    text_field instructions{*this, "instructions", "What the graph is told before"};
    text_field previous{*this, "previous_response_id", "The response that this one follows, as a fork"};
    value_field conversation{*this, "conversation", "The thread, by its id", openai_schema::conversation};
    flag_field store{*this, "store", "Whether it can be asked for later; true without it"};
    flag_field background{*this, "background", "Whether the answer comes before it is done"};
    flag_field stream{*this, "stream", "Whether the answer comes piece by piece"};
    value_field tools{*this, "tools", "Functions of the client", openai_schema::tools};
    value_field metadata{*this, "metadata", "Comes back with the response", openai_schema::metadata};
    object_field reasoning{*this, "reasoning", "Comes back with the response"};
    object_field text{*this, "text", "Comes back with the response", &in_text};
    value_field prompt{*this, "prompt", "The server has no prompts: its models are graphs", openai_schema::nothing};
    number_field output_tokens_max{*this, "max_output_tokens", "Comes back with the response", count};
    number_field tool_calls_max{*this, "max_tool_calls", "Comes back with the response", count};
    flag_field parallel_tool_calls{*this, "parallel_tool_calls", "Comes back with the response"};
    text_field prompt_cache_key{*this, "prompt_cache_key", "Comes back with the response"};
    text_field safety_identifier{*this, "safety_identifier", "Comes back with the response"};
    text_field service_tier{*this, "service_tier", "Comes back with the response"};
    real_field temperature{*this, "temperature", "Comes back with the response"};
    value_field tool_choice{*this, "tool_choice", "Comes back with the response", openai_schema::choice};
    number_field top_logprobs{*this, "top_logprobs", "Comes back with the response", count};
    real_field top_p{*this, "top_p", "Comes back with the response"};
    real_field presence_penalty{*this, "presence_penalty", "Comes back with the response"};
    real_field frequency_penalty{*this, "frequency_penalty", "Comes back with the response"};
    text_field truncation{*this, "truncation", "Comes back with the response"};
    text_field user{*this, "user", "Comes back with the response"};

    /** Those that a response has as they were given. */
    std::array<const field*, 17> repeated{
        &instructions,      &output_tokens_max, &tool_calls_max, &parallel_tool_calls, &previous,
        &prompt_cache_key,  &safety_identifier, &service_tier,   &temperature,         &tool_choice,
        &top_logprobs,      &top_p,             &presence_penalty, &frequency_penalty, &truncation,
        &user,              &store};
};

/** What a message of a WebSocket has beside those. */
struct response_message_fields : openai_fields {
    flag_field generates{*this, "generate", "False: the input is kept for the next message"};
};

/** `GET /v1/responses/{response_id}` */
struct response_view_fields : openai_fields {
    flag_field stream{*this, "stream", "Whether its events come again, and go on"};
    number_field after{*this, "starting_after", "The event that the client has seen last",
                       {.min = 0, .max = 1'000'000'000}};
};

/** `POST /v1/conversations` */
struct conversation_fields : openai_fields {
    value_field metadata{*this, "metadata", "Comes back with the conversation", openai_schema::metadata};
    value_field items{*this, "items", "What was said before", openai_schema::first_items};
};

/** `POST /v1/conversations/{conversation_id}` */
struct conversation_change_fields : openai_fields {
    value_field metadata{*this, "metadata", "In the place of what was there", openai_schema::metadata};
};

/** `POST /v1/conversations/{conversation_id}/items` */
struct new_items_fields : openai_fields {
    value_field items{*this, "items", "What else was said", openai_schema::items, field_need::required};
};

/** A page of items. */
struct item_page_fields : openai_fields {
    static constexpr std::array<std::string_view, 2> orders{"desc", "asc"};

    number_field limit{*this, "limit", "How many at most", {.min = 1, .max = 100, .otherwise = 20}};
    word_field order{*this, "order", "The newest first, or the oldest; desc without it", orders};
    text_field after{*this, "after", "The item behind which the page begins"};
};

}  // namespace weft::serve_detail
