#include "openai_exchange.hpp"

#include "remote_agent.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/model/model_error.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/model/responses_model.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace weft::agent_detail {

namespace {

constexpr std::chrono::minutes answer_timeout_usual{5};
constexpr std::chrono::hours background_timeout_usual{1};
constexpr std::chrono::seconds cancel_time_max{5};

std::shared_ptr<const price_table> prices_in(const openai_agent_settings& settings)
{
    if (!settings.input_price && !settings.output_price) return nullptr;
    boost::json::object entry{{"match", "*"}};
    entry["input"] = settings.input_price.value_or(0);
    entry["output"] = settings.output_price.value_or(0);
    boost::json::array models;
    models.push_back(std::move(entry));
    boost::json::object table;
    table["models"] = std::move(models);
    return std::make_shared<const price_table>(price_table::from(table));
}

/** Headers of the settings, as models send them with every request. */
std::vector<std::pair<std::string, std::string>> headers_in(const openai_agent_settings& settings)
{
    return {settings.headers.begin(), settings.headers.end()};
}

/** A model whose calls are tool calls in the budget as well. */
class counted_call final : public chat_model {
public:
    explicit counted_call(std::shared_ptr<chat_model> model) : model_{std::move(model)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override
    {
        return count(*model_, std::move(request), sink);
    }
    static task<chat_reply> count(chat_model& model, chat_request request, chat_sink& sink)
    {
        spending wanted;
        wanted.tool_calls = 1;
        const budget_ledger::reservation counted =
            request.budget ? request.budget->reserve(wanted) : budget_ledger::reservation{};
        chat_reply reply = co_await model.reply(std::move(request), sink);
        co_return reply;
    }

    std::shared_ptr<chat_model> model_;
};

/** A response in the background as a model: what is asked was ordered before. */
class followed_response final : public chat_model {
public:
    followed_response(background_responses from, std::string id, std::string label)
        : from_{std::move(from)}, id_{std::move(id)}, label_{std::move(label)}
    {
    }
    [[nodiscard]] std::string_view label() const noexcept override { return label_; }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override
    {
        return from_.follow(id_, sink, trace_of_call(request));
    }

    background_responses from_;
    std::string id_;
    std::string label_;
};

}  // namespace

std::shared_ptr<const trace_context> trace_of_call(const chat_request& request)
{
    return std::make_shared<const trace_context>(trace_context::of_call(request.trace.get(), request.call_id));
}

openai_agent::openai_agent(openai_agent_settings given, std::shared_ptr<const http_program> of)
    : settings{std::move(given)}, at{settings.url}, program{std::move(of)}, prices{prices_in(settings)}
{
    if (settings.api != "responses" && settings.api != "chat")
        throw error{errc::invalid_configuration, "openai_agent", "api is '" + settings.api +
                                                                     "': it is responses or chat"};
    if (is_chat() && settings.background)
        throw error{errc::invalid_configuration, "openai_agent", "background is of the api responses"};
}

std::chrono::nanoseconds openai_agent::limit() const noexcept
{
    if (settings.timeout) return settings.timeout->span();
    if (settings.background) return background_timeout_usual;
    return answer_timeout_usual;
}

openai_exchange::openai_exchange(std::shared_ptr<const openai_agent> agent, std::string place)
    : agent_{std::move(agent)}, place_{std::move(place) + ", the agent at " + agent_->at.origin()}
{
    const std::string& name = agent_->settings.key;
    if (name.empty()) return;
    if (!is_trusted(*agent_->program, agent_->at))
        throw error{errc::invalid_configuration, place_,
                    "the key " + name + " is a variable of the environment, which goes to trusted services only: trust "
                    "the host, as with weft run --allow http=" + agent_->at.host()};
    const std::optional<std::string> value = agent_->program->options.environment(name);
    if (!value || value->empty())
        throw error{errc::invalid_configuration, place_, "key: the variable " + name + " is not set"};
    key_ = secret_string{*value};
}

const http_client& openai_exchange::client() const
{
    return is_trusted(*agent_->program, agent_->at) ? agent_->program->trusted : agent_->program->strict;
}

/** An agent may be silent for as long as it may take. */
http_timeouts openai_exchange::timeouts() const
{
    http_timeouts timeouts = agent_->program->options.client.timeouts;
    timeouts.first_byte = timeouts.gap = agent_->limit();
    return timeouts;
}

responses_model_options openai_exchange::responses_options() const
{
    const openai_agent_settings& settings = agent_->settings;
    responses_model_options options;
    options.base_url = settings.url;
    options.model = settings.model;
    options.key = key_;
    options.key_origin = settings.key;
    options.settings.store = true;
    options.settings.include.clear();
    options.settings.headers = headers_in(settings);
    options.settings.auth_header = settings.key_header;
    if (settings.key_header != "Authorization") options.settings.auth_prefix.clear();
    options.timeouts = timeouts();
    options.limits.text_bytes_max = static_cast<std::size_t>(settings.reply_bytes_max);
    return options;
}

std::shared_ptr<chat_model> openai_exchange::paid(std::shared_ptr<chat_model> model) const
{
    priced_model_options pricing;
    pricing.model = agent_->settings.model;
    pricing.prices = agent_->prices;
    auto priced = std::make_shared<priced_model>(std::move(model), std::move(pricing));
    return std::make_shared<budgeted_model>(std::move(priced));
}

std::shared_ptr<chat_model> openai_exchange::model(bool counts_call) const
{
    responses_model_options options = responses_options();
    std::shared_ptr<chat_model> model;
    if (agent_->is_chat()) {
        openai_model_options chat;
        chat.base_url = options.base_url;
        chat.model = options.model;
        chat.key = options.key;
        chat.key_origin = options.key_origin;
        chat.profile = openai_profiles::for_host(agent_->at.host());
        chat.profile.headers = options.settings.headers;
        chat.profile.auth_header = options.settings.auth_header;
        chat.profile.auth_prefix = options.settings.auth_prefix;
        chat.timeouts = options.timeouts;
        chat.limits = options.limits;
        model = std::make_shared<openai_model>(client(), std::move(chat));
    } else {
        model = std::make_shared<responses_model>(client(), std::move(options));
    }
    if (counts_call) model = std::make_shared<counted_call>(std::move(model));
    return paid(std::move(model));
}

std::shared_ptr<chat_model> openai_exchange::model_following(std::string id) const
{
    std::string label = agent_->settings.model + " at " + agent_->at.endpoint();
    background_responses from{client(), responses_options()};
    auto followed = std::make_shared<followed_response>(std::move(from), std::move(id), std::move(label));
    return paid(std::make_shared<counted_call>(std::move(followed)));
}

task<std::string> openai_exchange::order(chat_request request) const
{
    const background_responses responses{client(), responses_options()};
    std::string id = co_await responses.order(std::move(request));
    co_return id;
}

task<void> openai_exchange::cancel(std::string id, std::shared_ptr<const trace_context> trace) const
{
    const background_responses responses{client(), responses_options()};
    task<void> cancelling = responses.cancel(std::move(id), std::move(trace));
    try {
        co_await shielded(std::move(cancelling), cancel_time_max);
    } catch (const error&) {
        // The run ends for another reason, which is the one to tell.
    }
}

error openai_exchange::told(const error& of)
{
    if (const auto* const failed = dynamic_cast<const model_error*>(&of)) retry_after_ = failed->failure().retry_after;
    if (const auto told = told_by_caller(of, place_, agent_->at)) return *told;
    // Agents repeat what they were sent, also in texts for people.
    return error{of.code(), place_, key_.scrub(of.detail())};
}

}  // namespace weft::agent_detail
