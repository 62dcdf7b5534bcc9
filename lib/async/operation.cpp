#include <weft/async/operation.hpp>
#include <weft/async/sleep.hpp>

namespace weft::async_detail {

void throw_cancelled() { throw error{errc::cancelled}; }

void throw_operation_error(const boost::system::error_code& code, bool stopped)
{
    if (stopped && code == boost::asio::error::operation_aborted) throw_cancelled();
    throw boost::system::system_error{code};
}

}  // namespace weft::async_detail
