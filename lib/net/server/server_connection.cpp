#include "server_connection.hpp"

#include "reply_coding.hpp"
#include "websocket_handshake.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/assert.hpp>

#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t head_room = 1024;           // most heads fit
constexpr std::size_t copied_max = 64 * 1024;     // of a body, behind its head

request_limits limits_of(const http_server_options& options)
{
    request_limits limits;
    limits.line_bytes_max = options.line_bytes_max;
    limits.head_bytes_max = options.head_bytes_max;
    limits.fields_max = options.headers_max;
    return limits;
}

}  // namespace

server_connection::server_connection(std::shared_ptr<server_core> core, accepted_connection accepted)
    : core_{std::move(core)}, tls_{std::move(accepted.tls)},
      line_{std::make_shared<client_line>(
          core_->loop(), std::move(accepted.wire),
          client_line::terms{std::move(accepted.peer), core_->options().timeouts.write_stall,
                             [](void* self) { static_cast<server_connection*>(self)->scope_.request_stop(); }, this})},
      parser_{limits_of(core_->options())}, body_{*line_, parser_, core_->options().timeouts},
      context_{&core_->loop(), &scope_}, call_{*this}
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
    connection.say_goodbye();
    connection.line_->abandon();
    if (connection.websocket_) connection.websocket_->abandon();
    core->ended(connection);
}

void server_connection::destroy() noexcept
{
    const std::shared_ptr<server_connection> kept = std::move(self_);
    say_goodbye();
    line_->abandon();
    work_.reset();
    if (websocket_) websocket_->abandon();
    core_->ended(*this);
}

/** TLS tells a client that an answer is whole, which one that is cut must not look like. */
void server_connection::say_goodbye() const noexcept
{
    if (tls_ && !line_->is_lost() && !is_handling_) tls_->end_sending();
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
    closes_ = has_no_body_ = holds_head_ = false;
    may_compress_ = true;
    status_ = 0;
    common_.clear();
    body_.start();
    bytes_out_ = 0;
}

/** @return  True if the head is whole, or will never be. */
bool server_connection::parse_head()
{
    read_buffer& in = line_->in();
    if (in.size() == 0) return false;
    const request_parser::result step = parser_.parse(in.data(), in.size());
    in.consume(step.consumed);
    return parser_.is_head_done() || parser_.has_failed();
}

/** @return  False if there is no further request. */
task<bool> server_connection::read_head()
{
    begin_exchange();
    const http_server_timeouts& timeouts = core_->options().timeouts;
    const time_point began = core_->loop().now();
    time_point deadline = line_->in().size() > 0 ? began + timeouts.head : began + timeouts.idle;
    while (!parse_head()) {
        const bool is_idle = line_->in().size() == 0;
        if (is_idle && core_->is_draining()) co_return false;  // no drain comes for it any more
        if (is_idle) core_->became_idle(*this);
        const std::size_t received = co_await line_->fill(deadline, head_room);
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
    body_.owe_continue(parser_.expects_continue());
    is_handling_ = true;
    std::exception_ptr failure;
    try {
        task<void> handling = core_->handler()(call_);
        co_await handling;
    } catch (...) {
        failure = std::current_exception();
    }
    is_handling_ = false;
    line_->end_watch();
    const bool has_failed = failure != nullptr;
    // Outside of the catch block, where nothing may be awaited.
    if (failure) {
        co_await answer_failure(std::move(failure));
    } else if (stage_ == stage::open && !line_->is_lost()) {
        tell_error("the handler returned without an answer");
        co_await refuse(500, "internal_error", "the server failed");
    } else if (stage_ == stage::streaming) {
        co_await end_stream({});
    }
    if (!websocket_) co_return;
    const std::uint16_t code = has_failed ? websocket_code::server_failed : websocket_code::done;
    if (!line_->is_lost() && !scope_.stop_requested()) co_await websocket_->finish(code);
}

task<websocket_session> server_connection::accept_websocket(websocket_options options)
{
    BOOST_ASSERT_MSG(stage_ == stage::open && !line_->is_watching(), "the request is answered, or its client watched");
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
    co_await line_->send_out();
    websocket_link::terms terms{std::move(options), std::move(agreed.protocol), line_->peer(),
                                core_->options().timeouts.write_stall,
                                [](void* self) {
                                    auto& lost = *static_cast<server_connection*>(self);
                                    lost.line_->lose();
                                    lost.scope_.request_stop();
                                },
                                this};
    websocket_ = std::make_shared<websocket_link>(core_->loop(), line_->wire(), std::move(terms));
    core_->add_websocket(*websocket_);
    websocket_->start({line_->in().data(), line_->in().size()});
    line_->drop_buffers();  // a WebSocket has its own
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
        if (!line_->is_lost() && !scope_.stop_requested()) tell_error(thrown.what());
    } catch (...) {
        tell_error("an exception of an unknown type");
    }
    if (line_->is_lost() || scope_.stop_requested()) co_return;
    if (!has_answered())
        co_await reply(std::move(answer));
    else if (stage_ == stage::streaming)
        line_->lose();  // the client must not take a part for the whole
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
    if (line_->is_lost() || websocket_) co_return false;
    if (!closes_ && !parser_.is_done()) {
        co_await body_.skip();
        if (line_->is_lost() || parser_.has_failed()) co_return false;
    }
    if (closes_) {
        const bool may_send = parser_.has_failed() || !parser_.is_done() || line_->in().size() > 0;
        if (may_send) co_await line_->linger();
        co_return false;
    }
    line_->shrink();
    co_return true;
}

