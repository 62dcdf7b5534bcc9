#include "mock_server.hpp"

#include <weft/base/json.hpp>
#include <weft/model/anthropic_model.hpp>
#include <weft/model/gemini_model.hpp>
#include <weft/model/ollama_model.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/model/responses_model.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace interop::agents {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string text_of(const value& content)
{
    if (content.is_string()) return std::string{content.as_string()};
    if (!content.is_array()) return {};
    std::string text;
    for (const value& part : content.as_array()) {
        const value* const words = part.as_object().if_contains("text");
        if (words) text += words->as_string().c_str();
    }
    return text;
}

std::string text_at(const object& of, std::string_view name)
{
    const value* const found = of.if_contains(name);
    return found && found->is_string() ? std::string{found->as_string()} : std::string{};
}

std::string content_of(const object& message)
{
    const value* const content = message.if_contains("content");
    return content ? text_of(*content) : std::string{};
}

std::vector<std::string> call_ids(const object& message)
{
    std::vector<std::string> ids;
    const value* const calls = message.if_contains("tool_calls");
    if (!calls || !calls->is_array()) return ids;
    for (const value& call : calls->as_array()) ids.push_back(text_at(call.as_object(), "id"));
    return ids;
}

/** Behind each message with calls stand their results, one for each, and no result stands elsewhere. */
void check_results(const seen_request& request)
{
    std::set<std::string> open;
    for (const value& one : request.messages()) {
        const object& message = one.as_object();
        const std::string role = text_at(message, "role");
        if (role == "tool") {
            const std::string id = text_at(message, "tool_call_id");
            expect("whether a result is that of an open call (" + id + ")", open.erase(id), 1U);
            continue;
        }
        expect("the calls without result before a message", open.size(), 0U);
        for (std::string& id : call_ids(message)) {
            expect("whether a call has an id", id.empty(), false);
            expect("whether the id " + id + " is its own", open.insert(id).second, true);
        }
    }
    expect("the calls without result at the end", open.size(), 0U);
}

bool has_call_ids(dialect api) { return api != dialect::gemini && api != dialect::ollama; }

void check_tools(const seen_request& request)
{
    const value* const tools = request.body.if_contains("tools");
    if (!tools) return;
    std::set<std::string> names;
    for (const value& tool : tools->as_array()) {
        expect("what a tool is", text_at(tool.as_object(), "type"), "function");
        const object& function = tool.at("function").as_object();
        const std::string name = text_at(function, "name");
        expect("whether there is one tool " + name, names.insert(name).second, true);
        expect("whether the tool " + name + " is described", text_at(function, "description").empty(), false);
        if (request.api == dialect::gemini) continue;  // the mock does not read how schemas are told there
        expect("the type of its arguments", text_at(function.at("parameters").as_object(), "type"), "object");
    }
}

void check_request(const seen_request& request)
{
    expect("whether a stream is asked for", request.body.at("stream").as_bool(), true);
    expect("whether somebody speaks", request.messages().empty(), false);
    // The mock takes Anthropic's messages apart in its own way: `check_anthropic_wire` looks at their results.
    const bool has_order = request.api == dialect::openai || request.api == dialect::other_openai;
    if (has_order) check_results(request);
    check_tools(request);
}

seen_request request_of(const object& entry, dialect api)
{
    seen_request seen;
    seen.api = api;
    seen.path = text_at(entry, "path");
    seen.headers = entry.at("headers").as_object();
    if (entry.at("body").is_object()) seen.body = entry.at("body").as_object();
    seen.status = static_cast<int>(entry.at("response").as_object().at("status").as_int64());
    return seen;
}

weft::task<std::string> fetch(const weft::http_client& client, std::string address)
{
    weft::http_request request{"GET", weft::url{address}};
    request.bearer(weft::secret_string{"right"}).timeouts({.first_byte = std::chrono::seconds{10}});
    weft::http_response response = co_await client.send(std::move(request));
    std::string text = co_await response.read_all(16 * 1024 * 1024);
    if (response.status() != 200) throw std::runtime_error{address + ": " + text};
    co_return text;
}

}  // namespace

std::string seen_request::header(std::string_view name) const { return text_at(headers, name); }

