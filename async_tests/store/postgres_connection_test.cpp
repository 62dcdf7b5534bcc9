#ifdef WEFT_HAS_POSTGRES

#include "postgres_fixture.hpp"
#include "store/postgres/wire/pg_connection.hpp"
#include "store/postgres/wire/pg_session.hpp"

#include <weft/async/use_task.hpp>
#include <weft/async/wait/deadline.hpp>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace postgres_connection_test {

namespace ut = boost::unit_test;

using namespace std::chrono_literals;
using namespace weft::postgres_detail;
using namespace weft_tests;

using local_socket = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, weft::loop_executor>;

constexpr sql_statement end_own_connection{"end_own", "", "SELECT pg_terminate_backend(pg_backend_pid())"};

weft::task<void> wait_for_byte(local_socket& socket)
{
    co_await socket.async_wait(local_socket::wait_read, weft::use_task);
}

/** A connection that was lost goes while sockets of others have its descriptor's number. */
weft::task<void> lose_a_connection_beside_other_sockets(pg_settings settings)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::unique_ptr<pg_connection> connection = co_await open_session(settings);
    sql_request request;
    request.step(end_own_connection, sql_parameters{});
    const batch_end end = co_await connection->run_once(request, loop.now() + 10s);
    BOOST_TEST((end.what == batch_end::kind::lost));
    BOOST_TEST(!connection->is_usable());

    local_socket ours{loop.executor()};
    local_socket theirs{loop.executor()};
    boost::asio::local::connect_pair(ours, theirs);
    connection.reset();
    for (local_socket* from : {&ours, &theirs}) {
        local_socket& to = from == &ours ? theirs : ours;
        from->write_some(boost::asio::buffer("a", 1));
        weft::task<void> arrived = wait_for_byte(to);
        co_await weft::with_deadline(std::move(arrived), 10s);
    }
}

BOOST_AUTO_TEST_SUITE(postgres_connection_test, *ut::precondition(has_postgres))

BOOST_AUTO_TEST_CASE(a_lost_connection_leaves_the_sockets_of_others_alone)
{
    const pg_settings settings{connection_string{shared_postgres_server().connection()}};
    weft::run_blocking(lose_a_connection_beside_other_sockets(settings));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_connection_test

#endif
