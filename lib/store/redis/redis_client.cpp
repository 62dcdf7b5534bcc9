#include <weft/async/loop/loop_executor.hpp>
#include <weft/store/redis_client.hpp>

#include "redis_failure.hpp"
#include "redis_session.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace weft {

namespace redis_detail {

namespace {

/** The sessions of a client, one for each loop. A session belongs to its loop as a guest, so that its socket never
 *  outlives its `io_context`; here is only the way to it. Loops and clients may go in any order. */
class redis_core : public std::enable_shared_from_this<redis_core> {
public:
    explicit redis_core(std::shared_ptr<redis_shared> shared) noexcept : shared_{std::move(shared)} {}

    [[nodiscard]] redis_shared& shared() const noexcept { return *shared_; }
    /** The session of a loop, made on first use; on that loop. A call that begins after the client has gone has one of
     *  its own. */
    [[nodiscard]] std::shared_ptr<redis_session> session_of(serial_loop& loop);
    /** The client is gone: lets go of the sessions, here or soon on their loop. */
    void release();

private:
    /** The session of one loop, deleted with the loop. */
    struct session_guest final : loop_guest {
        session_guest(std::shared_ptr<redis_core> core, std::shared_ptr<redis_session> session) noexcept
            : core{std::move(core)}, session{std::move(session)}
        {
        }
        ~session_guest() override { core->forget(*this); }
        std::shared_ptr<redis_core> core;
        std::shared_ptr<redis_session> session;
    };
    /** Asks a loop to let go of its session; runs there, or in the loop's destructor. */
    struct release_request final : remote_item {
        release_request(std::shared_ptr<redis_core> core, const serial_loop& loop) noexcept
            : remote_item{[](remote_item& self) {
                  const std::unique_ptr<release_request> request{static_cast<release_request*>(&self)};
                  request->core->release_on(request->loop);
              }},
              core{std::move(core)}, loop{loop}
        {
        }
        std::shared_ptr<redis_core> core;
        const serial_loop& loop;
    };

    void release_on(const serial_loop& loop) noexcept;
    void forget(const session_guest& guest) noexcept;

    std::shared_ptr<redis_shared> shared_;
    std::mutex mutex_;
    std::vector<session_guest*> guests_;
    bool is_released_ = false;
};

std::shared_ptr<redis_session> redis_core::session_of(serial_loop& loop)
{
    const std::lock_guard lock{mutex_};
    for (const session_guest* guest : guests_)
        if (&guest->session->loop() == &loop) return guest->session;
    auto session = std::make_shared<redis_session>(loop, shared_);
    if (is_released_) return session;
    auto guest = std::make_unique<session_guest>(shared_from_this(), session);
    guests_.push_back(guest.get());
    loop.adopt(*guest.release());
    return session;
}

void redis_core::release()
{
    std::vector<const serial_loop*> here;
    {
        // While it is locked, no guest can leave, so that its loop is still there.
        const std::lock_guard lock{mutex_};
        is_released_ = true;
        for (const session_guest* guest : guests_) {
            serial_loop& loop = guest->session->loop();
            if (loop.executor().running_in_this_thread())
                here.push_back(&loop);
            else
                loop.post(*new release_request{shared_from_this(), loop});
        }
    }
    for (const serial_loop* loop : here) release_on(*loop);
}

void redis_core::release_on(const serial_loop& loop) noexcept
{
    std::unique_ptr<session_guest> released;
    {
        const std::lock_guard lock{mutex_};
        for (session_guest* guest : guests_)
            if (&guest->session->loop() == &loop) released.reset(guest);
    }
}

void redis_core::forget(const session_guest& guest) noexcept
{
    const std::lock_guard lock{mutex_};
    guests_.erase(std::find(guests_.begin(), guests_.end(), &guest));
}

/** A coroutine of values: the client may be gone before the answer comes. */
task<redis_value> call_on_this_loop(std::shared_ptr<redis_core> core, redis_command command)
{
    serial_loop& loop = co_await this_task::loop();
    const std::shared_ptr<redis_session> session = core->session_of(loop);
    redis_value reply = co_await session->ask(std::move(command));
    if (reply.is(redis_value::kind::error))
        throw refusal(core->shared().endpoint, reply.text, core->shared().options.password);
    co_return reply;
}

redis_command script_command(const char* name, const std::string& script, const std::vector<std::string>& keys,
                             const std::vector<std::string>& arguments)
{
    redis_command command{name};
    command.add(script).add(static_cast<std::int64_t>(keys.size()));
    for (const std::string& key : keys) command.add(key);
    for (const std::string& argument : arguments) command.add(argument);
    return command;
}

task<redis_value> run_on_this_loop(std::shared_ptr<redis_core> core, redis_script script,
                                   std::vector<std::string> keys, std::vector<std::string> arguments)
{
    serial_loop& loop = co_await this_task::loop();
    const std::shared_ptr<redis_session> session = core->session_of(loop);
    redis_command named = script_command("EVALSHA", script.name(), keys, arguments);
    redis_value reply = co_await session->ask(std::move(named));
    if (reply.is(redis_value::kind::error) && reply.text.starts_with("NOSCRIPT")) {
        redis_command whole = script_command("EVAL", script.text(), keys, arguments);
        redis_value second = co_await session->ask(std::move(whole));
        reply = std::move(second);
    }
    if (reply.is(redis_value::kind::error))
        throw refusal(core->shared().endpoint, reply.text, core->shared().options.password);
    co_return reply;
}

}  // namespace

}  // namespace redis_detail

struct redis_client::handle {
    explicit handle(std::shared_ptr<redis_detail::redis_shared> shared)
        : core{std::make_shared<redis_detail::redis_core>(std::move(shared))}
    {
    }
    ~handle() { core->release(); }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;

    std::shared_ptr<redis_detail::redis_core> core;
};

redis_client::redis_client(redis_options options)
{
    const stream_target target = options.tls ? stream_target{options.host, options.port, *options.tls}
                                               : stream_target{options.host, options.port};
    if (!options.password.empty() && !target.is_tls() && !target.is_loopback() && !options.secrets_without_tls)
        throw error{errc::invalid_configuration, target.endpoint(),
                    "the password would go to another machine without TLS; use `tls`, or allow it with "
                    "`secrets_without_tls`"};
    auto shared = std::make_shared<redis_detail::redis_shared>();
    shared->endpoint = target.endpoint();
    shared->options = std::move(options);
    shared->opens = [target](std::chrono::nanoseconds limit) { return target.open(limit); };
    handle_ = std::make_shared<const handle>(std::move(shared));
}

redis_client::redis_client(redis_options options, stream_factory opens)
{
    auto shared = std::make_shared<redis_detail::redis_shared>();
    shared->endpoint = options.host + ":" + std::to_string(options.port);
    shared->options = std::move(options);
    shared->opens = std::move(opens);
    handle_ = std::make_shared<const handle>(std::move(shared));
}

task<redis_value> redis_client::call(redis_command command) const
{
    return redis_detail::call_on_this_loop(handle_->core, std::move(command));
}

task<redis_value> redis_client::run(redis_script script, std::vector<std::string> keys,
                                    std::vector<std::string> arguments) const
{
    return redis_detail::run_on_this_loop(handle_->core, std::move(script), std::move(keys), std::move(arguments));
}

redis_client_counts redis_client::counts() const noexcept
{
    const redis_detail::redis_shared& shared = handle_->core->shared();
    return {shared.connections.load(), shared.lost.load(), shared.answers.load()};
}

const std::string& redis_client::endpoint() const noexcept { return handle_->core->shared().endpoint; }

}  // namespace weft
