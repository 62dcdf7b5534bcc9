#include "refusal.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <string_view>

namespace weft::serve_detail {

int status_of_refusal(errc code) noexcept
{
    switch (code) {
    case errc::thread_not_found:
    case errc::unknown_question: return 404;
    case errc::thread_is_busy:
    case errc::graph_changed: return 409;
    case errc::invalid_answer:
    case errc::invalid_json:
    case errc::unexpected_json:
    case errc::invalid_configuration:
    case errc::unknown_state_key:
    case errc::state_conversion:
    case errc::state_type_mismatch:
    case errc::invalid_url:
    case errc::unknown_node: return 422;
    case errc::limit_reached: return 429;
    case errc::store_unavailable:
    case errc::store_outcome_unknown:
    case errc::store_full:
    case errc::thread_lost:
    case errc::cancelled: return 503;
    default: return 0;
    }
}

namespace {

refusal of_error(const error& thrown)
{
    refusal result;
    const int status = status_of_refusal(thrown.code());
    result.is_of_server = status == 0 || status == 503;
    if (status == 0) return result;
    result.status = status;
    result.code = name_of(thrown.code());
    result.message = status == 503 ? std::string{"the server cannot do that now; try again"} : thrown.what();
    if (status == 503 || status == 429) result.retry_after_s = 1;
    return result;
}

}  // namespace

refusal refusal_for(const std::exception_ptr& thrown)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const http_error& refused) {
        refusal result;
        result.status = refused.status();
        result.code = refused.code();
        result.message = refused.what();
        return result;
    } catch (const error& e) {
        return of_error(e);
    } catch (...) {
        refusal result;
        result.is_of_server = true;
        return result;
    }
}

}  // namespace weft::serve_detail
