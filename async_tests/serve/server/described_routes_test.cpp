#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/openai/openai_ids.hpp"
#include "serve/server/guarded_life.hpp"

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/store/memory_items.hpp>

#include <boost/json/serialize.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(described_routes_test)

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** A server with one of each thing that has an id, and its description. */
class described_world {
public:
    described_world()
    {
        call("POST", "/threads", R"({"thread_id":"t","metadata":{"graph_id":"asking"},"ttl":60})");
        call("POST", "/threads/t/runs/wait", R"({"assistant_id":"asking","input":{}})");
        ids["run_id"] = call("GET", "/threads/t/runs").json().at(0).at("run_id").as_string();
        const answer cron = call("POST", "/runs/crons", R"({"assistant_id":"asking","schedule":"0 0 1 1 *"})");
        ids["cron_id"] = cron.json().at("cron_id").as_string();
        ids["response_id"] = weft::serve_detail::response_id{*weft::run_id::parse(ids["run_id"]), 0}.text();
        ids["task_id"] = ids["run_id"];
        const answer said = call("POST", "/v1/conversations", R"({"items":[{"role":"user","content":"hello"}]})");
        BOOST_TEST_REQUIRE(said.status == 200, said.body);
        ids["conversation_id"] = said.json().at("id").as_string();
        const std::string items_of = "/v1/conversations/" + ids["conversation_id"] + "/items";
        ids["item_id"] = call("GET", items_of).json().at("data").at(0).at("id").as_string();
        const answer push = call("POST", "/a2a/asking/tasks/" + ids["task_id"] + "/pushNotificationConfigs",
                                 R"({"url":"https://hooks.example.com/"})");
        BOOST_TEST_REQUIRE(push.status == 200, push.body);
        ids["config_id"] = push.json().at("id").as_string();
        call("PUT", "/store/items", R"({"namespace":["a"],"key":"k","value":{"v":1}})");
        document = call("GET", "/openapi.json").json().as_object();
    }

    answer call(std::string method, std::string_view target, std::string body = {})
    {
        weft::http_request request = server.request_to(std::move(method), target);
        request.secret("X-Api-Key", weft::secret_string{key});
        if (!body.empty()) request.body(std::move(body), "application/json");
        return server.send(std::move(request));
    }

    /** A path with the ids of what is there. */
    std::string target_of(std::string pattern) const
    {
        for (const auto& [name, id] : ids) {
            const std::string variable = '{' + name + '}';
            const std::size_t at = pattern.find(variable);
            if (at != pattern.npos) pattern.replace(at, variable.size(), id);
        }
        return pattern;
    }

    const object& component(std::string_view reference) const
    {
        return document.at("components").at("schemas").at(reference.substr(reference.rfind('/') + 1)).as_object();
    }

    test_loop loop;
    weft::memory_store store;
    weft::memory_items items;
    guarded_life keys{loop, store};
    life server{loop, store, {asking_graph()}, asking_who(), &items};
    std::string key = keys.make_key("acme", R"(["*","keys:*","queue:*"])");
    std::map<std::string, std::string> ids{{"thread_id", "t"},
                                           {"assistant_id", "asking"},
                                           {"checkpoint_id", "0000000001"},
                                           {"key_id", "0123456789"},
                                           {"model", "asking"},
                                           {"namespace", "x"}};
    object document;
};

/** What fits a member that a body must have. */
value sample_of(const described_world& w, std::string_view member)
{
    static const object samples{{"assistant_id", "asking"}, {"graph_id", "asking"}, {"schedule", "* * * * *"},
                                {"namespace", array{"a"}},  {"key", "k"},           {"value", object{}},
                                {"name", "n"},              {"version", 1},         {"id", 1},
                                {"method", "run.start"},    {"channels", array{"values"}}, {"threadId", "t"},
                                {"runId", "r"},             {"model", "asking"},    {"messageId", "m"},
                                {"role", "ROLE_USER"},      {"url", "https://hooks.example.com/"}, {"type", "text"}};
    if (member == "taskId") return value(w.ids.at("run_id"));
    const object words{{"role", "user"}, {"content", "hello"}};
    if (member == "messages" || member == "items") return array{words};
    if (member == "parts") return array{object{{"text", "hello"}}};
    return samples.at(member);
}

/** A body, or an object in one, with what it must have. */
object minimal_of(const described_world& w, const object& schema)
{
    object minimal;
    if (!schema.contains("required")) return minimal;
    for (const value& name : schema.at("required").as_array()) {
        const value& member = schema.at("properties").at(name.as_string());
        if (member.as_object().contains("properties")) minimal[name.as_string()] = minimal_of(w, member.as_object());
        else minimal[name.as_string()] = sample_of(w, name.as_string());
    }
    return minimal;
}

/** A value that a schema does not allow; null: it allows all that is tried. */
value misfit_of(const object& schema)
{
    const weft::json_schema compiled{schema};
    for (const value& candidate : array{7, "no such word", true, object{{"x", 1}}, array{7}})
        if (!compiled.accepts(candidate)) return candidate;
    return nullptr;
}

struct checked_member {
    std::string place;  // `body.command.update`
    object body;
};

/** For each member that a schema describes a body in which it does not fit, and all else does. */
void add_misfits(const described_world& w, std::vector<checked_member>& to, const object& schema,
                 const std::string& place, const object& around, const std::vector<std::string>& path = {})
{
    if (!schema.contains("properties")) return;
    for (const auto& [name, described] : schema.at("properties").as_object()) {
        object body = around;
        object* at = &body;
        for (const std::string& step : path) at = &(*at)[step].as_object();
        const value wrong = misfit_of(described.as_object());
        const std::string inner = place + (place.empty() ? "" : ".") + std::string{name};
        if (!wrong.is_null()) {
            (*at)[name] = wrong;
            to.push_back({inner, body});
        }
        (*at)[name] = minimal_of(w, described.as_object());
        std::vector<std::string> deeper = path;
        deeper.emplace_back(name);
        add_misfits(w, to, described.as_object(), inner, body, deeper);
    }
}

/** Whether places of a protocol begin at the body itself. */
bool names_members_alone(std::string_view pattern)
{
    return pattern.starts_with("/v1/") || pattern.starts_with("/a2a/");
}

std::vector<checked_member> misfits_of(const described_world& w, std::string_view pattern, const object& operation)
{
    std::vector<checked_member> all;
    if (!operation.contains("requestBody")) return all;
    const object& schema =
        operation.at("requestBody").at("content").at("application/json").at("schema").as_object();
    // Calls of JSON-RPC are answered with 200, whatever is wrong.
    if (schema.contains("properties") && schema.at("properties").as_object().contains("jsonrpc")) return all;
    add_misfits(w, all, schema, names_members_alone(pattern) ? "" : "body", minimal_of(w, schema));
    return all;
}

/** Those with a summary: the others only have their path. */
template <class Check>
void for_each_operation(const described_world& w, const Check& check)
{
    for (const auto& [pattern, methods] : w.document.at("paths").as_object())
        for (const auto& [method, operation] : methods.as_object()) {
            if (!operation.as_object().contains("summary")) continue;
            std::string name{method};
            for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
            check(name, std::string{pattern}, operation.as_object());
        }
}

BOOST_AUTO_TEST_CASE(what_is_described_of_bodies_is_what_is_read)
{
    described_world w;
    std::size_t checked = 0;
    for_each_operation(w, [&](const std::string& method, const std::string& pattern, const object& operation) {
        // Commands have places of their own, and are answered with 200; see thread_socket_test.
        if (pattern.ends_with("/commands")) return;
        for (const checked_member& one : misfits_of(w, pattern, operation)) {
            const answer got = w.call(method, w.target_of(pattern), boost::json::serialize(one.body));
            BOOST_TEST_CONTEXT(method << ' ' << pattern << ' ' << one.place << ": " << got.body) {
                BOOST_TEST((got.status == 422 || got.status == 400));
                BOOST_TEST(got.body.find(one.place) != std::string::npos);
            }
            ++checked;
        }
    });
    BOOST_TEST(checked > 220u);
}

/** Calls `check` with each method of JSON-RPC whose parameters are described. */
template <class Check>
void for_each_method(const object& operation, const Check& check)
{
    if (!operation.contains("requestBody")) return;
    const object& schema =
        operation.at("requestBody").at("content").at("application/json").at("schema").as_object();
    if (!schema.contains("oneOf")) return;
    for (const value& kind : schema.at("oneOf").as_array()) {
        const object& members = kind.at("properties").as_object();
        if (members.contains("params"))
            check(std::string{members.at("method").at("const").as_string()}, members.at("params").as_object());
    }
}

BOOST_AUTO_TEST_CASE(what_is_described_of_methods_is_what_is_read)
{
    described_world w;
    std::size_t checked = 0;
    for_each_operation(w, [&](const std::string& http, const std::string& pattern, const object& operation) {
        for_each_method(operation, [&](const std::string& method, const object& schema) {
            std::vector<checked_member> all;
            add_misfits(w, all, schema, "", minimal_of(w, schema));
            for (const checked_member& one : all) {
                const object body{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", one.body}};
                const answer got = w.call(http, w.target_of(pattern), boost::json::serialize(body));
                BOOST_TEST_CONTEXT(pattern << ' ' << method << ' ' << one.place << ": " << got.body) {
                    BOOST_TEST(got.json().at("error").at("code") == value(-32602));
                    BOOST_TEST(got.json().at("error").at("message").as_string().starts_with(one.place));
                }
                ++checked;
            }
        });
    });
    BOOST_TEST(checked > 100u);
}

/** The names of the methods of JSON-RPC at a path. */
std::vector<std::string> methods_at(const described_world& w, const std::string& path)
{
    std::vector<std::string> names;
    const value& body = w.document.at("paths").at(path).at("post").at("requestBody");
    const value& schema = body.at("content").at("application/json").at("schema");
    for (const value& name : schema.at("properties").at("method").at("enum").as_array())
        names.emplace_back(name.as_string());
    return names;
}

/** Whether a server has a method. @param headers  For a client of MCP. */
bool has_method(described_world& w, const std::string& path, const std::string& name,
                std::vector<std::pair<std::string, std::string>> headers = {})
{
    const object meta{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                      {"io.modelcontextprotocol/clientInfo", object{{"name", "t"}, {"version", "1"}}},
                      {"io.modelcontextprotocol/clientCapabilities", object{}}};
    const object params{{"name", "x"}, {"uri", "x:y"}, {"_meta", meta}};
    const object body{{"jsonrpc", "2.0"}, {"id", 1}, {"method", name}, {"params", params}};
    weft::http_request request = w.server.request_to("POST", path);
    request.secret("X-Api-Key", weft::secret_string{w.key});
    for (auto& [header, text] : headers) request.header(header, text);
    request.body(boost::json::serialize(body), "application/json");
    const answer got = w.server.send(std::move(request));
    BOOST_TEST(got.body.find("jsonrpc") != got.body.npos, name << ": " << got.body);
    return got.body.find("-32601") == got.body.npos;
}

BOOST_AUTO_TEST_CASE(the_methods_that_are_described_are_there)
{
    described_world w;
    for (const std::string& name : methods_at(w, "/a2a")) BOOST_TEST(has_method(w, "/a2a", name), name);
    BOOST_TEST(!has_method(w, "/a2a", "SendMassage"));

    weft::http_request begin = w.server.request_to("POST", "/mcp");
    begin.secret("X-Api-Key", weft::secret_string{w.key}).header("Accept", "application/json, text/event-stream");
    begin.body(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
               R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})", "application/json");
    const answer met = w.server.send(std::move(begin));
    const std::string session{met.headers.find("Mcp-Session-Id").value_or("")};
    BOOST_TEST_REQUIRE(!session.empty());
    std::size_t count = 0;
    for (const std::string& name : methods_at(w, "/mcp")) {
        if (name.starts_with("notifications/") || name == "initialize") continue;  // those are no requests of a session
        const bool is_of_sessions = has_method(w, "/mcp", name,
                                               {{"Accept", "application/json, text/event-stream"},
                                                {"Mcp-Session-Id", session},
                                                {"MCP-Protocol-Version", "2025-11-25"}});
        const bool is_modern = has_method(w, "/mcp", name,
                                          {{"Accept", "application/json, text/event-stream"},
                                           {"MCP-Protocol-Version", "2026-07-28"},
                                           {"Mcp-Method", name},
                                           {"Mcp-Name", name == "resources/read" ? "x:y" : "x"}});
        BOOST_TEST((is_of_sessions || is_modern), name);
        ++count;
    }
    BOOST_TEST(count > 10u);
}

BOOST_AUTO_TEST_CASE(what_is_described_of_queries_is_what_is_read)
{
    described_world w;
    std::size_t checked = 0;
    for_each_operation(w, [&](const std::string& method, const std::string& pattern, const object& operation) {
        if (!operation.contains("parameters")) return;
        for (const value& parameter : operation.at("parameters").as_array()) {
            const object& schema = parameter.at("schema").as_object();
            const bool is_checked = parameter.at("in") == "query" &&
                                    (schema.contains("enum") || schema.at("type") != value("string"));
            if (!is_checked) continue;
            const std::string name{parameter.at("name").as_string()};
            const answer got = w.call(method, w.target_of(pattern) + '?' + name + "=no-such");
            BOOST_TEST(got.status == (names_members_alone(pattern) ? 400 : 422), pattern);
            const std::string place = names_members_alone(pattern) ? name + ": " : "query." + name;
            BOOST_TEST(got.body.find(place) != std::string::npos, pattern << ": " << got.body);
            ++checked;
        }
    });
    BOOST_TEST(checked >= 15u);
}

/** What is wrong with an answer by its description. */
std::string misfit_of_answer(const described_world& w, const object& operation, const answer& got)
{
    const object& responses = operation.at("responses").as_object();
    if (got.status >= 400) {
        // LangGraph's form, that of AG-UI, or that of the others.
        const object refused = got.json().as_object();
        const bool is_told = refused.contains("detail") || refused.contains("message") || refused.contains("error");
        return is_told ? "" : got.body;
    }
    const std::string status = std::to_string(got.status);
    if (!responses.contains(status)) return "the status " + status + " is not described";
    const object& described = responses.at(status).as_object();
    if (!described.contains("content")) return got.body;
    const std::string_view type = described.at("content").as_object().begin()->key();
    BOOST_TEST(got.headers.find("Content-Type").value_or("") == type);
    const object* schema = &described.at("content").at(type).at("schema").as_object();
    const value shown = got.json();
    array one{shown};
    const array* all = &one;
    if (schema->contains("items")) {
        all = &shown.as_array();
        schema = &schema->at("items").as_object();
    }
    object whole = w.component(schema->at("$ref").as_string());
    whole["components"] = w.document.at("components");  // for what it refers to
    const weft::json_schema compiled{whole};
    std::string mistakes;
    for (const value& each : *all) mistakes += text_of(compiled.mistakes(each));
    return mistakes;
}

BOOST_AUTO_TEST_CASE(answers_have_the_form_that_is_described)
{
    described_world w;
    const std::map<std::string, std::string> bodies{
        {"POST /threads", R"({"metadata":{"a":1}})"},
        {"PATCH /threads/{thread_id}", R"({"ttl":60})"},
        {"POST /threads/{thread_id}/state", R"({"values":{"name":"x"}})"},
        {"POST /assistants", R"({"graph_id":"asking"})"},
        {"POST /runs", R"({"assistant_id":"asking","input":{}})"},
        {"POST /runs/wait", R"({"assistant_id":"asking","input":{}})"},
        {"POST /runs/batch", R"([{"assistant_id":"asking","input":{}}])"},
        {"POST /threads/{thread_id}/runs", R"({"assistant_id":"asking","input":{},"multitask_strategy":"interrupt"})"},
        {"PUT /store/items", R"({"namespace":["a"],"key":"k2","value":{}})"},
        {"DELETE /store/items", R"({"namespace":["a"],"key":"none"})"},
        {"POST /admin/keys", R"({"name":"n"})"},
        {"POST /v1/responses", R"({"model":"asking","input":"hello"})"},
        {"POST /v1/responses/compact", R"({"model":"asking","input":"hello"})"},
        {"POST /v1/responses/input_tokens", R"({"model":"asking","input":"hello"})"},
        {"POST /v1/chat/completions",
         R"({"model":"asking","messages":[{"role":"user","content":"{}"}],"metadata":{"thread_id":"c"}})"},
        {"POST /v1/conversations/{conversation_id}/items", R"({"items":[{"role":"user","content":"more"}]})"},
        {"POST /a2a/{assistant_id}", R"({"jsonrpc":"2.0","id":1,"method":"ListTasks"})"},
        {"POST /a2a/{assistant_id}/message:send",
         R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"{}"}]},
             "configuration":{"returnImmediately":true}})"},
        {"POST /a2a/{assistant_id}/tasks/{task_id}/pushNotificationConfigs", R"({"url":"https://hooks.example.com/"})"},
        {"POST /threads/{thread_id}/commands", R"({"id":1,"method":"agent.getTree"})"},
    };
    std::size_t good = 0;
    for_each_operation(w, [&](const std::string& method, const std::string& pattern, const object& operation) {
        const bool is_open = pattern.find("stream") != pattern.npos || pattern.ends_with("/join") ||
                             pattern == "/mcp" || (method == "GET" && pattern == "/v1/responses");
        const bool takes_all = method == "DELETE" && (pattern == "/threads/{thread_id}" || pattern.starts_with("/v1/"));
        if (is_open || takes_all) return;
        const auto body = bodies.find(method + ' ' + pattern);
        std::string target = w.target_of(pattern);
        if (method == "GET" && pattern == "/store/items") target += "?namespace=a&key=k";
        if (method == "GET" && pattern == "/threads/{thread_id}") target += "?include=ttl";
        std::string given = method == "POST" || method == "PATCH" ? "{}" : "";
        if (body != bodies.end()) given = body->second;
        const answer got = w.call(method, target, given);
        BOOST_TEST(misfit_of_answer(w, operation, got) == "", method << ' ' << pattern << ' ' << got.status);
        good += got.status < 400;
    });
    BOOST_TEST(good > 50u);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_command_has_its_place_in_the_command)
{
    weft::server_options options;
    options.live = std::make_shared<weft::live_surroundings>();
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {asking_graph()}, options};
    (void)server.post("/threads", R"({"thread_id":"t"})");
    const auto told = [&](std::string_view method, std::string_view params) {
        const answer got = server.post("/threads/t/commands", R"({"id":1,"method":")" + std::string{method} +
                                                                  R"(","params":)" + std::string{params} + '}');
        return std::string{got.json().at("message").as_string()};
    };
    BOOST_TEST(told("run.start", R"({"assistant_id":7})").starts_with("params.assistant_id: "));
    BOOST_TEST(told("run.start", R"({"assistant_id":"asking","input":{"nmae":1}})").starts_with("params.input.nmae: "));
    BOOST_TEST(told("run.start", R"({"assistantId":"asking","config":{"recursion_limit":0}})")
                   .starts_with("params.config.recursion_limit: "));
    BOOST_TEST(told("input.respond", "{}").starts_with("params.interrupt_id: "));
    BOOST_TEST(told("surroundings.tell", "{}").starts_with("params.subject: "));
    BOOST_TEST(told("run.start", "7").starts_with("params: "));
}

BOOST_AUTO_TEST_SUITE_END()
