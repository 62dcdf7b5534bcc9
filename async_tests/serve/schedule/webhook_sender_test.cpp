#include <boost/test/unit_test.hpp>

#include "serve/schedule/webhook_sender.hpp"

#include <weft/agent/host/webhook_signature.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(webhook_sender_test)

using namespace std::chrono_literals;
using weft::serve_detail::webhook_sender;

/** A sender in a world whose time jumps, and a receiver that answers as it is told. */
class sender_world {
public:
    explicit sender_world(weft::webhook_options with = weft::webhook_options{}) : options{std::move(with)}
    {
        options.retries.jitter = weft::jitter::none;
        sender.emplace(store.service().documents(), options,
                       weft::serve_detail::webhook_functions{
                           .body = [this](weft::outbox_message of) { return body(*this, std::move(of)); },
                           .post = [this](weft::http_request request) { return post(*this, std::move(request)); },
                           .problem = [this](std::string_view what) { problems.emplace_back(what); }});
    }

    void add(std::string id, std::string url = "https://example.com/hook")
    {
        weft::outbox_message message;
        message.tenant = "acme";
        message.id = std::move(id);
        message.url = std::move(url);
        message.payload = R"({"run":"r","phase":"finished"})";
        BOOST_TEST(sim.run(outbox.add(std::move(message))));
    }
    /** Lets the sender work for a while. */
    void work(std::chrono::nanoseconds span) { sim.run(work_for(*this, span)); }
    std::vector<weft::outbox_message> dead() { return sim.run(outbox.dead("acme", 100)); }

    weft::webhook_options options;
    weft::memory_store store{weft::hash_key{}};
    weft::webhook_outbox outbox{store.service().documents()};
    weft::testing::simulation sim{1};
    std::optional<webhook_sender> sender;
    std::deque<int> answers;  // then 200; 0: the connection breaks
    std::chrono::nanoseconds answers_after{};
    std::vector<weft::http_request> posted;
    std::vector<std::chrono::nanoseconds> posted_at;
    std::vector<std::string> problems;
    std::size_t bodies = 0;
    std::size_t at_once = 0;
    std::size_t at_once_most = 0;
    std::string values = "{}";

    static weft::task<void> work_for(sender_world& self, std::chrono::nanoseconds span)
    {
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope children{context, weft::failure_policy::keep_going};
        children.spawn(self.sender->work());
        co_await weft::sleep_for(span);
        children.request_stop();
        co_await children.join();
    }

private:
    static weft::task<boost::json::object> body(sender_world& self, weft::outbox_message of)
    {
        ++self.bodies;
        boost::json::object told{{"run_id", of.id}, {"number", self.bodies}};
        told["values"] = weft::parse_own_json(self.values);
        co_return told;
    }
    static weft::task<int> post(sender_world& self, weft::http_request request)
    {
        self.posted.push_back(std::move(request));
        self.posted_at.push_back(self.sim.elapsed());
        const std::shared_ptr<void> place{nullptr, [&self](void*) { --self.at_once; }};
        self.at_once_most = std::max(self.at_once_most, ++self.at_once);
        const int answer = self.answers.empty() ? 200 : self.answers.front();
        if (!self.answers.empty()) self.answers.pop_front();
        if (self.answers_after > 0ns) co_await weft::sleep_for(self.answers_after);
        if (answer == 0) throw weft::error{weft::errc::connection_lost, "example.com:443", "it broke"};
        co_return answer;
    }
};

BOOST_AUTO_TEST_CASE(a_message_is_posted_once_with_its_id_and_a_signature)
{
    weft::webhook_options options;
    options.secret = weft::secret_string{"a secret of the server"};
    sender_world w{std::move(options)};
    w.add("run-1");
    w.work(1h);
    BOOST_TEST_REQUIRE(w.posted.size() == 1u);
    const weft::http_request& request = w.posted[0];
    BOOST_TEST(request.method() == "POST");
    BOOST_TEST(request.target().to_string() == "https://example.com/hook");
    BOOST_TEST(request.headers().find("Idempotency-Key").value() == "run-1");
    BOOST_TEST(request.headers().find("Content-Type").value() == "application/json");
    BOOST_TEST(weft::parse_json(request.body()).at("run_id") == "run-1");
    BOOST_TEST(weft::is_signed_webhook(request.body(), request.headers().find("X-Hub-Signature-256").value(),
                                       *w.options.secret));
    BOOST_TEST(w.dead().empty());
    BOOST_TEST(w.problems.empty());
}

