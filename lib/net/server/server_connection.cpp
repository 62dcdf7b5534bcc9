#include "server_connection.hpp"

#include "websocket_handshake.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t head_room = 1024;           // most heads fit
constexpr std::size_t read_room_max = 64 * 1024;
constexpr std::size_t drained_max = 64 * 1024;    // of a body that no handler has read
constexpr std::size_t lingering_max = 256 * 1024;
constexpr std::size_t idle_capacity_max = 4 * 1024;   // of an idle connection's buffers

request_limits limits_of(const http_server_options& options)
{
    request_limits limits;
    limits.line_bytes_max = options.line_bytes_max;
    limits.head_bytes_max = options.head_bytes_max;
    limits.fields_max = options.headers_max;
    return limits;
}

/** @param is_late   The client did not take the answer in time. */
[[noreturn]] void throw_lost(const std::string& peer, bool is_late)
{
    if (is_late) throw error{errc::send_timeout, peer, "the client does not take the answer"};
    throw error{errc::connection_lost, peer, "the client closed the connection"};
}

}  // namespace

server_connection::server_connection(std::shared_ptr<server_core> core, accepted_connection accepted)
    : core_{std::move(core)}, wire_{std::move(accepted.wire)}, tls_{std::move(accepted.tls)},
      peer_{std::move(accepted.peer)}, parser_{limits_of(core_->options())},
      phase_{core_->loop(),
             [](void* self) {
                 auto& late = *static_cast<server_connection*>(self);
                 late.is_late_ = true;
                 late.wire_->close();
             },
             this},
      context_{&core_->loop(), &scope_}, watch_context_{&core_->loop(), &watch_scope_}, call_{*this}
{
}

void server_connection::start()
{
    self_ = shared_from_this();
    work_ = run();
    if (work_.start(context_, &server_connection::ended, this)) ended(this);
}

void server_connection::ended(void* self)
{
    auto& connection = *static_cast<server_connection*>(self);
    const std::shared_ptr<server_core> core = connection.core_;
    const std::shared_ptr<server_connection> kept = std::move(connection.self_);
    connection.phase_.rest();
    connection.say_goodbye();
    connection.wire_->close();
    connection.watcher_.reset();
    if (connection.websocket_) connection.websocket_->abandon();
    core->ended(connection);
}

void server_connection::destroy() noexcept
{
    const std::shared_ptr<server_connection> kept = std::move(self_);
    phase_.rest();
    say_goodbye();
    wire_->close();
    work_.reset();
    watcher_.reset();
    if (websocket_) websocket_->abandon();
    core_->ended(*this);
}

/** TLS tells a client that an answer is whole, which one that is cut must not look like. */
void server_connection::say_goodbye() const noexcept
{
    if (tls_ && !is_lost_ && !is_handling_) tls_->end_sending();
}

task<void> server_connection::run()
{
    if (tls_) {
        const bool is_admitted = co_await shake_hands();
        if (!is_admitted) co_return;
    }
    for (;;) {
        const bool has_request = co_await read_head();
        if (!has_request) co_return;
        co_await answer_request();
        const bool goes_on = co_await finish_exchange();
        if (!goes_on) co_return;
    }
}

task<bool> server_connection::shake_hands()
{
    serial_loop& loop = core_->loop();
    core_->became_idle(*this);  // so that silent ones make room for others
    const tls_admission admission = co_await tls_->admit(loop, loop.now() + core_->options().timeouts.handshake);
    core_->became_busy(*this);
    if (admission == tls_admission::refused) ++core_->counts().refused;
    co_return admission == tls_admission::done;
}

void server_connection::begin_exchange()
{
    parser_.start();
    stage_ = stage::open;
    closes_ = owes_continue_ = has_no_body_ = false;
    status_ = 0;
    common_.clear();
    bytes_in_ = bytes_out_ = 0;
}

/** @return  True if the head is whole, or will never be. */
bool server_connection::parse_head()
{
    if (in_.size() == 0) return false;
    const request_parser::result step = parser_.parse(in_.data(), in_.size());
    in_.consume(step.consumed);
    return parser_.is_head_done() || parser_.has_failed();
}

