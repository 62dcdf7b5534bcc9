#include "redis_request.hpp"

#include <utility>

namespace weft::redis_detail {

redis_request::redis_request(redis_pipeline& pipeline, serial_loop& loop, std::string command,
                             std::chrono::nanoseconds limit)
    : pipeline_{pipeline}, ticket_{pipeline.push(std::move(command), *this)},
      timer_{loop, [](void* self) { static_cast<redis_request*>(self)->expire(); }, this}
{
    timer_.arm_after(limit);
}

redis_request::~redis_request()
{
    if (!has_ended_) pipeline_.abandon(ticket_);
}

void redis_request::on_reply(redis_value reply)
{
    reply_ = std::move(reply);
    end();
}

void redis_request::on_lost(const error& why, bool was_sent)
{
    loss_ = why;
    was_sent_ = was_sent;
    end();
}

void redis_request::expire()
{
    was_sent_ = redis_pipeline::was_sent(ticket_);
    pipeline_.abandon(ticket_);
    end();
}

void redis_request::end()
{
    has_ended_ = true;
    timer_.disarm();
    ended_.notify();
}

task<void> redis_request::wait()
{
    while (!has_ended_) co_await ended_.wait();
}

}  // namespace weft::redis_detail
