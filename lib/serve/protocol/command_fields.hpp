#pragma once

#include "serve/http/fields.hpp"
#include "serve/wire/run_fields.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace weft::serve_detail {

// What clients of the second protocol send. The parameters of commands are read and named as `params`, of which all
// places are: in the body of a request, and in the message of a WebSocket.

/** A command. */
struct thread_command_fields : field_set {
    using field_set::field_set;

    number_field id{*this, "id", "Comes back with the answer",
                    {.min = std::numeric_limits<std::int64_t>::min(),
                     .max = std::numeric_limits<std::int64_t>::max(),
                     .need = field_need::required}};
    text_field method{*this, "method", "run.start, input.respond, surroundings.tell, agent.getTree",
                      field_need::required};
    object_field params{*this, "params", "Of the method"};
};

struct start_config_fields : field_set {
    using field_set::field_set;

    object_field configurable{*this, "configurable", "checkpoint_id: where in the history the run begins"};
};

/** Of `run.start`: both spellings are on the wire. */
struct start_fields : run_fields {
    using run_fields::run_fields;

    value_field strategy_alias{*this, "multitaskStrategy", "As multitask_strategy"};
    value_field assistant_alias{*this, "assistantId", "As assistant_id"};
};

struct response_fields : field_set {
    using field_set::field_set;

    text_field interrupt{*this, "interrupt_id", "The question", field_need::required};
    value_field response{*this, "response", "Its answer"};
};

/** Of `input.respond`: one answer, or a list of them. */
struct respond_fields : field_set {
    explicit respond_fields(std::string place) : field_set{std::move(place)} {}

    response_fields one{place()};
    value_field several{*this, "responses", "Answers, each with interrupt_id and response"};
    object_field update{*this, "update", "Values that are written first"};
    value_field go_to{*this, "goto", "A graph goes where its edges lead"};
};

struct surroundings_fields : field_set {
    using field_set::field_set;

    text_field subject{*this, "subject", "What it is about", field_need::required};
    text_field text{*this, "text", "What is so from now on; empty: nothing"};
};

/** What of a thread a client wants to see. */
struct channel_fields : field_set {
    using field_set::field_set;

    value_field channels{*this, "channels", "values, updates, messages, tools, lifecycle, input, tasks, custom, …",
                         R"({"type": "array", "minItems": 1, "items": {"type": "string"}})", field_need::required};
    value_field namespaces{*this, "namespaces", "Of which graphs within nodes; all without it",
                           R"({"type": "array", "items": {"type": "array", "items": {"type": "string"}}})"};
    number_field depth{*this, "depth", "Levels below one of them", {.min = 0, .max = 1000}};
    number_field since{*this, "since", "The number of the frame that it has seen last",
                       {.min = 0, .max = std::int64_t{1} << 53}};
};

struct subscription_fields : field_set {
    using field_set::field_set;

    text_field id{*this, "subscription_id", "Which one ends", field_need::required};
};

}  // namespace weft::serve_detail