BOOST_AUTO_TEST_CASE(a_failed_attempt_is_repeated_later_with_the_same_body)
{
    sender_world w;
    w.answers = {503, 0, 302};
    w.add("run-1");
    w.work(1h);
    BOOST_TEST_REQUIRE(w.posted.size() == 4u);
    BOOST_TEST(w.bodies == 1u);
    for (const weft::http_request& each : w.posted) BOOST_TEST(each.body() == w.posted[0].body());
    // 10 s, 30 s, 90 s, and up to a second until the sender looks.
    BOOST_TEST((w.posted_at[1] - w.posted_at[0] >= 10s && w.posted_at[1] - w.posted_at[0] <= 11s + 100ms));
    BOOST_TEST((w.posted_at[2] - w.posted_at[1] >= 30s && w.posted_at[2] - w.posted_at[1] <= 31s + 100ms));
    BOOST_TEST((w.posted_at[3] - w.posted_at[2] >= 90s && w.posted_at[3] - w.posted_at[2] <= 91s + 100ms));
    BOOST_TEST(w.dead().empty());
}

BOOST_AUTO_TEST_CASE(a_message_whose_attempts_are_used_up_is_dead_and_told)
{
    weft::webhook_options options;
    options.retries.attempts_max = 2;
    sender_world w{std::move(options)};
    w.answers = {500, 404, 200};
    w.add("run-1");
    w.work(1h);
    BOOST_TEST(w.posted.size() == 2u);
    BOOST_TEST_REQUIRE(w.dead().size() == 1u);
    BOOST_TEST(w.dead()[0].last_error == "the receiver answers 404");
    BOOST_TEST_REQUIRE(w.problems.size() == 1u);
    BOOST_TEST(w.problems[0] == "run run-1: its webhook is given up: the receiver answers 404");
}

BOOST_AUTO_TEST_CASE(an_address_that_is_not_allowed_any_more_gets_nothing)
{
    sender_world w;
    w.add("run-1", "http://127.0.0.1/hook");
    w.add("run-2", "/hook");
    w.add("run-3", "https://169.254.169.254/");
    w.work(1h);
    BOOST_TEST(w.posted.empty());
    BOOST_TEST(w.dead().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_does_not_answer_holds_up_no_other_and_attempts_have_a_bound)
{
    weft::webhook_options options;
    options.at_once_max = 4;
    options.retries.attempts_max = 1;
    sender_world w{std::move(options)};
    w.answers_after = 1h;
    for (int i = 0; i < 10; ++i) w.add("run-" + std::to_string(i));
    w.work(1min + 10s);
    BOOST_TEST(w.posted.size() == 10u);
    BOOST_TEST(w.at_once_most == 4u);
    BOOST_TEST(w.dead().size() == 10u);
}

BOOST_AUTO_TEST_CASE(more_messages_than_attempts_go_out_without_waiting_for_a_look)
{
    weft::webhook_options options;
    options.at_once_max = 2;
    sender_world w{std::move(options)};
    w.answers_after = 1ms;
    for (int i = 0; i < 20; ++i) w.add("run-" + std::to_string(i));
    w.work(500ms);
    BOOST_TEST(w.posted.size() == 20u);
    BOOST_TEST(w.at_once_most == 2u);
}

BOOST_AUTO_TEST_CASE(a_thread_is_kept_until_the_end_of_its_run_was_told)
{
    sender_world w;
    w.answers_after = 300ms;
    const auto id = weft::run_id::parse("01890a5d-ac96-774b-bcce-b302099a8057").value();
    const auto forget = [](sender_world& self, weft::run_id run) -> weft::task<std::size_t> {
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope children{context, weft::failure_policy::keep_going};
        children.spawn(self.sender->work());
        co_await weft::sleep_for(10ms);
        weft::outbox_message message;
        message.id = run.text();
        message.url = "https://example.com/";
        message.payload = "{}";
        (void)co_await self.outbox.add(std::move(message));
        co_await self.sender->before_forgetting(run);
        const std::size_t told = self.posted.size();
        children.request_stop();
        co_await children.join();
        co_return told;
    };
    BOOST_TEST(w.sim.run(forget(w, id)) == 1u);
    // At once, and not with the next look.
    BOOST_TEST((w.posted_at[0] < 20ms));
    BOOST_TEST((w.sim.elapsed() >= 310ms && w.sim.elapsed() < 400ms));
}

BOOST_AUTO_TEST_CASE(values_that_no_document_can_hold_do_not_keep_a_message_from_being_repeated)
{
    sender_world w;
    w.answers = {500};
    w.values = std::string(40, '[') + std::string(40, ']');
    w.add("run-1");
    w.work(1min);
    BOOST_TEST(w.posted.size() == 2u);
    BOOST_TEST(w.bodies == 2u);
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be_are_all_named)
{
    weft::webhook_options options;
    options.secret = weft::secret_string{};
    options.time_max = 2min;
    options.at_once_max = 0;
    options.poll_every = 0ns;
    BOOST_CHECK_EXCEPTION(sender_world{options}, weft::error, [](const weft::error& e) {
        const std::string_view text{e.what()};
        return e.code() == weft::errc::invalid_configuration && text.find("secret") != text.npos &&
               text.find("time_max") != text.npos && text.find("at_once_max") != text.npos &&
               text.find("poll_every") != text.npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
