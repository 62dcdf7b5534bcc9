#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/guarded_life.hpp"

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/store/memory_items.hpp>

#include <boost/json/serialize.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
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
                                           {"namespace", "x"}};
    object document;
};

/** What fits a member that a body must have. */
value sample_of(std::string_view member)
{
    static const object samples{{"assistant_id", "asking"}, {"graph_id", "asking"}, {"schedule", "* * * * *"},
                                {"namespace", array{"a"}},  {"key", "k"},           {"value", object{}},
                                {"name", "n"},              {"version", 1},         {"id", 1},
                                {"method", "run.start"},    {"channels", array{"values"}}, {"threadId", "t"},
                                {"runId", "r"},             {"messages", array{}}};
    return samples.at(member);
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
void add_misfits(std::vector<checked_member>& to, const object& schema, const std::string& place, const object& around,
                 const std::vector<std::string>& path)
{
    if (!schema.contains("properties")) return;
    for (const auto& [name, described] : schema.at("properties").as_object()) {
        object body = around;
        object* at = &body;
        for (const std::string& step : path) at = &(*at)[step].as_object();
        const value wrong = misfit_of(described.as_object());
        const std::string inner = place + '.' + std::string{name};
        if (!wrong.is_null()) {
            (*at)[name] = wrong;
            to.push_back({inner, body});
        }
        (*at)[name] = object{};
        std::vector<std::string> deeper = path;
        deeper.emplace_back(name);
        add_misfits(to, described.as_object(), inner, body, deeper);
    }
}

std::vector<checked_member> misfits_of(const object& operation)
{
    std::vector<checked_member> all;
    if (!operation.contains("requestBody")) return all;
    const value& schema = operation.at("requestBody").at("content").at("application/json").at("schema");
    object minimal;
    if (schema.as_object().contains("required"))
        for (const value& name : schema.at("required").as_array())
            minimal[name.as_string()] = sample_of(name.as_string());
    add_misfits(all, schema.as_object(), "body", minimal, {});
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
        for (const checked_member& one : misfits_of(operation)) {
            const answer got = w.call(method, w.target_of(pattern), boost::json::serialize(one.body));
            BOOST_TEST_CONTEXT(method << ' ' << pattern << ' ' << one.place << ": " << got.body) {
                BOOST_TEST((got.status == 422 || got.status == 400));
                BOOST_TEST(got.body.find(one.place) != std::string::npos);
            }
            ++checked;
        }
    });
    BOOST_TEST(checked > 150u);
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
            BOOST_TEST(got.status == 422, pattern);
            BOOST_TEST(got.body.find("query." + name) != std::string::npos, pattern << ": " << got.body);
            ++checked;
        }
    });
    BOOST_TEST(checked >= 7u);
}

/** What is wrong with an answer by its description. */
std::string misfit_of_answer(const described_world& w, const object& operation, const answer& got)
{
    const object& responses = operation.at("responses").as_object();
    if (got.status >= 400) {
        // LangGraph's form, or that of AG-UI.
        const object refused = got.json().as_object();
        return refused.contains("detail") || refused.contains("message") ? "" : got.body;
    }
    const std::string status = std::to_string(got.status);
    if (!responses.contains(status)) return "the status " + status + " is not described";
    const object& described = responses.at(status).as_object();
    if (!described.contains("content")) return got.body;
    const object* schema = &described.at("content").at("application/json").at("schema").as_object();
    const value shown = got.json();
    array one{shown};
    const array* all = &one;
    if (schema->contains("items")) {
        all = &shown.as_array();
        schema = &schema->at("items").as_object();
    }
    const weft::json_schema compiled{w.component(schema->at("$ref").as_string())};
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
        {"POST /threads/{thread_id}/commands", R"({"id":1,"method":"agent.getTree"})"},
    };
    std::size_t good = 0;
    for_each_operation(w, [&](const std::string& method, const std::string& pattern, const object& operation) {
        const bool is_open = pattern.find("stream") != pattern.npos || pattern.ends_with("/join");
        if (is_open || (method == "DELETE" && pattern == "/threads/{thread_id}")) return;
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
    BOOST_TEST(good > 35u);
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
