#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** A second request comes while the thread has a run: what each strategy makes of each state, over one server and over
 *  two on one store. */
BOOST_AUTO_TEST_SUITE(double_texting_test)

namespace data = boost::unit_test::data;
using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};
inline constexpr weft::state_key<std::string> who{"who"};
inline constexpr weft::state_key<bool> asks{"asks"};

/** Holds the second node of a run. */
struct gate {
    bool is_open = true;
};

weft::task<void> say_end(weft::node_context& ctx, std::shared_ptr<gate> at)
{
    if (ctx.value_or(asks, false)) static_cast<void>(co_await ctx.ask<std::string>("Go on?"));
    while (!at->is_open) co_await weft::sleep_for(1ms);
    ctx.set(said, ctx.get(who) + "2");
}

/** Each run says its name and 1, and its name and 2 behind the gate. */
weft::graph speaking(std::shared_ptr<gate> at)
{
    return weft::graph_builder{"speaking"}
        .state(said, who, asks)
        .node("first", [](weft::node_context& ctx) { ctx.set(said, ctx.get(who) + "1"); })
        .node("second", [at](weft::node_context& ctx) { return say_end(ctx, at); })
        .edge(weft::start, "first")
        .edge("first", "second")
        .build();
}

/** Does something between a server's look at the thread and the entry of its run. */
class barrier_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    weft::task<weft::run_admission> enqueue(weft::new_run run) override
    {
        const auto before = std::exchange(before_next, nullptr);
        if (before) co_await before();
        co_return co_await forwarding_store::enqueue(std::move(run));
    }

    std::function<weft::task<void>()> before_next;
};

/** How the thread stands when the second request comes. */
enum class stand { idle, running, queued_behind, asking, ends_now, begins_now };

struct row {
    stand first;
    std::string_view strategy;
    int status;                  ///< Of the second request.
    std::string_view said;       ///< What the thread has in the end.
    std::string_view first_run;  ///< What became of the first run; empty: there was none.
    friend std::ostream& operator<<(std::ostream& out, const row& of)
    {
        return out << static_cast<int>(of.first) << ' ' << of.strategy;
    }
};

// begins_now: the server of the second request has found the thread idle, and then the first run begins.
constexpr std::array rows{
    row{stand::idle, "reject", 200, R"(["b1","b2"])", ""},
    row{stand::idle, "enqueue", 200, R"(["b1","b2"])", ""},
    row{stand::idle, "interrupt", 200, R"(["b1","b2"])", ""},
    row{stand::idle, "rollback", 200, R"(["b1","b2"])", ""},
    row{stand::running, "reject", 409, R"(["a1","a2"])", "success"},
    row{stand::running, "enqueue", 200, R"(["a1","a2","b1","b2"])", "success"},
    row{stand::running, "interrupt", 200, R"(["a1","b1","b2"])", "interrupted"},
    row{stand::running, "rollback", 200, R"(["b1","b2"])", "interrupted"},
    row{stand::queued_behind, "reject", 409, R"(["a1","a2","q1","q2"])", "success"},
    row{stand::queued_behind, "enqueue", 200, R"(["a1","a2","q1","q2","b1","b2"])", "success"},
    row{stand::queued_behind, "interrupt", 200, R"(["a1","q1","q2","b1","b2"])", "interrupted"},
    row{stand::queued_behind, "rollback", 200, R"(["b1","b2"])", "interrupted"},
    row{stand::asking, "reject", 200, R"(["a1","b1","b2"])", "interrupted"},
    row{stand::asking, "enqueue", 200, R"(["a1","b1","b2"])", "interrupted"},
    row{stand::asking, "interrupt", 200, R"(["a1","b1","b2"])", "interrupted"},
    row{stand::asking, "rollback", 200, R"(["a1","b1","b2"])", "interrupted"},
    row{stand::ends_now, "enqueue", 200, R"(["a1","a2","b1","b2"])", "success"},
    row{stand::ends_now, "interrupt", 200, R"(["a1","a2","b1","b2"])", "success"},
    row{stand::ends_now, "rollback", 200, R"(["b1","b2"])", "success"},
    row{stand::begins_now, "reject", 409, R"(["a1","a2"])", "success"},
    row{stand::begins_now, "enqueue", 200, R"(["a1","a2","b1","b2"])", "success"},
};

std::string body_of(std::string_view name, std::string_view strategy, bool is_asking = false)
{
    return R"({"assistant_id":"speaking","if_not_exists":"create","multitask_strategy":")" + std::string{strategy} +
           R"(","input":{"who":")" + std::string{name} + (is_asking ? R"(","asks":true}})" : R"(","asks":false}})");
}

