#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

BOOST_AUTO_TEST_SUITE(on_behalf_of_test)

namespace {

using namespace std::chrono_literals;
using weft::on_behalf_of;
using weft::task;

task<std::string> whose(std::chrono::milliseconds pause)
{
    if (pause > 0ms) co_await weft::sleep_for(pause);
    const weft::task_context& context = co_await weft::this_task::context();
    co_return context.tenant ? *context.tenant : "none";
}

task<void> note(std::string& seen, std::chrono::milliseconds pause) { seen = co_await whose(pause); }

/** By every way in which work has a context of its own. */
task<std::string> whose_everywhere()
{
    const weft::task_context& context = co_await weft::this_task::context();
    std::string in_scope;
    weft::scope children{context};
    children.spawn(note(in_scope, 2ms));
    co_await children.join();
    const std::stop_source source;
    task<std::string> stoppable = weft::with_stop(whose(1ms), source.get_token());
    const std::string with_stop = co_await std::move(stoppable);
    const std::string in_time = co_await weft::with_deadline(whose(1ms), 1s);
    co_return co_await whose(0ms) + ' ' + in_scope + ' ' + with_stop + ' ' + in_time;
}

task<std::string> whose_inside()
{
    on_behalf_of own{whose(1ms), nullptr};
    const std::string inside = co_await own;
    co_return inside + ' ' + co_await whose(0ms);
}

task<void> wait_long() { co_await weft::sleep_for(1h); }

task<void> wait_for_tenant(std::string tenant)
{
    on_behalf_of work{wait_long(), &tenant};
    co_await work;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(all_that_is_awaited_is_on_behalf_of_the_tenant)
{
    const std::string acme = "acme";
    on_behalf_of work{whose_everywhere(), &acme};
    const std::string seen = co_await work;
    BOOST_TEST(seen == "acme acme acme acme");
    const std::string outside = co_await whose(0ms);
    BOOST_TEST(outside == "none");
}

WEFT_ASYNC_TEST_CASE(within_it_the_program_can_work_for_itself)
{
    const std::string acme = "acme";
    on_behalf_of work{whose_inside(), &acme};
    const std::string seen = co_await work;
    BOOST_TEST(seen == "none acme");
}

WEFT_ASYNC_TEST_CASE(a_stop_reaches_it)
{
    const std::optional<weft::errc> why =
        co_await async_tests::error_of(weft::with_deadline(wait_for_tenant("acme"), 1s));
    BOOST_TEST((why == weft::errc::timeout));
}

BOOST_AUTO_TEST_SUITE_END()