/** @return  False if there is no further request. */
task<bool> server_connection::read_head()
{
    begin_exchange();
    const http_server_timeouts& timeouts = core_->options().timeouts;
    const time_point began = core_->loop().now();
    time_point deadline = in_.size() > 0 ? began + timeouts.head : began + timeouts.idle;
    while (!parse_head()) {
        const bool is_idle = in_.size() == 0;
        if (is_idle) core_->became_idle(*this);
        const std::size_t received = co_await fill(deadline, head_room);
        if (is_idle) core_->became_busy(*this);
        if (received == 0) co_return false;
        if (is_idle) deadline = core_->loop().now() + timeouts.head;
    }
    began_ = answered_ = core_->loop().now();
    if (!parser_.has_failed()) co_return true;
    closes_ = true;
    ++core_->counts().refused;
    co_await refuse(parser_.failure_status(), "invalid_request", parser_.failure_text());
    co_await finish_exchange();
    co_return false;
}

task<void> server_connection::answer_request()
{
    ++core_->counts().requests;
    closes_ = !parser_.keeps_alive();
    owes_continue_ = parser_.expects_continue();
    is_handling_ = true;
    std::exception_ptr failure;
    try {
        task<void> handling = core_->handler()(call_);
        co_await handling;
    } catch (...) {
        failure = std::current_exception();
    }
    is_handling_ = false;
    const bool has_failed = failure != nullptr;
    // Outside of the catch block, where nothing may be awaited.
    if (failure) {
        co_await answer_failure(std::move(failure));
    } else if (stage_ == stage::open && !is_lost_) {
        tell_error("the handler returned without an answer");
        co_await refuse(500, "internal_error", "the server failed");
    } else if (stage_ == stage::streaming) {
        co_await end_stream({});
    }
    if (!websocket_) co_return;
    const std::uint16_t code = has_failed ? websocket_code::server_failed : websocket_code::done;
    if (!is_lost_ && !scope_.stop_requested()) co_await websocket_->finish(code);
    bytes_in_ = websocket_->bytes_in();
    bytes_out_ = websocket_->bytes_out();
}

task<websocket_session> server_connection::accept_websocket(websocket_options options)
{
    BOOST_ASSERT_MSG(stage_ == stage::open && !is_watching_, "the request is answered, or its client watched");
    check_websocket_options(options);
    if (core_->is_draining()) {
        http_error refused{503, "draining", "the server takes no further WebSocket"};
        refused.header("Retry-After", "1");
        throw refused;
    }
    if (!parser_.is_done()) throw http_error{400, "invalid_handshake", "a request for a WebSocket has no body"};
    websocket_agreement agreed = agree_on_websocket(head(), options.protocols);
    stage_ = stage::answered;
    closes_ = false;
    begin_answer(101, {}, agreed.headers, std::nullopt);
    closes_ = true;
    co_await send_out();
    websocket_link::terms terms{std::move(options), std::move(agreed.protocol), peer_,
                                core_->options().timeouts.write_stall,
                                [](void* self) {
                                    auto& lost = *static_cast<server_connection*>(self);
                                    lost.is_lost_ = true;
                                    lost.scope_.request_stop();
                                },
                                this};
    websocket_ = std::make_shared<websocket_link>(core_->loop(), wire_, std::move(terms));
    core_->add_websocket(*websocket_);
    websocket_->start({in_.data(), in_.size()});
    in_.consume(in_.size());
    in_.shrink(0);
    out_ = std::string{};  // a WebSocket has buffers of its own
    co_return websocket_session{*websocket_};
}

void server_connection::tell_error(std::string_view what) const
{
    const auto& hook = core_->options().on_error;
    if (hook) hook(parser_.head().target, what);
}

/** What a handler threw becomes an answer, if none has begun and the client is there. */
task<void> server_connection::answer_failure(std::exception_ptr failure)
{
    http_reply answer{500, error_body("internal_error", "the server failed"), "application/json"};
    try {
        std::rethrow_exception(failure);
    } catch (const http_error& refused) {
        answer.status = refused.status();
        answer.body = error_body(refused.code(), refused.what());
        answer.headers = refused.headers();
    } catch (const std::exception& thrown) {
        if (!is_lost_ && !scope_.stop_requested()) tell_error(thrown.what());
    } catch (...) {
        tell_error("an exception of an unknown type");
    }
    if (is_lost_ || scope_.stop_requested()) co_return;
    if (stage_ == stage::open)
        co_await reply(std::move(answer));
    else
        is_lost_ = stage_ == stage::streaming;  // the client must not take a part for the whole
}

task<void> server_connection::refuse(int status, std::string code, std::string message)
{
    http_reply answer{status, error_body(code, message), "application/json"};
    co_await reply(std::move(answer));
}

