// Sample 7, testing: a graph is tested without waiting and without a real model. Link
// weft::testing, in tests only.

#include <weft/model/openai_model.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/weft.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> question{"question"};
inline constexpr weft::state_key<std::string> answer{"answer"};

// What is tested: a node that asks a model, and has patience with it.
weft::task<void> ask(weft::node_context& ctx, weft::chat_model& model)
{
    weft::chat_request request;
    request.system("Answer in one sentence.").user(ctx.get(question));
    const weft::chat_reply reply = co_await model.reply(std::move(request));
    ctx.set(answer, reply.message.text());
}

weft::graph make_graph(weft::chat_model& model)
{
    return weft::graph_builder{"ask"}
        .state(question, answer)
        .node("ask", [&model](weft::node_context& ctx) { return ask(ctx, model); },
              {.retry = {.attempts_max = 3, .initial = 10ms}, .timeout = 10s})
        .edge(weft::start, "ask")
        .build();
}

// [scripted]
// An endpoint on this machine that says what the test wants, over real TLS and as a real one
// streams it: here it is overloaded at first. The client trusts only the authority that was made
// for it.
bool a_second_attempt_helps()
{
    using namespace weft::testing;
    scripted_endpoint endpoint;
    endpoint.when(user_contains("rain"))
        .reply(status(503))
        .reply(text("Rain is water that falls.").between_tokens(1ms));

    const weft::http_client client{{.tls = {.ca_pem = endpoint.ca_pem()}}};
    weft::openai_model_options options;
    options.base_url = endpoint.url();
    options.model = "scripted";
    weft::openai_model model{client, std::move(options)};

    const weft::run_result result = weft::run_blocking(make_graph(model), {question, "What is rain?"});
    std::cout << result.message() << " after " << result.retries
              << " retry: " << result.get(answer) << '\n';
    endpoint.check_complete();  // throws if the script and what was asked differ
    return result.retries == 1 && result.get(answer) == "Rain is water that falls.";
}
// [/scripted]

// [simulation]
/** A model that thinks for a day. */
class slow_model final : public weft::chat_model {
    std::string_view label() const noexcept override { return "a slow model"; }
    weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink&) override
    {
        co_await weft::sleep_for(24h);
        co_return weft::chat_reply{};
    }
};

// In a simulation time is virtual: it jumps to the next deadline whenever nothing is ready. The
// seed decides everything that is otherwise left to chance, so a run that fails can be repeated
// exactly.
bool a_silent_model_is_given_up(std::uint64_t seed)
{
    slow_model model;
    const weft::engine engine{make_graph(model)};
    weft::testing::simulation world{seed};
    const weft::run_result result = world.run(engine.run({question, "What is rain?"}));
    std::cout << result.message() << " (" << std::chrono::duration<double>(world.elapsed()).count()
              << " virtual s)\n";
    return result.status == weft::run_status::failed &&
           result.why->code == weft::errc::node_timeout && world.elapsed() < 31s;
}
// [/simulation]

int main()
{
    const bool first = a_second_attempt_helps();
    const bool second = a_silent_model_is_given_up(1);
    return first && second ? 0 : 1;
}
