#pragma once

#include "agent/filed_agents.hpp"
#include "net/server/server_fixture.hpp"

#include <weft/engine/engine.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Services for nodes of the kind `http`, on the loop of the run that calls them. */
namespace weft_tests::http_services {

/** What a service was asked. */
struct seen_request {
    std::string line;  ///< `POST /score`
    std::string body;
    std::string key;   ///< `Idempotency-Key`
    std::string token; ///< `Authorization`
    std::string trace;        ///< `traceparent`
    std::string trace_state;  ///< `tracestate`
};

/** How it answers its n-th request, from 0. */
using answer_function = std::function<weft::task<void>(weft::http_call& call, std::size_t number)>;

/** A service on the loopback device that notes what it is asked. */
class service {
public:
    explicit service(answer_function answer)
        : answer_{std::move(answer)}, running_{loop_, [this](weft::http_call& call) { return handle(*this, call); }}
    {
    }

    /** All that it was asked. */
    std::vector<seen_request> seen;
    /** Variables of the environment, for headers. */
    std::map<std::string, std::string> environment;
    bool is_trusted = true;
    weft::budget budget;
    std::vector<std::string> told;  ///< `kind: text` of what the node emits.

    [[nodiscard]] test_loop& loop() { return loop_; }
    [[nodiscard]] std::string url(std::string_view path) const
    {
        return "http://127.0.0.1:" + std::to_string(running_.port()) + std::string{path};
    }

    [[nodiscard]] weft::node_registry registry() const
    {
        weft::agent_surroundings around;
        if (is_trusted) around.http.trusts = weft::trust_hosts({"127.0.0.1"});
        around.http.environment = [own = environment](const std::string& name) {
            const auto found = own.find(name);
            return found == own.end() ? std::nullopt : std::optional{found->second};
        };
        return tool_agents::registry_around(around);
    }

    [[nodiscard]] weft::run_request request()
    {
        weft::run_options options;
        options.budget(budget);
        weft::run_request request;
        request.options(std::move(options)).on_event([this](const weft::run_event& event) {
            if (event.what == weft::run_event::kind::output)
                told.push_back(std::string{event.label} + ": " + std::string{event.text});
        });
        return request;
    }

    /** Runs a file. @param members   With its `state` and so on. */
    weft::run_result run(const std::string& members)
    {
        const weft::node_registry known = registry();
        const weft::loaded_graph loaded = weft::load_graph(spec_text(members), known);
        const weft::engine engine{loaded.what};
        started going{loop_, engine.run(request())};
        return going.result();
    }

private:
    static weft::task<void> handle(service& self, weft::http_call& call)
    {
        std::string body = co_await call.read_body();
        seen_request asked;
        asked.line = std::string{call.method()} + " " + call.head().target;
        asked.body = std::move(body);
        asked.key = call.headers().find("idempotency-key").value_or("");
        asked.token = call.headers().find("authorization").value_or("");
        asked.trace = call.headers().find("traceparent").value_or("");
        asked.trace_state = call.headers().find("tracestate").value_or("");
        const std::size_t number = self.seen.size();
        self.seen.push_back(std::move(asked));
        co_await self.answer_(call, number);
    }

    test_loop loop_;
    answer_function answer_;
    server_fixture::running_server running_;
};

inline weft::task<void> reply_with(weft::http_call& call, weft::http_reply reply)
{
    co_await call.reply(std::move(reply));
}

/** Answers each request with the same JSON. */
[[nodiscard]] inline answer_function json_answer(std::string text, int status = 200)
{
    return [text, status](weft::http_call& call, std::size_t) {
        return reply_with(call, weft::http_reply{status, text, "application/json"});
    };
}

/** A file with the keys `topic`, `score`, `answer` and `all`, and one node `call`. */
[[nodiscard]] inline std::string file_with(std::string_view settings, std::string_view writes = "'score', 'answer'",
                                           std::string_view more = "'retry': {'attempts_max': 1}")
{
    return "'state': [{'name': 'topic', 'type': 'string', 'initial': 'Rome & more'}, {'name': 'score', 'type': "
           "'number'}, {'name': 'answer', 'type': 'string'}, {'name': 'all', 'type': 'any'}], 'nodes': [{'name': "
           "'call', 'kind': 'http', 'reads': ['topic'], 'writes': [" +
           std::string{writes} + "], " + std::string{more} + ", 'settings': {" + std::string{settings} +
           "}}], 'edges': [{'from': '__start__', 'to': 'call'}]";
}

}  // namespace weft_tests::http_services
