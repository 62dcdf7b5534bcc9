#include <weft/testing/scripted_reply.hpp>

#include "scripted_reply_json.hpp"

#include <weft/base/text/ascii_text.hpp>

#include <boost/assert.hpp>

namespace weft::testing {

namespace {

// A word and the white space before it, as the tokens of most models are.
std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    while (!text.empty()) {
        words.emplace_back(leading_word(text));
        text.remove_prefix(words.back().size());
    }
    return words;
}

// An event and its blank line.
std::vector<std::string> events_of(std::string_view body)
{
    std::vector<std::string> events;
    while (!body.empty()) {
        const std::size_t blank = body.find("\n\n");
        events.emplace_back(body.substr(0, blank == std::string_view::npos ? blank : blank + 2));
        body.remove_prefix(events.back().size());
    }
    return events;
}

}  // namespace

scripted_reply& scripted_reply::head_delay(duration wait)
{
    parts_.head_delay = wait;
    return *this;
}

scripted_reply& scripted_reply::head_spread(duration length)
{
    parts_.head_spread = length;
    return *this;
}

scripted_reply& scripted_reply::first_token(duration wait)
{
    parts_.first_token = wait;
    return *this;
}

scripted_reply& scripted_reply::between_tokens(duration wait)
{
    parts_.between_tokens = wait;
    return *this;
}

scripted_reply& scripted_reply::jitter(double part)
{
    BOOST_ASSERT(part >= 0 && part <= 1);
    parts_.jitter = part;
    return *this;
}

scripted_reply& scripted_reply::coalesced()
{
    parts_.is_coalesced = true;
    return *this;
}

scripted_reply& scripted_reply::tool_call(std::string name, std::string arguments, std::string id)
{
    if (id.empty()) id = "call_" + std::to_string(parts_.tool_calls.size() + 1);
    parts_.tool_calls.push_back({std::move(id), std::move(name), std::move(arguments)});
    return *this;
}

scripted_reply& scripted_reply::tool_calls_alternate()
{
    parts_.tool_calls_alternate = true;
    return *this;
}

scripted_reply& scripted_reply::finish_reason(std::string reason)
{
    parts_.finish_reason = std::move(reason);
    return *this;
}

scripted_reply& scripted_reply::usage(const weft::usage& count)
{
    parts_.usage = count;
    return *this;
}

scripted_reply& scripted_reply::body(std::string text)
{
    BOOST_ASSERT_MSG(parts_.kind == scripted_reply_kind::response, "only status() has a body");
    parts_.pieces.assign(1, std::move(text));
    return *this;
}

scripted_reply& scripted_reply::header(std::string name, std::string value)
{
    parts_.headers.emplace_back(std::move(name), std::move(value));
    return *this;
}

scripted_reply& scripted_reply::closes_connection()
{
    parts_.closes_connection = true;
    return *this;
}

scripted_reply& scripted_reply::end_after(std::size_t pieces)
{
    return fault(scripted_fault::end, pieces);
}

scripted_reply& scripted_reply::cut_after(std::size_t pieces)
{
    return fault(scripted_fault::cut, pieces);
}

scripted_reply& scripted_reply::cut_mid_chunk_after(std::size_t pieces)
{
    return fault(scripted_fault::cut_mid_chunk, pieces);
}

scripted_reply& scripted_reply::reset_after(std::size_t pieces)
{
    return fault(scripted_fault::reset, pieces);
}

scripted_reply& scripted_reply::stall_after(std::size_t pieces)
{
    return fault(scripted_fault::stall, pieces);
}

scripted_reply& scripted_reply::error_after(std::size_t pieces, std::string_view message, int code)
{
    parts_.fault_code = code;
    return fault(scripted_fault::error, pieces, error_document(message, error_type_of(code), code));
}

scripted_reply& scripted_reply::invalid_json_after(std::size_t pieces)
{
    return fault(scripted_fault::bytes, pieces, "data: {\"choices\":[{\"delta\":{\"con}\n\n");
}

scripted_reply& scripted_reply::oversized_line_after(std::size_t pieces, std::size_t bytes)
{
    std::string line = "data: ";
    line.resize(bytes, 'x');
    return fault(scripted_fault::bytes, pieces, std::move(line) + "\n\n");
}

scripted_reply& scripted_reply::bytes_after(std::size_t pieces, std::string bytes)
{
    return fault(scripted_fault::bytes, pieces, std::move(bytes));
}

scripted_reply& scripted_reply::fault(scripted_fault kind, std::size_t pieces, std::string bytes)
{
    BOOST_ASSERT_MSG(parts_.fault == scripted_fault::none, "a reply has at most one fault");
    parts_.fault = kind;
    parts_.fault_after = pieces;
    parts_.fault_bytes = std::move(bytes);
    return *this;
}

scripted_reply text(std::string_view whole) { return text_pieces(words_of(whole)); }

scripted_reply text_pieces(std::vector<std::string> pieces)
{
    scripted_reply_content parts;
    parts.pieces = std::move(pieces);
    return scripted_reply{std::move(parts)};
}

scripted_reply tool_call(std::string name, std::string arguments, std::string id)
{
    scripted_reply reply{scripted_reply_content{}};
    reply.tool_call(std::move(name), std::move(arguments), std::move(id));
    return reply;
}

scripted_reply status(int code, std::string_view message)
{
    scripted_reply_content parts;
    parts.kind = scripted_reply_kind::response;
    parts.status = code;
    const std::string sentence = "scripted status " + std::to_string(code);
    parts.pieces.push_back(
        error_document(message.empty() ? sentence : message, error_type_of(code), code));
    return scripted_reply{std::move(parts)};
}

scripted_reply event_stream(std::string_view body)
{
    scripted_reply_content parts;
    parts.kind = scripted_reply_kind::stream;
    parts.pieces = events_of(body);
    return scripted_reply{std::move(parts)};
}

scripted_reply raw_response(std::string bytes)
{
    scripted_reply_content parts;
    parts.kind = scripted_reply_kind::raw;
    parts.pieces.push_back(std::move(bytes));
    parts.closes_connection = true;
    return scripted_reply{std::move(parts)};
}

scripted_reply garbage()
{
    std::string bytes;
    for (int i = 0; i < 64; ++i) bytes.push_back(static_cast<char>((i * 37 + 129) & 0xFF));
    return raw_response(std::move(bytes));
}

scripted_reply hang_up() { return raw_response({}).cut_after(0); }

scripted_reply silence() { return raw_response({}).stall_after(0); }

}  // namespace weft::testing
