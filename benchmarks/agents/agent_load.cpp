#include "agent_load.hpp"

#include "harness/cpu_clock.hpp"

#include <weft/async/run_blocking.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/parse.hpp>

#include <utility>
#include <vector>

namespace weft_bench {

struct look_at {
    int x = 0;
};
BOOST_DESCRIBE_STRUCT(look_at, (), (x))

namespace {

constexpr int rounds = 15;
constexpr std::size_t message_bytes = 200;

std::string look(const look_at& where) { return "seen " + std::to_string(where.x); }

class instant final : public weft::chat_model {
public:
    explicit instant(std::string answer) : answer_{std::move(answer)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "instant"; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        turn_ = turn_ % agent_turns + 1;
        return say(turn_ < agent_turns ? "" : answer_, request.messages.size());
    }
    static weft::task<weft::chat_reply> say(std::string answer, std::size_t number)
    {
        weft::chat_reply reply;
        reply.usage.input = weft::tokens{100};
        reply.usage.output = weft::tokens{10};
        reply.stop = answer.empty() ? weft::stop_reason::tool_calls : weft::stop_reason::stop;
        reply.message = weft::message::assistant(std::move(answer));
        if (reply.stop == weft::stop_reason::stop) co_return reply;
        weft::tool_call call;
        call.id = "call-" + std::to_string(number);
        call.name = "look";
        call.arguments = R"({"x":)" + std::to_string(number) + "}";
        reply.message.tool_calls.push_back(std::move(call));
        co_return reply;
    }

    std::string answer_;
    int turn_ = 0;
};

weft::task<void> loop_by_hand(weft::chat_model& model, std::string system, std::vector<weft::message> talk)
{
    for (int i = 0; i < agent_turns; ++i) {
        weft::chat_request request;
        if (!system.empty()) request.system(system);
        for (const weft::message& said : talk) request.add(said);
        weft::chat_reply reply = co_await model.reply(std::move(request));
        talk.push_back(reply.message);
        for (const weft::tool_call& call : reply.message.tool_calls) {
            const boost::json::value arguments = boost::json::parse(call.arguments);
            talk.push_back(weft::message::tool_result(call.id, look({static_cast<int>(arguments.at("x").as_int64())})));
        }
    }
    require(talk.back().text() == agent_answer, "an agent by hand did not answer");
}

weft::task<double> time_by_hand(weft::chat_model& model, std::string system, std::vector<weft::message> talk)
{
    double spent = 0;
    for (int i = 0; i < agent_runs; ++i) {
        std::vector<weft::message> before = talk;
        const double began = thread_cpu_ns();
        co_await loop_by_hand(model, system, std::move(before));
        spent += thread_cpu_ns() - began;
    }
    co_return spent / (agent_runs * agent_turns) / 1'000;
}

}  // namespace

std::shared_ptr<weft::chat_model> instant_model(std::string answer)
{
    return std::make_shared<instant>(std::move(answer));
}

weft::tool_set look_tools()
{
    weft::tool_set tools;
    tools.add("look", "Looks.", &look);
    return tools;
}

weft::message agent_message(std::size_t number)
{
    std::string text(message_bytes, 'm');
    return number % 2 == 0 ? weft::message::user(std::move(text)) : weft::message::assistant(std::move(text));
}

double turns_by_hand(std::size_t messages, const std::string& system)
{
    const std::shared_ptr<weft::chat_model> model = instant_model();
    std::vector<weft::message> talk;
    for (std::size_t i = 0; i + 1 < messages; ++i) talk.push_back(agent_message(i));
    talk.push_back(weft::message::user(std::string{agent_question}));
    return weft::run_blocking(time_by_hand(*model, system, std::move(talk)));
}

benchmark agent_row(std::string name, std::string what, std::string goal, std::function<double()> weft,
                    std::function<double()> floor)
{
    return {std::move(name), "us CPU per turn", std::move(what), std::move(goal),
            [weft = std::move(weft), floor = std::move(floor)] { return take_turns(rounds, weft, floor); }};
}

}  // namespace weft_bench
