#include <weft/agent/node/recovering_model.hpp>

#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(recovering_model_test)

using weft::testing::scripted_model;

using weft::errc;
using weft::testing::scripted_turn;

namespace {

std::shared_ptr<scripted_model> failing(std::string label, std::vector<errc> failures)
{
    auto model = std::make_shared<scripted_model>(std::move(label));
    for (const errc code : failures) model->then(scripted_turn{}.fails(code));
    model->otherwise(scripted_turn{"here"});
    return model;
}

std::string ask(const std::shared_ptr<weft::chat_model>& model)
{
    weft::testing::simulation sim{1};
    weft::chat_request request;
    request.user("Hi.");
    return sim.run(model->reply(std::move(request))).message.text();
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_may_pass_is_tried_once_more_where_it_failed)
{
    const auto first = failing("a", {errc::connection_lost});
    const auto second = failing("b", {});
    BOOST_TEST(ask(weft::with_recovery(first, second)) == "here");
    BOOST_TEST(first->requests().size() == 2u);
    BOOST_TEST(second->requests().empty());
}

BOOST_AUTO_TEST_CASE(then_another_model_is_asked_and_whoever_watches_hears_of_it)
{
    const auto first = failing("a", {errc::connection_lost, errc::connection_lost});
    const auto second = failing("b", {});
    std::string told;
    const auto tell = [&](const weft::chat_model& from, const weft::chat_model& to, const weft::model_failure&) {
        told = std::string{from.label()} + " " + std::string{to.label()};
    };
    BOOST_TEST(ask(weft::with_recovery(first, second, tell)) == "here");
    BOOST_TEST(first->requests().size() == 2u);
    BOOST_TEST(second->requests().size() == 1u);
    BOOST_TEST(told == "a b");
}

BOOST_AUTO_TEST_CASE(a_refused_request_is_refused_and_the_same_route_is_no_way_out)
{
    const auto refused = failing("a", {errc::model_rejected});
    const auto second = failing("b", {});
    BOOST_CHECK_THROW((void)ask(weft::with_recovery(refused, second)), weft::model_error);
    BOOST_TEST(second->requests().empty());
    const auto lost = failing("a", {errc::connection_lost, errc::connection_lost});
    const auto same = failing("a", {});
    BOOST_CHECK_THROW((void)ask(weft::with_recovery(lost, same)), weft::model_error);
    BOOST_TEST(same->requests().empty());
}

BOOST_AUTO_TEST_SUITE_END()
