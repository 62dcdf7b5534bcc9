#include "server_loops.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/use_future.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <future>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

/** Twice round the loops: what one sends to another may be answered. */
constexpr int message_rounds = 2;

task<void> nothing() { co_return; }

task<void> do_at(std::function<void()> what)
{
    what();
    co_return;
}

/** Where another loop listens on the same address. */
listen_address address_for_peer(const listen_address& at)
{
    if (at.kind() != listen_address::kind_type::inherited) return at.shared();
    // Each loop closes its own descriptor; all of them are the one socket.
    const int copy = ::dup(at.descriptor());
    if (copy < 0) throw error{errc::listen_failed, at.to_string(), std::strerror(errno)};
    return listen_address{"fd:" + std::to_string(copy)};
}

}  // namespace

/** The server of a loop. Only its loop touches it. */
struct server_loops::peer {
    serial_loop* loop = nullptr;
    std::unique_ptr<server_state> state;
    signal changed;            // for `serve`
    signal ended;              // for `drop`
    bool is_serving = false;
    bool has_run = false;      // the server's own work has ended
    bool is_dropped = false;
};

server_loops::server_loops(runtime& loops, const make_function& make)
{
    for (std::size_t i = 0; i < loops.size(); ++i) {
        peers_.push_back(std::make_shared<peer>());
        peers_.back()->loop = &loops.loop(i);
    }
    try {
        on_each([&](peer& at, std::size_t index) { at.state = make(*at.loop, index); });
    } catch (...) {
        on_each([](peer& at, std::size_t) { at.state.reset(); });
        throw;
    }
}

server_loops::~server_loops()
{
    std::vector<std::future<void>> dropping;
    for (const auto& each : peers_) dropping.push_back(async_start(*each->loop, drop(each), boost::asio::use_future));
    for (std::future<void>& each : dropping) each.get();
    for (int round = 0; round < message_rounds; ++round) on_each([](peer&, std::size_t) {});
}

template <class Action>
void server_loops::on_each(const Action& action)
{
    std::vector<std::future<void>> under_way;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        std::function<void()> what = [&action, at = peers_[i], i] { action(*at, i); };
        under_way.push_back(async_start(*peers_[i]->loop, do_at(std::move(what)), boost::asio::use_future));
    }
    std::exception_ptr failure;
    for (std::future<void>& each : under_way) {
        try {
            each.get();
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void server_loops::listen(const listen_address& at, const std::optional<tls_server_options>& tls)
{
    if (at.kind() == listen_address::kind_type::unix_socket) return;
    on_each([&](peer& of, std::size_t) {
        (void)of.state->listen(address_for_peer(at), tls);
    });
}

void server_loops::reload_tls()
{
    on_each([](peer& at, std::size_t) { at.state->http.reload_tls(); });
}

void server_loops::replace_auth(const auth_options& auth)
{
    on_each([&](peer& at, std::size_t) { at.state->core.access.change(auth); });
}

void server_loops::drain()
{
    for (const auto& each : peers_) {
        std::function<void()> what = [at = each] {
            if (at->state) at->state->drain();
        };
        async_start(*each->loop, do_at(std::move(what)), [](std::exception_ptr) {});
    }
}

task<void> server_loops::serve(std::shared_ptr<peer> self)
{
    const task_context& context = co_await this_task::context();
    scope running{context, failure_policy::keep_going};
    struct ending {
        peer& of;
        ~ending()
        {
            of.has_run = true;
            of.changed.notify();
        }
    };
    const auto run_state = [](std::shared_ptr<peer> at) -> task<void> {
        const ending ends{*at};
        co_await at->state->run();
    };
    if (!self->state) co_return;
    self->is_serving = true;
    running.spawn(run_state(self));
    std::exception_ptr failure;
    try {
        while (!self->has_run && !self->is_dropped) co_await self->changed.wait();
    } catch (...) {
        failure = std::current_exception();
    }
    running.request_stop();
    try {
        co_await running.join();
    } catch (...) {
        failure = std::current_exception();
    }
    self->is_serving = false;
    self->ended.notify();
    if (failure) std::rethrow_exception(failure);
}

task<void> server_loops::drop(std::shared_ptr<peer> self)
{
    self->is_dropped = true;
    self->changed.notify();
    while (self->is_serving) co_await self->ended.wait();
    self->state.reset();
}

task<void> server_loops::run()
{
    const task_context& context = co_await this_task::context();
    scope all{context};
    const auto run_at = [](std::shared_ptr<peer> at) -> task<void> {
        co_await async_start(*at->loop, serve(at), use_task);
    };
    for (const auto& each : peers_) all.spawn(run_at(each));
    co_await all.join();
}

task<void> server_loops::pass_messages()
{
    for (int round = 0; round < message_rounds; ++round)
        for (const auto& each : peers_) co_await async_start(*each->loop, nothing(), use_task);
}

task<void> server_loops::replace_graphs(std::vector<served_graph> graphs, std::vector<served_entry> entries)
{
    const auto replace_at = [](std::shared_ptr<peer> at, std::vector<served_graph> with,
                               std::vector<served_entry> by) -> task<void> {
        (void)co_await at->state->replace_graphs(std::move(with), std::move(by));
    };
    for (const auto& each : peers_) {
        task<void> replacing = replace_at(each, graphs, entries);
        co_await async_start(*each->loop, std::move(replacing), use_task);
    }
}

}  // namespace weft::serve_detail
