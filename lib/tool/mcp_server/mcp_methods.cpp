#include "mcp_methods.hpp"

#include "mcp_core.hpp"
#include "mcp_write.hpp"

#include <weft/async/signal.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t completion_values_max = 100;
constexpr std::size_t subscriptions_max = 1000;

[[noreturn]] void refuse_params(std::string why, value data = nullptr)
{
    throw mcp_rejection{json_rpc_code::invalid_params, std::move(why), std::move(data)};
}

std::string required_param(const object& params, const char* name)
{
    const std::string_view text = peek_text(params, name);
    if (text.empty()) refuse_params("params." + std::string{name} + ": expected a text that is not empty");
    return std::string{text};
}

object arguments_in(const object& params)
{
    const value* const given = peek_member(params, "arguments");
    if (!given) return {};
    if (!given->is_object()) refuse_params("params.arguments: expected an object");
    return given->get_object();
}

/** What a client may keep, and for how long. */
void put_cache_hints(object& result, const served_call& call)
{
    if (!call.is_modern()) return;
    result["ttlMs"] = call.core().options.list_ttl.count();
    result["cacheScope"] = "private";  // a source may show each caller something else
}

/** The part of a list that a client asks for. A cursor is the number of the first item. */
object page_of(array all, const char* name, served_call& call)
{
    std::size_t first = 0;
    if (const value* const given = peek_member(call.request().params(), "cursor")) {
        const std::string_view text = peek_text(given);
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), first);
        const bool is_whole = code == std::errc{} && end == text.data() + text.size();
        if (!is_whole || first == 0 || first >= all.size()) refuse_params("params.cursor: it is none of this list");
    }
    const std::size_t size = std::max<std::size_t>(call.core().options.page_size, 1);
    const std::size_t last = std::min(all.size(), first + size);
    object result;
    array& items = result[name].emplace_array();
    for (std::size_t i = first; i < last; ++i) items.push_back(std::move(all[i]));
    if (last < all.size()) result["nextCursor"] = std::to_string(last);
    put_cache_hints(result, call);
    return result;
}

template <class Offered>
object list_of(const std::vector<Offered>& offered, const char* name, served_call& call)
{
    array all;
    for (const Offered& each : offered) all.push_back(json_of(each.definition));
    return page_of(std::move(all), name, call);
}

task<object> list_tools(mcp_core& core, served_call& call)
{
    array all;
    for (const offered_tool& each : core.offer.tools()) all.push_back(json_of(each.definition));
    if (core.options.source.list) {
        mcp_server_context context{call};
        const std::vector<mcp_tool> more = co_await core.options.source.list(context);
        for (const mcp_tool& each : more) all.push_back(json_of(each));
    }
    co_return page_of(std::move(all), "tools", call);
}

task<std::optional<mcp_call_result>> call_by_name(mcp_core& core, mcp_server_context& context, std::string name,
                                                  object arguments)
{
    const offered_tool* const tool = core.offer.tool(name);
    if (!tool) {
        if (!core.options.source.call) co_return std::nullopt;
        co_return co_await core.options.source.call(context, std::move(name), std::move(arguments));
    }
    value whole(std::move(arguments));
    if (const std::vector<schema_mistake> mistakes = tool->input.mistakes(whole); !mistakes.empty())
        co_return mcp_call_result::error("The arguments of " + name + " do not fit: " + text_of(mistakes));
    // The offer may not change while its function runs, and functions are shared.
    const mcp_server::tool_function function = tool->function;
    mcp_call_result result = co_await function(context, std::move(whole.get_object()));
    co_return result;
}

/** What a tool throws is for the model to read. */
template <class Work>
task<object> tool_result_of(served_call& call, Work work)
{
    std::optional<mcp_call_result> result;
    std::string failure;
    try {
        std::optional<mcp_call_result> given = co_await std::move(work);
        result = std::move(given);
        if (!result) refuse_params("Unknown tool: " + std::string{peek_text(call.request().params(), "name")});
    } catch (const mcp_rejection&) {
        throw;
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failure = e.what();
    } catch (const std::exception& e) {
        failure = e.what();
    }
    if (!result) result = mcp_call_result::error(failure);
    co_return json_of(*result, call.client().era);
}

task<object> call_tool(mcp_core& core, served_call& call)
{
    const object& params = call.request().params();
    std::string name = required_param(params, "name");
    object arguments = arguments_in(params);
    mcp_server_context context{call};
    task<std::optional<mcp_call_result>> work = call_by_name(core, context, std::move(name), std::move(arguments));
    object result = co_await tool_result_of(call, std::move(work));
    co_return result;
}

