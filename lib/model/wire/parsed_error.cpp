#include "parsed_error.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <charconv>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

// What an endpoint says goes into messages and logs; some answer with a whole page of HTML.
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
void set_code(parsed_error& parsed, const json::value& code)
{
    if (const std::int64_t* number = code.if_int64())
        parsed.code = std::to_string(*number);
    else
        parsed.code = bounded_text(peek_text(&code));
    int status = 0;
    const char* end = parsed.code.data() + parsed.code.size();
    const auto [at, ec] = std::from_chars(parsed.code.data(), end, status);
    // A code of another kind, as `40012`, is no status.
    if (ec == std::errc{} && at == end && status >= 400 && status < 600) parsed.status = status;
}

}  // namespace

std::string bounded_text(std::string_view text)
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

parsed_error error_of(const json::object& report, error_detail_reader read_more)
{
    parsed_error parsed;
    const json::value* inner = peek_member(report, "error");
    const bool is_nested = inner && inner->is_object();
    const json::object& fields = error_in(report);

    parsed.message = bounded_text(is_nested ? peek_text(fields, "message") : peek_text(inner));
    // Express, Spring and others: `error` has the kind, `message` beside it what happened.
    const std::string_view beside = peek_text(report, "message");
    if (parsed.message.empty())
        parsed.message = bounded_text(beside);
    else if (!is_nested && !beside.empty() && beside != peek_text(inner))
        parsed.message = bounded_text(parsed.message + ": " + std::string{beside});
    const json::value* detail = parsed.message.empty() ? peek_member(report, "detail") : nullptr;
    if (detail) parsed.message = bounded_text(detail_text(*detail));

    parsed.type = bounded_text(peek_text(fields, "type"));
    if (const json::value* code = peek_member(fields, "code")) set_code(parsed, *code);
    if (read_more) read_more(report, parsed);
    return parsed;
}

parsed_error error_of_body(std::string_view body, error_detail_reader read_more)
{
    parsed_error parsed;
    try {
        const json::value document = parse_json(body);
        const json::array* list = document.if_array();
        // Gemini wraps the error of a stream into a list.
        const json::value& report = list && !list->empty() ? list->front() : document;
        if (const json::object* fields = report.if_object()) parsed = error_of(*fields, read_more);
    } catch (const error&) {
        // No JSON: then the text itself is all there is.
    }
    if (parsed.message.empty()) parsed.message = bounded_text(body);
    return parsed;
}

}  // namespace weft::model_detail
