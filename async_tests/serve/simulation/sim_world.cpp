#include "sim_world.hpp"

#include "sim_faults.hpp"
#include "sim_graphs.hpp"

#include <weft/net/server/http_call.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <exception>
#include <utility>

namespace server_simulation {

namespace {

using namespace std::chrono_literals;

/** The store as the server has it. With a fault, runs that are given back by a drain are lost. */
class given_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    weft::task<weft::write_state> yield(weft::write_fence fence) override
    {
        if (!has_fault("drain_loses_runs")) return forwarding_store::yield(std::move(fence));
        weft::run_outcome lost;
        lost.phase = weft::run_phase::cancelled;
        return finish(std::move(fence), std::move(lost));
    }
};

weft::testing::simulation_limits limits()
{
    weft::testing::simulation_limits result;
    result.steps_max = 3'000'000;
    result.elapsed_max = 10min;
    return result;
}

weft::task<std::optional<weft::principal>> caller_of(const weft::http_call& call)
{
    const auto tenant = call.headers().find("x-tenant");
    if (!tenant) co_return std::nullopt;
    weft::principal who;
    who.name = who.tenant = std::string{*tenant};
    co_return who;
}

weft::server_options options(sim_journal& journal)
{
    weft::server_options result;
    result.auth.authenticate = [](const weft::http_call& call) { return caller_of(call); };
    result.runs.lifetime = 300ms;
    result.runs.heartbeat_every = 100ms;
    result.runs.poll_every = 20ms;
    result.runs.attempts_max = 1000;
    result.http.timeouts.drain = 2s;
    result.on_error = [&journal](std::string_view where, std::string_view what) {
        journal.note(0, std::string{"the server tells: "}.append(where).append(": ").append(what));
    };
    return result;
}

}  // namespace

sim_world::sim_world(std::uint64_t seed, bool keeps_lines)
    : sim_{seed, limits()}, network_{sim_}, runs_{std::make_unique<given_store>(store_)}, random_{seed * 7 + 1},
      journal_{keeps_lines}
{
}

sim_world::~sim_world() { running_.reset(); }

std::int64_t sim_world::microseconds() const
{
    return std::chrono::duration_cast<std::chrono::microseconds>(sim_.elapsed()).count();
}

void sim_world::start()
{
    note("the server starts");
    server_ = std::make_unique<weft::server>(sim_.loop(), weft::server_stores{*runs_, store_.service()},
                                             std::vector<weft::served_graph>{talk_graph(), loud_graph()},
                                             options(journal_));
    server_->listen_on(network_.listen("localhost:80"));
    running_.emplace(sim_, server_->run());
}

void sim_world::kill()
{
    if (!running_) return;
    note("the server is killed");
    ++changes_;
    ++kills_;
    running_.reset();
    server_.reset();
    network_.reset_all();
}

void sim_world::drain()
{
    if (!running_) return;
    note("the server drains");
    ++changes_;
    ++drains_;
    server_->drain();
}

void sim_world::take_end()
{
    note("the server has ended");
    ++changes_;
    try {
        running_->take();
    } catch (const std::exception& e) {
        violation(std::string{"the server failed: "} + e.what());
    }
    running_.reset();
    server_.reset();
}

bool sim_world::step()
{
    const bool did = sim_.try_step();
    if (running_ && running_->has_ended()) take_end();
    return did;
}

void sim_world::make_known(std::string tenant, std::string thread, std::string run)
{
    known_.push_back({std::move(tenant), std::move(thread), std::move(run)});
}

}  // namespace server_simulation