task<object> read_resource(mcp_core& core, served_call& call)
{
    const std::string uri = required_param(call.request().params(), "uri");
    auto found = core.offer.resource(uri);
    if (!found) {
        // 2026-07-28 has no code of its own for it.
        const std::int64_t code = call.is_modern() ? json_rpc_code::invalid_params : json_rpc_code::resource_not_found;
        throw mcp_rejection{code, "Resource not found: " + uri, object{{"uri", uri}}};
    }
    const mcp_server::resource_function function = *found->function;
    mcp_server_context context{call};
    const std::vector<mcp_resource_content> contents = co_await function(context, uri, std::move(found->parts));
    object result = json_of(contents);
    put_cache_hints(result, call);
    co_return result;
}

task<object> get_prompt(mcp_core& core, served_call& call)
{
    const object& params = call.request().params();
    const std::string name = required_param(params, "name");
    const offered_prompt* const prompt = core.offer.prompt(name);
    if (!prompt) refuse_params("Unknown prompt: " + name);
    object arguments = arguments_in(params);
    for (const mcp_prompt_argument& each : prompt->definition.arguments)
        if (each.is_required && !peek_member(arguments, each.name))
            refuse_params("params.arguments." + each.name + ": is required");
    for (const auto& [argument, given] : arguments)
        if (!given.is_string()) refuse_params("params.arguments." + std::string{argument} + ": expected a text");
    const mcp_server::prompt_function function = prompt->function;
    mcp_server_context context{call};
    const mcp_prompt_text text = co_await function(context, std::move(arguments));
    co_return json_of(text);
}

mcp_completion_request completion_in(const object& params)
{
    mcp_completion_request wanted;
    const object* const ref = peek_object(params, "ref");
    const std::string_view type = ref ? peek_text(*ref, "type") : std::string_view{};
    wanted.is_prompt = type == "ref/prompt";
    if (!wanted.is_prompt && type != "ref/resource")
        refuse_params("params.ref.type: expected ref/prompt or ref/resource");
    wanted.name = peek_text(*ref, wanted.is_prompt ? "name" : "uri");
    const object* const argument = peek_object(params, "argument");
    if (!argument) refuse_params("params.argument: expected an object");
    wanted.argument = required_param(*argument, "name");
    wanted.value = peek_text(*argument, "value");
    const object* const context = peek_object(params, "context");
    if (const object* const known = context ? peek_object(*context, "arguments") : nullptr) wanted.arguments = *known;
    return wanted;
}

task<object> complete(mcp_core& core, served_call& call)
{
    mcp_completion_request wanted = completion_in(call.request().params());
    mcp_server_context context{call};
    const mcp_completion found = co_await core.options.complete(context, std::move(wanted));
    object completion;
    array& values = completion["values"].emplace_array();
    const std::size_t count = std::min(found.values.size(), completion_values_max);
    for (std::size_t i = 0; i < count; ++i) values.emplace_back(found.values[i]);
    if (found.total) completion["total"] = *found.total;
    completion["hasMore"] = found.values.size() > count || found.total.value_or(count) > count;
    co_return object{{"completion", std::move(completion)}};
}

task<object> set_log_level(mcp_core& core, served_call& call)
{
    const std::string level = required_param(call.request().params(), "level");
    if (!is_mcp_log_level(level)) refuse_params("params.level: there is no level '" + level + "'");
    call.session()->client.log_level = level;
    co_await core.sessions.save(*call.session());
    co_return object{};
}

object subscribe(const mcp_core& core, served_call& call, bool begins)
{
    const std::string uri = required_param(call.request().params(), "uri");
    auto& subscriptions = call.session()->subscriptions;
    if (!begins) {
        subscriptions.erase(uri);
        return {};
    }
    // What does not exist yet may be watched as well; what was never offered may not.
    if (core.offer.resources().empty() && core.offer.templates().empty())
        throw mcp_rejection{json_rpc_code::resource_not_found, "Resource not found: " + uri};
    if (subscriptions.size() >= subscriptions_max) refuse_params("a session has at most 1000 subscriptions");
    subscriptions.insert(uri);
    return {};
}

object discovery(const mcp_core& core, const served_call& call)
{
    object result;
    array& versions = result["supportedVersions"].emplace_array();
    for (const std::string_view each : mcp_modern_versions) versions.emplace_back(each);
    result["capabilities"] = core.capabilities();
    result["serverInfo"] = core.identity();
    if (!core.options.instructions.empty()) result["instructions"] = core.options.instructions;
    put_cache_hints(result, call);
    return result;
}

