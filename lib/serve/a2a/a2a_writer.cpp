#include "a2a_writer.hpp"

#include "a2a_fault.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using event_kind = run_event::kind;

enum a2a_form : std::size_t { first_piece, next_piece, void_pieces, status, form_count };
constexpr std::size_t legacy_forms = 10;
static_assert(form_count <= legacy_forms);

constexpr std::uint64_t nothing_said = 14695981039346656037ull;

/** @par Source   FNV-1a, 64 bits: a text is compared with one that is not kept. */
std::uint64_t hash_on(std::uint64_t hash, std::string_view text) noexcept
{
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return hash;
}

/** Text for the client; `internal_output` is that of nodes that face none. */
bool is_for_client(std::string_view label) noexcept
{
    return label == agent_event::output || label == agent_event::message_delta || label == agent_event::delta;
}

object piece_item(const std::string& run, const std::string& context, std::string_view text, bool appends, bool is_last)
{
    return {{"artifactUpdate", object{{"taskId", run},
                                      {"contextId", context},
                                      {"artifact", a2a_artifact(value(text))},
                                      {"append", appends},
                                      {"lastChunk", is_last}}}};
}

object first_piece_item(const run_event& event, const std::string& context)
{
    return piece_item(event.run.text(), context, event.text, false, false);
}

object next_piece_item(const run_event& event, const std::string& context)
{
    return piece_item(event.run.text(), context, event.text, true, false);
}

object void_item(const run_event& event, const std::string& context)
{
    return piece_item(event.run.text(), context, "", false, false);
}

object working_item(const std::string& run, const std::string& context)
{
    return {{"statusUpdate", object{{"taskId", run},
                                    {"contextId", context},
                                    {"status", object{{"state", name_of(a2a_state::working)}}}}}};
}

/** What a node has told beside words, as metadata. */
object told_item(const run_event& event, const std::string& context)
{
    object told{{"node", event.node}};
    if (event.what == event_kind::output) {
        told["event"] = event.label;
        // Nodes in C++ and in files emit text; those that mean JSON write it.
        try {
            told["data"] = parse_json(event.text);
        } catch (const error&) {
            told["data"] = event.text;
        }
    } else {
        told["event"] = "step";
    }
    object item = working_item(event.run.text(), context);
    item["statusUpdate"].get_object()["metadata"] = std::move(told);
    return item;
}

bool is_told(const run_event& event) noexcept
{
    if (event.what == event_kind::node_succeeded) return event.address.empty();
    if (event.what != event_kind::output) return false;
    return event.label != agent_event::usage && event.label != agent_event::internal_output;
}

/** Whether what was said before does not count. */
bool is_void(const run_event& event) noexcept
{
    const bool is_retracted = event.what == event_kind::output && event.label == agent_event::retract;
    return is_retracted || event.what == event_kind::node_retried;
}

std::string visit_of(const run_event& event)
{
    return std::string{event.address}.append("/").append(event.node).append("#").append(std::to_string(event.visit));
}

std::string serialized_item(object item, a2a_dialect dialect)
{
    if (dialect == a2a_dialect::v03) return boost::json::serialize(legacy_item(std::move(item)));
    return boost::json::serialize(item);
}

}  // namespace

std::string a2a_last_word(const std::string& why)
{
    refusal refused;
    refused.status = 401;
    refused.code = "unauthenticated";
    refused.message = why;
    int status = 0;
    return "event: error\ndata: " + boost::json::serialize(a2a_http_error(refused, status)) + "\n\n";
}

a2a_writer::a2a_writer(a2a_envelope envelope, a2a_task first, std::optional<std::size_t> history_length)
    : envelope_{std::move(envelope)}, task_{std::move(first)}, history_length_{history_length},
      said_hash_{nothing_said}
{
    std::string head{"data: "};
    std::string tail;
    if (envelope_.is_rpc) {
        head.append(R"({"jsonrpc":"2.0","id":)").append(boost::json::serialize(envelope_.id)).append(R"(,"result":)");
        tail = "}";
    }
    head_ = std::make_shared<const std::string>(std::move(head));
    tail_ = std::make_shared<const std::string>(tail + "\n\n");
}