/** @return  True if the connection serves another request. */
task<bool> server_connection::finish_exchange()
{
    report();
    if (is_lost_ || websocket_) co_return false;
    if (!closes_ && !parser_.is_done()) {
        arrival_pace pace{core_->options().timeouts.body_grace, core_->options().timeouts.body_bytes_per_second};
        while (!parser_.is_done() && !is_lost_ && !parser_.has_failed()) co_await read_piece(pace, nullptr);
        if (is_lost_ || parser_.has_failed()) co_return false;
    }
    if (closes_) {
        const bool may_send = parser_.has_failed() || !parser_.is_done() || in_.size() > 0;
        if (may_send) co_await linger();
        co_return false;
    }
    // A connection that waits should cost little, whatever it has carried.
    in_.shrink(idle_capacity_max);
    if (out_.capacity() > idle_capacity_max) out_ = std::string{};
    co_return true;
}

/** A socket that is closed while bytes come makes the system throw away what the client has not read yet: so what it
 *  still sends is taken for a moment. */
task<void> server_connection::linger()
{
    wire_->end_sending();
    const time_point deadline = core_->loop().now() + std::chrono::seconds{1};
    std::size_t taken = 0;
    while (taken < lingering_max) {
        in_.consume(in_.size());
        const std::size_t received = co_await fill(deadline, read_room_max / 4);
        if (received == 0) co_return;
        taken += received;
    }
}

/** Waits for bytes of the client. @return  How many; 0: the connection is over. */
task<std::size_t> server_connection::fill(time_point deadline, std::size_t room)
{
    if (is_lost_) co_return 0;
    phase_.start_until(deadline);
    if (is_watching_) {
        const std::size_t before = in_.size();
        while (is_watching_ && !is_lost_ && in_.size() == before) co_await watched_.wait();
        phase_.stop();
        co_return is_lost_ ? 0 : in_.size() - before;
    }
    const auto [code, size] = co_await wire_->read_some(in_.prepare(room), shared_from_this());
    phase_.stop();
    if (code || size == 0) {
        is_lost_ = true;
        co_return 0;
    }
    in_.commit(size);
    co_return size;
}

/** Sends what stands in `out_`. */
task<void> server_connection::send_out()
{
    std::size_t sent = 0;
    while (sent < out_.size()) {
        if (is_lost_) throw_lost(peer_, is_late_);
        phase_.start(core_->options().timeouts.write_stall);
        const boost::asio::const_buffer rest{out_.data() + sent, out_.size() - sent};
        const auto [code, size] = co_await wire_->write_some(rest, shared_from_this());
        phase_.stop();
        if (code) {
            is_lost_ = true;
            throw_lost(peer_, is_late_);
        }
        sent += size;
    }
    out_.clear();
    if (out_.capacity() > read_room_max) out_ = std::string{};
}

/** Reads what comes next of the body, and adds it to `to` unless that is null. */
task<void> server_connection::read_piece(arrival_pace& pace, std::string* to)
{
    if (in_.size() > 0) {
        const request_parser::result step = parser_.parse(in_.data(), in_.size());
        bytes_in_ += step.body.size();
        if (to) to->append(step.body);
        in_.consume(step.consumed);
        if (parser_.is_done() || parser_.has_failed() || step.consumed > 0) co_return;
    }
    // A large body is read in large pieces: each costs a system call.
    const std::uint64_t left = parser_.content_length().value_or(read_room_max);
    const time_point before = core_->loop().now();
    const auto room = static_cast<std::size_t>(std::clamp<std::uint64_t>(left, 512, read_room_max));
    const std::size_t received = co_await fill(pace.deadline(before), room);
    pace.arrived(received, core_->loop().now() - before);
}

task<std::string> server_connection::read_body(std::optional<std::uint64_t> bytes_max)
{
    const std::uint64_t limit = bytes_max.value_or(core_->options().body_bytes_max);
    const std::optional<std::uint64_t> length = parser_.content_length();
    const auto refuse_large = [this, limit] {
        closes_ = true;
        throw http_error{413, "content_too_large", "the body is larger than " + std::to_string(limit) + " bytes"};
    };
    if (length && *length > limit) refuse_large();
    // Only now: a client that is refused for its head has not sent its body.
    if (std::exchange(owes_continue_, false)) {
        out_.assign("HTTP/1.1 100 Continue\r\n\r\n");
        co_await send_out();
    }
    std::string body;
    // What a client only claims to send is not worth more memory than this.
    if (length) body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, 1024 * 1024)));
    arrival_pace pace{core_->options().timeouts.body_grace, core_->options().timeouts.body_bytes_per_second};
    while (!parser_.is_done()) {
        co_await read_piece(pace, &body);
        if (parser_.has_failed()) {
            closes_ = true;
            throw http_error{parser_.failure_status(), "invalid_request", parser_.failure_text()};
        }
        if (body.size() > limit) refuse_large();
        if (is_lost_) throw_lost(peer_, is_late_);
    }
    co_return body;
}

