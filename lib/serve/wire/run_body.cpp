#include "run_body.hpp"

#include "body_fields.hpp"
#include "checkpoint_text.hpp"

#include <array>
#include <limits>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** One of several words. @return  Its place; nothing if the member is not there. */
template <std::size_t Count>
std::optional<std::size_t> word_member(const object& from, std::string_view name,
                                       const std::array<std::string_view, Count>& words)
{
    const std::optional<std::string> word = text_member(from, name);
    if (!word) return std::nullopt;
    std::string known;
    for (std::size_t i = 0; i < Count; ++i) {
        if (*word == words[i]) return i;
        known.append(known.empty() ? "" : ", ").append(words[i]);
    }
    refuse_member(name, "expected one of " + known);
}

void read_command(run_body& body, const object& from)
{
    const object* const command = object_member(from, "command");
    if (!command) return;
    if (const value* const resume = command->if_contains("resume"); resume && !resume->is_null()) body.resume = *resume;
    if (const object* const update = object_member(*command, "update")) body.update = *update;
    // Clients that answer a question send an empty list.
    const value* const jump = find_member(*command, "goto");
    const bool is_empty = jump && jump->is_array() && jump->get_array().empty();
    if (jump && !is_empty)
        refuse_member("command.goto", "a graph of weft goes where its edges lead; begin a run, or fork the thread");
}

void read_checkpoint(run_body& body, const object& from)
{
    std::optional<std::string> id = text_member(from, "checkpoint_id");
    if (const object* const checkpoint = object_member(from, "checkpoint"); checkpoint && !id)
        id = text_member(*checkpoint, "checkpoint_id");
    if (!id) return;
    body.checkpoint = checkpoint_number(*id);
    if (!body.checkpoint) refuse_member("checkpoint_id", "expected one that the history of the thread names");
}

void read_config(run_body& body, const object& from)
{
    const object* const config = object_member(from, "config");
    if (!config) return;
    const auto steps = number_member(*config, "recursion_limit", 1, std::numeric_limits<std::uint32_t>::max());
    if (steps) body.steps_max = static_cast<std::uint32_t>(*steps);
}

void refuse_what_is_not_there(const object& from)
{
    for (const std::string_view name : {"interrupt_before", "interrupt_after"}) {
        const value* const given = find_member(from, name);
        // To pass over it would run nodes that the client wants to look at first.
        const bool is_empty = given && given->is_array() && given->get_array().empty();
        if (given && !is_empty) refuse_member(name, "the graph says where it pauses (pause_before, pause_after)");
    }
}

}  // namespace

run_body read_run_body(const object& from, stream_mode default_mode)
{
    run_body body;
    body.assistant = required_text(from, "assistant_id");
    if (const object* const input = object_member(from, "input")) body.input = *input;
    read_command(body, from);
    read_checkpoint(body, from);
    read_config(body, from);
    refuse_what_is_not_there(from);
    if (const object* const metadata = object_member(from, "metadata")) body.metadata = *metadata;
    body.view.modes = read_stream_modes(from.if_contains("stream_mode"), default_mode);
    body.view.has_subgraphs = flag_member(from, "stream_subgraphs").value_or(false);
    constexpr std::array<std::string_view, 4> strategies{"enqueue", "reject", "interrupt", "rollback"};
    if (const auto word = word_member(from, "multitask_strategy", strategies))
        body.on_busy = static_cast<run_body::strategy>(*word);
    constexpr std::array<std::string_view, 2> missing{"reject", "create"};
    body.makes_thread = word_member(from, "if_not_exists", missing) == std::size_t{1};
    constexpr std::array<std::string_view, 2> disconnect{"continue", "cancel"};
    body.stops_with_client = word_member(from, "on_disconnect", disconnect) == std::size_t{1};
    constexpr std::array<std::string_view, 2> completion{"delete", "keep"};
    body.keeps_thread = word_member(from, "on_completion", completion) == std::size_t{1};
    body.webhook = text_member(from, "webhook").value_or("");
    if (const auto after = number_member(from, "after_seconds", 0, 366 * 24 * 3600))
        body.after_seconds = static_cast<double>(*after);
    return body;
}

}  // namespace weft::serve_detail
