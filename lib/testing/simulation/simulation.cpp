#include <weft/base/error.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/asio/io_context.hpp>

#include <string>

namespace weft::testing {

namespace {

boost::asio::io_context& prepared(boost::asio::io_context& context, manual_clock& clock, std::uint64_t seed)
{
    install_clock(context, clock);
    install_random(context, seed);
    return context;
}

}  // namespace

simulation::simulation(std::uint64_t seed, simulation_limits limits)
    : seed_{seed}, limits_{limits}, order_{~seed}, loop_{serial_loop::of(prepared(io_, clock_, seed))},
      began_{clock_.now()}
{
    loop_.permute_ready(&order_);
}

void simulation::step()
{
    if (!try_step())
        give_up(errc::timeout, "nothing is ready and no timer is armed: the task waits for something that nothing "
                               "can bring any more");
}

bool simulation::try_step()
{
    // A pool of OS threads is waited for before time jumps: its work takes no virtual time.
    const bool did =
        run_ready() || (loop_.has_outside_work() && wait_for_outside()) || run_timer() || wait_for_outside();
    if (did && ++steps_ > limits_.steps_max) give_up(errc::steps_exceeded, "the limit of steps is reached");
    return did;
}

bool simulation::run_ready()
{
    if (io_.stopped()) io_.restart();
    return io_.poll_one() > 0;
}

bool simulation::run_timer()
{
    const auto deadline = loop_.next_deadline();
    if (!deadline) return false;
    if (*deadline - began_ > limits_.elapsed_max) give_up(errc::timeout, "the limit of virtual time is reached");
    clock_.jump_to(*deadline);
    return loop_.fire_due_timer();
}

bool simulation::wait_for_outside()
{
    // Without any work of Asio the context has stopped, and waiting would be in vain.
    return !io_.stopped() && io_.run_one_for(limits_.outside_max) > 0;
}

void simulation::give_up(errc code, const char* why) const
{
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed());
    throw error{code, "simulation with seed " + std::to_string(seed_),
                std::string{why} + " (after " + std::to_string(steps_) + " steps and " +
                    std::to_string(passed.count()) + " ms of virtual time)"};
}

}  // namespace weft::testing
