#include "run_body.hpp"

#include "run_notes.hpp"

#include "checkpoint_text.hpp"

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

void read_command(run_body& body, const object& from, const run_fields& fields)
{
    const object* const command = fields.command.in(from);
    if (!command) return;
    if (const value* const resume = fields.in_command.resume.in(*command)) body.resume = *resume;
    if (const object* const update = fields.in_command.update.in(*command)) body.update = *update;
    // Clients that answer a question send an empty list.
    const value* const jump = fields.in_command.go_to.in(*command);
    const bool is_empty = jump && jump->is_array() && jump->get_array().empty();
    if (jump && !is_empty)
        fields.in_command.go_to.refuse("a graph of weft goes where its edges lead; begin a run, or fork the thread");
}

void read_checkpoint(run_body& body, const object& from, const run_fields& fields)
{
    std::optional<std::string> id = fields.checkpoint_id.in(from);
    if (const object* const checkpoint = fields.checkpoint.in(from); checkpoint && !id)
        id = fields.in_checkpoint.id.in(*checkpoint);
    if (!id) return;
    body.checkpoint = checkpoint_number(*id);
    if (!body.checkpoint) fields.checkpoint_id.refuse("expected one that the history of the thread names");
}

void read_config(run_body& body, const object& from, const any_run_fields& fields)
{
    const object* const config = fields.config.in(from);
    if (!config) return;
    const auto steps = fields.in_config.steps_max.in(*config);
    if (steps) body.steps_max = static_cast<std::uint32_t>(*steps);
}

void refuse_what_is_not_there(const object& from, const any_run_fields& fields)
{
    for (const value_field* const field : {&fields.pause_before, &fields.pause_after}) {
        const value* const given = field->in(from);
        // To pass over it would run nodes that the client wants to look at first.
        const bool is_empty = given && given->is_array() && given->get_array().empty();
        if (given && !is_empty) field->refuse("the graph says where it pauses (pause_before, pause_after)");
    }
}

}  // namespace

const run_fields& run_fields_of_body()
{
    static const run_fields fields{"body"};
    return fields;
}

run_body read_any_run(const object& from, stream_mode default_mode, const any_run_fields& fields)
{
    run_body body;
    body.place = fields.place();
    body.assistant = fields.assistant.needed_in(from);
    if (const object* const input = fields.input.in(from)) body.input = *input;
    read_config(body, from, fields);
    refuse_what_is_not_there(from, fields);
    if (const object* const metadata = fields.metadata.in(from)) body.metadata = *metadata;
    run_notes::erase_own(body.metadata);
    body.view.modes = read_stream_modes(fields.stream_mode.in(from), default_mode, fields.stream_mode.place());
    body.view.has_subgraphs = fields.has_subgraphs.in(from).value_or(false);
    if (const auto word = fields.strategy.in(from)) body.on_busy = static_cast<run_body::strategy>(*word);
    body.webhook = fields.webhook.in(from).value_or("");
    return body;
}

run_body read_run_body(const object& from, stream_mode default_mode, const run_fields& fields)
{
    run_body body = read_any_run(from, default_mode, fields);
    read_command(body, from, fields);
    read_checkpoint(body, from, fields);
    body.makes_thread = fields.if_not_exists.in(from) == std::size_t{1};
    body.stops_with_client = fields.on_disconnect.in(from) == std::size_t{1};
    body.keeps_thread = fields.on_completion.in(from) == std::size_t{1};
    if (const auto after = fields.after_seconds.in(from)) body.after_seconds = static_cast<double>(*after);
    return body;
}

}  // namespace weft::serve_detail
