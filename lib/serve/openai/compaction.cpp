#include "compaction.hpp"

#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "openai_orders.hpp"
#include "openai_usage.hpp"
#include "response_orders.hpp"
#include "response_request.hpp"
#include "stored_items.hpp"
#include "serve/state/message_wire.hpp"

#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/system/random_secret.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/model/chat/token_estimate.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/store/sealed/aes_gcm_cipher.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::string_view item_prefix = "weft1.";

constexpr const std::string* seal_owner = nullptr;

/** One for all tenants: the seal of an item names its tenant. */
document_key place_of_key() { return {"openai_seal", "", "1"}; }

/** The secret of the store: the first process that wants it makes it. */
task<std::string> sealing_secret(serve_core& core)
{
    document_store& documents = core.stores.service->documents();
    // Another process may write its own at the same moment: then that one counts, for both.
    for (int attempt = 0; attempt < 3; ++attempt) {
        const document_key key = place_of_key();
        on_behalf_of looking{documents.read(key), seal_owner};
        const std::optional<stored_document> found = co_await looking;
        if (found) {
            const value body = parse_json(found->body);
            co_return std::string{body.at("secret").as_string()};
        }
        object body;
        body["secret"] = to_hex(*from_base64url(random_secret()));
        std::vector<document_change> changes;
        document_change made;
        made.key = key;
        made.body = boost::json::serialize(body);
        made.expected = 0;
        changes.push_back(std::move(made));
        on_behalf_of written{documents.write(std::move(changes)), seal_owner};
        (void)co_await written;
    }
    throw error{errc::store_unavailable, "openai_seal", "the secret of compactions cannot be kept"};
}

/** An item that one tenant was given opens for no other one. */
sealed_place place_for(const std::string& tenant)
{
    sealed_place place{"compaction"};
    place.part(tenant);
    return place;
}

array opened(const value_cipher& cipher, const std::string& tenant, std::string_view sealed, std::string_view place)
{
    // Why an item does not open stays in here: one that was forged tells its maker nothing.
    bool is_ours = sealed.starts_with(item_prefix);
    value messages;
    if (is_ours) {
        const std::optional<std::string> bytes = from_base64(sealed.substr(item_prefix.size()));
        try {
            if (bytes) messages = parse_json(cipher.open(*bytes, place_for(tenant)));
        } catch (const error&) {
            is_ours = false;
        }
    }
    if (!is_ours || !messages.is_array())
        refuse_parameter(place, "is no compaction of this server", "invalid_encrypted_content");
    return std::move(messages.get_array());
}

task<std::shared_ptr<const value_cipher>> cipher_of(serve_core& core)
{
    const std::string secret = co_await sealing_secret(core);
    const sealing_keys keys{secret_string{secret}};
    co_return make_aes_gcm_cipher(keys);
}

/** Whether a body has an item that was sealed. Items of reasoning may have the same member: the store is asked once
 *  too often then. */
bool has_compaction(const object& body)
{
    const value* const input = body.if_contains("input");
    if (!input || !input->is_array()) return false;
    for (const value& item : input->get_array()) {
        const value* const sealed = item.is_object() ? item.get_object().if_contains("encrypted_content") : nullptr;
        if (sealed && sealed->is_string()) return true;
    }
    return false;
}

tokens estimate_of(const conversation_input& input)
{
    tokens total;
    for (const value& one : input.messages) {
        const object json = message_from_langchain(one, "input");
        total = total + estimate_message(boost::json::value_to<message>(value(json)));
    }
    return total;
}

/** The messages of the response before, then those of the request. */
task<conversation_input> whole_input(serve_core& core, api_call& call, object body)
{
    const compaction_opener open = co_await opener_for(core, call.tenant(), body);
    response_request request = read_response_request(body, open);
    (void)co_await require_model(core, call.tenant(), request.model);
    conversation_input all = std::move(request.input);
    if (!request.previous.empty()) {
        array before = co_await messages_of_response(core, call, request.previous);
        put_before(std::move(before), all);
    }
    // In the order in which a graph would get them: instructions come before all that was said.
    if (!request.instructions.empty()) {
        object first;
        first["role"] = "system";
        first["content"] = request.instructions;
        array instructions;
        instructions.push_back(std::move(first));
        put_before(std::move(instructions), all);
    }
    co_return all;
}

}  // namespace

task<compaction_opener> opener_for(serve_core& core, std::string tenant, object body)
{
    compaction_opener open = [](std::string_view, std::string_view) { return array{}; };
    if (!has_compaction(body)) co_return open;  // the store is not asked for its secret
    std::shared_ptr<const value_cipher> cipher = co_await cipher_of(core);
    open = [cipher = std::move(cipher), tenant = std::move(tenant)](std::string_view sealed, std::string_view place) {
        return opened(*cipher, tenant, sealed, place);
    };
    co_return open;
}

task<void> compact_conversation(serve_core& core, api_call& call)
{
    object body = co_await call.read_object();
    const conversation_input all = co_await whole_input(core, call, std::move(body));
    const std::shared_ptr<const value_cipher> cipher = co_await cipher_of(core);
    const std::string sealed = cipher->seal(boost::json::serialize(all.messages), place_for(call.tenant()));
    const std::string id = core.next_id<run_id>().text();
    object item;
    item["type"] = "compaction";
    item["id"] = "cmp_" + id;
    item["encrypted_content"] = std::string{item_prefix}.append(to_base64(sealed));
    array output;
    output.push_back(std::move(item));
    usage used;
    used.input = estimate_of(all);
    object view;
    view["id"] = "resp_cmp_" + id;
    view["object"] = "response.compaction";
    view["created_at"] = unix_seconds(core.loop.clock().system_now());
    view["output"] = std::move(output);
    view["usage"] = response_usage_view(used);
    co_await call.reply(200, view);
}

task<void> count_input_tokens(serve_core& core, api_call& call)
{
    object body = co_await call.read_object();
    const conversation_input all = co_await whole_input(core, call, std::move(body));
    object view;
    view["object"] = "response.input_tokens";
    view["input_tokens"] = estimate_of(all).count();
    co_await call.reply(200, view);
}

}  // namespace weft::serve_detail