void a2a_writer::append(std::string& out, object item) const
{
    out.append(*head_).append(serialized_item(std::move(item), envelope_.dialect)).append(*tail_);
}

void a2a_writer::add(event_frames& to, object item) const
{
    std::string frame;
    append(frame, std::move(item));
    to.push_back(std::make_shared<const std::string>(std::move(frame)));
}

void a2a_writer::add(event_frames& to, const feed_event& event, std::size_t form, make_function make) const
{
    const std::size_t slot =
        form_slots::a2a + form + (envelope_.dialect == a2a_dialect::v03 ? legacy_forms : 0);
    to.push_back(head_);
    to.push_back(event.form(slot, [&](const feed_event& of) {
        return serialized_item(make(of.what, task_.context), envelope_.dialect);
    }));
    to.push_back(tail_);
}

void a2a_writer::begin(std::string& out) { append(out, object{{"task", view_of(task_, history_length_)}}); }

/** A piece of the output. What another visit has said before is another message, as in the output as a whole. */
void a2a_writer::say(event_frames& to, const feed_event& event)
{
    const run_event& what = event.what;
    if (what.text.empty()) return;
    std::string speaker = visit_of(what);
    if (has_said_ && speaker != speaker_ && said_hash_ != nothing_said) {
        add(to, piece_item(what.run.text(), task_.context, "\n\n", true, false));
        said_hash_ = hash_on(said_hash_, "\n\n");
    }
    speaker_ = std::move(speaker);
    said_hash_ = hash_on(said_hash_, what.text);
    if (has_said_) add(to, event, next_piece, next_piece_item);
    else add(to, event, first_piece, first_piece_item);
    has_said_ = is_saying_ = true;
}

event_frames a2a_writer::frames(const feed_event& event)
{
    event_frames result;
    const run_event& what = event.what;
    if (task_.state == a2a_state::submitted) {
        task_.state = a2a_state::working;
        add(result, working_item(what.run.text(), task_.context));
    }
    const bool is_output = what.what == event_kind::output;
    if (is_output && is_for_client(what.label)) {
        say(result, event);
        return result;
    }
    // A run that its process has lost begins again at its last checkpoint, and its open visits with it.
    const bool is_lost = is_saying_ && what.what == event_kind::run_started && what.address.empty();
    if (is_void(what) || is_lost) {
        is_saying_ = false;
        if (!has_said_) return result;
        said_hash_ = nothing_said;
        add(result, event, void_pieces, void_item);
        return result;
    }
    const bool is_end = what.what == event_kind::node_succeeded || what.what == event_kind::node_failed;
    if (is_end && is_saying_ && visit_of(what) == speaker_) is_saying_ = false;
    if (is_told(what)) add(result, event, status, told_item);
    return result;
}

void a2a_writer::gap(std::string& out)
{
    is_broken_ = true;
    run_writer::gap(out);
}

/** Pieces that do not make up the output are replaced by it. */
void a2a_writer::tell_output(std::string& out, value output) const
{
    const std::string id = task_.id.text();
    if (output.is_null()) {
        if (has_said_) append(out, piece_item(id, task_.context, "", true, true));
        return;
    }
    const bool is_said = has_said_ && !is_broken_ && output.is_string() &&
                         hash_on(nothing_said, output.get_string()) == said_hash_;
    if (is_said) return append(out, piece_item(id, task_.context, "", true, true));
    append(out, object{{"artifactUpdate", object{{"taskId", id},
                                                 {"contextId", task_.context},
                                                 {"artifact", a2a_artifact(std::move(output))},
                                                 {"append", false},
                                                 {"lastChunk", true}}}});
}

void a2a_writer::end(std::string& out, const run_ending& ending)
{
    const a2a_task left = a2a_task_at_end(task_, ending);
    if (left.state == a2a_state::completed) tell_output(out, a2a_output(left));
    append(out, object{{"statusUpdate", object{{"taskId", task_.id.text()},
                                               {"contextId", task_.context},
                                               {"status", a2a_status_view(left)}}}});
}

last_word_function a2a_writer::last_word() const noexcept { return a2a_last_word; }

}  // namespace weft::serve_detail
