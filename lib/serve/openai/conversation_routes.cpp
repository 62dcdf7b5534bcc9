#include "openai_routes.hpp"

#include "compaction.hpp"
#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "openai_schemas.hpp"
#include "request_fields.hpp"
#include "response_request.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/order/threads.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/state/message_wire.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/views.hpp"
#include "spoken_messages.hpp"
#include "stored_items.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::string_view own_metadata = "openai";  // member of a thread's metadata
constexpr std::size_t items_at_once = 100;
constexpr std::size_t pending_max = 1000;

/** Any thread is one, whichever protocol has made it. */
task<stored_thread> require_conversation(serve_core& core, api_call& call)
{
    const std::string id = call.part(0);
    std::optional<stored_thread> found =
        co_await core.stores.service->threads().find(call.thread(thread_of_conversation(id)));
    if (!found) throw http_error{404, "conversation_not_found", "there is no conversation '" + id + "'"};
    co_return std::move(*found);
}

object conversation_of(const stored_thread& of)
{
    const object metadata = object_in(of.metadata);
    const object* const own = peek_object(metadata, own_metadata);
    object view;
    view["id"] = conversation_id_of(of.thread.thread);
    view["object"] = "conversation";
    view["created_at"] = unix_seconds(of.created);
    view["metadata"] = own ? *own : object{};
    return view;
}

/** Messages of clients as values of ours, with ids. */
std::vector<message> named_messages(serve_core& core, const array& given)
{
    std::vector<message> result;
    const std::string prefix = core.next_id<run_id>().text();
    for (std::size_t i = 0; i < given.size(); ++i) {
        const object json = message_from_langchain(given[i], "items");
        message one = boost::json::value_to<message>(value(json));
        if (one.id.empty()) one.id = prefix + '-' + std::to_string(i + 1);
        result.push_back(std::move(one));
    }
    return result;
}

/** What is said in a conversation, and where it is kept. */
struct conversation_content {
    conversation_content() {}

    std::vector<message> messages = {};
    std::shared_ptr<const hosted_graph> graph = {};  ///< Null: no run has begun there; they wait for it.
    std::string key = {};
};

task<conversation_content> content_of(serve_core& core, stored_thread of)
{
    conversation_content content;
    // Without a graph there is no state to keep them in.
    if (of.head == 0) {
        content.messages = pending_messages(of);
        co_return content;
    }
    const object metadata = object_in(of.metadata);
    content.graph = core.find_graph(peek_text(metadata, "graph_id"));
    if (!content.graph)
        throw http_error{409, "graph_not_found", "the graph of the conversation is not on this server"};
    content.key = content.graph->chat.messages_key();
    const thread_snapshot now = co_await core.engine.read(of.thread);
    content.messages = messages_from(now.state(), content.key, 0);
    co_return content;
}

array items_of(const std::vector<message>& messages)
{
    array items;
    for (const message& one : messages) append_items(items, one);
    return items;
}

object list_of(array items)
{
    object page;
    page["object"] = "list";
    page["first_id"] = items.empty() ? value(nullptr) : items.front().at("id");
    page["last_id"] = items.empty() ? value(nullptr) : items.back().at("id");
    page["has_more"] = false;
    page["data"] = std::move(items);
    return page;
}

/** Items of a body, as messages. */
task<array> given_items(serve_core& core, std::string tenant, const value_field& from, object body)
{
    const value* const items = from.in(body);
    if (!items) co_return array{};
    if (!items->is_array()) refuse_parameter("items", "expected a list", "invalid_type");
    if (items->get_array().size() > items_at_once)
        refuse_parameter("items", "expected at most " + std::to_string(items_at_once));
    object as_input;
    // Items of a conversation have the same forms as those of a request.
    as_input["input"] = *items;
    const compaction_opener open = co_await opener_for(core, std::move(tenant), as_input);
    conversation_input given = read_response_input(*items, open, "items");
    co_return std::move(given.messages);
}

task<void> create_conversation(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    object metadata;
    // Apart from what other protocols and the server note about the thread.
    const conversation_fields& fields = fields_of<conversation_fields>();
    metadata[own_metadata] = read_openai_metadata(fields.metadata, body);
    const array given = co_await given_items(core, call.tenant(), fields.items, body);
    if (!given.empty()) metadata[run_notes::pending] = wire_messages(named_messages(core, given));
    const thread_key key = call.thread(core.next_id<run_id>().text());
    (void)co_await core.stores.service->threads().create(key, boost::json::serialize(metadata));
    const stored_thread made = co_await require_thread(core, key);
    co_await call.reply(200, conversation_of(made));
}

task<void> show_conversation(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_conversation(core, call);
    co_await call.reply(200, conversation_of(known));
}

task<void> change_conversation(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const stored_thread known = co_await require_conversation(core, call);
    object changed;
    changed[own_metadata] = read_openai_metadata(fields_of<conversation_change_fields>().metadata, body);
    thread_change change;
    change.metadata = boost::json::serialize(changed);
    (void)co_await core.stores.service->threads().update(known.thread, std::move(change));
    const stored_thread now = co_await require_thread(core, known.thread);
    co_await call.reply(200, conversation_of(now));
}

