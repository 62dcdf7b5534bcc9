#include "call_outcome.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/system/ids.hpp>

#include <utility>

namespace weft::model_detail {

namespace {

/** Whether nothing of the request can have reached a model. */
bool was_never_asked(errc code) noexcept
{
    switch (code) {
    case errc::resolve_failed:
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::tls_untrusted:
    case errc::tls_expired:
    case errc::tls_wrong_host:
    case errc::tls_failed:
    case errc::invalid_configuration:
    case errc::address_refused:
    case errc::invalid_url:
    case errc::limit_reached:
    case errc::budget_exhausted:
    case errc::model_unauthorized:
    case errc::model_not_found:
    case errc::model_rejected:
    case errc::model_rate_limited:
    case errc::model_quota_exhausted:
    case errc::script_exhausted: return true;
    default: return false;
    }
}

}  // namespace

task<call_outcome> try_call(std::shared_ptr<chat_model> model, chat_request request, chat_sink& sink)
{
    call_outcome outcome;
    try {
        chat_reply reply = co_await model->reply(std::move(request), sink);
        outcome.reply.emplace(std::move(reply));
    } catch (...) {
        outcome.error = std::current_exception();
    }
    co_return outcome;
}

model_failure failure_of(const std::exception_ptr& cause)
{
    try {
        std::rethrow_exception(cause);
    } catch (const model_error& e) {
        return e.failure();
    } catch (const error& e) {
        model_failure failure;
        failure.code = e.code();
        failure.phase = model_phase::request;
        failure.detail = e.detail();
        failure.is_transient = is_transient(e.code());
        return failure;
    } catch (...) {
        model_failure failure;
        failure.code = code_of(cause);
        failure.phase = model_phase::request;
        failure.detail = weft::text_of(cause);
        return failure;
    }
}

std::string where_of(const std::exception_ptr& cause)
{
    try {
        std::rethrow_exception(cause);
    } catch (const error& e) {
        return e.where();
    } catch (...) {
        return {};
    }
}

usage spent_by(const model_failure& failure) noexcept
{
    const bool is_refused = failure.phase == model_phase::response && failure.status >= 400;
    const usage& reported = failure.partial.usage;
    if (reported != usage{}) return reported;
    if (is_refused || (failure.phase != model_phase::stream && was_never_asked(failure.code))) return {};
    return usage::unknown();
}

void add_spent(chat_reply& reply, const usage& spent)
{
    if (spent == usage{}) return;
    reply.usage = spent + reply.usage;
    reply.cost.reset();
}

void name_call(chat_request& request, serial_loop& loop)
{
    if (!request.call_id.empty()) return;
    id_source ids{loop.clock(), loop.random()};
    request.call_id = ids.next().text();
}

}  // namespace weft::model_detail
