#include "net/server/client_frames.hpp"
#include "sim_scripts.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/testing/virtual_network.hpp>

#include <boost/json/serialize.hpp>

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace server_simulation {

namespace {

using boost::json::object;
using boost::json::value;
using namespace std::chrono_literals;

constexpr std::chrono::seconds patience{3};

/** A WebSocket to the events of a thread. */
class sim_socket {
public:
    explicit sim_socket(weft::testing::virtual_peer peer) noexcept : peer_{std::move(peer)} {}

    [[nodiscard]] weft::task<bool> shake_hands(std::string path, std::string tenant)
    {
        std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Tenant: " + tenant +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        co_await peer_.send(std::move(request));
        while (received_.find("\r\n\r\n") == received_.npos) {
            const std::string more = co_await peer_.receive();
            if (more.empty()) co_return false;
            received_ += more;
        }
        const bool is_open = received_.starts_with("HTTP/1.1 101 ");
        received_.erase(0, received_.find("\r\n\r\n") + 4);
        co_return is_open;
    }

    [[nodiscard]] weft::task<void> send(object command)
    {
        std::string frame = client_frames::text_frame(boost::json::serialize(command));
        co_await peer_.send(std::move(frame));
    }

    /** The next message; nothing: the conversation is over. */
    [[nodiscard]] weft::task<std::optional<object>> next()
    {
        using client_frames::websocket_opcode;
        for (;;) {
            const std::optional<client_frames::server_frame> frame = client_frames::take_frame(received_);
            if (frame && frame->opcode == websocket_opcode::text)
                co_return std::move(weft::parse_json(frame->payload).as_object());
            if (frame && frame->opcode == websocket_opcode::close) co_return std::nullopt;
            if (frame && frame->opcode == websocket_opcode::ping) {
                std::string pong = client_frames::pong_frame(frame->payload);
                co_await peer_.send(std::move(pong));
            }
            if (frame) continue;
            const std::string more = co_await peer_.receive();
            if (more.empty()) co_return std::nullopt;
            received_ += more;
        }
    }

private:
    weft::testing::virtual_peer peer_;
    std::string received_;
};

/** What one client has seen of a thread over all its connections. */
class thread_watch {
public:
    thread_watch(sim_client& me, std::string thread_tag) : me_{me}, thread_tag_{std::move(thread_tag)} {}

    /** Reads what comes until the run is over. @return  False: the connection broke before. */
    [[nodiscard]] weft::task<bool> watch(std::string run)
    {
        bool is_over = false;
        try {
            weft::testing::virtual_peer peer = co_await me_.world().network().connect("localhost");
            sim_socket socket{std::move(peer)};
            // A server that came up behind the end of the run has nothing to tell of it.
            is_over = co_await weft::with_deadline(talk(socket, std::move(run)), patience);
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
        }
        co_return is_over;
    }

    /** What a client that comes afterwards gets of the run must have come here too. */
    [[nodiscard]] std::string compare_with(const thread_watch& later, const std::string& run) const
    {
        for (const auto& [id, text] : later.events_)
            if (id.starts_with(run) && !events_.contains(id))
                return "event " + id + " never came: " + text.substr(0, 200);
        return {};
    }

private:
    [[nodiscard]] weft::task<bool> talk(sim_socket& socket, std::string run)
    {
        const bool is_open = co_await socket.shake_hands(me_.path("/stream/events"), me_.tenant());
        if (!is_open) co_return false;
        object params{{"channels", {"values", "updates", "lifecycle", "messages", "tasks"}}};
        // Numbers of another life mean nothing to this one.
        if (last_ > 0 && changes_ == me_.world().changes()) params["since"] = last_;
        else last_ = 0;
        changes_ = me_.world().changes();
        object command{{"id", 1}, {"method", "subscription.subscribe"}, {"params", std::move(params)}};
        co_await socket.send(std::move(command));
        for (;;) {
            const std::optional<object> message = co_await socket.next();
            if (!message) co_return false;
            if (message->at("type") == value("error"))
                me_.world().violation("a subscription is refused: " + boost::json::serialize(*message));
            if (message->at("type") != value("event")) continue;
            see(*message);
            if (ends_run(*message, run)) co_return true;
        }
    }

    [[nodiscard]] static bool ends_run(const object& event, const std::string& run)
    {
        if (event.at("method") != value("lifecycle")) return false;
        const std::string_view id{event.at("event_id").as_string()};
        return id.starts_with(run) && event.at("params").at("data").at("event") != value("running");
    }

    void see(const object& event)
    {
        const std::uint64_t number = event.at("seq").to_number<std::uint64_t>();
        const std::string id{event.at("event_id").as_string()};
        const std::string text = boost::json::serialize(event.at("params").at("data"));
        if (number <= last_)
            me_.world().violation("event " + std::to_string(number) + " of " + thread_tag_ + " comes behind " +
                                  std::to_string(last_));
        last_ = number;
        if (const std::string foreign = foreign_tag_in(text, thread_tag_); !foreign.empty())
            me_.world().violation("a watcher of " + thread_tag_ + " gets an event of " + foreign);
        const auto known = events_.find(id);
        if (known != events_.end() && known->second != text)
            me_.world().violation("event " + id + " was " + known->second.substr(0, 200) + " and is " +
                text.substr(0, 200));
        events_.insert_or_assign(id, text);
    }

    sim_client& me_;
    std::string thread_tag_;  // `~tenant.thread.`
    std::map<std::string, std::string> events_;
    std::uint64_t last_ = 0;
    unsigned changes_ = 0;
};

/** Begins a run by a command. */
weft::task<std::string> start(sim_client& me, std::string tag)
{
    for (;;) {
        object params{{"assistant_id", "talk"}, {"input", object{{"who", tag}}}, {"metadata", object{{"tag", tag}}}};
        object command{{"id", 7}, {"method", "run.start"}, {"params", std::move(params)}};
        const std::optional<sim_answer> answer = co_await me.ask("POST", me.path("/commands"), std::move(command));
        std::string run;
        if (answer && answer->status == 200 && answer->body.at("type") == value("success"))
            run = answer->body.at("result").at("run_id").as_string();
        else run = co_await me.find(tag);
        if (!run.empty()) co_return run;
        co_await me.breathe();
    }
}

}  // namespace

weft::task<void> play_socket(sim_client& me)
{
    const std::string thread_tag = '~' + me.tenant() + '.' + me.thread() + '.';
    thread_watch seen{me, thread_tag};
    const std::uint64_t rounds = 1 + me.world().random().below(2);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::string tag = me.next_tag();
        const std::string run = co_await start(me, tag);
        me.world().note(tag + " is run " + run);
        for (bool is_over = false; !is_over;) {
            is_over = co_await seen.watch(run);
            me.world().note(me.tenant() + " watches " + me.thread() + (is_over ? " to the end" : ": broken"));
            // A server that came up afterwards has no end of it to tell.
            if (!is_over) {
                const std::string status = co_await me.settle(run);
                if (me.world().changes() > 0 && status == "success") break;
            }
        }
        (void)co_await me.settle(run);
        const unsigned changes = me.world().changes();
        thread_watch later{me, thread_tag};
        const bool is_whole = co_await later.watch(run);
        if (is_whole && changes == 0 && me.world().changes() == 0)
            if (std::string missed = seen.compare_with(later, run); !missed.empty())
                me.world().violation(std::move(missed));
    }
}

}  // namespace server_simulation
