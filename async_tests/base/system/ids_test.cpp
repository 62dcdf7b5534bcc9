#include <boost/test/unit_test.hpp>

#include <weft/base/system/ids.hpp>

#include <algorithm>
#include <array>
#include <thread>
#include <unordered_set>
#include <vector>

using namespace std::chrono_literals;
using weft::id_source;
using weft::unique_id;

BOOST_AUTO_TEST_SUITE(ids_test)

namespace {

class settable_clock final : public weft::clock {
public:
    time_point now() const noexcept override { return {}; }
    system_time_point system_now() const noexcept override { return time; }

    system_time_point time{1'700'000'000'123ms};
};

struct fixture {
    settable_clock clock;
    weft::random_source random{1};
    id_source ids{clock, random};
};

bool is_strictly_rising(const std::vector<unique_id>& ids)
{
    return std::is_sorted(ids.begin(), ids.end(), std::less_equal<>{});
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(an_id_is_a_version_7_uuid_of_its_time, fixture)
{
    const std::string text = ids.next().text();
    BOOST_TEST(text.size() == 36u);
    BOOST_TEST(text.substr(0, 15) == "018bcfe5-687b-7");   // 1,700,000,000,123 ms and the version
    BOOST_TEST(std::string{"89ab"}.find(text[19]) != std::string::npos);
    BOOST_TEST(text.find_first_not_of("0123456789abcdef-") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_hundred_thousand_ids_of_one_millisecond_are_unique_and_in_order, fixture)
{
    std::vector<unique_id> made;
    for (int i = 0; i < 100'000; ++i) made.push_back(ids.next());
    BOOST_TEST(is_strictly_rising(made));

    std::vector<std::string> texts;
    for (const unique_id& id : made) texts.push_back(id.text());
    BOOST_TEST(std::is_sorted(texts.begin(), texts.end(), std::less_equal<>{}));
    const std::unordered_set<unique_id> distinct(made.begin(), made.end());
    BOOST_TEST(distinct.size() == made.size());
}

BOOST_FIXTURE_TEST_CASE(ids_rise_when_the_time_of_day_goes_back, fixture)
{
    std::vector<unique_id> made;
    for (const auto step : {0ms, 5ms, -3'600'000ms, 1ms, 0ms, 7'200'000ms}) {
        clock.time += step;
        made.push_back(ids.next());
    }
    BOOST_TEST(is_strictly_rising(made));
}

BOOST_AUTO_TEST_CASE(machines_with_the_same_time_make_different_ids)
{
    settable_clock clock;
    weft::random_source random_a{1};
    weft::random_source random_b{2};
    id_source a{clock, random_a};
    id_source b{clock, random_b};
    BOOST_TEST((a.next() != b.next()));
}

BOOST_FIXTURE_TEST_CASE(threads_that_share_a_source_get_different_ids, fixture)
{
    std::array<std::vector<unique_id>, 4> made;
    std::vector<std::thread> threads;
    for (auto& mine : made) {
        threads.emplace_back([&] {
            for (int i = 0; i < 5'000; ++i) mine.push_back(ids.next());
        });
    }
    for (std::thread& t : threads) t.join();
    std::unordered_set<unique_id> all;
    for (const auto& mine : made) {
        BOOST_TEST(is_strictly_rising(mine));
        all.insert(mine.begin(), mine.end());
    }
    BOOST_TEST(all.size() == 20'000u);
}

BOOST_FIXTURE_TEST_CASE(an_id_is_read_back_from_its_text, fixture)
{
    const auto id = ids.next<weft::run_id>();
    BOOST_TEST(!id.is_nil());
    const auto read = weft::run_id::parse(id.text());
    BOOST_REQUIRE(read.has_value());
    BOOST_TEST((*read == id));
    BOOST_TEST(std::hash<weft::run_id>{}(*read) == std::hash<weft::run_id>{}(id));
    BOOST_TEST((unique_id::parse("01890A5D-AC96-774B-BCCE-B302099A8057")->text() ==
                "01890a5d-ac96-774b-bcce-b302099a8057"));
    BOOST_TEST(unique_id::parse("00000000-0000-0000-0000-000000000000")->is_nil());
}

BOOST_AUTO_TEST_CASE(other_texts_are_not_ids)
{
    for (const char* text :
         {"", "abc", "01890a5d-ac96-774b-bcce-b302099a805", "01890a5d-ac96-774b-bcce-b302099a80577",
          "01890a5dxac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g",
          "{1890a5d-ac96-774b-bcce-b302099a8057"}) {
        BOOST_TEST(!unique_id::parse(text).has_value(), text);
    }
}

BOOST_AUTO_TEST_SUITE_END()