task<std::string> server_connection::read_body(std::optional<std::uint64_t> bytes_max)
{
    const bool closes = std::exchange(closes_, true);  // what is left of a body is no request
    std::string body = co_await body_.read(bytes_max.value_or(core_->options().body_bytes_max));
    closes_ = closes;
    co_return body;
}

/** Whether the connection can serve another request: what is left of the body must be little. */
void server_connection::decide_close() noexcept
{
    if (core_->is_draining() || (parser_.head().is_http_1_0 && stage_ == stage::streaming)) closes_ = true;
    if (!parser_.is_done() && !body_.is_worth_skipping()) closes_ = true;
}

void server_connection::begin_answer(int status, std::string_view content_type, const http_headers& headers,
                                     std::optional<std::uint64_t> content_length)
{
    BOOST_ASSERT_MSG(status_ == 0 || holds_head_, "a request is answered once");
    holds_head_ = false;
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
    line_->out().clear();
    append_reply_head(line_->out(), status, content_type, headers, framing, core_->date(), common_);
}

task<void> server_connection::reply(http_reply answer)
{
    if (may_compress_ && parser_.is_head_done() && is_compressible(answer, core_->options()))
        co_await code_reply(answer, head().headers, core_->options().gzip_level, core_->compressions());
    const std::string_view type = answer.body.empty() ? std::string_view{} : std::string_view{answer.content_type};
    stage_ = stage::answered;
    begin_answer(answer.status, type, answer.headers, answer.body.size());
    if (has_no_body_ || answer.body.empty()) {
        co_await line_->send_out();
        co_return;
    }
    bytes_out_ = answer.body.size();
    if (answer.body.size() > copied_max) {
        co_await line_->send_out();  // copying a large body behind its head would cost more than a second system call
        line_->out() = std::move(answer.body);
    } else {
        line_->out().append(answer.body);
    }
    co_await line_->send_out();
}

void server_connection::begin_stream(int status, std::string_view content_type, const http_headers& headers)
{
    stage_ = stage::streaming;
    begin_answer(status, content_type, headers, std::nullopt);
    holds_head_ = true;
}

// This and the next two are no coroutines: a stream calls them for each event.
task<void> server_connection::flush()
{
    holds_head_ = false;
    return line_->send_out();
}

task<void> server_connection::start_stream(int status, std::string_view content_type, http_headers headers)
{
    begin_stream(status, content_type, headers);
    co_await flush();
    line_->watch();
}

/** Behind the head, if that has not gone out. */
void server_connection::append_piece(std::string_view bytes)
{
    bytes_out_ += bytes.size();
    if (parser_.head().is_http_1_0)
        line_->out().append(bytes);
    else
        append_chunk(line_->out(), bytes);
}

task<void> server_connection::write_piece(std::string_view bytes)
{
    BOOST_ASSERT_MSG(stage_ == stage::streaming, "the stream has not begun, or has ended");
    if (!has_no_body_) append_piece(bytes);
    return flush();
}

task<void> server_connection::end_stream(std::string_view last)
{
    BOOST_ASSERT_MSG(stage_ == stage::streaming, "the stream has not begun, or has ended");
    stage_ = stage::answered;
    if (!has_no_body_) append_piece(last);
    if (!has_no_body_ && !parser_.head().is_http_1_0) line_->out().append(last_chunk);
    return flush();
}

void server_connection::report() const
{
    const auto& hook = core_->options().on_access;
    if (!hook) return;
    http_access done;
    if (parser_.is_head_done()) {
        done.method = parser_.head().method;
        done.target = parser_.head().target;
        done.trace_parent = parser_.head().headers.find("traceparent").value_or("");
    }
    done.peer = line_->peer();
    done.status = status_;
    done.bytes_in = websocket_ ? websocket_->bytes_in() : body_.bytes();
    done.bytes_out = websocket_ ? websocket_->bytes_out() : bytes_out_;
    done.first_byte = answered_ - began_;
    done.whole = core_->loop().now() - began_;
    hook(done);
}

}  // namespace weft::net_detail
