#pragma once

#include "serve/http/fields.hpp"
#include "stream_modes.hpp"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

inline constexpr std::array<std::string_view, 4> strategy_names{"enqueue", "reject", "interrupt", "rollback"};
inline constexpr std::array<std::string_view, 2> if_not_exists_names{"reject", "create"};
inline constexpr std::array<std::string_view, 2> on_disconnect_names{"continue", "cancel"};
inline constexpr std::array<std::string_view, 2> on_completion_names{"delete", "keep"};

struct command_fields : field_set {
    using field_set::field_set;

    value_field resume{*this, "resume", "The answer to the open question, or answers by their ids"};
    object_field update{*this, "update", "Values that are written first"};
    value_field go_to{*this, "goto", "Only an empty list: a graph goes where its edges lead"};
};

struct run_config_fields : field_set {
    using field_set::field_set;

    number_field steps_max{*this, "recursion_limit", "Steps of the run at most",
                           {.min = 1, .max = std::numeric_limits<std::uint32_t>::max()}};
};

struct run_checkpoint_fields : field_set {
    using field_set::field_set;

    text_field id{*this, "checkpoint_id", "As the history names it"};
};

/** What a client says of any run, also of those that a cron begins. */
struct any_run_fields : field_set {
    explicit any_run_fields(std::string place) : field_set{std::move(place)} {}

    run_config_fields in_config{place() + ".config"};

    text_field assistant{*this, "assistant_id", "An assistant, or the name of a graph", field_need::required};
    object_field input{*this, "input", "Values of the state; without it the run goes on"};
    object_field metadata{*this, "metadata", "By which the run is found"};
    object_field config{*this, "config", "How it runs", &in_config};
    value_field stream_mode{*this, "stream_mode", "What its stream shows: a mode, or several", stream_modes_schema};
    flag_field has_subgraphs{*this, "stream_subgraphs", "Whether the stream shows graphs within nodes"};
    word_field strategy{*this, "multitask_strategy", "What to do if the thread has a run", strategy_names};
    text_field webhook{*this, "webhook", "A URL to which its end is sent"};
    value_field pause_before{*this, "interrupt_before", "Only an empty list: the graph says where it pauses"};
    value_field pause_after{*this, "interrupt_after", "Only an empty list: the graph says where it pauses"};
};

/** What a client says when it begins a run. */
struct run_fields : any_run_fields {
    using any_run_fields::any_run_fields;

    command_fields in_command{place() + ".command"};
    run_checkpoint_fields in_checkpoint{place() + ".checkpoint"};

    object_field command{*this, "command", "An answer, or values, for a thread that waits", &in_command};
    text_field checkpoint_id{*this, "checkpoint_id", "Where in the history it begins"};
    object_field checkpoint{*this, "checkpoint", "The same as an object", &in_checkpoint};
    word_field if_not_exists{*this, "if_not_exists", "What to do if there is no such thread", if_not_exists_names};
    word_field on_disconnect{*this, "on_disconnect", "What becomes of it when its client goes", on_disconnect_names};
    word_field on_completion{*this, "on_completion", "What becomes of a thread that was made for it",
                             on_completion_names};
    number_field after_seconds{*this, "after_seconds", "When it begins, from now on",
                               {.min = 0, .max = 366 * 24 * 3600}};
};

/** Of the body of a request. */
[[nodiscard]] const run_fields& run_fields_of_body();

}  // namespace weft::serve_detail