/** The world of one row. */
class thread_world {
public:
    explicit thread_world(int servers)
        : first_{loop_, weft::server_stores{stores_, store_.service()}, {speaking(gate_)}, brief()}
    {
        if (servers > 1)
            other_.emplace(loop_, weft::server_stores{stores_, store_.service()},
                           std::vector<weft::served_graph>{speaking(gate_)}, brief());
    }

    void check(const row& of)
    {
        prepare(of.first);
        life& second = other_ ? *other_ : first_;
        const answer got = second.post("/threads/t/runs", body_of("b", of.strategy));
        BOOST_TEST(got.status == of.status, got.body);
        // Another server hears of the cancel a moment later.
        if (of.first_run == "interrupted") BOOST_TEST(wait_for_rest(run_a_) == of.first_run);
        gate_->is_open = true;
        for (const std::string* run : {&run_a_, &run_q_})
            if (!run->empty()) wait_for_rest(*run);
        if (got.status == 200) BOOST_TEST(wait_for_rest(id_of(got)) == "success");
        const answer state = first_.send("GET", "/threads/t/state");
        BOOST_TEST(boost::json::serialize(state.json().at("values").at("said")) == of.said);
        if (!run_a_.empty()) BOOST_TEST(status_of(run_a_) == of.first_run);
    }

private:
    static weft::server_options brief()
    {
        weft::server_options options;
        options.runs.poll_every = 10ms;
        options.runs.heartbeat_every = 20ms;  // without it the other process hears of a cancel by its next one
        return options;
    }
    static std::string id_of(const answer& of) { return std::string{of.json().at("run_id").as_string()}; }
    std::string status_of(const std::string& run)
    {
        return std::string{first_.send("GET", "/threads/t/runs/" + run).json().at("status").as_string()};
    }
    std::string wait_for_rest(const std::string& run)
    {
        for (;;) {
            std::string status = status_of(run);
            if (status != "pending" && status != "running") return status;
        }
    }
    std::string begin(std::string_view name, bool is_asking = false)
    {
        return id_of(first_.post("/threads/t/runs", body_of(name, "enqueue", is_asking)));
    }
    void prepare(stand how)
    {
        if (how == stand::idle) return;
        gate_->is_open = how == stand::asking;
        if (how == stand::begins_now) {
            (void)first_.post("/threads", R"({"thread_id":"t","if_exists":"do_nothing"})");
            stores_.before_next = [this] { return enter_first(*this); };
            return;
        }
        run_a_ = begin("a", how == stand::asking);
        while (first_.send("GET", "/threads/t/state").body.find("a1") == std::string::npos) {}
        if (how == stand::queued_behind) run_q_ = begin("q");
        if (how == stand::asking) BOOST_TEST(wait_for_rest(run_a_) == "interrupted");
        if (how == stand::ends_now) stores_.before_next = [this] { return end_first(*this); };
    }
    /** Lets the first run end, and waits until the store knows it. */
    static weft::task<void> end_first(thread_world& self)
    {
        self.gate_->is_open = true;
        for (;;) {
            const std::optional<weft::run_record> active = co_await self.store_.active_run(weft::thread_key{"t"});
            if (!active) co_return;
            co_await weft::sleep_for(1ms);
        }
    }
    /** A run of another process: it is entered, and a worker takes it. */
    static weft::task<void> enter_first(thread_world& self)
    {
        weft::serial_loop& loop = co_await weft::this_task::loop();
        weft::id_source ids{loop.clock(), loop.random()};
        weft::new_run entry{weft::thread_key{"t"}, ids.next<weft::run_id>()};
        entry.graph_named("speaking").with_input(R"({"values":{"who":"a"}})");
        self.run_a_ = entry.id.text();
        static_cast<void>(co_await self.store_.enqueue(std::move(entry)));
    }

    test_loop loop_;
    std::shared_ptr<gate> gate_ = std::make_shared<gate>();
    weft::memory_store store_;
    barrier_store stores_{store_};
    life first_;
    std::optional<life> other_;
    std::string run_a_;
    std::string run_q_;
};

BOOST_DATA_TEST_CASE(a_second_request_of_one_server, data::make(rows)) { thread_world{1}.check(sample); }

BOOST_DATA_TEST_CASE(a_second_request_of_another_server_on_the_store, data::make(rows))
{
    thread_world{2}.check(sample);
}

BOOST_AUTO_TEST_SUITE_END()
