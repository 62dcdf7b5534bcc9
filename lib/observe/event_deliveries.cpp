#include <weft/observe/event_deliveries.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/io_context.hpp>

#include <ostream>
#include <utility>
#include <vector>

namespace weft {

void console_delivery::deliver(std::span<const std::string> events, std::stop_token)
{
    for (const std::string& event : events) to_ << event << '\n';
    to_.flush();
    if (to_) return;
    to_.clear();
    throw error{errc::connection_lost, "console", "the stream takes no more"};
}

struct redis_delivery::part {
    part(redis_options server, redis_delivery_options how)
        : client{std::move(server)}, options{std::move(how)}, label{"redis at " + client.endpoint()}
    {
    }
    [[nodiscard]] redis_command command_of(const std::string& event) const
    {
        if (options.mode == redis_events::channel) {
            redis_command publish{"PUBLISH"};
            publish.add(options.name).add(event);
            return publish;
        }
        redis_command add{"XADD"};
        add.add(options.name).add("MAXLEN").add("~").add(options.stream_max).add("*").add("event").add(event);
        return add;
    }
    static task<void> send(const part* self, redis_command command)
    {
        static_cast<void>(co_await self->client.call(std::move(command)));
    }
    static task<void> send_all(const part* self, std::span<const std::string> events)
    {
        const task_context& context = co_await this_task::context();
        scope children{context};
        for (const std::string& event : events) children.spawn(send(self, self->command_of(event)));
        co_await children.join();
    }

    boost::asio::io_context io{1};  // its loop has the connection, from one delivery to the next
    redis_client client;
    redis_delivery_options options;
    std::string label;
};

redis_delivery::redis_delivery(redis_options server, redis_delivery_options options)
    : part_{std::make_unique<part>(std::move(server), std::move(options))}
{
}

redis_delivery::~redis_delivery() = default;

std::string_view redis_delivery::label() const noexcept { return part_->label; }

void redis_delivery::deliver(std::span<const std::string> events, std::stop_token stop)
{
    part_->io.restart();
    async_detail::root_runner runner{part_->io, std::move(stop)};
    task<void> work = part::send_all(part_.get(), events);
    if (!work.start(runner.context(), &async_detail::root_runner::done, &runner)) runner.run_until_done();
    work.take();
}

}  // namespace weft
