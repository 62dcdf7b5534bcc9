#include <weft/async/sleep.hpp>
#include <weft/async/task/operation.hpp>

namespace weft::async_detail {

error cancelled_error() { return error{errc::cancelled}; }

void throw_cancelled() { throw cancelled_error(); }

void throw_operation_error(const boost::system::error_code& code, bool stopped)
{
    if (stopped && code == boost::asio::error::operation_aborted) throw_cancelled();
    throw boost::system::system_error{code};
}

}  // namespace weft::async_detail