std::string seen_request::system() const
{
    std::string text;
    for (const value& message : messages())
        if (text_at(message.as_object(), "role") == "system") text += content_of(message.as_object());
    return text;
}

std::string seen_request::last_of(std::string_view role) const
{
    std::string text = "nothing";
    for (const value& message : messages())
        if (text_at(message.as_object(), "role") == role) text = content_of(message.as_object());
    return text;
}

std::string seen_request::shape() const
{
    std::string text, ids, before;
    const auto end_message = [&] {
        if (!ids.empty() && has_call_ids(api)) text += "[" + ids + "]";
        ids.clear();
    };
    for (const value& one : messages()) {
        const object& message = one.as_object();
        const std::string role = text_at(message, "role");
        const bool goes_on = api == dialect::responses && role == "assistant" && role == before;
        if (!goes_on) {
            end_message();
            text.append(text.empty() ? "" : " ").append(role);
        }
        ids += text_at(message, "tool_call_id");
        for (const std::string& id : call_ids(message)) ids.append(ids.empty() ? "" : " ").append(id);
        before = role;
    }
    end_message();
    return text;
}

std::string seen_request::tool_names() const
{
    std::set<std::string> names;
    if (const value* const tools = body.if_contains("tools"))
        for (const value& tool : tools->as_array()) names.insert(text_at(tool.at("function").as_object(), "name"));
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : " ").append(name);
    return text;
}

object seen_request::schema_of(std::string_view tool) const
{
    for (const value& one : body.at("tools").as_array()) {
        const object& function = one.at("function").as_object();
        if (text_at(function, "name") == tool) return function.at("parameters").as_object();
    }
    return {};
}

std::shared_ptr<weft::chat_model> mock_server::model(std::string key) const
{
    const auto made = [&]<class Model, class Options>(std::type_identity<Model>, Options options, const char* name,
                                                      const char* path) -> std::shared_ptr<weft::chat_model> {
        options.base_url = root_ + path;
        options.model = name;
        options.key = weft::secret_string{std::move(key)};
        return std::make_shared<Model>(client_, std::move(options));
    };
    using namespace weft;
    switch (which_) {
    case dialect::anthropic:
        return made(std::type_identity<anthropic_model>{}, anthropic_model_options{}, "claude-sonnet-4-5", "/v1");
    case dialect::responses:
        return made(std::type_identity<responses_model>{}, responses_model_options{}, "gpt-x", "/v1");
    case dialect::gemini:
        return made(std::type_identity<gemini_model>{}, gemini_model_options{}, "gemini-2.5-flash", "/v1beta");
    case dialect::ollama: return made(std::type_identity<ollama_model>{}, ollama_model_options{}, "llama3.2", "");
    case dialect::openai:
    case dialect::other_openai: break;
    }
    return made(std::type_identity<openai_model>{}, openai_model_options{}, "gpt-x", "/v1");
}

std::vector<seen_request> mock_server::news()
{
    const value all = get(which_ == dialect::other_openai ? "/__front/requests" : "/__aimock/journal");
    std::vector<seen_request> requests;
    for (std::size_t i = told_; i < all.as_array().size(); ++i)
        requests.push_back(request_of(all.as_array()[i].as_object(), which_));
    told_ = all.as_array().size();
    for (const seen_request& request : requests) check_request(request);
    return requests;
}

void mock_server::await_departures(std::size_t count) const
{
    expect("the clients that have gone away", get("/__front/left?count=" + std::to_string(count)), value(count));
}

void mock_server::await_arrivals(std::size_t count) const
{
    expect("the requests that came", get("/__front/came?count=" + std::to_string(count)), value(count));
}

array mock_server::wire() const { return get("/__front/requests").as_array(); }

value mock_server::get(const std::string& path) const
{
    return weft::parse_json(weft::run_blocking(fetch(client_, root_ + path)));
}

void expect_shape(std::string_view what, const seen_request& request, std::string shape)
{
    for (std::size_t at = 0; !has_call_ids(request.api) && (at = shape.find('[')) != std::string::npos;)
        shape.erase(at, shape.find(']') - at + 1);
    expect(what, request.shape(), shape);
}

void expect_part(std::string_view what, std::string_view text, std::string_view part)
{
    if (text.find(part) == std::string_view::npos) expect(what, text, "… " + std::string{part} + " …");
}

}  // namespace interop::agents
