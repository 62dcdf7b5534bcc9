#include <weft/model/priced_model.hpp>

#include <weft/async/serial_loop.hpp>
#include <weft/model/token_estimate.hpp>

#include "call_outcome.hpp"
#include "passing_sink.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft {

namespace {

using model_detail::call_outcome;

constexpr std::int64_t characters_per_token = 4;
constexpr std::int64_t output_step = 256;  // tokens that are set aside at once when more is written than expected

usage estimated_usage(std::int64_t input, std::int64_t output)
{
    usage result;
    result.input = tokens{input};
    result.output = tokens{output};
    return result;
}

}  // namespace

/** What one call spends: a sink that counts what is written. */
class priced_model::spending final : public model_detail::passing_sink {
public:
    spending(const priced_model& model, const chat_request& request, serial_loop& loop, chat_sink& sink)
        : passing_sink{sink}, model_{model}, loop_{loop},
          asked_{request.model.empty() ? model.options_.model : request.model},
          input_{std::llround(static_cast<double>(estimate_input(request).count()) * model.options_.estimate_factor)},
          reserved_output_{std::min(model.options_.output_expected.count(),
                                    request.output_max.value_or(tokens::max()).count())}
    {
        if (!model_.options_.ledger) return;
        model_.check_price(asked_);
        budget_amounts wanted = amounts(estimated_usage(input_, reserved_output_), 1);
        reservation_ = model_.options_.ledger->reserve(wanted, loop_.now());
    }

    bool may_pass(std::string_view piece) override
    {
        if (!model_.options_.ledger) return true;
        characters_ += std::count_if(piece.begin(), piece.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
        while (written() > reserved_output_) reserve_more();
        return true;
    }

    [[nodiscard]] const std::exception_ptr& exhausted() const noexcept { return exhausted_; }

    /** Spends what was used; calls that reported nothing cost what was estimated. */
    void settle(const usage& used, std::string_view answered, std::int64_t calls)
    {
        usage sum = used;
        if (!used.is_exact()) sum += estimated_usage(input_ * used.unreported, written());
        reservation_.settle(amounts(sum, calls, answered));
    }

    [[nodiscard]] const std::string& asked() const noexcept { return asked_; }

private:
    [[nodiscard]] std::int64_t written() const noexcept { return characters_ / characters_per_token; }

    [[nodiscard]] budget_amounts amounts(const usage& used, std::int64_t calls, std::string_view answered = {}) const
    {
        budget_amounts result;
        result.tokens = used.total();
        result.calls = calls;
        const auto cost = model_.cost_of(answered, asked_, used, calls);
        if (cost) result.cost = cost->amount;
        return result;
    }

    void reserve_more()
    {
        try {
            reservation_.grow(amounts(estimated_usage(0, output_step), 0), loop_.now());
        } catch (...) {
            exhausted_ = std::current_exception();
            throw;
        }
        reserved_output_ += output_step;
    }

    const priced_model& model_;
    serial_loop& loop_;
    std::string asked_;
    std::int64_t input_;
    std::int64_t reserved_output_;
    std::int64_t characters_ = 0;
    budget_ledger::reservation reservation_;
    std::exception_ptr exhausted_;
};

priced_model::priced_model(std::shared_ptr<chat_model> model, priced_model_options options)
    : model_{std::move(model)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(model_, "a priced model needs a model to call");
}

/** The price of the model that answered, else of the one that was asked. */
std::optional<model_cost> priced_model::cost_of(std::string_view answered, const std::string& asked, const usage& used,
                                                std::int64_t calls) const
{
    if (!options_.prices) return std::nullopt;
    std::optional<model_cost> cost;
    if (!answered.empty()) cost = options_.prices->cost(options_.provider, answered, used, calls);
    return cost ? cost : options_.prices->cost(options_.provider, asked, used, calls);
}

void priced_model::check_price(const std::string& asked) const
{
    if (options_.without_price == unknown_price::allow || !options_.ledger->limits_cost()) return;
    if (cost_of({}, asked, {}, 1)) return;
    throw error{errc::invalid_configuration, options_.ledger->name(),
                "it limits the cost, and '" + asked + "' has no price: add it to the table of prices"};
}

namespace {

/** The budget stopped the reply: the error of the budget, with what is known about the call. */
[[noreturn]] void throw_exhausted(const std::exception_ptr& cause, bool has_delivered)
{
    model_failure failure = model_detail::failure_of(cause);
    failure.phase = model_phase::stream;
    failure.has_delivered = has_delivered;
    failure.is_transient = false;
    failure.partial.usage = usage::unknown();
    failure.detail += "; the reply was stopped while it was written";
    throw model_error{model_detail::where_of(cause), std::move(failure)};
}

}  // namespace

task<chat_reply> priced_model::do_reply(chat_request request, chat_sink& sink)
{
    serial_loop& loop = co_await this_task::loop();
    spending spent{*this, request, loop, sink};
    call_outcome outcome = co_await model_detail::try_call(model_, std::move(request), spent);
    if (!outcome.reply) {
        const model_failure failure = model_detail::failure_of(outcome.error);
        const bool is_ours = static_cast<bool>(spent.exhausted());
        spent.settle(is_ours ? usage::unknown() : model_detail::spent_by(failure), {}, failure.partial.attempts);
        if (is_ours) throw_exhausted(spent.exhausted(), spent.has_passed());
        std::rethrow_exception(outcome.error);
    }
    chat_reply reply = *std::move(outcome.reply);
    spent.finish();
    spent.settle(reply.usage, reply.model, reply.attempts);
    const auto cost = cost_of(reply.model, spent.asked(), reply.usage, reply.attempts);
    if (cost && cost->is_whole) reply.cost = cost->amount;
    co_return reply;
}

}  // namespace weft
