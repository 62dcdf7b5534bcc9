#pragma once

// What the programs share that talk to servers of others.

#include <weft/async/run_blocking.hpp>
#include <weft/chat/tool_spec.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/model_error.hpp>

#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace interop {

inline int failures = 0;

template <class Seen, class Wanted>
void expect(std::string_view what, const Seen& seen, const Wanted& wanted)
{
    if (seen == wanted) return;
    ++failures;
    std::cerr << "failed: " << what << " is '" << seen << "' instead of '" << wanted << "'\n";
}

class text_collector final : public weft::chat_sink {
public:
    void on_text(std::string_view piece) override
    {
        text += piece;
        ++pieces;
    }
    std::string text;
    int pieces = 0;
};

struct outcome {
    text_collector sink;
    std::optional<weft::chat_reply> reply;
    std::optional<weft::model_error> failure;
};

/** What the server answers to a word that it knows. */
inline outcome ask(weft::chat_model& model, std::string word)
{
    outcome result;
    weft::chat_request request;
    request.user(std::move(word));
    request.tool({.name = "weather",
                  .description = "The weather in a city",
                  .parameters = {{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}}});
    try {
        result.reply = weft::run_blocking(model.reply(std::move(request), result.sink));
    } catch (const weft::model_error& e) {
        result.failure = e;
    }
    if (result.reply) expect("the text of the sink", result.sink.text, result.reply->message.text());
    return result;
}

inline const weft::chat_reply& reply_of(const outcome& o)
{
    if (!o.reply) throw std::runtime_error{o.failure ? o.failure->what() : "no reply"};
    return *o.reply;
}

inline const weft::model_error& failure_of(const outcome& o)
{
    if (!o.failure) throw std::runtime_error{"a reply in place of a failure: " + o.reply->message.text()};
    return *o.failure;
}

/** Runs the checks of a program, whose only argument is a base URL, and says how it ended. */
template <class Checks>
int check_at_url(int argc, char** argv, Checks checks)
try {
    if (argc != 2) throw std::runtime_error{std::string{"usage: "} + argv[0] + " <base URL>"};
    checks(std::string{argv[1]});
    if (failures == 0) std::cout << "all is well at " << argv[1] << '\n';
    return failures == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << "failed: " << e.what() << '\n';
    return 1;
}

}  // namespace interop
