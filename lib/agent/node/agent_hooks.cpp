#include <weft/agent/node/agent_hooks.hpp>

#include <weft/base/error.hpp>

namespace weft {

/** A model with hooks around its calls. */
class hooked_model final : public chat_model {
public:
    hooked_model(std::shared_ptr<chat_model> model, agent_hooks hooks, std::string agent)
        : model_{std::move(model)}, hooks_{std::move(hooks)}, agent_{std::move(agent)}
    {
    }
    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    task<chat_reply> do_reply(chat_request request, chat_sink& sink) override
    {
        return reply(this, std::move(request), &sink);
    }

    static task<chat_reply> reply(const hooked_model* self, chat_request request, chat_sink* sink)
    {
        std::optional<chat_reply> given = self->before(request);
        if (given) {
            sink->on_text(given->message.text());
        } else {
            const chat_request asked = request;  // for the hooks behind; lists are shared
            std::exception_ptr failed;
            try {
                chat_reply whole = co_await self->model_->reply(std::move(request), *sink);
                given.emplace(std::move(whole));
            } catch (...) {
                failed = std::current_exception();
            }
            if (failed) given.emplace(self->mend(asked, failed, *sink));
            request = asked;
        }
        for (const agent_hooks::model_after& hook : self->hooks_.after_model_) hook(self->agent_, request, *given);
        co_return std::move(*given);
    }

    [[nodiscard]] std::optional<chat_reply> before(chat_request& request) const
    {
        for (const agent_hooks::model_before& hook : hooks_.before_model_)
            if (std::optional<chat_reply> reply = hook(agent_, request)) return reply;
        return std::nullopt;
    }

    /** What a hook gives instead of a failure; else throws the failure. */
    [[nodiscard]] chat_reply mend(const chat_request& request, const std::exception_ptr& failed, chat_sink& sink) const
    {
        if (code_of(failed) != errc::cancelled)
            for (const agent_hooks::model_error& hook : hooks_.on_model_error_)
                if (std::optional<chat_reply> reply = hook(agent_, request, failed)) {
                    sink.on_retracted();
                    sink.on_text(reply->message.text());
                    return std::move(*reply);
                }
        std::rethrow_exception(failed);
    }

    std::shared_ptr<chat_model> model_;
    agent_hooks hooks_;
    std::string agent_;
};

namespace {

bool has_failed(const tool_answer& answer) noexcept
{
    return answer.status == tool_status::runtime_failure || answer.status == tool_status::timeout;
}

}  // namespace

std::shared_ptr<chat_model> agent_hooks::around(std::shared_ptr<chat_model> model, std::string agent) const
{
    if (!model || !has_model_hooks()) return model;
    return std::make_shared<hooked_model>(std::move(model), *this, std::move(agent));
}

tool_runner_options agent_hooks::around(tool_runner_options options) const
{
    if (!before_tool_.empty())
        options.before = [hooks = before_tool_, last = std::move(options.before)](tool_invocation& call) {
            for (const tool_before& hook : hooks)
                if (std::optional<std::string> reason = hook(call)) return reason;
            return last ? last(call) : std::nullopt;
        };
    if (after_tool_.empty() && on_tool_error_.empty()) return options;
    options.after = [mends = on_tool_error_, hooks = after_tool_, first = std::move(options.after)](
                        const tool_invocation& call, tool_answer& answer) {
        if (first) first(call, answer);
        for (const tool_error& mend : mends) {
            if (!has_failed(answer)) break;
            std::optional<tool_result> result = mend(call, answer);
            if (!result) continue;
            answer.status = result->is_error ? tool_status::runtime_failure : tool_status::success;
            answer.result = std::move(*result);
            break;
        }
        for (const tool_after& hook : hooks) hook(call, answer);
    };
    return options;
}

agent_hooks& agent_hooks::before_model(model_before hook) { return before_model_.push_back(std::move(hook)), *this; }
agent_hooks& agent_hooks::after_model(model_after hook) { return after_model_.push_back(std::move(hook)), *this; }
agent_hooks& agent_hooks::on_model_error(model_error hook) { return on_model_error_.push_back(std::move(hook)), *this; }
agent_hooks& agent_hooks::before_tool(tool_before hook) { return before_tool_.push_back(std::move(hook)), *this; }
agent_hooks& agent_hooks::after_tool(tool_after hook) { return after_tool_.push_back(std::move(hook)), *this; }
agent_hooks& agent_hooks::on_tool_error(tool_error hook) { return on_tool_error_.push_back(std::move(hook)), *this; }

bool agent_hooks::has_model_hooks() const noexcept
{
    return !before_model_.empty() || !after_model_.empty() || !on_model_error_.empty();
}

}  // namespace weft
