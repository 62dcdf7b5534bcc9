#include "scripted_endpoint_connection.hpp"

#include <weft/async/loop/loop_executor.hpp>

#include <utility>

namespace weft::testing {

namespace {

// Requests that a client sends ahead, while it is being answered.
constexpr std::size_t received_bytes_max = 1024 * 1024;
constexpr std::chrono::seconds goodbye_max{1};
constexpr std::string_view interim_response = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

scripted_endpoint_connection::scripted_endpoint_connection(
    scripted_endpoint_shared& shared, scripted_endpoint_socket::tcp_socket socket, role role)
    : shared_{shared}, socket_{std::move(socket), role.tls}, timer_{socket_.executor()}, role_{role}
{
}

void scripted_endpoint_connection::start()
{
    shared_.open.insert(this);
    if (!socket_.has_tls()) return read();
    socket_.handshake([self = shared_from_this()](error_code error) {
        self->on_handshake(error);
    });
}

void scripted_endpoint_connection::on_handshake(error_code error)
{
    if (!is_open_) return;
    if (error) {
        shared_.record.change([](auto& counts) { ++counts.handshakes_failed; });
        return close();
    }
    if (socket_.is_resumed())
        shared_.record.change([](auto& counts) { ++counts.handshakes_resumed; });
    read();
}

void scripted_endpoint_connection::read()
{
    if (is_reading_ || !is_open_ || received_.size() > received_bytes_max) return;
    is_reading_ = true;
    socket_.read_some(boost::asio::buffer(read_buffer_),
                      [self = shared_from_this()](error_code error, std::size_t size) {
                          self->on_read(error, size);
                      });
}

void scripted_endpoint_connection::on_read(error_code error, std::size_t size)
{
    is_reading_ = false;
    if (!is_open_) return;
    if (error) return close_because_of_client();
    if (!role_.is_silent) received_.append(read_buffer_.data(), size);
    if (!is_replying_) take_request();
    read();
}

// A client may write its next request before it has the answer: what is left over stays in the buffer.
void scripted_endpoint_connection::take_request()
{
    switch (parser_.feed(received_)) {
    case scripted_endpoint_parser::state::needs_more: return;
    case scripted_endpoint_parser::state::failed:
        received_.clear();
        request_ = 0;
        return begin(shared_.answers.refuse(parser_.failure()));
    case scripted_endpoint_parser::state::wants_continue: {
        wire_plan interim;
        interim.bytes = interim_response;
        interim.steps.push_back({{}, interim.bytes.size(), 0});
        request_ = 0;
        return begin(std::move(interim));
    }
    case scripted_endpoint_parser::state::done: break;
    }
    const bool keeps_alive = parser_.keeps_alive();
    scripted_endpoint_request request = parser_.take();
    request.connection = role_.number;
    const auto kept = shared_.record.add(std::move(request));
    request_ = kept->number;
    begin(shared_.answers.answer(*kept, keeps_alive));
}

void scripted_endpoint_connection::begin(wire_plan plan)
{
    plan_ = std::move(plan);
    step_ = 0;
    pieces_ = 0;
    is_replying_ = true;
    perform();
}

// Step by step with timers in between, as a model that thinks; a loop would send all at once.
void scripted_endpoint_connection::perform()
{
    const auto begin_of = [&] { return step_ == 0 ? 0 : plan_.steps[step_ - 1].end; };
    while (step_ < plan_.steps.size() && plan_.steps[step_].end == begin_of()) ++step_;
    if (step_ == plan_.steps.size()) return finish();
    const wire_step& step = plan_.steps[step_];
    if (step.wait <= std::chrono::nanoseconds{}) return write(step);
    timer_.expires_after(step.wait);
    timer_.async_wait([self = shared_from_this()](error_code) {
        if (self->is_open_) self->write(self->plan_.steps[self->step_]);
    });
}

void scripted_endpoint_connection::write(const wire_step& step)
{
    const std::size_t begin = step_ == 0 ? 0 : plan_.steps[step_ - 1].end;
    const auto bytes = std::string_view{plan_.bytes}.substr(begin, step.end - begin);
    socket_.write(bytes, [self = shared_from_this()](error_code error, std::size_t) {
        if (!self->is_open_) return;
        if (error) return self->close_because_of_client();
        self->pieces_ += self->plan_.steps[self->step_].pieces;
        ++self->step_;
        self->perform();
    });
}

void scripted_endpoint_connection::finish()
{
    if (plan_.ending == wire_ending::stall) return;
    is_replying_ = false;
    if (std::exchange(request_, 0) != 0)
        shared_.record.change([](auto& counts) {
            ++counts.replies;
            --counts.requests_open;
        });
    switch (plan_.ending) {
    case wire_ending::keep:
        take_request();
        return read();
    case wire_ending::close: return say_goodbye();
    case wire_ending::reset: socket_.reset(); break;
    case wire_ending::cut:
    case wire_ending::stall: break;
    }
    close();
}

// A client that does not say goodbye in turn is not waited for.
void scripted_endpoint_connection::say_goodbye()
{
    role_.is_silent = true;
    received_.clear();
    socket_.shut_down([self = shared_from_this()](error_code) { self->close(); });
    timer_.expires_after(goodbye_max);
    timer_.async_wait([self = shared_from_this()](error_code) { self->close(); });
}

// Tests of cancellation ask when the client hung up, counted in the pieces that it had got.
void scripted_endpoint_connection::close_because_of_client()
{
    if (is_replying_ && request_ != 0) {
        shared_.record.add_early_close(request_, pieces_);
        request_ = 0;
    }
    close();
}

void scripted_endpoint_connection::close()
{
    if (!std::exchange(is_open_, false)) return;
    if (std::exchange(request_, 0) != 0)
        shared_.record.change([](auto& counts) { --counts.requests_open; });
    timer_.cancel();
    socket_.close();
    shared_.open.erase(this);
    shared_.record.change([](auto& counts) { --counts.connections_open; });
}

}  // namespace weft::testing
