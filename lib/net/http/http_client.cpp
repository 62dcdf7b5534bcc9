#include <weft/net/http_client.hpp>

#include "client_core.hpp"
#include "http_exchange.hpp"
#include "net/cassette/cassette_request.hpp"
#include "net/cassette/cassette_tape.hpp"
#include "net/cassette/recording_response.hpp"
#include "net/cassette/replayed_response.hpp"

#include <weft/async/async_generator.hpp>

#include <string>
#include <utility>

namespace weft {

namespace {

using net_detail::cassette_tape;
using net_detail::client_core;
using net_detail::connection_lease;
using net_detail::connection_pool;
using net_detail::exchange_recording;
using net_detail::http_exchange;
using net_detail::recorded_form;
using net_detail::recorded_request;
using net_detail::recording_response;
using net_detail::replayed_response;
using net_detail::response_source;

void check_secrets(const http_request& request, const http_client_options& options)
{
    const url& target = request.target();
    const bool stays_here = target.host_is_loopback() && !options.proxy_for(target);
    const bool is_private = target.is_https() || stays_here || options.secrets_without_tls;
    if (is_private || request.secrets().empty()) return;
    throw error{errc::invalid_configuration, target.endpoint(),
                "the request has a secret (" + request.secrets().front().name +
                    ") and would go over http:// to another machine; use https://"};
}

task<std::unique_ptr<response_source>> exchange_over_network(std::shared_ptr<client_core> core, http_request request)
{
    serial_loop& loop = co_await this_task::loop();
    const std::shared_ptr<connection_pool> pool = core->pool_of(loop);
    const auto connect_max = request.timeouts().value_or(core->options()->timeouts).connect;
    auto choice = connection_pool::choice::any;
    for (;;) {
        connection_lease lease = co_await pool->acquire(request.target(), connect_max, choice);
        auto exchange = std::make_unique<http_exchange>(std::move(lease), core->options(), request);
        std::optional<error> failure = co_await exchange->perform(request);
        if (!failure) co_return exchange;
        if (failure->code() != errc::connection_lost || !exchange->may_be_sent_again()) throw error{*failure};
        request.body(exchange->take_body());
        ++core->counters()->repeated;
        choice = connection_pool::choice::fresh;
    }
}

/** The next piece of a stream that has something in it; empty at the end. */
task<std::string> next_piece(async_generator<std::string>& pieces)
{
    for (;;) {
        const std::string* const piece = co_await pieces.next();
        if (!piece) co_return std::string{};
        if (!piece->empty()) co_return *piece;
    }
}

/** A stream goes out once: over a new connection, which no server has closed meanwhile, and when there is something to
 *  send, so that no server closes it before. */
task<std::unique_ptr<response_source>> exchange_stream(std::shared_ptr<client_core> core, http_request request)
{
    serial_loop& loop = co_await this_task::loop();
    async_generator<std::string> pieces = request.take_pieces();
    std::string first = co_await next_piece(pieces);
    const std::shared_ptr<connection_pool> pool = core->pool_of(loop);
    const auto connect_max = request.timeouts().value_or(core->options()->timeouts).connect;
    connection_lease lease = co_await pool->acquire(request.target(), connect_max, connection_pool::choice::fresh);
    auto exchange = std::make_unique<http_exchange>(std::move(lease), core->options(), request);
    std::optional<error> failure = co_await exchange->perform(request, std::move(first), pieces);
    if (!failure) co_return exchange;
    if (failure->code() != errc::connection_lost) throw error{*failure};
    throw error{failure->code(), failure->where(),
                failure->detail() + "; the body is a stream, of which pieces were sent: it is not sent again"};
}

task<std::unique_ptr<response_source>> exchange_live(std::shared_ptr<client_core> core, http_request request)
{
    if (request.streams_body()) return exchange_stream(std::move(core), std::move(request));
    return exchange_over_network(std::move(core), std::move(request));
}

/** A cassette has whole bodies. */
task<http_request> with_whole_body(http_request request)
{
    if (!request.streams_body()) co_return request;
    async_generator<std::string> pieces = request.take_pieces();
    std::string whole;
    for (;;) {
        std::string piece = co_await next_piece(pieces);
        if (piece.empty()) break;
        whole += piece;
    }
    request.body(std::move(whole));
    co_return request;
}

/** Lets a cassette answer, or record what the network answers. */
task<http_response> exchange_with_tape(std::shared_ptr<client_core> core, std::shared_ptr<cassette_tape> tape,
                                       http_request given)
{
    serial_loop& loop = co_await this_task::loop();
    http_request request = co_await with_whole_body(std::move(given));
    recorded_request asked = recorded_form(request, tape->options());
    if (tape->mode() != cassette_mode::record) {
        if (auto found = tape->take(asked)) {
            auto replay = std::make_unique<replayed_response>(loop, std::move(found), request.target().endpoint(),
                                                              request.timeouts().value_or(core->options()->timeouts),
                                                              tape->options().timing);
            co_await replay->wait_for_head();
            co_return http_response{std::move(replay)};
        }
        if (tape->mode() == cassette_mode::replay) throw tape->miss(asked, request.target().endpoint());
    }
    auto recording = std::make_unique<exchange_recording>(loop, tape, std::move(asked), request);
    std::unique_ptr<response_source> live;
    std::optional<error> failure;
    try {
        std::unique_ptr<response_source> answered = co_await exchange_over_network(core, std::move(request));
        live = std::move(answered);
    } catch (const error& e) {
        failure = e;
    }
    if (failure) {
        recording->fail(*failure);
        throw error{std::move(*failure)};
    }
    co_return http_response{std::make_unique<recording_response>(std::move(live), std::move(recording))};
}

task<http_response> send_request(std::shared_ptr<client_core> core, std::shared_ptr<cassette_tape> tape,
                                 http_request request)
{
    check_secrets(request, *core->options());
    if (tape) {
        http_response response = co_await exchange_with_tape(core, std::move(tape), std::move(request));
        co_return response;
    }
    std::unique_ptr<response_source> live = co_await exchange_live(core, std::move(request));
    co_return http_response{std::move(live)};
}

}  // namespace

struct http_client::handle {
    handle(http_client_options options, connector_factory connects, std::shared_ptr<cassette_tape> tape)
        : core{std::make_shared<client_core>(std::move(options), std::move(connects))}, tape{std::move(tape)}
    {
    }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;
    std::shared_ptr<client_core> core;
    std::shared_ptr<cassette_tape> tape;  // null if nothing is recorded or replayed
    ~handle() { core->release_pools(); }
};

http_client::http_client(http_client_options options) : http_client{std::move(options), connector_factory{}} {}

http_client::http_client(http_client_options options, connector_factory connects)
    : handle_{std::make_shared<const handle>(std::move(options), std::move(connects), nullptr)}
{
}

http_client::http_client(http_client_options options, const cassette& tape, connector_factory connects)
    : handle_{std::make_shared<const handle>(std::move(options), std::move(connects), tape.tape())}
{
}

task<http_response> http_client::send(http_request request) const
{
    return send_request(handle_->core, handle_->tape, std::move(request));
}

http_client_counts http_client::counts() const noexcept { return handle_->core->counters()->values(); }

const http_timeouts& http_client::timeouts() const noexcept { return handle_->core->options()->timeouts; }

}  // namespace weft
