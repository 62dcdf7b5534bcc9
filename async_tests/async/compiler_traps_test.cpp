#include <boost/test/unit_test.hpp>

#include "compiler_traps.hpp"
#include "lifetimes.hpp"

#include <weft/testing/async_test_case.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// The upper half of docs/COMPILERS.md: forms that are right on every compiler that weft accepts, and on which
// its sources rely. Each body is also destroyed at each of its suspension points, with all lifetimes counted.

BOOST_AUTO_TEST_SUITE(compiler_traps_test)

namespace {

using namespace async_tests;

/** A class with a declared constructor, as all of weft's own that are passed to coroutines. */
class settings {
public:
    settings() {}
    settings& with(resident who) { return who_.emplace(std::move(who)), *this; }
    settings& width(int columns) { return width_ = columns, *this; }
    [[nodiscard]] std::string name() const { return (who_ ? who_->name() : "") + std::to_string(width_); }

private:
    std::optional<resident> who_;
    int width_ = 0;
};

task<std::string> name_of_settings(settings how = settings{})
{
    co_await weft::yield_now();
    co_return how.name();
}

/** For temporaries: the reference lives as long as the full expression that awaits. */
task<std::string> name_of_borrowed(const resident& who)
{
    co_await weft::yield_now();
    co_return who.name();
}

task<pair_of_residents> make_pair_of(lifetimes& where)
{
    co_await weft::yield_now();
    co_return pair_of_residents{resident{where, "a"}, resident{where, "b"}};
}

task<std::vector<resident>> make_list(lifetimes& where)
{
    co_await weft::yield_now();
    std::vector<resident> list;
    list.reserve(2);
    list.emplace_back(where, "a");
    list.emplace_back(where, "b");
    co_return list;
}

task<void> fail(resident)
{
    co_await weft::yield_now();
    throw std::runtime_error{"as it should"};
}

WEFT_ASYNC_TEST_CASE(a_variable_and_a_moved_variable_may_be_passed)
{
    lifetimes all;
    resident who{all, "a"};
    const std::string copied = co_await name_of(who);
    BOOST_TEST(copied == "a");
    const std::string moved = co_await name_of(std::move(who));
    BOOST_TEST(moved == "a");
}

WEFT_ASYNC_TEST_CASE(a_temporary_of_a_class_with_a_constructor_may_be_passed)
{
    lifetimes all;
    const std::string by_value = co_await name_of(resident{all, "a"});
    BOOST_TEST(by_value == "a");
    const std::string borrowed = co_await name_of_borrowed(resident{all, "b"});
    BOOST_TEST(borrowed == "b");
    BOOST_TEST(all.alive() == 0);
}

WEFT_ASYNC_TEST_CASE(chained_setters_may_be_written_in_place)
{
    lifetimes all;
    const std::string name = co_await name_of_settings(settings{}.with(resident{all, "a"}).width(3));
    BOOST_TEST(name == "a3");
}

WEFT_ASYNC_TEST_CASE(a_default_argument_of_a_class_with_a_constructor_is_made_for_each_call)
{
    const std::string name = co_await name_of_settings();
    BOOST_TEST(name == "0");
}

task<std::size_t> total_size(std::string text, std::unique_ptr<std::string> box, std::optional<std::string> maybe,
                             std::variant<int, std::string> either)
{
    co_await weft::yield_now();
    co_return text.size() + box->size() + maybe->size() + std::get<std::string>(either).size();
}

WEFT_ASYNC_TEST_CASE(temporaries_of_standard_types_may_be_passed)
{
    const std::string_view text = "longer than any small string is";
    const std::size_t size = co_await total_size(
        std::string(text), std::make_unique<std::string>(text), std::optional<std::string>(std::string(text)),
        std::variant<int, std::string>(std::string(text)));
    BOOST_TEST(size == 4 * text.size());
}

WEFT_ASYNC_TEST_CASE(a_lambda_without_captures_and_one_with_a_name_may_be_passed)
{
    lifetimes all;
    const std::string plain = co_await call([] { return std::string{"plain"}; });
    BOOST_TEST(plain == "plain");
    const auto named = [who = resident{all, "a"}] { return who.name(); };
    const std::string captured = co_await call(named);
    BOOST_TEST(captured == "a");
    const std::function<std::string()> boxed = named;
    const std::string from_box = co_await call(boxed);
    BOOST_TEST(from_box == "a");
}

WEFT_ASYNC_TEST_CASE(a_lambda_that_is_a_coroutine_gets_parameters_instead_of_captures)
{
    lifetimes all;
    const std::string name =
        co_await [](resident who) -> task<std::string> { co_return co_await name_of(who); }(resident{all, "a"});
    BOOST_TEST(name == "a");
}

WEFT_ASYNC_TEST_CASE(a_task_may_be_made_in_one_statement_and_awaited_in_the_next)
{
    lifetimes all;
    task<std::string> made = name_of(pair_of_residents{resident{all, "a"}, resident{all, "b"}}.right);
    BOOST_TEST(all.alive() == 1);
    const std::string name = co_await std::move(made);
    BOOST_TEST(name == "b");
    std::vector<task<std::string>> several;
    several.push_back(name_of(resident{all, "c"}));
    several.push_back(name_of(resident{all, "d"}));
    std::string names;
    for (task<std::string>& each : several) names += co_await std::move(each);
    BOOST_TEST(names == "cd");
}

task<std::string> forwarded(lifetimes& all) { co_return co_await name_of(resident{all, "a"}); }

WEFT_ASYNC_TEST_CASE(a_result_may_be_returned_bound_taken_apart_and_looked_into)
{
    lifetimes all;
    const std::string returned = co_await forwarded(all);
    BOOST_TEST(returned == "a");
    const auto [left, right] = co_await make_pair_of(all);
    BOOST_TEST(left.name() + right.name() == "ab");
    const resident& extended = co_await make(all, "c");
    BOOST_TEST(extended.name() == "c");
    const std::string member = (co_await make_pair_of(all)).right.name();
    BOOST_TEST(member == "b");
    BOOST_TEST(all.alive() == 3);
}

WEFT_ASYNC_TEST_CASE(a_range_may_be_awaited_and_its_body_may_await)
{
    lifetimes all;
    std::string names;
    for (const resident& each : co_await make_list(all)) names += co_await name_of(each);
    BOOST_TEST(names == "ab");
    BOOST_TEST(all.alive() == 0);
}

WEFT_ASYNC_TEST_CASE(an_init_statement_may_await)
{
    lifetimes all;
    if (const bool yes = co_await answer(resident{all, "a"}, true); yes) {
        BOOST_TEST(all.alive() == 0);
        co_return;
    }
    BOOST_ERROR("the body was skipped");
}

WEFT_ASYNC_TEST_CASE(the_second_of_two_conditions_is_awaited_only_if_it_counts)
{
    lifetimes all;
    const bool neither = co_await answer(resident{all, "a"}, false) && co_await answer(resident{all, "b"}, true);
    BOOST_TEST(!neither);
    BOOST_TEST(all.order() == "a");
    const bool either = co_await answer(resident{all, "c"}, false) || co_await answer(resident{all, "d"}, true);
    BOOST_TEST(either);
    BOOST_TEST(all.order() == "adc");  // temporaries of one full expression
}

WEFT_ASYNC_TEST_CASE(an_awaited_value_may_be_an_argument_and_a_summand)
{
    lifetimes all;
    const std::string nested = co_await name_of(co_await make(all, "a"));
    BOOST_TEST(nested == "a");
    const int sum = co_await number(1) + co_await number(2);
    BOOST_TEST(sum == 3);
}

WEFT_ASYNC_TEST_CASE(what_is_assigned_to_is_looked_up_after_the_wait)
{
    std::vector<int> list{1};
    const auto grow = [](std::vector<int>& to) -> task<int> {
        co_await weft::yield_now();
        to.reserve(to.capacity() + 100);
        co_return 5;
    };
    list[0] = co_await grow(list);
    BOOST_TEST(list[0] == 5);
    list[0] += co_await grow(list);
    BOOST_TEST(list[0] == 10);
    std::map<std::string, std::string> names;
    lifetimes all;
    names[std::string(40, 'k')] = co_await name_of(resident{all, "a"});
    BOOST_TEST(names.at(std::string(40, 'k')) == "a");
}

WEFT_ASYNC_TEST_CASE(temporaries_live_to_the_end_of_the_full_expression_and_go_in_reverse_order)
{
    lifetimes all;
    const auto look = [](const resident&, const resident&) -> task<int> {
        co_await weft::yield_now();
        co_return 1;
    };
    const auto both_alive = [&all](int result) { return result + static_cast<int>(all.alive()); };
    const resident first{all, "x"};
    const int seen = both_alive(co_await look(resident{all, "a"}, first));
    BOOST_TEST(seen == 3);  // the task has ended, its argument is still there
    BOOST_TEST(all.order() == "a");
}

WEFT_ASYNC_TEST_CASE(an_exception_destroys_the_temporaries_of_its_expression_once)
{
    lifetimes all;
    bool has_failed = false;
    try {
        co_await fail(resident{all, "a"});
    } catch (const std::runtime_error&) {
        has_failed = true;  // a catch block cannot await
    }
    BOOST_TEST(has_failed);
    BOOST_TEST(all.alive() == 0);
    BOOST_TEST(all.order() == "a");
    const std::string after = co_await name_of(resident{all, "b"});
    BOOST_TEST(after == "b");
}

resident refuse(const resident&) { throw std::runtime_error{"as it should"}; }

WEFT_ASYNC_TEST_CASE(an_exception_among_the_arguments_starts_nothing)
{
    lifetimes all;
    bool has_failed = false;
    try {
        const std::string name = co_await name_of(refuse(resident{all, "a"}));
        BOOST_ERROR("it went on with " + name);
    } catch (const std::runtime_error&) {
        has_failed = true;
    }
    BOOST_TEST(has_failed);
    BOOST_TEST(all.order() == "a");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
