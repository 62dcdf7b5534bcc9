#pragma once

#include <weft/base/json/utf16_halves.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/secret_string.hpp>

#include "error_judge.hpp"
#include "reply_refused.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::model_detail {

/** Counts bytes up to a limit. */
class byte_budget {
public:
    byte_budget(std::size_t bytes_max, const char* what) noexcept : left_{bytes_max}, max_{bytes_max}, what_{what} {}

    /** @par Errors   `reply_refused` with `errc::response_too_large` when there are not so many left. */
    void take(std::size_t bytes);

private:
    std::size_t left_;
    std::size_t max_;
    const char* what_;
};

/** A text that comes in pieces, some of which may end in the middle of a character. */
struct streamed_text {
    std::string text;
    utf16_joiner seams;
};

/** What the streams of several providers have in common: they read JSON, and when they fail, what had arrived goes
 *  along, and no tool call does.
 *
 *  @par Lifetimes   The key and the dialect outlive it. */
class reply_under_way {
public:
    /** @param split_members   Members whose text may be cut in the middle of a character, beside the usual ones. */
    reply_under_way(reply_options reading, const secret_string& secret, const error_dialect& words,
                    std::vector<std::string> split_members);
    virtual ~reply_under_way() = default;
    reply_under_way(const reply_under_way&) = delete;
    reply_under_way& operator=(const reply_under_way&) = delete;

    /** Reads a piece of the stream and takes it in: an object, or a list of objects, since some servers put errors into
     *  lists, or all chunks of a reply.
     *  @param event_type   That of the event, for servers that say it nowhere else. */
    void take(std::string_view text, std::string_view event_type, chat_sink& sink);
    /** Whether a text is JSON as a whole. */
    [[nodiscard]] bool is_whole(std::string_view text) const;

    [[nodiscard]] chat_reply complete();
    [[noreturn]] void fail(model_failure failure);
    [[noreturn]] void fail_with_report(const boost::json::object& report);
    /** The report may be JSON or plain text. */
    [[noreturn]] void fail_with_text(std::string_view report);
    [[noreturn]] void fail_after(const error& cause);
    [[noreturn]] void refuse(errc code, std::string detail, bool may_pass = false);
    /** The stream ended before the reply did. Where a JSON document stands in place of the events, asking again does
     *  not help: that is said instead.
     *  @param stray_json   What stood in the body outside of events. */
    [[noreturn]] void refuse_end(std::string_view stray_json, std::string detail);

    reply_options options;
    const secret_string& key;
    bool is_document = false;  // the reply came whole, not as a stream

protected:
    virtual void take_object(const boost::json::object& piece, std::string_view event_type, chat_sink& sink) = 0;
    [[nodiscard]] virtual bool has_delivered() const noexcept = 0;
    /** Moves everything but the tool calls into a reply. */
    virtual void move_partial(chat_reply& out) = 0;
    /** Moves everything into a reply that is complete. */
    virtual void move_complete(chat_reply& out) = 0;

private:
    [[nodiscard]] boost::json::value read(std::string_view text, boost::json::storage_ptr storage) const;
    [[nodiscard]] bool is_split(std::string_view name) const noexcept;
    [[nodiscard]] std::string excerpt(std::string_view text) const;
    void take_fields(const boost::json::value& piece, std::string_view event_type, chat_sink& sink);

    const error_dialect& dialect_;
    std::vector<std::string> split_members_;
    bool has_pieces_ = false;
};

}  // namespace weft::model_detail
