#pragma once

#include <weft/async/run_blocking.hpp>
#include <weft/model/model_error.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/testing/scripted_endpoint.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

/** Calls of an `openai_model` to a scripted endpoint. */
namespace endpoint_calls {

inline constexpr std::string_view secret = "sk-TEST-0123456789abcdef";

inline weft::http_client client_for(const weft::testing::scripted_endpoint& endpoint, weft::http_timeouts limits = {})
{
    return weft::http_client{
        {.timeouts = limits, .tls = {.ca_pem = endpoint.ca_pem()}}};
}

/** The options of a model, of whatever provider, that is asked at an endpoint. */
template <class Options>
Options options_at(const weft::testing::scripted_endpoint& endpoint, std::string model)
{
    Options options;
    options.base_url = endpoint.url();
    options.model = std::move(model);
    options.key = weft::secret_string{secret};
    return options;
}

inline weft::openai_model_options options_for(const weft::testing::scripted_endpoint& endpoint)
{
    return options_at<weft::openai_model_options>(endpoint, "gpt-x");
}

inline weft::openai_model model_for(const weft::testing::scripted_endpoint& endpoint, weft::http_timeouts limits = {})
{
    return weft::openai_model{client_for(endpoint, limits), options_for(endpoint)};
}

inline weft::chat_request hello()
{
    weft::chat_request request;
    request.user("Say hello");
    return request;
}

/** The error with which a call to an endpoint with this one reply ends, and which it must end with.
 *  @param make   Makes the model that is asked, of the endpoint. */
template <class Make>
weft::model_error failure_by(Make make, weft::testing::scripted_reply reply)
{
    weft::testing::scripted_endpoint endpoint;
    endpoint.when(weft::testing::any_request()).reply(std::move(reply));
    auto model = make(endpoint);
    try {
        (void)weft::run_blocking(model.reply(hello()));
    } catch (const weft::model_error& e) {
        return e;
    }
    throw std::logic_error{"the call succeeded"};
}

inline weft::model_error failure_of(weft::testing::scripted_reply reply, weft::http_timeouts limits = {})
{
    return failure_by([&](const auto& endpoint) { return model_for(endpoint, limits); }, std::move(reply));
}

/** A reply that is a JSON document. */
inline weft::testing::scripted_reply document(int status, std::string body)
{
    return weft::testing::status(status).body(std::move(body)).header("content-type", "application/json");
}

/** Asks to stop, or throws, when the first text comes. */
class acting_sink final : public weft::chat_sink {
public:
    explicit acting_sink(std::function<void()> act) : act_{std::move(act)} {}
    void on_text(std::string_view piece) override
    {
        text += piece;
        if (act_) std::exchange(act_, nullptr)();
    }
    std::string text;

private:
    std::function<void()> act_;
};

}  // namespace endpoint_calls
