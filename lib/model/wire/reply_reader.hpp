#pragma once

#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/sse_parser.hpp>

#include "error_judge.hpp"
#include "repeated_piece.hpp"
#include "streamed_text.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::model_detail {

/** Reads one reply: takes the events in that a provider sends, tells a sink what comes, and makes the reply. Does no
 *  I/O. A class of each provider derives from it and reads the provider's JSON.
 *
 *      while (const weft::sse_event* event = parser.next())
 *          if (!reader.feed(*event, sink)) break;
 *      weft::chat_reply reply = reader.finish(parser.raw_json());
 *
 *  What makes a reply complete is the provider's business; how the connection ends after that makes no difference.
 *  A member that is missing, null or of another type is "not given", an unknown member is ignored.
 *
 *  @par Errors          All functions but the constructor throw `model_error` with what had arrived but tool calls:
 *    - `errc::response_truncated`     the stream ended before the reply was complete.
 *    - `errc::model_stream_error`     the server reported an error after the reply had begun.
 *    - the code that fits             the server reported an error before that, as if by its status.
 *    - `errc::invalid_model_reply`    an event is not what it should be.
 *    - `errc::response_too_large`     a limit of the options is exceeded.
 *  @par Thread safety   As a value. After an error it is not to be used any more.
 *  @par Lifetimes       The key, the dialect and the settings of the provider outlive it. */
class reply_reader {
public:
    virtual ~reply_reader() = default;
    reply_reader(const reply_reader&) = delete;
    reply_reader& operator=(const reply_reader&) = delete;

    /** Takes one event in. @return False when nothing of interest can follow. */
    bool feed(const sse_event& event, chat_sink& sink);

    /** Takes the event in that the end of the body cut, if it proves to be whole. */
    void feed_last(const sse_event& event, chat_sink& sink);

    /** Takes a whole reply in, from a server that does not stream. */
    void feed_document(std::string_view body, chat_sink& sink);

    /** The reply, when the body has ended.
     *  @param stray_json   What stood in the body outside of events; late errors come so. */
    [[nodiscard]] chat_reply finish(std::string_view stray_json = {});

    /** The reply, when the body broke off. One that was complete by then is returned, unless the call was cancelled;
     *  else this throws `cause` as a `model_error`. */
    [[nodiscard]] chat_reply finish_after(const error& cause);

protected:
    /** @param secret          Blotted out of errors that the server reports.
     *  @param split_members   Members whose text may be cut in the middle of a character, beside the usual ones. */
    reply_reader(reply_options reading, const secret_string& secret, const error_dialect& dialect,
                 std::vector<std::string> split_members = {});

    /** Reads an object of the stream.
     *  @param event_type   The event's, for servers that say it nowhere else; empty in a document. */
    virtual void take_object(const boost::json::object& piece, std::string_view event_type, chat_sink& sink) = 0;
    /** Takes the text of a piece that equals in all else the last one, of which `note_sole_text` was called. */
    virtual void take_text(std::string_view, chat_sink&) {}
    /** Called when no piece follows: after `[DONE]`, and after a document. */
    virtual void take_end(chat_sink&) {}
    /** Whether the data of an event `error` is the error as a whole, and not a piece for `take_object`. */
    [[nodiscard]] virtual bool is_bare_error(std::string_view) const { return true; }
    /** Whether nothing of interest can follow. */
    [[nodiscard]] virtual bool has_ended() const noexcept { return false; }
    /** Whether the reply can be made. */
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;
    /** Why it cannot be made, for people. */
    [[nodiscard]] virtual std::string_view why_incomplete() const noexcept = 0;
    /** Whether the sink was given text, reasoning or a tool call. */
    [[nodiscard]] virtual bool has_delivered() const noexcept = 0;
    /** Moves everything but the tool calls into a reply. */
    virtual void move_partial(chat_reply& out) = 0;
    /** Moves everything into a reply that is complete.
     *  @par Errors   May throw `reply_refused`. */
    virtual void move_complete(chat_reply& out) = 0;

    [[nodiscard]] const reply_options& options() const noexcept { return options_; }
    [[nodiscard]] const secret_string& key() const noexcept { return key_; }
    /** Whether the reply came whole, not as a stream. */
    [[nodiscard]] bool is_document() const noexcept { return is_document_; }
    /** Whether `[DONE]` was seen. It is the end for Chat Completions only; gateways send it before other APIs too. */
    [[nodiscard]] bool is_done() const noexcept { return is_done_; }
    /** Whether a text is JSON as a whole. */
    [[nodiscard]] bool is_whole(std::string_view text) const;

    /** Says of the object that is taken in that it has no effect but this text of it: pieces that differ from it in the
     *  text only need not be read. */
    void note_sole_text(std::string_view text) noexcept { sole_text_ = text; }

    [[noreturn]] void fail(model_failure failure);
    [[noreturn]] void fail_with_report(const boost::json::object& report);
    [[noreturn]] void refuse(errc code, std::string detail, bool may_pass = false);
    /** A document that holds no reply. */
    [[noreturn]] void refuse_document(std::string detail);
    /** What a server reported, without the halves of characters in it. */
    [[nodiscard]] model_failure failure_of(const boost::json::object& report) const;

private:
    [[nodiscard]] boost::json::value read(std::string_view text, boost::json::storage_ptr storage) const;
    [[nodiscard]] bool is_split(std::string_view name) const noexcept;
    [[nodiscard]] std::string excerpt(std::string_view text) const;
    void take(std::string_view text, std::string_view event_type, chat_sink& sink);
    void take_piece(std::string_view text, std::string_view event_type, chat_sink& sink);
    void take_fields(const boost::json::value& piece, std::string_view event_type, chat_sink& sink);
    void end_pieces(chat_sink& sink);
    [[nodiscard]] chat_reply complete();
    [[noreturn]] void fail_with_text(std::string_view report);
    [[noreturn]] void refuse_end(std::string_view stray_json);

    reply_options options_;
    const secret_string& key_;
    const error_dialect& dialect_;
    std::vector<std::string> split_members_;
    repeated_piece last_;
    std::string_view sole_text_;  // of the piece that is taken in
    bool has_pieces_ = false;
    bool is_document_ = false;
    bool is_done_ = false;
};

}  // namespace weft::model_detail
