#include "error_words.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <charconv>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::size_t text_bytes_max = 2048;

/** The `loc` and `msg` of one complaint of FastAPI. */
std::string complaint(const json::value& entry)
{
    const json::object* fields = entry.if_object();
    if (!fields) return std::string{peek_text(&entry)};
    std::string text;
    if (const json::value* place = peek_member(*fields, "loc")) text.append(json::serialize(*place)).append(": ");
    return text.append(peek_text(*fields, "msg"));
}

std::string detail_text(const json::value& detail)
{
    const json::array* list = detail.if_array();
    if (!list) return std::string{peek_text(&detail)};
    std::string text;
    for (const json::value& entry : *list) text.append(text.empty() ? "" : "; ").append(complaint(entry));
    return text;
}

/** A status may come as a number or as its digits. */
void set_code(error_words& words, const json::value& code)
{
    if (const std::int64_t* number = code.if_int64())
        words.code = std::to_string(*number);
    else
        words.code = bounded_words(peek_text(&code));
    int status = 0;
    const char* end = words.code.data() + words.code.size();
    const auto [at, ec] = std::from_chars(words.code.data(), end, status);
    if (ec == std::errc{} && at == end && status >= 400 && status < 600) words.status = status;
}

}  // namespace

std::string bounded_words(std::string_view text)
{
    const std::string_view beginning = truncated_utf8(text, text_bytes_max);
    std::string result = repaired_utf8(beginning);
    if (beginning.size() < text.size()) result += "…";
    return result;
}

const json::object& error_in(const json::object& report) noexcept
{
    const json::object* inner = peek_object(report, "error");
    return inner ? *inner : report;
}

bool reports_error(const json::object& piece) noexcept
{
    const json::value* error = peek_member(piece, "error");
    if (error && error->is_object()) return !error->get_object().empty();
    if (error) return !peek_text(error).empty();
    return peek_text(piece, "object") == "error";
}

error_words words_of(const json::object& report, error_words_reader read_more)
{
    error_words words;
    const json::value* inner = peek_member(report, "error");
    const bool is_nested = inner && inner->is_object();
    const json::object& fields = error_in(report);

    words.message = bounded_words(is_nested ? peek_text(fields, "message") : peek_text(inner));
    // Express, Spring and others: `error` has the kind, `message` beside it what happened.
    const std::string_view beside = peek_text(report, "message");
    if (words.message.empty())
        words.message = bounded_words(beside);
    else if (!is_nested && !beside.empty() && beside != peek_text(inner))
        words.message = bounded_words(words.message + ": " + std::string{beside});
    const json::value* detail = words.message.empty() ? peek_member(report, "detail") : nullptr;
    if (detail) words.message = bounded_words(detail_text(*detail));

    words.type = bounded_words(peek_text(fields, "type"));
    if (const json::value* code = peek_member(fields, "code")) set_code(words, *code);
    if (read_more) read_more(report, words);
    return words;
}

error_words words_of_body(std::string_view body, error_words_reader read_more)
{
    error_words words;
    try {
        const json::value document = parse_json(body);
        const json::array* list = document.if_array();
        const json::value& report = list && !list->empty() ? list->front() : document;
        if (const json::object* fields = report.if_object()) words = words_of(*fields, read_more);
    } catch (const error&) {
        // No JSON: then the text itself is all there is.
    }
    if (words.message.empty()) words.message = bounded_words(body);
    return words;
}

}  // namespace weft::model_detail
