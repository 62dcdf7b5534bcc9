// Cookbook: asks a model once, prints the reply while it is written, and says what it used.

// [program]
#include <weft/async/run_blocking.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/scripted_model.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;

// OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or WEFT_LLM_URL names a model. Without one a script answers.
std::shared_ptr<weft::chat_model> make_model()
{
    if (auto named = weft::read_any_model_environment(weft::process_environment()))
        return weft::make_model(weft::http_client{}, std::move(*named));
    weft::testing::scripted_turn turn;
    turn.text("Rain is water ").text("that falls from clouds.").used(weft::tokens{24}, weft::tokens{9});
    auto script = std::make_shared<weft::testing::scripted_model>();
    script->then(turn);
    return script;
}

// A reply that is not whole after a minute is given up, and the connection is closed.
weft::task<weft::chat_reply> ask(std::shared_ptr<weft::chat_model> model, std::string question)
{
    weft::chat_request request;
    request.system("Answer in one sentence.").user(std::move(question));
    request.output_max = weft::tokens{500};
    weft::text_sink print{[](std::string_view piece) { std::cout << piece << std::flush; }};
    weft::task<weft::chat_reply> call = model->reply(std::move(request), print);
    weft::chat_reply reply = co_await weft::with_deadline(std::move(call), 60s);
    co_return reply;
}

int main(int count, char** words)
try {
    const std::string question = count > 1 ? words[1] : "What is rain?";
    // Overloaded endpoints, lost connections and rate limits are tried again, with growing delays.
    const auto model = std::make_shared<weft::retrying_model>(make_model());
    const weft::chat_reply reply = weft::run_blocking(ask(model, question));
    std::cout << '\n';
    if (reply.stop == weft::stop_reason::length) std::cerr << "The reply was cut at 500 tokens.\n";
    std::clog << reply.usage.input.count() << " tokens in, " << reply.usage.output.count() << " out\n";
    return reply.message.text().empty() ? 1 : 0;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';  // which endpoint, what it said, what to do
    return 1;
}
// [/program]
