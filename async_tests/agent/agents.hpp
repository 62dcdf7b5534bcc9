#pragma once

#include "graph/spec_samples.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/run/spec_options.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

/** What a scripted model does for one call. */
struct scripted_call {
    std::string text = {};
    std::optional<weft::errc> fails = {};  ///< Instead of the reply, when the text is delivered.
    bool is_retracted = false;             ///< Says something else first and takes it back.
    weft::stop_reason stop = weft::stop_reason::stop;
    std::string refusal = {};
    std::vector<weft::tool_call> calls = {};
};

/** Answers calls in turn, the last one again and again, in pieces of four bytes; each call takes a second. */
class scripted_model final : public weft::chat_model {
public:
    explicit scripted_model(std::vector<scripted_call> calls) : calls_{std::move(calls)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "a scripted model"; }

    std::vector<weft::chat_request> asked;

    /** The text of a message of a request. */
    [[nodiscard]] std::string said(std::size_t call, weft::role speaker) const
    {
        for (const weft::message& message : asked.at(call).messages)
            if (message.role == speaker) return message.text();
        return "nothing";
    }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override
    {
        const scripted_call call = calls_[std::min(asked.size(), calls_.size() - 1)];
        asked.push_back(std::move(request));
        co_await weft::sleep_for(std::chrono::seconds{1});
        if (call.is_retracted) {
            sink.on_text("wrong");
            sink.on_retracted();
        }
        for (std::size_t at = 0; at < call.text.size(); at += 4)
            sink.on_text(std::string_view{call.text}.substr(at, 4));
        weft::chat_reply reply;
        reply.message = weft::message::assistant(call.text);
        if (!call.refusal.empty()) reply.message.content = {weft::refusal_part{call.refusal}};
        reply.message.tool_calls = call.calls;
        reply.stop = call.stop;
        reply.usage.input = weft::tokens{7};
        reply.usage.output = weft::tokens{3};
        if (call.fails) {
            weft::model_failure failure;
            failure.code = *call.fails;
            failure.detail = "fails on purpose";
            failure.partial = std::move(reply);
            throw weft::model_error{"a scripted model", std::move(failure)};
        }
        co_return reply;
    }

    std::vector<scripted_call> calls_;
};

[[nodiscard]] inline std::shared_ptr<scripted_model> says(std::vector<scripted_call> calls)
{
    return std::make_shared<scripted_model>(std::move(calls));
}

/** Answers questions in turn, the last answer again and again; each takes a minute. */
class scripted_person final : public weft::human {
public:
    explicit scripted_person(std::vector<boost::json::value> answers) : answers_{std::move(answers)} {}
    weft::task<boost::json::value> ask(weft::human_question question) override
    {
        boost::json::value answer = answers_[std::min(asked.size(), answers_.size() - 1)];
        asked.push_back(std::move(question));
        co_await weft::sleep_for(std::chrono::minutes{1});
        co_return answer;
    }
    std::vector<weft::human_question> asked;

private:
    std::vector<boost::json::value> answers_;
};

/** What a run of a graph file said and left. */
struct seen_run {
    weft::run_result result;
    std::string path;                   ///< The nodes, with blanks between them.
    std::vector<std::string> emitted;   ///< `kind: text`, in order.

    [[nodiscard]] std::string value(std::string_view key) const
    {
        const boost::json::object all = result.state.to_json();
        const boost::json::value* const found = all.if_contains(key);
        return found ? boost::json::serialize(*found) : "nothing";
    }
    /** All texts of a kind, one after the other. */
    [[nodiscard]] std::string all(std::string_view kind) const
    {
        std::string text;
        for (const std::string& one : emitted)
            if (one.starts_with(std::string{kind} + ": ")) text += one.substr(kind.size() + 2);
        return text;
    }
    [[nodiscard]] weft::errc code() const { return result.why ? result.why->code : weft::errc{}; }
    [[nodiscard]] bool tells(std::string_view part) const { return result.message().find(part) != std::string::npos; }
};

[[nodiscard]] inline weft::node_registry agent_registry(std::shared_ptr<weft::chat_model> model,
                                                        weft::human* person = nullptr)
{
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {.model = std::move(model), .human = person});
    return registry;
}

[[nodiscard]] inline seen_run run_graph(const weft::graph& what, weft::run_options options, boost::json::object input)
{
    seen_run seen;
    const auto watch = [&seen](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) seen.emitted.push_back(event.label + ": " + event.text);
    };
    weft::testing::simulation sim{1};
    const weft::engine engine{what};
    seen.result = sim.run(engine.run(
        weft::run_request{}.options(std::move(options)).input(std::move(input)).on_event(watch)));
    for (const std::string_view node : seen.result.path()) seen.path.append(seen.path.empty() ? "" : " ").append(node);
    return seen;
}

/** Runs a graph file of these members; see `spec_text`. */
[[nodiscard]] inline seen_run run_members(std::string_view members, const weft::node_registry& registry,
                                          boost::json::object input = {})
{
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    return run_graph(loaded.what, weft::run_options_of(loaded.spec), std::move(input));
}

/** Members of a graph with the keys topic, draft, score, tags and a node `n` of these members. */
[[nodiscard]] inline std::string one_node(std::string_view members)
{
    return "'state': [{'name': 'topic', 'type': 'string', 'initial': 'rivers'}, {'name': 'draft', 'type': 'string'}, "
           "{'name': 'score', 'type': 'number', 'description': 'from 0 to 1'}, "
           "{'name': 'tags', 'type': 'list', 'reducer': 'append'}, {'name': 'count', 'type': 'integer'}, "
           "{'name': 'good', 'type': 'boolean'}, {'name': 'meta', 'type': 'object'}, {'name': 'what'}], "
           "'nodes': [{'name': 'n', " +
           std::string{members} + "}], 'edges': [{'from': '__start__', 'to': 'n'}]";
}

}  // namespace weft_tests