/** A subscription, until its client ends it. */
task<object> listen(mcp_core& core, served_call& call)
{
    if (core.listeners.size() >= core.options.listening_max)
        throw mcp_rejection{json_rpc_code::internal_error, "too many subscriptions; try again later"};
    const object* const wanted = peek_object(call.request().params(), "notifications");
    if (!wanted) refuse_params("params.notifications: expected an object");
    server_listener made;
    made.out = call.shared_out();
    made.id = weft::json_of(*call.request().id());
    object granted;
    const object can = core.capabilities();
    const auto grant = [&](const char* name, const char* capability) {
        if (!peek_flag(*wanted, name, false) || !can.contains(capability)) return false;
        granted[name] = true;
        return true;
    };
    made.tools = grant("toolsListChanged", "tools");
    made.prompts = grant("promptsListChanged", "prompts");
    made.resources = grant("resourcesListChanged", "resources");
    if (const array* const uris = can.contains("resources") ? peek_array(*wanted, "resourceSubscriptions") : nullptr) {
        for (const value& uri : *uris)
            if (uri.is_string() && made.uris.size() < subscriptions_max) made.uris.emplace(uri.get_string());
        array& names = granted["resourceSubscriptions"].emplace_array();
        for (const std::string& uri : made.uris) names.emplace_back(uri);
    }
    object params{{"_meta", object{{"io.modelcontextprotocol/subscriptionId", made.id}}},
                  {"notifications", std::move(granted)}};
    call.send(json_rpc_message::notification("notifications/subscriptions/acknowledged", std::move(params)), false);
    struct leaving {
        std::list<server_listener>& all;
        std::list<server_listener>::iterator mine;
        ~leaving() { all.erase(mine); }
    } const end{core.listeners, core.listeners.insert(core.listeners.end(), std::move(made))};
    signal never;
    for (;;) co_await never.wait();  // to the end of its client
}

[[noreturn]] void refuse_method(const served_call& call)
{
    throw mcp_rejection{json_rpc_code::method_not_found, "Method not found: " + call.request().method()};
}

using method_function = task<object> (*)(mcp_core& core, served_call& call);

/** Which clients have a method. */
enum class method_era : std::uint8_t { both, legacy, modern };

struct known_method {
    std::string_view name;
    method_era era;
    method_function answer;
};

task<object> list_resources(mcp_core& core, served_call& call)
{
    co_return list_of(core.offer.resources(), "resources", call);
}
task<object> list_templates(mcp_core& core, served_call& call)
{
    co_return list_of(core.offer.templates(), "resourceTemplates", call);
}
task<object> list_prompts(mcp_core& core, served_call& call)
{
    co_return list_of(core.offer.prompts(), "prompts", call);
}
task<object> discover(mcp_core& core, served_call& call) { co_return discovery(core, call); }
task<object> answer_ping(mcp_core&, served_call&) { co_return object{}; }
task<object> begin_subscription(mcp_core& core, served_call& call) { co_return subscribe(core, call, true); }
task<object> end_subscription(mcp_core& core, served_call& call) { co_return subscribe(core, call, false); }

constexpr std::array<known_method, 14> known_methods{{
    {"tools/list", method_era::both, list_tools},
    {"tools/call", method_era::both, call_tool},
    {"resources/list", method_era::both, list_resources},
    {"resources/templates/list", method_era::both, list_templates},
    {"resources/read", method_era::both, read_resource},
    {"prompts/list", method_era::both, list_prompts},
    {"prompts/get", method_era::both, get_prompt},
    {"completion/complete", method_era::both, complete},
    {"server/discover", method_era::modern, discover},
    {"subscriptions/listen", method_era::modern, listen},
    {"ping", method_era::legacy, answer_ping},
    {"logging/setLevel", method_era::legacy, set_log_level},
    {"resources/subscribe", method_era::legacy, begin_subscription},
    {"resources/unsubscribe", method_era::legacy, end_subscription},
}};

bool is_offered(const mcp_core& core, const known_method& one)
{
    return one.answer != complete || core.options.complete;
}

}  // namespace

std::vector<std::string_view> method_names(const mcp_core& core)
{
    // What begins a session, and what needs no answer, is read where messages are.
    std::vector<std::string_view> names{"initialize", "notifications/initialized", "notifications/cancelled"};
    for (const known_method& one : known_methods)
        if (is_offered(core, one)) names.push_back(one.name);
    return names;
}

task<object> answer_method(mcp_core& core, served_call& call)
{
    const std::string& method = call.request().method();
    for (const known_method& one : known_methods) {
        const bool is_of_era = one.era == method_era::both || (one.era == method_era::modern) == call.is_modern();
        if (one.name == method && is_of_era && is_offered(core, one)) co_return co_await one.answer(core, call);
    }
    refuse_method(call);
}

}  // namespace weft::mcp_detail
