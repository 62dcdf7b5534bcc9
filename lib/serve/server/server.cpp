#include <weft/serve/server.hpp>

#include "server_loops.hpp"
#include "server_state.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace {

using serve_detail::server_loops;
using serve_detail::server_state;

std::size_t share_of(std::size_t all, std::size_t loops) { return (all + loops - 1) / loops; }

/** What a loop has of places that are no more than the user says. */
std::optional<std::size_t> places_of(std::optional<std::size_t> all, std::size_t loops, std::size_t index)
{
    if (!all) return all;
    return *all / loops + (index < *all % loops ? 1 : 0);
}

task<void> run_all(server_state& own, server_loops& others)
{
    const task_context& context = co_await this_task::context();
    scope all{context};
    all.spawn(own.run());
    all.spawn(others.run());
    std::exception_ptr failure;
    try {
        co_await all.join();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) std::rethrow_exception(failure);
    co_await others.pass_messages();
}

task<std::vector<waiting_threads>> replace_all(server_state& own, server_loops& others,
                                               std::vector<served_graph> graphs, std::vector<served_entry> entries)
{
    std::vector<waiting_threads> waiting = co_await own.replace_graphs(graphs, entries);
    co_await others.replace_graphs(std::move(graphs), std::move(entries));
    co_return waiting;
}

/** @param has_certificates   Whether clients show certificates, or are not let in. */
void require_known_callers(const listen_address& at, const auth_options& auth, bool has_certificates)
{
    if (at.is_local() || auth.is_on() || auth.lets_anyone_in || has_certificates) return;
    throw error{errc::invalid_configuration, "server: " + at.to_string(),
                "other machines reach this address, and nothing asks them who they are: set a way to authenticate in "
                "auth_options, or lets_anyone_in"};
}

}  // namespace

server::server(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs, server_options options)
{
    if (!options.more_loops) {
        state_ = std::make_unique<server_state>(loop, stores, std::move(graphs), std::move(options),
                                                serve_detail::loop_share{});
        return;
    }
    runtime& more = *options.more_loops;
    std::vector<serial_loop*> loops{&loop};
    for (std::size_t i = 0; i < more.size(); ++i) loops.push_back(&more.loop(i));
    options.runs_max = share_of(options.runs_max, loops.size());
    options.http.connections_max = share_of(options.http.connections_max, loops.size());
    const auto relays = serve_detail::loop_relay::among(loops);
    const auto gate = std::make_shared<serve_detail::caller_gate>(options.auth.limits);
    const auto make_state = [&](serial_loop& at, std::size_t index) {
        server_options of_loop = options;
        of_loop.runs.performed_max = places_of(options.runs.performed_max, loops.size(), index);
        return std::make_unique<server_state>(at, stores, graphs, std::move(of_loop),
                                              serve_detail::loop_share{relays[index], gate, index});
    };
    state_ = make_state(loop, 0);
    others_ = std::make_unique<server_loops>(
        more, [&](serial_loop& at, std::size_t index) { return make_state(at, index + 1); });
}

server::~server()
{
    others_.reset();  // they send it messages
}

listen_address server::listen(const listen_address& at) { return listen_everywhere(at, std::nullopt); }

listen_address server::listen(const listen_address& at, tls_server_options tls)
{
    return listen_everywhere(at, std::move(tls));
}

listen_address server::listen_everywhere(const listen_address& at, const std::optional<tls_server_options>& tls)
{
    const bool has_certificates = tls && !tls->client_ca_file.empty() && tls->clients == client_certificates::require;
    require_known_callers(at, state_->core.access.options(), has_certificates);
    listen_address bound = state_->listen(others_ ? at.shared() : at, tls);
    if (others_) others_->listen(bound, tls);
    return bound;
}

void server::listen_on(std::shared_ptr<net_detail::acceptor> source) { state_->http.listen_on(std::move(source)); }

task<std::vector<waiting_threads>> server::replace_graphs(std::vector<served_graph> graphs,
                                                          std::vector<served_entry> entries)
{
    if (!others_) return state_->replace_graphs(std::move(graphs), std::move(entries));
    return replace_all(*state_, *others_, std::move(graphs), std::move(entries));
}

void server::replace_auth(auth_options auth)
{
    state_->core.access.change(auth);
    if (others_) others_->replace_auth(auth);
}

void server::reload_tls()
{
    state_->http.reload_tls();
    if (others_) others_->reload_tls();
}

task<void> server::run() { return others_ ? run_all(*state_, *others_) : state_->run(); }

task<void> server::handle(http_call& call) { return state_->handle(call); }

task<void> server::serve_mcp_stdio() { return serve_detail::server_state::serve_mcp_stdio(*state_); }

void server::drain()
{
    state_->drain();
    if (others_) others_->drain();
}

serial_loop& server::loop() const noexcept { return state_->core.loop; }

bool server::takes_runs() const noexcept { return state_->core.engine.takes_runs(); }

std::size_t server::runs() const noexcept { return state_->core.engine.runs(); }

http_server_counts server::counts() const noexcept { return state_->http.counts(); }

}  // namespace weft
