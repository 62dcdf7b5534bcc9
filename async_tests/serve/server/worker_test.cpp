#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/worker.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(worker_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> name{"name"};
inline constexpr weft::state_key<std::string> text{"text"};

struct performed {
    int begun = 0;
};

weft::graph greeting(std::shared_ptr<performed> counted)
{
    weft::graph_builder builder{"greeting"};
    builder.state(name, text).node("greet", [counted](weft::node_context& ctx) -> weft::task<void> {
        ++counted->begun;
        co_await weft::sleep_for(5ms);
        ctx.set(text, "Hello, " + ctx.get(name) + "!");
    });
    return builder.edge(weft::start, "greet").build();
}

weft::server_options performing_nothing()
{
    weft::server_options options;
    options.runs.performed_max = 0;
    return options;
}

weft::worker_options quickly()
{
    weft::worker_options options;
    options.heartbeats_apart = false;
    options.runs.worker_name = "w";
    options.runs.lifetime = 300ms;
    options.runs.heartbeat_every = 100ms;
    options.runs.poll_every = 50ms;
    options.runs.poll_every_with_news = 50ms;
    return options;
}

/** A store that may not answer those who look for work. */
class leaving_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    weft::task<std::size_t> reap(std::size_t runs_max) override
    {
        return is_away ? refuse<std::size_t>() : forwarding_store::reap(runs_max);
    }
    weft::task<std::vector<weft::run_claim>> claim(weft::worker_id worker, std::size_t max) override
    {
        return is_away ? refuse<std::vector<weft::run_claim>>() : forwarding_store::claim(worker, max);
    }

    bool is_away = false;

private:
    template <class T>
    static weft::task<T> refuse()
    {
        throw weft::error{weft::errc::store_unavailable, "store", "it is away"};
        co_return T{};
    }
};

/** A life of a worker on a store. */
class worker_life {
public:
    worker_life(test_loop& where, weft::server_stores stores, weft::graph graph)
        : where_{where}, worker_{where.loop(), stores, {std::move(graph)}, quickly()},
          at_{worker_.listen_for_health(weft::listen_address{"127.0.0.1:0"})}, running_{where, worker_.run()}
    {
    }
    answer ask(std::string_view path)
    {
        const std::string target = "http://" + at_.to_string() + std::string{path};
        started got{where_, fetch(client_, weft::http_request{"GET", weft::url{target}})};
        return got.result();
    }
    void drain()
    {
        worker_.drain();
        where_.run_until([this] { return running_.is_done(); });
    }

private:
    test_loop& where_;
    weft::http_client client_;
    weft::worker worker_;
    weft::listen_address at_;
    started<void> running_;
};

BOOST_AUTO_TEST_CASE(a_server_that_performs_nothing_answers_with_what_a_worker_has_done)
{
    test_loop loop;
    weft::memory_store store;
    auto at_server = std::make_shared<performed>();
    auto at_worker = std::make_shared<performed>();
    life server{loop, store, {greeting(at_server)}, performing_nothing()};
    worker_life worker{loop, weft::server_stores{store}, greeting(at_worker)};
    const answer kept = server.post("/threads/t/runs/wait",
                                    R"({"assistant_id":"greeting","input":{"name":"Ada"},"if_not_exists":"create"})");
    BOOST_TEST(kept.status == 200);
    BOOST_TEST(kept.json().at("text").as_string() == "Hello, Ada!");
    const answer passing = server.post("/runs/wait", R"({"assistant_id":"greeting","input":{"name":"Bob"}})");
    BOOST_TEST(passing.json().at("text").as_string() == "Hello, Bob!");
    BOOST_TEST(at_server->begun == 0);
    BOOST_TEST(at_worker->begun == 2);
    const answer threads = server.post("/threads/search", "{}");
    BOOST_TEST(threads.json().as_array().size() == 1u);  // that of the run without one is gone
    worker.drain();
    server.drain();
}

BOOST_AUTO_TEST_CASE(a_worker_is_ready_while_its_looks_for_work_are_answered)
{
    test_loop loop;
    weft::memory_store store;
    leaving_store between{store};
    worker_life worker{loop, weft::server_stores{between, store.service()}, greeting(std::make_shared<performed>())};
    BOOST_TEST(worker.ask("/livez").status == 200);
    BOOST_TEST(worker.ask("/readyz").status == 200);
    BOOST_TEST(worker.ask("/threads").status == 404);
    between.is_away = true;
    while (worker.ask("/readyz").status == 200) {}
    BOOST_TEST(worker.ask("/livez").status == 200);
    between.is_away = false;
    while (worker.ask("/readyz").status != 200) {}
    worker.drain();
}

BOOST_AUTO_TEST_CASE(a_worker_without_a_place_is_refused)
{
    test_loop loop;
    weft::memory_store store;
    weft::worker_options none = quickly();
    none.concurrency = 0;
    const std::vector<weft::served_graph> graphs{greeting(std::make_shared<performed>())};
    BOOST_CHECK_THROW(weft::worker(loop.loop(), weft::server_stores{store}, graphs, none), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
