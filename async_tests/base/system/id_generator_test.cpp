#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/id_generator.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using weft::id_form;

BOOST_AUTO_TEST_SUITE(id_generator_test)

namespace {

struct source {
    explicit source(std::uint64_t seed) : random{seed} {}
    std::vector<std::string> ids(id_form form, std::size_t count)
    {
        const auto generator = weft::make_id_generator(form, clock, random);
        std::vector<std::string> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(generator->next());
        return all;
    }
    weft::testing::manual_clock clock;
    weft::random_source random;
};

bool is_made_of(const std::string& text, std::string_view characters)
{
    return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

constexpr std::string_view digits = "0123456789";

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_16_a_hundred_thousand_ids_of_each_form_are_unique)
{
    for (const id_form form : {id_form::uuid, id_form::nanoseconds, id_form::timestamp, id_form::integer, id_form::hex,
                               id_form::short_text}) {
        source from{7};
        const std::vector<std::string> ids = from.ids(form, 100'000);
        BOOST_TEST((std::set<std::string>{ids.begin(), ids.end()}.size() == ids.size()));
    }
}

BOOST_AUTO_TEST_CASE(PYA_16_ids_look_as_their_form_says)
{
    source from{1};
    for (const std::string& id : from.ids(id_form::uuid, 100)) {
        BOOST_TEST(weft::unique_id::parse(id).has_value());
        BOOST_TEST(id[14] == '7');
    }
    for (const std::string& id : from.ids(id_form::integer, 1000)) {
        BOOST_TEST(is_made_of(id, digits));
        BOOST_TEST(std::stoll(id) <= 2'147'483'647);
    }
    for (const std::string& id : from.ids(id_form::hex, 100))
        BOOST_TEST((id.size() == 32 && is_made_of(id, "0123456789abcdef")));
    std::string seen;
    for (const std::string& id : from.ids(id_form::short_text, 1000)) {
        BOOST_TEST(id.size() == 8u);
        seen += id;
    }
    BOOST_TEST(seen.find_first_of(digits) != std::string::npos);
    BOOST_TEST(seen.find('Z') != std::string::npos);
    BOOST_TEST(seen.find('z') != std::string::npos);
    BOOST_TEST(from.ids(id_form::none, 1).front().empty());
}

BOOST_AUTO_TEST_CASE(PYA_16_ids_of_time_are_sorted_and_follow_the_clock)
{
    source from{1};
    const auto generator = weft::make_id_generator(id_form::timestamp, from.clock, from.random);
    const std::int64_t first = std::stoll(generator->next());
    BOOST_TEST(std::stoll(generator->next()) == first + 1);  // the clock stands still
    from.clock.advance(1s);
    BOOST_TEST(std::stoll(generator->next()) == first + 1'000'000);
    const std::vector<std::string> uuids = from.ids(id_form::uuid, 1000);
    BOOST_TEST(std::is_sorted(uuids.begin(), uuids.end()));
    const std::vector<std::string> times = from.ids(id_form::nanoseconds, 1000);
    BOOST_TEST((std::stoll(times.back()) - std::stoll(times.front()) == 999));
}

BOOST_AUTO_TEST_CASE(PYA_16_equal_seeds_give_equal_ids)
{
    for (const id_form form : {id_form::uuid, id_form::integer, id_form::hex, id_form::short_text}) {
        BOOST_TEST((source{5}.ids(form, 20) == source{5}.ids(form, 20)));
        BOOST_TEST((source{5}.ids(form, 20) != source{6}.ids(form, 20)));
    }
}

BOOST_AUTO_TEST_CASE(PYA_16_several_threads_draw_from_one_generator)
{
    weft::testing::manual_clock clock;
    weft::random_source random{3};
    for (const id_form form : {id_form::nanoseconds, id_form::integer, id_form::uuid}) {
        const auto generator = weft::make_id_generator(form, clock, random);
        std::vector<std::vector<std::string>> drawn(4);
        std::vector<std::thread> workers;
        for (auto& mine : drawn)
            workers.emplace_back([&generator, &mine] {
                for (int i = 0; i < 2000; ++i) mine.push_back(generator->next());
            });
        for (std::thread& worker : workers) worker.join();
        std::set<std::string> all;
        for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
        BOOST_TEST(all.size() == 8000u);
    }
}

BOOST_AUTO_TEST_CASE(a_form_is_found_by_its_name)
{
    BOOST_TEST((weft::id_form_of("short_text") == id_form::short_text));
    try {
        (void)weft::id_form_of("uid");
        BOOST_ERROR("no error");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::invalid_configuration));
        BOOST_TEST(e.detail().find("uuid, nanoseconds") != std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
