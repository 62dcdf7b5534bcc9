#include "recording_response.hpp"

#include "cassette_request.hpp"
#include "hidden_names.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/base/utf8.hpp>

#include <iostream>
#include <optional>

namespace weft::net_detail {

exchange_recording::exchange_recording(serial_loop& loop, std::shared_ptr<cassette_tape> tape, recorded_request asked,
                                       const http_request& request)
    : loop_{loop}, tape_{std::move(tape)}, secrets_{secrets_to_hide(request, tape_->options())}, began_{loop.now()},
      place_{tape_->reserve()}
{
    tape_->count_bytes(request.body().size());
    exchange_.request = std::move(asked);
}

void exchange_recording::add_head(const http_response_head& head)
{
    exchange_.response = recorded_form(head, tape_->options(), secrets_);
    exchange_.response->ms = elapsed_ms();
}

void exchange_recording::add_piece(std::string_view bytes)
{
    if (!tape_) return;
    tape_->count_bytes(bytes.size());
    body_ += bytes;
    pieces_.emplace_back(elapsed_ms(), body_.size());
}

void exchange_recording::fail(const error& cause)
{
    if (cause.code() == errc::cancelled) return closed();
    std::string detail = cause.detail();
    for (const secret_string& secret : secrets_) detail = secret.scrub(detail);
    end({elapsed_ms(), exchange_end::failed, std::string{name_of(cause.code())}, repaired_utf8(detail)});
}

void exchange_recording::closed() noexcept
{
    if (!exchange_.response) {
        tape_.reset();
        return;
    }
    try {
        end({elapsed_ms(), exchange_end::closed, {}, {}});
    } catch (const std::bad_alloc&) {
        std::clog << "weft: an exchange was not recorded: there is no memory left\n";
    }
}

std::int64_t exchange_recording::elapsed_ms() const
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - began_).count();
}

/** The pieces, with secrets masked that may reach from one into the next. */
std::vector<recorded_chunk> exchange_recording::hidden_chunks() const
{
    std::string body = body_;
    for (const secret_string& secret : secrets_in_members(body_, tape_->options())) body = secret.masked(body);
    for (const secret_string& secret : secrets_) body = secret.masked(body);
    std::vector<recorded_chunk> chunks;
    std::size_t begin = 0;
    for (const auto& [ms, end] : pieces_) {
        const std::string_view bytes = std::string_view{body}.substr(begin, end - begin);
        recorded_chunk& chunk = chunks.emplace_back();
        chunk.ms = ms;
        if (is_valid_utf8(bytes))
            chunk.text = bytes;
        else
            chunk.base64 = to_base64(bytes);
        begin = end;
    }
    return chunks;
}

void exchange_recording::end(recorded_end how)
{
    if (!tape_) return;
    if (exchange_.response) exchange_.response->chunks = hidden_chunks();
    exchange_.end = std::move(how);
    std::exchange(tape_, nullptr)->put(place_, std::move(exchange_));
}

recording_response::recording_response(std::unique_ptr<response_source> live,
                                       std::unique_ptr<exchange_recording> recording)
    : live_{std::move(live)}, recording_{std::move(recording)}
{
    recording_->add_head(live_->head());
}

task<std::string_view> recording_response::read_some()
{
    if (!body_.empty()) co_return std::exchange(body_, {});
    std::string_view piece;
    std::optional<error> failure;
    try {
        const std::string_view read = co_await live_->read_some();
        piece = read;
    } catch (const error& e) {
        failure = e;
    }
    if (failure) {
        recording_->fail(*failure);
        throw error{std::move(*failure)};
    }
    if (piece.empty())
        recording_->complete();
    else
        recording_->add_piece(piece);
    co_return piece;
}

void recording_response::close() noexcept
{
    recording_->closed();
    body_ = {};
    live_->close();
}

}  // namespace weft::net_detail
