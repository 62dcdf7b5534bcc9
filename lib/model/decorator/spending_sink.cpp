#include "spending_sink.hpp"

#include <weft/base/utf8.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include "call_outcome.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::model_detail {

namespace {

constexpr std::int64_t characters_per_token = 4;
constexpr std::int64_t output_step = 256;  // tokens that are put aside at once when more is written than expected

usage usage_of(std::int64_t input, std::int64_t output)
{
    usage result;
    result.input = tokens{input};
    result.output = tokens{output};
    return result;
}

/** The budget stopped the reply: its error, with what is known about the call. */
[[noreturn]] void throw_exhausted(const std::exception_ptr& cause, bool has_delivered, int attempts)
{
    model_failure failure = failure_of(cause);
    failure.phase = model_phase::stream;
    failure.has_delivered = has_delivered;
    failure.is_transient = false;
    failure.partial.usage = usage::unknown();
    failure.partial.attempts = attempts;
    failure.detail += "; the reply was stopped while it was written";
    throw model_error{where_of(cause), std::move(failure)};
}

}  // namespace

call_estimate estimate_call(const chat_request& request, double factor, tokens output_expected)
{
    call_estimate expected;
    expected.input = std::llround(static_cast<double>(estimate_input(request).count()) * factor);
    expected.output = std::min(output_expected, request.output_max.value_or(tokens::max())).count();
    return expected;
}

spending_sink::spending_sink(const std::shared_ptr<budget_ledger>& ledger, call_estimate expected, pricing price,
                             chat_sink& target)
    : passing_sink{target}, expected_{expected}, price_{std::move(price)}
{
    if (ledger) held_ = ledger->reserve(price_(usage_of(expected_.input, expected_.output), 1, {}));
}

std::int64_t spending_sink::written() const noexcept { return characters_ / characters_per_token; }

bool spending_sink::may_pass(std::string_view piece)
{
    characters_ += static_cast<std::int64_t>(count_code_points(piece));
    if (!held_) return true;
    while (written() > expected_.output) put_more_aside();
    return true;
}

void spending_sink::put_more_aside()
{
    try {
        held_.grow(price_(usage_of(0, output_step), 0, {}));
    } catch (...) {
        exhausted_ = std::current_exception();
        throw;
    }
    expected_.output += output_step;
}

void spending_sink::settle(const usage& used, std::int64_t calls, std::string_view answered)
{
    usage sum = used;
    if (!used.is_exact()) sum += usage_of(expected_.input * used.unreported, written());
    held_.settle(price_(sum, calls, answered));
}

task<chat_reply> call_spending(std::shared_ptr<chat_model> model, chat_request request, spending_sink& sink)
{
    call_outcome outcome = co_await try_call(std::move(model), std::move(request), sink);
    if (!outcome.reply) {
        const model_failure failure = failure_of(outcome.error);
        const bool is_ours = static_cast<bool>(sink.exhausted());
        sink.settle(is_ours ? usage::unknown() : spent_by(failure), failure.partial.attempts, {});
        if (is_ours) throw_exhausted(sink.exhausted(), sink.has_passed(), failure.partial.attempts);
        std::rethrow_exception(outcome.error);
    }
    sink.settle(outcome.reply->usage, outcome.reply->attempts, outcome.reply->model);
    sink.finish();
    co_return *std::move(outcome.reply);
}

}  // namespace weft::model_detail
