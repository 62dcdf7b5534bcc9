#include "sim_scripts.hpp"

#include "sim_graphs.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace server_simulation {

namespace {

using boost::json::object;
using namespace std::chrono_literals;

std::vector<std::string> all_of(const std::string& tag)
{
    std::vector<std::string> result;
    for (int i = 1; i <= talk_steps; ++i) result.push_back(tag + ":s" + std::to_string(i));
    return result;
}

/** What a thread has of one run, in its order. */
std::vector<std::string> of_run(const std::vector<std::string>& said, const std::string& tag)
{
    std::vector<std::string> result;
    for (const std::string& one : said)
        if (one.starts_with(tag + ':')) result.push_back(one);
    return result;
}

std::string in_one_line(const std::vector<std::string>& texts)
{
    std::string line;
    for (const std::string& each : texts) line.append(line.empty() ? "" : " ").append(each);
    return line;
}

/** A run that nothing disturbed but crashes has left its four words. */
weft::task<void> check_whole(sim_client& me, std::string tag)
{
    const std::vector<std::string> said = co_await me.read_said();
    if (of_run(said, tag) != all_of(tag))
        me.world().violation("run " + tag + " has left " + in_one_line(said));
}

}  // namespace

weft::task<void> play_streams(sim_client& me)
{
    const std::uint64_t rounds = 1 + me.world().random().below(2);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::string tag = me.next_tag();
        stream_judge seen{tag};
        const std::string run = co_await me.stream(tag, "talk", {}, seen);
        if (const std::string status = co_await me.settle(run); status != "success")
            me.world().violation("run " + tag + " ended as " + status);
        stream_judge later{tag};
        co_await me.follow(run, later);
        std::string missed = seen.compare_with(later);
        if (!missed.empty()) me.world().violation(std::move(missed));
        co_await check_whole(me, tag);
    }
}

weft::task<void> play_waits(sim_client& me)
{
    const std::uint64_t rounds = 1 + me.world().random().below(2);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::string tag = me.next_tag();
        co_await me.wait(tag);
        co_await check_whole(me, tag);
    }
}

weft::task<void> play_cancels(sim_client& me)
{
    const std::string tag = me.next_tag();
    const std::string run = co_await me.begin(tag, "talk");
    const std::chrono::milliseconds pause = me.world().some_ms(60);
    co_await weft::sleep_for(pause);
    const std::string way = "/runs/" + run + "/cancel?wait=" + (me.world().chance(50) ? "1" : "0");
    const sim_answer asked = co_await me.insist("POST", me.path(way));
    if (asked.status != 202 && asked.status != 204)
        me.world().violation("cancelling run " + tag + " is refused with " + std::to_string(asked.status));
    const std::string status = co_await me.settle(run);
    if (status != "interrupted" && status != "success")
        me.world().violation("run " + tag + ", which was cancelled, ended as " + status);
    // The thread takes another run.
    const std::string next = me.next_tag();
    co_await me.wait(next);
    co_await check_whole(me, next);
}

weft::task<void> play_double_texts(sim_client& me)
{
    static constexpr std::array strategies{"reject", "enqueue", "interrupt", "rollback"};
    const std::string strategy = strategies[me.world().random().below(strategies.size())];
    const std::string first = me.next_tag();
    const std::string first_run = co_await me.begin(first, "talk");
    const std::chrono::milliseconds pause = me.world().some_ms(60);
    co_await weft::sleep_for(pause);
    const std::string second = me.next_tag();
    object with;
    with["multitask_strategy"] = strategy;
    const std::string second_run = co_await me.begin(second, "talk", std::move(with));
    const std::string first_status = co_await me.settle(first_run);
    std::string second_status;
    if (!second_run.empty()) second_status = co_await me.settle(second_run);
    const std::vector<std::string> said = co_await me.read_said();
    const std::string story = strategy + ": " + first + " ended as " + first_status + ", " + second + " as " +
                              (second_run.empty() ? "refused" : second_status) + "; the thread has " +
                                  in_one_line(said);
    me.world().note(story);
    const bool was_cut = first_status == "interrupted";
    if (second_run.empty() && strategy != "reject") me.world().violation(story);
    if (!second_run.empty() && (second_status != "success" || of_run(said, second) != all_of(second)))
        me.world().violation(story);
    const std::vector<std::string> left = of_run(said, first);
    if (was_cut && (strategy == "reject" || strategy == "enqueue")) me.world().violation(story);
    if (!was_cut && strategy != "rollback" && left != all_of(first)) me.world().violation(story);
    if (was_cut && strategy == "rollback" && !left.empty()) me.world().violation(story);
}

weft::task<void> play_intruder(sim_client& me)
{
    static constexpr std::array ways{"", "/join", "/stream"};
    const std::string own = '~' + me.tenant() + '.';
    for (int i = 0; i < 8; ++i) {
        const std::chrono::milliseconds pause = 10ms + me.world().some_ms(40);
        co_await weft::sleep_for(pause);
        const auto& known = me.world().known_runs();
        if (known.empty()) continue;
        const sim_world::known_run target = known[me.world().random().below(known.size())];
        if (target.tenant == me.tenant()) continue;
        const std::string at = "/threads/" + target.thread + "/runs";
        const std::string way = ways[me.world().random().below(ways.size())];
        const sim_answer tried = co_await me.insist("GET", at + '/' + target.run + way);
        if (tried.status != 404)
            me.world().violation(me.tenant() + " gets " + std::to_string(tried.status) + " for run " + target.run +
                " of " +
                                 target.tenant);
        const sim_answer listed = co_await me.insist("GET", at + "?limit=1000");
        const std::string foreign = foreign_tag_in(boost::json::serialize(listed.body), own);
        if (!foreign.empty()) me.world().violation(me.tenant() + " is shown a run of " + foreign);
    }
}

weft::task<void> play_silence(sim_client& me)
{
    const std::string tag = me.next_tag();
    const std::string body = boost::json::serialize(object{{"assistant_id", "loud"},
                                                           {"input", object{{"who", tag}}},
                                                           {"metadata", object{{"tag", tag}}},
                                                           {"if_not_exists", "create"},
                                                           {"stream_mode", "messages-tuple"}});
    std::string request = "POST " + me.path("/runs/stream") + " HTTP/1.1\r\nHost: localhost\r\nX-Tenant: " +
        me.tenant() +
                          "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                          "\r\n\r\n" + body;
    const unsigned changes = me.world().changes();
    const auto began = me.world().sim().elapsed();
    std::string run;
    std::optional<weft::testing::virtual_peer> peer;
    for (int i = 0; i < 20 && run.empty(); ++i) {
        try {
            peer.emplace(co_await me.world().network().connect("localhost"));
            co_await peer->send(request);
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
        }
        run = co_await me.find(tag);
    }
    if (run.empty()) co_return;  // the weather was too bad
    const std::string status = co_await me.settle(run);
    if (status != "success") me.world().violation("loud run " + tag + " ended as " + status);
    if (me.world().changes() == changes && me.world().sim().elapsed() - began > 10s)
        me.world().violation("loud run " + tag + " waited for its reader");
    // A client that reads has it all.
    stream_judge late{tag};
    co_await me.follow(run, late);
}

}  // namespace server_simulation
