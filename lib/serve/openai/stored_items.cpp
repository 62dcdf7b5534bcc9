#include "stored_items.hpp"

#include "openai_error.hpp"
#include "request_fields.hpp"
#include "run_transcript.hpp"
#include "serve/order/threads.hpp"
#include "serve/order/runs.hpp"
#include "serve/run/run_history.hpp"
#include "serve/state/message_wire.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/views.hpp"
#include "spoken_messages.hpp"

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

object text_part_view(std::string_view text, bool is_output)
{
    object view;
    view["type"] = is_output ? "output_text" : "input_text";
    view["text"] = text;
    if (is_output) {
        view["annotations"] = array{};
        view["logprobs"] = array{};
    }
    return view;
}

object image_part_view(const image_part& image)
{
    object view;
    view["type"] = "input_image";
    std::string url = image.url;
    // Bytes beside a URL are not known to clients.
    if (url.empty()) url.append("data:").append(image.media_type()).append(";base64,").append(image.base64());
    view["image_url"] = std::move(url);
    view["detail"] = image.detail.empty() ? std::string{"auto"} : image.detail;
    return view;
}

object message_view(const message& from)
{
    const bool is_output = from.role == role::assistant;
    array content;
    for (const content_part& part : from.content) {
        if (const auto* const text = std::get_if<text_part>(&part))
            content.push_back(text_part_view(text->text, is_output));
        else if (const auto* const image = std::get_if<image_part>(&part))
            content.push_back(image_part_view(*image));
        else if (const auto* const refused = std::get_if<refusal_part>(&part))
            content.push_back(object{{"type", "refusal"}, {"refusal", refused->text}});
    }
    object view;
    view["type"] = "message";
    view["id"] = "msg_" + from.id;
    view["status"] = "completed";
    view["role"] = name_of(from.role);
    view["content"] = std::move(content);
    return view;
}

}  // namespace

void append_items(array& items, const message& from)
{
    // The result of a call is an item, not a message.
    if (from.role == role::tool) {
        object view;
        view["type"] = "function_call_output";
        view["id"] = "fco_" + from.id;
        view["call_id"] = from.tool_call_id;
        view["output"] = from.text();
        view["status"] = "completed";
        items.push_back(std::move(view));
        return;
    }
    const bool only_calls = from.text().empty() && !from.tool_calls.empty();
    if (!from.content.empty() && !only_calls) items.push_back(message_view(from));
    for (const tool_call& call : from.tool_calls) {
        object view;
        view["type"] = "function_call";
        view["id"] = "fc_" + call.id;
        view["call_id"] = call.id;
        view["name"] = call.name;
        view["arguments"] = call.arguments;
        view["status"] = "completed";
        items.push_back(std::move(view));
    }
}

task<array> input_items_of(serve_core& core, run_record run, std::shared_ptr<const hosted_graph> graph)
{
    array items;
    const std::optional<std::int64_t> end = co_await last_checkpoint(core, run.thread, run.id);
    if (!end || !graph) co_return items;
    const chat_graph& chat = graph->chat;
    const thread_snapshot left = co_await core.engine.read(run.thread, *end);
    if (chat.messages_key().empty()) {
        const std::uint32_t slot = left.state().layout().find(chat.text_key());
        if (slot == state_layout::none || !left.state().at(slot)) co_return items;
        const value text = left.state().layout()[slot].type->value->to_json(*left.state().at(slot));
        message said = message::user(std::string{text.as_string()});
        said.id = run.id.text();
        append_items(items, said);
        co_return items;
    }
    run_transcript told{graph};
    const std::shared_ptr<run_feed> feed = co_await whole_feed_of(core, run);
    feed_reader reader{feed, 0};
    while (const std::shared_ptr<const feed_event> event = reader.next()) (void)told.take(event->what);
    const std::vector<message> all = messages_from(left.state(), chat.messages_key(), 0);
    // Where no event tells how the run began: what stands behind the words of the user was said by it.
    const std::size_t said_by_run = chat.added(left.state()).size();
    const std::size_t count = told.messages_before().value_or(all.size() - said_by_run);
    for (std::size_t i = 0; i < std::min(count, all.size()); ++i) append_items(items, all[i]);
    co_return items;
}

object page_of_items(array items, const api_call& call)
{
    const item_page_fields& fields = fields_of<item_page_fields>();
    const std::size_t limit = fields.limit.or_default(call);
    // The newest first, as OpenAI has it.
    if (fields.order.in(call).value_or(0) == 0) std::reverse(items.begin(), items.end());
    std::size_t first = 0;
    if (const auto after = fields.after.in(call)) {
        const auto is_it = [&](const value& item) { return item.at("id") == value(*after); };
        const auto found = std::find_if(items.begin(), items.end(), is_it);
        if (found == items.end()) refuse_parameter("after", "there is no item '" + *after + "'");
        first = static_cast<std::size_t>(found - items.begin()) + 1;
    }
    array data;
    for (std::size_t i = first; i < items.size() && data.size() < limit; ++i) data.push_back(std::move(items[i]));
    object page;
    page["object"] = "list";
    page["first_id"] = data.empty() ? value(nullptr) : data.front().at("id");
    page["last_id"] = data.empty() ? value(nullptr) : data.back().at("id");
    page["has_more"] = first + data.size() < items.size();
    page["data"] = std::move(data);
    return page;
}

array wire_messages(const std::vector<message>& from)
{
    array result;
    for (const message& one : from) {
        const value json = boost::json::value_from(one);
        result.push_back(message_to_langchain(json.get_object(), one.id));
        result.back().get_object()["role"] = name_of(one.role);
    }
    return result;
}

std::vector<message> pending_messages(const stored_thread& of)
{
    std::vector<message> result;
    const object metadata = object_in(of.metadata);
    const value* const pending = metadata.if_contains(run_notes::pending);
    if (!pending || !pending->is_array()) return result;
    for (const value& one : pending->get_array()) {
        try {
            const object json = message_from_langchain(one, "pending");
            result.push_back(boost::json::value_to<message>(value(json)));
        } catch (const error&) {
            // Metadata of threads can be written by clients of other protocols.
        }
    }
    return result;
}

task<void> keep_pending_messages(serve_core& core, thread_key thread, array messages)
{
    object added;
    added[run_notes::pending] = std::move(messages);
    thread_change change;
    change.metadata = boost::json::serialize(added);
    (void)co_await core.stores.service->threads().update(std::move(thread), std::move(change));
}

void put_before(array pending, conversation_input& input)
{
    input.places.insert(input.places.begin(), pending.size(), "conversation");
    for (value& later : input.messages) pending.push_back(std::move(later));
    input.messages = std::move(pending);
}

}  // namespace weft::serve_detail
