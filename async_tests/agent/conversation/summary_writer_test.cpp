#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/conversation/summary_writer.hpp"
#include "agent/talks.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(summary_writer_test)

namespace {

/** Fails with this error, for ever or so many times; `passes` is whether another attempt makes sense. */
class failing_model final : public weft::chat_model {
public:
    failing_model(weft::errc code, bool passes, unsigned times = 1'000) : code_{code}, passes_{passes}, times_{times} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "a failing model"; }
    unsigned calls = 0;

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink&) override
    {
        ++calls;
        co_await weft::sleep_for(1s);
        weft::chat_reply reply;
        reply.message = weft::message::assistant("done");
        reply.usage.input = weft::tokens{7};
        if (calls > times_) co_return reply;
        weft::model_failure failure;
        failure.code = code_;
        failure.is_transient = passes_;
        failure.detail = "fails on purpose";
        failure.partial = std::move(reply);
        throw weft::model_error{"a failing model", std::move(failure)};
    }

    weft::errc code_;
    bool passes_;
    unsigned times_;
};

/** Takes an hour for each reply. */
class slow_model final : public weft::chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override { return "a slow model"; }
    unsigned calls = 0;

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink&) override
    {
        ++calls;
        co_await weft::sleep_for(1h);
        co_return weft::chat_reply{};
    }
};

weft::summary_job job()
{
    weft::summary_rules rules;
    rules.messages_max = 2;
    rules.messages_kept = 0;
    return weft::summary_plan{"", rules}.start(talk_of("a a a a u")).value();
}

struct finished {
    weft::written_summary written;
    std::chrono::nanoseconds took;
};

finished write(const std::shared_ptr<weft::chat_model>& model)
{
    weft::testing::simulation sim{1};
    weft::summary_rules rules;
    weft::written_summary written = sim.run(weft::write_summary(model, job(), rules));
    return {std::move(written), sim.elapsed()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_writes_it)
{
    const auto model = says({{R"({"observations": [{"priority": "key", "content": "It rained."}]})"}});
    const finished done = write(model);
    BOOST_TEST(done.written.text == "## Conversation Summary\n\n### Key\n- It rained.\n");
    BOOST_TEST(done.written.attempts == 1u);
    BOOST_TEST(done.written.usage.input.count() == 7);
    BOOST_TEST(model->said(0, weft::role::user).starts_with("Transcript:\n\nassistant: wor"));
}

BOOST_AUTO_TEST_CASE(what_may_pass_is_tried_three_times_with_growing_pauses)
{
    const auto model = std::make_shared<failing_model>(weft::errc::model_overloaded, true);
    const finished done = write(model);
    BOOST_TEST(done.written.text == "");
    BOOST_TEST(done.written.attempts == 3u);
    BOOST_TEST(model->calls == 3u);
    BOOST_TEST((done.took == 1s + 2s + 1s + 4s + 1s));
    BOOST_TEST(done.written.failure.find("fails on purpose") != std::string::npos);
    BOOST_TEST(done.written.usage.input.count() == 21);
    const finished third = write(std::make_shared<failing_model>(weft::errc::model_overloaded, true, 2));
    BOOST_TEST(third.written.text == "## Conversation Summary\n\ndone");
    BOOST_TEST(third.written.failure == "");
}

BOOST_AUTO_TEST_CASE(what_will_not_pass_is_tried_once)
{
    const auto model = std::make_shared<failing_model>(weft::errc::model_unauthorized, false);
    BOOST_TEST(write(model).written.attempts == 1u);
    BOOST_TEST(model->calls == 1u);
}

BOOST_AUTO_TEST_CASE(silence_is_a_failure_and_each_attempt_has_its_time)
{
    const finished silent = write(says({{""}}));
    BOOST_TEST(silent.written.attempts == 3u);
    BOOST_TEST(silent.written.failure == "the model said nothing");
    const auto slow = std::make_shared<slow_model>();
    const finished late = write(slow);
    BOOST_TEST(slow->calls == 3u);
    BOOST_TEST((late.took == 3 * 60s + 6s));
    BOOST_TEST(late.written.text == "");
}

BOOST_AUTO_TEST_CASE(it_can_be_stopped_or_destroyed_anywhere)
{
    const auto make = [] {
        weft::summary_rules rules;
        const auto model = std::make_shared<failing_model>(weft::errc::model_overloaded, true, 1);
        return weft::write_summary(model, job(), rules);
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 2u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 2u);
}

BOOST_AUTO_TEST_SUITE_END()
