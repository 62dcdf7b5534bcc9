#include "sim_plan.hpp"

#include "sim_scripts.hpp"
#include "sim_world.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <memory>

namespace server_simulation {

namespace {

using namespace std::chrono_literals;
using weft::testing::network_weather;
using weft::testing::simulation;

constexpr std::size_t subscriber_bytes_max = 64 * 1024;

network_weather weather_of(sim_world& world)
{
    network_weather weather;
    weather.delay_min = 100us;
    weather.delay_max = world.chance(50) ? 2ms : 30ms;
    weather.splits = world.chance(60);
    weather.piece_bytes_max = world.chance(30) ? 200 : 16 * 1024;
    weather.window_bytes = world.chance(50) ? 4 * 1024 : 64 * 1024;
    weather.resets = world.chance(40) ? 0 : 0.004;
    return weather;
}

/** A moment at which something happens to the server. */
struct fate {
    enum class kind { kill, drain, calm };
    std::chrono::nanoseconds at;
    kind what;
    std::chrono::nanoseconds away;  // until the next life
};

std::vector<fate> fates_of(sim_world& world)
{
    std::vector<fate> fates;
    std::chrono::nanoseconds at{};
    const std::uint64_t count = world.chance(35) ? 0 : 1 + world.random().below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
        at += 5ms + world.some_ms(250);
        fates.push_back({at, world.chance(60) ? fate::kind::kill : fate::kind::drain, world.some_ms(200)});
    }
    return fates;
}

using script = weft::task<void> (*)(sim_client&);

struct player {
    player(sim_world& world, std::string tenant, std::string thread, script plays)
        : client{world, std::move(tenant), std::move(thread)}, playing{world.sim(), plays(client)}
    {
    }
    sim_client client;
    simulation::root<void> playing;
};

std::deque<player> players_of(sim_world& world)
{
    static constexpr std::array<script, 6> scripts{play_streams,      play_waits,   play_cancels,
                                                   play_double_texts, play_silence, play_socket};
    std::deque<player> players;
    // Tenants have threads of the same names.
    for (const char* const tenant : {"ann", "bob"})
        for (int i = 0; i < 2; ++i)
            players.emplace_back(world, tenant, "t" + std::to_string(i), scripts[world.random().below(scripts.size())]);
    players.emplace_back(world, "ann", "x", play_intruder);
    players.emplace_back(world, "bob", "x", play_intruder);
    return players;
}

bool are_done(const std::deque<player>& players)
{
    return std::all_of(players.begin(), players.end(), [](const player& each) { return each.playing.has_ended(); });
}

/** Lets the world go on until all have come to their end. */
void play(sim_world& world, std::deque<player>& players)
{
    std::vector<fate> fates = fates_of(world);
    auto next = fates.begin();
    std::optional<std::chrono::nanoseconds> comes_up;
    while (!are_done(players)) {
        if (!world.step()) throw std::runtime_error{"clients wait for something that nothing can bring any more"};
        const std::chrono::nanoseconds now = world.sim().elapsed();
        if (next != fates.end() && now >= next->at && world.is_up()) {
            if (next->what == fate::kind::kill) world.kill();
            else world.drain();
            comes_up = now + next->away;
            ++next;
        }
        const bool is_time = !comes_up || now >= *comes_up;
        if (!world.is_up() && is_time) world.start();
    }
}

/** At the end of a seed the server is drained: everything is in order then. */
void close(sim_world& world)
{
    network_weather calm;
    world.network().set_weather(calm);
    world.drain();
    while (world.is_up())
        if (!world.step()) throw std::runtime_error{"the server does not come to its end"};
    if (world.network().counts().write_bytes_max > subscriber_bytes_max)
        world.violation("the server had " + std::to_string(world.network().counts().write_bytes_max) +
                        " bytes ready for one subscriber");
}

void take_failures(sim_world& world, std::deque<player>& players)
{
    for (player& each : players) {
        if (!each.playing.has_ended() || !each.playing.error()) continue;
        try {
            each.playing.take();
        } catch (const std::exception& e) {
            world.violation(each.client.tenant() + ' ' + each.client.thread() + ": " + e.what());
        }
    }
}

}  // namespace

sim_outcome play_seed(std::uint64_t seed, bool keeps_journal)
{
    sim_world world{seed, keeps_journal};
    world.network().set_weather(weather_of(world));
    world.start();
    {
        std::deque<player> players = players_of(world);
        try {
            play(world, players);
            close(world);
        } catch (const std::exception& e) {
            world.violation(e.what());
        }
        take_failures(world, players);
    }
    sim_outcome outcome;
    outcome.steps = world.sim().steps();
    const weft::testing::network_counts counts = world.network().counts();
    outcome.connections = counts.connections;
    outcome.resets = counts.resets;
    outcome.kills = world.kills();
    outcome.drains = world.drains();
    world.note(std::to_string(counts.pieces) + " pieces, " + std::to_string(counts.bytes) + " bytes");
    outcome.hash = world.journal().hash();
    outcome.violations = world.journal().violations();
    outcome.journal = world.journal().lines();
    return outcome;
}

}  // namespace server_simulation