/** Whether the connection can serve another request: what is left of the body must be little. */
void server_connection::decide_close() noexcept
{
    if (core_->is_draining() || (parser_.head().is_http_1_0 && stage_ == stage::streaming)) closes_ = true;
    if (parser_.is_done() || closes_) return;
    const std::optional<std::uint64_t> length = parser_.content_length();
    closes_ = owes_continue_ || !length || *length - bytes_in_ > drained_max;
}

void server_connection::begin_answer(int status, std::string_view content_type, const http_headers& headers,
                                     std::optional<std::uint64_t> content_length)
{
    BOOST_ASSERT_MSG(status_ == 0, "a request is answered once");
    status_ = status;
    if (parser_.is_head_done()) {
        decide_close();
        has_no_body_ = is_bodyless(status) || parser_.head().method == "HEAD";
    }
    answered_ = core_->loop().now();
    reply_framing framing;
    if (!is_bodyless(status)) framing.content_length = content_length;
    framing.is_http_1_0 = parser_.is_head_done() && parser_.head().is_http_1_0;
    framing.closes = closes_;
    out_.clear();
    append_reply_head(out_, status, content_type, headers, framing, core_->date(), common_);
}

task<void> server_connection::reply(http_reply answer)
{
    const std::string_view type = answer.body.empty() ? std::string_view{} : std::string_view{answer.content_type};
    stage_ = stage::answered;
    begin_answer(answer.status, type, answer.headers, answer.body.size());
    if (has_no_body_ || answer.body.empty()) {
        co_await send_out();
        co_return;
    }
    bytes_out_ = answer.body.size();
    if (answer.body.size() > read_room_max) {
        co_await send_out();  // copying a large body behind its head would cost more than a second system call
        out_ = std::move(answer.body);
    } else {
        out_.append(answer.body);
    }
    co_await send_out();
}

task<void> server_connection::start_stream(int status, std::string_view content_type, http_headers headers)
{
    stage_ = stage::streaming;
    begin_answer(status, content_type, headers, std::nullopt);
    co_await send_out();
    watch_client();
}

task<void> server_connection::write_piece(std::string_view bytes)
{
    BOOST_ASSERT_MSG(stage_ == stage::streaming, "the stream has not begun, or has ended");
    if (has_no_body_ || bytes.empty()) co_return;
    bytes_out_ += bytes.size();
    if (parser_.head().is_http_1_0)
        out_.assign(bytes);
    else
        append_chunk(out_, bytes);
    co_await send_out();
}

task<void> server_connection::end_stream(std::string_view last)
{
    BOOST_ASSERT_MSG(stage_ == stage::streaming, "the stream has not begun, or has ended");
    stage_ = stage::answered;
    if (has_no_body_) co_return;
    bytes_out_ += last.size();
    if (parser_.head().is_http_1_0)
        out_.assign(last);
    else
        append_chunk(out_, last).append(last_chunk);  // in one piece: a system call for each would cost more than both
    co_await send_out();
}

void server_connection::watch_client()
{
    if (is_watching_ || is_lost_) return;
    is_watching_ = true;
    watcher_ = watch();
    if (watcher_.start(watch_context_, [](void*) {}, this)) is_watching_ = false;
}

/** Reads while the handler works: bytes are those of the next request, an end says that the client is gone. */
task<void> server_connection::watch()
{
    in_.shrink(watch_room);
    while (is_handling_ && in_.size() < idle_capacity_max) {
        const auto [code, size] = co_await wire_->read_some(in_.prepare(watch_room), shared_from_this());
        if (code || size == 0) {
            is_lost_ = true;
            if (is_handling_) scope_.request_stop();
        } else {
            in_.commit(size);
        }
        watched_.notify();
        if (is_lost_) break;
    }
    is_watching_ = false;
}

void server_connection::report() const
{
    const auto& hook = core_->options().on_access;
    if (!hook) return;
    http_access done;
    if (parser_.is_head_done()) {
        done.method = parser_.head().method;
        done.target = parser_.head().target;
    }
    done.peer = peer_;
    done.status = status_;
    done.bytes_in = bytes_in_;
    done.bytes_out = bytes_out_;
    done.first_byte = answered_ - began_;
    done.whole = core_->loop().now() - began_;
    hook(done);
}

}  // namespace weft::net_detail
