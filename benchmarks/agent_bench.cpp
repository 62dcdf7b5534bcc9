#include "bench.hpp"
#include "cpu_clock.hpp"

#include <weft/agent/turn_agent.hpp>
#include <weft/engine/engine.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/parse.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

constexpr int rounds = 15;
constexpr int turns = 20;  // of a run, the last of which answers
constexpr int runs = 100;
constexpr std::size_t message_bytes = 200;

struct look_at {
    int x = 0;
};
BOOST_DESCRIBE_STRUCT(look_at, (), (x))

std::string look(const look_at& where) { return "seen " + std::to_string(where.x); }

/** A model that takes no time: it calls `look` in every turn but the last, by what it was told. */
class instant_model final : public weft::chat_model {
public:
    explicit instant_model(std::size_t before) : calls_until_{before + 2 * (turns - 1)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "instant"; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        return answer(request.messages.size() < calls_until_, request.messages.size());
    }
    static weft::task<weft::chat_reply> answer(bool calls, std::size_t number)
    {
        weft::chat_reply reply;
        reply.usage.input = weft::tokens{100};
        reply.usage.output = weft::tokens{10};
        if (calls) {
            weft::tool_call call;
            call.id = "call-" + std::to_string(number);
            call.name = "look";
            call.arguments = R"({"x":1})";
            reply.message = weft::message::assistant("");
            reply.message.tool_calls.push_back(std::move(call));
            reply.stop = weft::stop_reason::tool_calls;
        } else {
            reply.message = weft::message::assistant("It rains.");
            reply.stop = weft::stop_reason::stop;
        }
        co_return reply;
    }

    std::size_t calls_until_;
};

weft::message message_of(std::size_t number)
{
    std::string text(message_bytes, 'm');
    return number % 2 == 0 ? weft::message::user(std::move(text)) : weft::message::assistant(std::move(text));
}

weft::conversation talk_of(std::size_t messages)
{
    weft::conversation talk;
    for (std::size_t i = 0; i + 1 < messages; ++i) static_cast<void>(talk.add(message_of(i), weft::provenance{}));
    return talk;
}

weft::turn_agent agent_for(std::size_t messages)
{
    weft::turn_agent_options options;
    options.models = {std::make_shared<instant_model>(messages)};
    options.tools.add("look", "Looks.", &look);
    options.budget.tokens_max = weft::tokens{1'000'000'000};
    options.view.budget = weft::tokens{1'000'000'000};
    return weft::turn_agent{std::move(options)};
}

weft::task<double> time_turns(weft::engine engine, const weft::turn_agent& agent, weft::conversation before)
{
    double spent = 0;
    for (int i = 0; i < runs; ++i) {
        weft::run_request request = agent.request("Does it rain?");
        std::move(request).overwrite(weft::turn_keys::talk, before);
        const double began = thread_cpu_ns();
        weft::task<weft::run_result> running = engine.run(std::move(request));
        const weft::run_result result = co_await std::move(running);
        spent += thread_cpu_ns() - began;
        const weft::turn_record& record = result.state.get(weft::turn_keys::record);
        require(record.outcome == weft::agent_outcome::answered && record.turns == turns, "an agent did not answer");
    }
    co_return spent / (runs * turns) / 1'000;
}

double weft_turns(const weft::turn_agent& agent, const weft::conversation& before)
{
    return weft::run_blocking(time_turns(weft::engine{agent.graph()}, agent, before));
}

// By hand: one loop. Each turn makes a request of all messages, asks, and calls the function.

weft::task<void> loop_by_hand(weft::chat_model& model, std::vector<weft::message> talk)
{
    for (int i = 0; i < turns; ++i) {
        weft::chat_request request;
        for (const weft::message& said : talk) request.add(said);
        weft::task<weft::chat_reply> asking = model.reply(std::move(request));
        weft::chat_reply reply = co_await std::move(asking);
        talk.push_back(reply.message);
        for (const weft::tool_call& call : reply.message.tool_calls) {
            const boost::json::value arguments = boost::json::parse(call.arguments);
            talk.push_back(weft::message::tool_result(call.id, look({static_cast<int>(arguments.at("x").as_int64())})));
        }
    }
    require(talk.back().text() == "It rains.", "an agent by hand did not answer");
}

weft::task<double> time_by_hand(weft::chat_model& model, std::vector<weft::message> talk)
{
    double spent = 0;
    for (int i = 0; i < runs; ++i) {
        std::vector<weft::message> before = talk;
        const double began = thread_cpu_ns();
        weft::task<void> running = loop_by_hand(model, std::move(before));
        co_await std::move(running);
        spent += thread_cpu_ns() - began;
    }
    co_return spent / (runs * turns) / 1'000;
}

double floor_turns(std::size_t messages)
{
    instant_model model{messages};
    std::vector<weft::message> talk;
    for (std::size_t i = 0; i + 1 < messages; ++i) talk.push_back(message_of(i));
    talk.push_back(weft::message::user("Does it rain?"));
    return weft::run_blocking(time_by_hand(model, std::move(talk)));
}

benchmark turns_after(std::size_t messages, std::string what, std::string goal)
{
    return {"agent_turn_" + std::to_string(messages), "us CPU per turn", std::move(what), std::move(goal), [messages] {
                const weft::turn_agent agent = agent_for(messages);
                const weft::conversation before = talk_of(messages);
                return take_turns(
                    rounds, [&] { return weft_turns(agent, before); }, [&] { return floor_turns(messages); });
            }};
}

}  // namespace

benchmarks agent_benchmarks()
{
    return {turns_after(2, "a turn of an agent that calls a tool, without the model's time", ""),
            turns_after(100, "the same after 100 messages", "<= 20"),
            turns_after(1'000, "the same after 1,000 messages", "")};
}

}  // namespace weft_bench
