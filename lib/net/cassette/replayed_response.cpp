#include "replayed_response.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/text/base64.hpp>

#include <utility>

namespace weft::net_detail {

namespace {

/** The code of this name; `connection_lost` for one of a later version. */
errc code_named(std::string_view name) noexcept
{
    for (int value = 1; name_of(static_cast<errc>(value)) != "unknown"; ++value)
        if (name_of(static_cast<errc>(value)) == name) return static_cast<errc>(value);
    return errc::connection_lost;
}

std::string bytes_of(const recorded_chunk& chunk, const std::string& endpoint)
{
    if (chunk.text) return *chunk.text;
    std::optional<std::string> bytes = from_base64(chunk.base64.value_or(std::string{}));
    if (!bytes) throw error{errc::unexpected_json, endpoint, "a recorded chunk is no base64; record it again"};
    return std::move(*bytes);
}

}  // namespace

replayed_response::replayed_response(serial_loop& loop, std::shared_ptr<const recorded_exchange> exchange,
                                     std::string endpoint, http_timeouts timeouts, cassette_timing timing)
    : loop_{loop}, exchange_{std::move(exchange)}, endpoint_{std::move(endpoint)}, timeouts_{timeouts},
      timing_{timing}, began_{loop.now()}
{
}

task<void> replayed_response::wait_for_head()
{
    const std::int64_t ms = exchange_->response ? exchange_->response->ms : exchange_->end.ms;
    // A failure had its own deadline when it was recorded.
    const auto limit = exchange_->response ? timeouts_.first_byte : std::chrono::nanoseconds::max();
    co_await wait_until(ms, limit, errc::first_byte_timeout);
    if (!exchange_->response) throw recorded_failure();
    read_head();
}

void replayed_response::read_head()
{
    head_.status = exchange_->response->status;
    head_.reason = exchange_->response->reason;
    for (const auto& [name, value] : exchange_->response->headers) head_.headers.add(name, value);
}

bool replayed_response::is_complete() const noexcept
{
    return exchange_->end.how == exchange_end::complete &&
           (is_over_ || time_until(exchange_->end.ms) <= std::chrono::nanoseconds{0});
}

task<std::string_view> replayed_response::read_some()
{
    if (!body_.empty()) co_return std::exchange(body_, {});
    if (is_over_) co_return std::string_view{};
    if (!is_open_) throw error{errc::response_truncated, endpoint_, "the response was closed; read it no further"};
    const std::vector<recorded_chunk>& chunks = exchange_->response->chunks;
    const bool has_more = next_ < chunks.size();
    const bool has_failed = !has_more && exchange_->end.how == exchange_end::failed;
    const auto limit = has_failed ? std::chrono::nanoseconds::max() : timeouts_.gap;
    const auto due = has_more ? chunks[next_].ms : exchange_->end.ms;
    co_await wait_until(due, limit, errc::gap_timeout);
    if (has_more) {
        piece_ = bytes_of(chunks[next_++], endpoint_);
        co_return piece_;
    }
    is_open_ = false;
    if (exchange_->end.how != exchange_end::complete) throw recorded_failure();
    is_over_ = true;
    co_return std::string_view{};
}

std::chrono::nanoseconds replayed_response::time_until(std::int64_t ms) const noexcept
{
    if (timing_ == cassette_timing::none) return std::chrono::nanoseconds{0};
    return began_ + std::chrono::milliseconds{ms} - loop_.now();
}

task<void> replayed_response::wait_until(std::int64_t ms, std::chrono::nanoseconds limit, errc late)
{
    const std::chrono::nanoseconds wait = time_until(ms);
    errc cut_short{};
    try {
        if (wait > std::chrono::nanoseconds{0}) co_await sleep_for(std::min(wait, limit));
    } catch (const error& e) {
        cut_short = e.code();
    }
    if (cut_short == errc{} && wait <= limit) co_return;
    is_open_ = false;
    if (cut_short != errc{}) throw error{cut_short, endpoint_};
    throw error{late, endpoint_, "the recorded answer came later than the timeouts of the client allow"};
}

error replayed_response::recorded_failure() const
{
    const recorded_end& end = exchange_->end;
    if (end.how == exchange_end::closed)
        return error{errc::response_truncated, endpoint_,
                     "the recording ends here, since its caller wanted no more; record it again"};
    return error{code_named(end.error.value_or(std::string{})), endpoint_,
                 end.detail.value_or(std::string{"as recorded"})};
}

}  // namespace weft::net_detail
