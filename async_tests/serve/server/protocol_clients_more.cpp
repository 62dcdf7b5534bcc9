#include "protocol_clients.hpp"

#include <weft/net/sse_parser.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

using boost::json::array;
using boost::json::object;
using boost::json::value;

namespace {

/** The data of each event of a stream. */
std::vector<value> stream_data_in(std::string_view body)
{
    std::vector<value> all;
    weft::sse_parser parser;
    parser.feed(body);
    while (const weft::sse_event* const event = parser.next())
        if (event->data != "[DONE]") all.push_back(weft::parse_json(event->data));
    return all;
}

std::string member_text(const value& from, std::string_view name)
{
    const value* const found = from.get_object().if_contains(name);
    return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

/** A2A: the thread is the context, the run the task, and a task has one question at a time. */
class a2a_client final : public protocol_client {
public:
    std::string_view name() const noexcept override { return "A2A"; }
    weft::http_request begin(protocol_stage& at, const std::string& thread, const std::string& assistant) const override
    {
        return send(at, assistant, "hello", {{"contextId", thread}});
    }
    weft::http_request follow(protocol_stage& at, const std::string& thread,
                              const std::string& assistant) const override
    {
        return call(at, assistant, "SubscribeToTask", {{"id", at.run_of(thread)}});
    }
    weft::http_request answer_yes(protocol_stage& at, const std::string& thread, const std::string& assistant,
                                  const std::string& question) const override
    {
        return send(at, assistant, "yes", {{"contextId", thread}, {"taskId", question}});
    }
    bool cancel(protocol_stage& at, const std::string& thread) const override
    {
        const answer got = at.server.send(call(at, "held", "CancelTask", {{"id", at.run_of(thread)}}));
        return got.json().as_object().contains("result");
    }
    heard read(protocol_stage& at, const std::string& thread, const answer& got) const override
    {
        heard result;
        for (const value& one : stream_data_in(got.body)) take(result, one.at("result"), at.run_of(thread));
        return result;
    }
    bool refuses(const answer& got) const override
    {
        const std::vector<value> all = stream_data_in(got.body);
        const value first = all.empty() ? got.json() : all.front();
        return first.as_object().contains("error");
    }

private:
    static weft::http_request call(protocol_stage& at, const std::string& assistant, const char* method, object params)
    {
        const object body{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
        return at.request_to("POST", "/a2a/" + assistant, boost::json::serialize(body));
    }
    static weft::http_request send(protocol_stage& at, const std::string& assistant, const char* text, object more)
    {
        static int messages = 0;
        object message{{"messageId", "m" + std::to_string(++messages)}, {"role", "ROLE_USER"}};
        message["parts"] = array{object{{"text", text}}};
        for (auto& [name, member] : more) message[name] = std::move(member);
        return call(at, assistant, "SendStreamingMessage", {{"message", std::move(message)}});
    }
    static void take_state(heard& result, const value& status, const std::string& run)
    {
        const std::string state = member_text(status, "state");
        result.is_cancelled = state == "TASK_STATE_CANCELED";
        result.question = state == "TASK_STATE_INPUT_REQUIRED" ? run : std::string{};
    }
    static void take(heard& result, const value& update, const std::string& run)
    {
        const object& one = update.as_object();
        if (const value* const status = one.if_contains("statusUpdate")) take_state(result, status->at("status"), run);
        if (const value* const task = one.if_contains("task")) take_state(result, task->at("status"), run);
        const value* const artifact = one.if_contains("artifactUpdate");
        if (!artifact) return;
        const value* const appends = artifact->as_object().if_contains("append");
        if (!appends || !appends->as_bool()) result.said.clear();
        for (const value& part : artifact->at("artifact").at("parts").as_array())
            result.said.append(member_text(part, "text"));
    }
};

}  // namespace

void add_more_protocol_clients(std::vector<std::unique_ptr<protocol_client>>& to)
{
    to.push_back(std::make_unique<a2a_client>());
}