task<void> erase_conversation(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_conversation(core, call);
    (void)co_await core.engine.forget(known.thread);
    object body;
    body["id"] = conversation_id_of(known.thread.thread);
    body["object"] = "conversation.deleted";
    body["deleted"] = true;
    co_await call.reply(200, body);
}

task<void> list_items(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_conversation(core, call);
    const conversation_content content = co_await content_of(core, known);
    co_await call.reply(200, page_of_items(items_of(content.messages), call));
}

value require_item(const conversation_content& content, const std::string& id)
{
    for (value& item : items_of(content.messages))
        if (item.at("id") == value(id)) return std::move(item);
    throw http_error{404, "item_not_found", "the conversation has no item '" + id + "'"};
}

task<void> show_item(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_conversation(core, call);
    const conversation_content content = co_await content_of(core, known);
    co_await call.reply(200, require_item(content, call.part(1)));
}

/** Writes messages into a conversation: behind those that are there, or in their place. */
task<void> write_messages(serve_core& core, stored_thread of, conversation_content content,
                          std::vector<message> messages, bool replaces)
{
    // They wait in the metadata, so that any process on the store finds them.
    if (!content.graph) {
        std::vector<message> all = replaces ? std::vector<message>{} : std::move(content.messages);
        for (message& one : messages) all.push_back(std::move(one));
        if (all.size() > pending_max)
            refuse_parameter("items", "more than " + std::to_string(pending_max) + " wait for the first response");
        co_await keep_pending_messages(core, of.thread, wire_messages(all));
        co_return;
    }
    if (content.key.empty()) refuse_parameter("items", "the graph of the conversation keeps no messages");
    object values;
    values[content.key] = wire_messages(messages);
    const weft::graph& graph = content.graph->graph;
    // What is taken away is written over: lists of a state only grow.
    state_update update = replaces ? read_values(graph, values, "items") : read_update(graph, values, "items");
    (void)co_await core.engine.edit(of.thread, std::move(update));
}

task<void> add_items(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const stored_thread known = co_await require_conversation(core, call);
    const array given = co_await given_items(core, call.tenant(), fields_of<new_items_fields>().items, body);
    if (given.empty()) refuse_parameter("items", "expected at least one", "missing_required_parameter");
    conversation_content content = co_await content_of(core, known);
    const std::vector<message> added = named_messages(core, given);
    co_await write_messages(core, known, std::move(content), added, false);
    co_await call.reply(200, list_of(items_of(added)));
}

task<void> erase_item(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_conversation(core, call);
    conversation_content content = co_await content_of(core, known);
    const std::string id = call.part(1);
    const value item = require_item(content, id);
    // Its message has other calls, and results refer to them.
    if (item.at("type") == "function_call")
        refuse_parameter("item_id", "a call is a part of a message; delete its conversation", "unsupported_value");
    std::vector<message> left;
    for (message& one : content.messages) {
        array items;
        append_items(items, one);
        if (items.empty() || items.front().at("id") != value(id)) left.push_back(one);
    }
    co_await write_messages(core, known, std::move(content), std::move(left), true);
    const stored_thread now = co_await require_thread(core, known.thread);
    co_await call.reply(200, conversation_of(now));
}

}  // namespace

void add_conversation_routes(route_table& routes, serve_core& core)
{
    const std::string one = "/v1/conversations/{conversation_id}";
    const good_answer shown{.of = &conversation_schema};
    const good_answer items{.of = &item_list_schema};
    bind_route(routes, core, "POST", "/v1/conversations", {"threads", "create"}, create_conversation,
               {.summary = "Makes a conversation", .body = &fields_of<conversation_fields>(), .answer = shown});
    bind_route(routes, core, "GET", one, {"threads", "read"}, show_conversation,
               {.summary = "Shows a conversation", .answer = shown});
    bind_route(routes, core, "POST", one, {"threads", "update"}, change_conversation,
               {.summary = "Changes what is noted about a conversation",
                .body = &fields_of<conversation_change_fields>(),
                .answer = shown});
    bind_route(routes, core, "DELETE", one, {"threads", "delete"}, erase_conversation,
               {.summary = "Deletes a conversation with all that it has", .answer = {.of = &deleted_schema}});
    bind_route(routes, core, "GET", one + "/items", {"threads", "read"}, list_items,
               {.summary = "Lists what was said", .query = &fields_of<item_page_fields>(), .answer = items});
    bind_route(routes, core, "POST", one + "/items", {"threads", "update"}, add_items,
               {.summary = "Adds what was said elsewhere", .body = &fields_of<new_items_fields>(), .answer = items});
    bind_route(routes, core, "GET", one + "/items/{item_id}", {"threads", "read"}, show_item,
               {.summary = "Shows something that was said", .answer = {.of = &conversation_item_schema}});
    bind_route(routes, core, "DELETE", one + "/items/{item_id}", {"threads", "update"}, erase_item,
               {.summary = "Takes back something that was said", .answer = shown});
}

}  // namespace weft::serve_detail
