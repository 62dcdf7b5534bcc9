#pragma once

#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/net/url.hpp>

#include "model/wire/provider.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::model_detail {

/** Decides how a response that goes on by itself is looked at until it is over: as a stream behind the last event that
 *  came, or as a document, and when again. Does no I/O.
 *
 *  @par Errors      `model_error` of a response that cannot be had: a refusal that does not pass, a response that has
 *                   failed or is no response, or the sixtieth failure in a row.
 *  @par Lifetimes   The provider and the sink outlive it. */
class response_follower {
public:
    response_follower(const provider& from, reply_options reading, chat_sink& sink);

    /** Where the next look goes. @param response   The address of the response. */
    [[nodiscard]] url target(const url& response) const;
    /** How long to wait before it. */
    [[nodiscard]] std::chrono::nanoseconds pause() const noexcept { return pause_; }
    [[nodiscard]] std::size_t document_bytes_max() const noexcept { return bytes_max_; }

    void begin_stream();
    /** @return  False when nothing of interest can follow. */
    bool take(std::string_view bytes);
    void end_stream();
    /** The response as it stands. */
    void take_document(const std::string& text);
    /** A look has failed: it is made again, or in another way, or this throws. */
    void take_failure(const model_error& failed);

    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    /** Once it is over. */
    [[nodiscard]] chat_reply finish();

private:
    void take(const sse_event& event);
    template <class Read>
    void read(Read take_in);

    const std::string where_;
    const std::size_t bytes_max_;
    const std::unique_ptr<reply_reader> reader_;
    chat_sink& sink_;
    std::optional<sse_parser> parser_;
    std::optional<model_error> failed_;  // how it was over
    std::optional<std::int64_t> seen_;  // the number of the last event
    std::chrono::nanoseconds pause_{};
    int failures_ = 0;  // in a row
    bool streams_ = true;
    bool is_over_ = false;
};

}  // namespace weft::model_detail
