#include <boost/test/unit_test.hpp>

#include "net/dns_server.hpp"
#include "net/http_fixture.hpp"
#include "net/socket/host_lookup.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/wait/deadline.hpp>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <sstream>

BOOST_AUTO_TEST_SUITE(host_lookup_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::net_detail::host_lookup;
using weft::net_detail::host_lookup_options;

namespace {

using finding = started<host_lookup::addresses>;

/** Knows `good.test` and its like, nothing of `unknown…`, and is silent about all else. */
dns_answer usual_answer(const std::string& name)
{
    if (name.starts_with("good")) return found_at({"192.0.2.1", "2001:db8::1"});
    if (name.starts_with("unknown")) return {dns_answer::kind::unknown};
    return {};
}

host_lookup_options asking(const dns_server& server, std::size_t lookups_max = 64)
{
    host_lookup_options options;
    options.name_servers = server.address();
    options.lookups_max = lookups_max;
    return options;
}

/** A name server, and lookups that ask it. */
struct named_world {
    explicit named_world(std::size_t lookups_max = 64) : lookup{loop.loop(), asking(server, lookups_max)} {}

    std::unique_ptr<finding> find(const std::string& host)
    {
        const weft::url target{"http://" + host + "/"};
        return std::make_unique<finding>(loop, lookup.find(target, loop.loop().now() + 10s));
    }

    dns_server server{usual_answer};
    test_loop loop;
    host_lookup lookup;
};

std::vector<std::string> texts_of(const host_lookup::addresses& addresses)
{
    std::vector<std::string> texts;
    for (const auto& address : addresses) texts.push_back(address.to_string());
    return texts;
}

/** The addresses that are known without asking anybody: none if the lookup has to wait. */
std::vector<std::string> known_addresses(const std::string& where)
{
    named_world world;
    finding found{world.loop, world.lookup.find(weft::url{where}, world.loop.loop().now() + 10s)};
    return found.is_done() ? texts_of(found.result()) : std::vector<std::string>{};
}

}  // namespace

BOOST_AUTO_TEST_CASE(this_machine_is_known_without_name_servers)
{
    const std::vector<std::string> both{"127.0.0.1", "::1"};
    BOOST_TEST(known_addresses("https://localhost:4433/v1") == both, boost::test_tools::per_element());
    BOOST_TEST(known_addresses("https://LOCALHOST/") == both, boost::test_tools::per_element());
    BOOST_TEST(known_addresses("http://model.localhost/") == both, boost::test_tools::per_element());
    BOOST_TEST(known_addresses("http://notlocalhost.test/").empty());
}

BOOST_AUTO_TEST_CASE(an_address_is_its_own)
{
    BOOST_TEST(known_addresses("https://192.0.2.7/").at(0) == "192.0.2.7");
    BOOST_TEST(known_addresses("https://[2001:db8::1]:8443/").at(0) == "2001:db8::1");
}

std::vector<std::string> chosen(const std::vector<std::string>& found)
{
    host_lookup::addresses addresses;
    for (const std::string& text : found) addresses.push_back(boost::asio::ip::make_address(text));
    std::vector<std::string> texts;
    for (const auto& address : weft::net_detail::chosen_addresses(addresses)) texts.push_back(address.to_string());
    return texts;
}

BOOST_AUTO_TEST_CASE(the_families_take_turns_and_each_address_comes_once)
{
    const std::vector<std::string> expected{"::a", "1.1.1.1", "::b", "2.2.2.2", "::c"};
    BOOST_TEST(chosen({"::a", "::b", "::a", "::c", "1.1.1.1", "2.2.2.2", "1.1.1.1"}) == expected,
               boost::test_tools::per_element());
    BOOST_TEST(chosen({}).empty());
}

BOOST_AUTO_TEST_CASE(many_addresses_of_one_family_leave_room_for_the_other)
{
    std::vector<std::string> found;
    for (int i = 1; i <= 20; ++i) found.push_back("2001:db8::" + std::to_string(i));
    found.push_back("192.0.2.1");
    const std::vector<std::string> some = chosen(found);
    BOOST_TEST(some.size() == host_lookup::addresses_max);
    BOOST_TEST(some[0] == "2001:db8::1");
    BOOST_TEST(some[1] == "192.0.2.1");
}

BOOST_AUTO_TEST_CASE(F1_a_name_is_asked_for_in_both_families)
{
    named_world world;
    std::vector<std::string> texts = texts_of(world.find("good.test")->result());
    std::sort(texts.begin(), texts.end());
    const std::vector<std::string> both{"192.0.2.1", "2001:db8::1"};
    BOOST_TEST(texts == both, boost::test_tools::per_element());
    BOOST_TEST(world.server.asked() == 2);
    BOOST_TEST(world.find("good.test")->is_done());  // it is remembered
    BOOST_TEST(world.server.asked() == 2);
}

BOOST_AUTO_TEST_CASE(F1_mute_names_delay_no_other)
{
    named_world world;
    std::vector<std::unique_ptr<finding>> mute;
    for (int i = 0; i < 20; ++i) mute.push_back(world.find("dead" + std::to_string(i) + ".test"));
    BOOST_TEST(world.find("good.test")->result().size() == 2u);
    for (const auto& each : mute) BOOST_TEST(!each->is_done());
    BOOST_TEST(world.lookup.under_way() == 20u);
}

BOOST_AUTO_TEST_CASE(F1_a_stop_ends_a_lookup_at_once)
{
    named_world world;
    std::vector<std::unique_ptr<finding>> mute;
    for (int i = 0; i < 20; ++i) mute.push_back(world.find("dead" + std::to_string(i) + ".test"));
    world.loop.settle();
    BOOST_TEST(world.lookup.under_way() == 20u);
    for (const auto& each : mute) each->stop();
    world.loop.settle();
    BOOST_TEST(world.lookup.under_way() == 0u);
    for (const auto& each : mute) BOOST_TEST(each->is_done());
    for (const auto& each : mute) BOOST_TEST((each->failure().code() == errc::cancelled));
}

BOOST_AUTO_TEST_CASE(F1_a_lookup_goes_with_the_coroutine_that_is_destroyed)
{
    named_world world;
    const auto mute = world.find("dead.test");
    world.loop.settle();
    mute->destroy();
    BOOST_TEST(world.lookup.under_way() == 0u);
}

BOOST_AUTO_TEST_CASE(F1_those_who_ask_for_one_name_share_a_lookup_that_goes_on_when_one_of_them_leaves)
{
    std::atomic<bool> may_answer{false};
    dns_server server{[&](const std::string&) {
        may_answer.wait(false);
        return found_at({"192.0.2.7"});
    }};
    test_loop loop;
    host_lookup lookup{loop.loop(), asking(server)};
    const weft::url target{"http://shared.test/"};
    finding first{loop, lookup.find(target, loop.loop().now() + 10s)};
    finding second{loop, lookup.find(target, loop.loop().now() + 10s)};
    finding third{loop, lookup.find(target, loop.loop().now() + 10s)};
    BOOST_TEST(lookup.under_way() == 1u);
    first.stop();
    BOOST_TEST((first.failure().code() == errc::cancelled));
    may_answer = true;
    may_answer.notify_all();
    BOOST_TEST(second.result().size() == 1u);
    BOOST_TEST(third.result().size() == 1u);
    BOOST_TEST(server.asked() == 2);  // once for each family
}

BOOST_AUTO_TEST_CASE(F1_names_beyond_the_bound_wait_for_their_turn)
{
    named_world world{2};
    const auto mute = world.find("dead1.test");
    const auto other = world.find("dead2.test");
    const auto good = world.find("good.test");
    world.loop.settle();
    BOOST_TEST(!good->is_done());
    BOOST_TEST(world.lookup.under_way() == 2u);
    mute->stop();
    BOOST_TEST(good->result().size() == 2u);
    BOOST_TEST(world.lookup.under_way() == 1u);
}

BOOST_AUTO_TEST_CASE(F1_a_name_that_does_not_exist_is_told_apart_and_asked_for_again)
{
    named_world world;
    for (int i = 1; i <= 2; ++i) {
        const weft::error failure = world.find("unknown.test")->failure();
        BOOST_TEST((failure.code() == errc::resolve_failed));
        BOOST_TEST(failure.where() == "unknown.test:80");
        BOOST_TEST(failure.detail().find("check the host name") != std::string::npos);
    }
    BOOST_TEST(world.server.asked() >= 4);
}

/** Asks for mute names until `limit`, and says when it was over. */
weft::task<std::chrono::steady_clock::time_point> give_up_after(weft::http_client client, weft::url target,
                                                                std::chrono::milliseconds limit)
{
    try {
        (void)co_await weft::with_deadline(http_fixture::fetch(client, target), limit);
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::timeout));
    }
    co_return std::chrono::steady_clock::now();
}

