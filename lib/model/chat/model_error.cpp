#include <weft/model/model_error.hpp>

#include <utility>

namespace weft {

model_error::model_error(std::string where, model_failure failure)
    : error{failure.code, std::move(where), failure.detail},
      failure_{std::make_shared<const model_failure>(std::move(failure))}
{
}

bool is_transient(errc code) noexcept
{
    switch (code) {
    case errc::resolve_failed:
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::tls_failed:
    case errc::connection_lost:
    case errc::send_timeout:
    case errc::first_byte_timeout:
    case errc::gap_timeout:
    case errc::timeout:
    case errc::response_truncated:
    case errc::model_rate_limited:
    case errc::model_overloaded:
        return true;
    default:
        return false;
    }
}

}  // namespace weft