BOOST_AUTO_TEST_CASE(F1_a_loop_ends_with_its_last_task)
{
    const dns_server server{usual_answer};
    const weft::http_client client{http_fixture::trusting({.name_servers = server.address()})};
    const auto ended = weft::run_blocking(give_up_after(client, weft::url{"http://dead.test/"}, 10ms));
    const auto left_behind = std::chrono::steady_clock::now() - ended;
    BOOST_TEST_MESSAGE("the loop ended " << left_behind / 1us << " us after its last task");
    BOOST_TEST((left_behind < 1s));  // 10 ms where there is nothing else to do; a lookup takes 7 s
}

/** A name of /etc/hosts that only this file knows; empty if there is none. */
std::string name_in_hosts_file()
{
    std::ifstream file{"/etc/hosts"};
    for (std::string line; std::getline(file, line);) {
        std::istringstream words{line.substr(0, line.find('#'))};
        std::string address;
        words >> address;
        for (std::string name; words >> name;)
            if (address.find(':') == std::string::npos && name.find("localhost") == std::string::npos) return name;
    }
    return {};
}

boost::test_tools::assertion_result hosts_file_has_a_name(boost::unit_test::test_unit_id)
{
    return !name_in_hosts_file().empty();
}

BOOST_AUTO_TEST_CASE(F1_the_hosts_file_comes_before_name_servers,
                     *boost::unit_test::precondition(hosts_file_has_a_name))
{
    named_world world;
    const auto found = world.find(name_in_hosts_file());
    BOOST_TEST(found->result().at(0).is_v4());
    BOOST_TEST(world.server.asked() == 0);
}

BOOST_AUTO_TEST_CASE(F1_a_lookup_that_takes_too_long_is_a_connect_timeout_and_leaves_nothing_behind)
{
    const dns_server server{usual_answer};
    hand_clock time;
    test_loop loop{time};
    host_lookup lookup{loop.loop(), asking(server)};
    finding found{loop, lookup.find(weft::url{"http://slow.test/"}, loop.loop().now() + 5s)};
    loop.advance(4s);
    BOOST_TEST(!found.is_done());
    loop.advance(1s);
    BOOST_TEST((found.failure().code() == errc::connect_timeout));
    BOOST_TEST(lookup.under_way() == 0u);
}

BOOST_AUTO_TEST_CASE(F1_the_client_asks_the_name_servers_that_it_is_given)
{
    const dns_server server{[](const std::string&) { return found_at({"127.0.0.1"}); }};
    tls_peer peer{http_fixture::echo};
    test_loop loop;
    const weft::http_client client{http_fixture::trusting({.name_servers = server.address()})};
    started fetched{loop, http_fixture::fetch(client, peer.url("/", "model.test"))};
    BOOST_TEST(fetched.result().status == 200);
    BOOST_TEST(server.asked() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
